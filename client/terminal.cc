#include "client/terminal.h"

#include <langinfo.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace benchd::client {
namespace {

bool IsDumb() {
  const char* term = std::getenv("TERM");
  return term == nullptr || term[0] == '\0' || std::string_view(term) == "dumb";
}

winsize SizeOf(int fd) {
  winsize size{};
  if (ioctl(fd, TIOCGWINSZ, &size) != 0) size = {};
  return size;
}

}  // namespace

Style StyleOf(int fd) {
  Style style;
  const bool terminal = isatty(fd) == 1;
  const char* no_color = std::getenv("NO_COLOR");
  style.color = terminal && !IsDumb() && (no_color == nullptr || no_color[0] == '\0');
  style.unicode = std::string_view(nl_langinfo(CODESET)) == "UTF-8";
  if (terminal) style.width = SizeOf(fd).ws_col > 0 ? SizeOf(fd).ws_col : 80;
  return style;
}

bool CanRedraw(int fd) { return isatty(fd) == 1 && !IsDumb(); }

int TerminalHeight(int fd) {
  const int rows = SizeOf(fd).ws_row;
  return rows > 0 ? rows : 24;
}

}  // namespace benchd::client
