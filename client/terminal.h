#pragma once

#include "client/render/style.h"

namespace benchd::client {

/// What a descriptor (stdout, stderr) can show: colours only on a terminal that is not dumb and
/// without NO_COLOR; signs beyond ASCII where the locale is UTF-8; its width, 0 where it is none.
/// Needs setlocale(LC_CTYPE, "") once, in main.
Style StyleOf(int fd);

/// True where a live view can be drawn: a terminal with cursor movement.
bool CanRedraw(int fd);

/// Rows of the terminal, 24 when it does not tell.
int TerminalHeight(int fd);

}  // namespace benchd::client
