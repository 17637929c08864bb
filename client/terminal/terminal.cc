#include "client/terminal/terminal.h"

#include <fmt/format.h>
#include <langinfo.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <string_view>

#include "client/present/text.h"
#include "core/base/file.h"

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

bool InForeground(int fd) {
  const pid_t group = tcgetpgrp(fd);
  return group == getpgrp() || (group < 0 && errno == ENOTTY && isatty(fd) == 1);
}

namespace {

constexpr char kHideCursor[] = "\x1b[?25l";
constexpr char kShowCursor[] = "\x1b[?25h";
constexpr char kClearLine[] = "\x1b[K";
constexpr char kClearBelow[] = "\x1b[J";

}  // namespace

void PrintToStderr(const std::string& sentence) {
  static_cast<void>(WriteAll(STDERR_FILENO, "benchctl: " + sentence + "\n", "stderr"));
}

// Moves the cursor to the first line drawn. Lines have wrapped if the terminal became narrower.
std::string LiveScreen::Rewind(int width) const {
  int rows = 0;
  for (const int drawn : drawn_widths_)
    rows += std::max(1, (drawn + width - 1) / std::max(1, width));
  return rows > 0 ? fmt::format("\x1b[{}A\r", rows) : "\r";
}

std::string LiveScreen::Compose(const std::vector<std::string>& lines, int width) {
  std::string text = drawn_widths_.empty() ? kHideCursor : Rewind(width);
  const bool shorter = lines.size() < drawn_widths_.size() || width != last_width_;
  drawn_widths_.clear();
  if (shorter) text += kClearBelow;
  for (const std::string& line : lines) {
    // Clear before the text: after a line that fills its row, the cursor stays on the last column.
    text += kClearLine + line + "\n";
    drawn_widths_.push_back(Width(line));
  }
  last_width_ = width;
  return text;
}

// A terminal that was closed is not an error.
void LiveScreen::Write(const std::string& text) const {
  static_cast<void>(WriteAll(fd_, text, "the terminal"));
}

void LiveScreen::Draw(const std::vector<std::string>& lines, int width) {
  if (!lines.empty()) Write(Compose(lines, width));
}

void LiveScreen::Clear() {
  if (drawn_widths_.empty()) return;
  Write(Rewind(last_width_) + kClearBelow + kShowCursor);
  drawn_widths_.clear();
}

bool Keyboard::Hold() {
  // The descriptor is not a terminal, not the controlling terminal, or in use by another job.
  if (fd_ < 0 || tcgetpgrp(fd_) != getpgrp()) return false;
  termios modes{};
  if (tcgetattr(fd_, &modes) != 0) return false;
  if (!saved_) saved_ = modes;
  if ((modes.c_lflag & (ICANON | ECHO)) == 0) return true;
  modes.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  // VMIN must not be 0: after SIGSTOP, which leaves no chance to restore the modes, the shell would
  // take an empty read for the end of its input.
  modes.c_cc[VMIN] = 1;
  modes.c_cc[VTIME] = 0;
  return tcsetattr(fd_, TCSANOW, &modes) == 0;
}

void Keyboard::Release() {
  if (saved_ && tcgetpgrp(fd_) == getpgrp()) tcsetattr(fd_, TCSANOW, &*saved_);
  saved_.reset();
}

std::optional<char> Keyboard::Read() {
  pollfd state{fd_, POLLIN, 0};
  if (poll(&state, 1, 0) <= 0) return std::nullopt;
  char key = 0;
  if ((state.revents & POLLIN) != 0 && read(fd_, &key, 1) == 1) return key;
  fd_ = -1;  // a closed terminal would be readable forever
  return std::nullopt;
}

}  // namespace benchd::client
