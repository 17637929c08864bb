#pragma once

#include <string>
#include <vector>

#include "client/render/text.h"

namespace benchd::client {

/// What a descriptor (stdout, stderr) can show: colours only on a terminal that is not dumb and
/// without NO_COLOR; signs beyond ASCII where the locale is UTF-8; its width, 0 where it is none.
/// Needs setlocale(LC_CTYPE, "") once, in main.
Style StyleOf(int fd);

/// True where a live view can be drawn: a terminal with cursor movement.
bool CanRedraw(int fd);

/// Rows of the terminal, 24 when it does not tell.
int TerminalHeight(int fd);

/// An area of lines at the bottom of a terminal that is drawn again and again in place.
///
/// The cursor is hidden while there is something; Clear and the destructor take the area away and
/// give the cursor back. Not thread-safe.
class LiveScreen {
 public:
  explicit LiveScreen(int fd) : fd_(fd) {}
  LiveScreen(const LiveScreen&) = delete;
  LiveScreen& operator=(const LiveScreen&) = delete;
  ~LiveScreen() { Clear(); }

  /// @param width  columns of the terminal now: lines drawn before may have wrapped since
  void Draw(const std::vector<std::string>& lines, int width);
  void Clear();

  /// The bytes that Draw would write, for tests.
  std::string Compose(const std::vector<std::string>& lines, int width);

 private:
  std::string Rewind(int width) const;
  void Write(const std::string& text) const;

  int fd_;
  std::vector<int> drawn_widths_;
  int last_width_ = 80;
};

/// "benchctl: SENTENCE" as one line on stderr, in one piece; a stderr that is gone is no reason to
/// fail. Any thread.
void TellOnStderr(const std::string& sentence);

}  // namespace benchd::client
