#pragma once

#include <termios.h>

#include <optional>
#include <string>
#include <vector>

#include "client/present/text.h"

namespace benchd::client {

/// Returns how to write to a descriptor (stdout, stderr): in colour only on a terminal that is not
/// dumb and without NO_COLOR, with characters beyond ASCII only in a UTF-8 locale. The width is 0
/// without a terminal. main() must have called setlocale(LC_CTYPE, "").
Style StyleOf(int fd);

/// Returns whether a live view can be drawn, which needs a terminal with cursor movement.
bool CanRedraw(int fd);

/// Returns the number of rows of the terminal, or 24 if it is unknown.
int TerminalHeight(int fd);

/// Returns false for a background job, whose shell or another job then has the terminal. Returns
/// true if `fd` is a terminal without job control.
bool InForeground(int fd);

/// An area of lines at the bottom of a terminal that is redrawn in place.
///
/// The cursor is hidden while the area is shown. Clear and the destructor remove the area and show
/// the cursor again. Not thread-safe.
class LiveScreen {
 public:
  explicit LiveScreen(int fd) : fd_(fd) {}
  LiveScreen(const LiveScreen&) = delete;
  LiveScreen& operator=(const LiveScreen&) = delete;
  ~LiveScreen() { Clear(); }

  /// @param width  current columns of the terminal; lines drawn earlier may have wrapped since
  void Draw(const std::vector<std::string>& lines, int width);
  void Clear();
  /// Leaves the area as it is, because other programs have written below it. The next Draw starts
  /// a new area.
  void Forget() { drawn_widths_.clear(); }

  /// Returns the bytes that Draw would write, for tests.
  std::string Compose(const std::vector<std::string>& lines, int width);

 private:
  std::string Rewind(int width) const;
  void Write(const std::string& text) const;

  int fd_;
  std::vector<int> drawn_widths_;
  int last_width_ = 80;
};

/// Reads single keys of a terminal, without echo and line buffering. Ctrl-C and Ctrl-Z remain
/// signals.
///
/// The modes of the terminal are changed only while this process is in its foreground. Release and
/// the destructor restore them. Not thread-safe.
class Keyboard {
 public:
  explicit Keyboard(int fd) : fd_(fd) {}
  Keyboard(const Keyboard&) = delete;
  Keyboard& operator=(const Keyboard&) = delete;
  ~Keyboard() { Release(); }

  /// Takes the keys if this process is in the foreground, and returns whether it has them. Call it
  /// repeatedly: nothing reports fg, bg or a change of the terminal's modes by another program.
  bool Hold();
  void Release();

  /// Returns the descriptor to poll for input, or -1 while the keys are not held.
  int fd() const { return saved_ && InForeground(fd_) ? fd_ : -1; }

  /// Returns the next key, or nullopt if no key was pressed or the terminal was closed.
  std::optional<char> Read();

 private:
  int fd_;
  std::optional<termios> saved_;  ///< the modes to restore
};

/// Writes "benchctl: SENTENCE" as one line to stderr, in one write. A closed stderr is not an
/// error. May be called by any thread.
void PrintToStderr(const std::string& sentence);

}  // namespace benchd::client
