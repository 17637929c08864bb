#pragma once

#include <termios.h>

#include <optional>
#include <string>
#include <vector>

#include "client/present/text.h"

namespace benchd::client {

/// What a descriptor (stdout, stderr) can show: colours only on a terminal that is not dumb and
/// without NO_COLOR; signs beyond ASCII where the locale is UTF-8; its width, 0 where it is none.
/// Needs setlocale(LC_CTYPE, "") once, in main.
Style StyleOf(int fd);

/// True where a live view can be drawn: a terminal with cursor movement.
bool CanRedraw(int fd);

/// Rows of the terminal, 24 when it does not tell.
int TerminalHeight(int fd);

/// False for a job in the background: the terminal is then its shell's, or another job's. True
/// where `fd` is a terminal without job control.
bool InForeground(int fd);

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
  /// Leaves what is drawn where it is, since others have written below it: the next Draw begins a
  /// new area.
  void Forget() { drawn_widths_.clear(); }

  /// The bytes that Draw would write, for tests.
  std::string Compose(const std::vector<std::string>& lines, int width);

 private:
  std::string Rewind(int width) const;
  void Write(const std::string& text) const;

  int fd_;
  std::vector<int> drawn_widths_;
  int last_width_ = 80;
};

/// The keys of a terminal one by one, neither echoed nor gathered into lines. Ctrl-C and Ctrl-Z
/// stay signals.
///
/// The terminal is changed only while this process is in its foreground, and is given back as it
/// was by Release and the destructor. Not thread-safe.
class Keyboard {
 public:
  explicit Keyboard(int fd) : fd_(fd) {}
  Keyboard(const Keyboard&) = delete;
  Keyboard& operator=(const Keyboard&) = delete;
  ~Keyboard() { Release(); }

  /// Takes the keys where they are ours to take; whether they are. To be called now and then: fg,
  /// bg and whoever sets the terminal's modes meanwhile tell nobody.
  bool Hold();
  void Release();

  /// What to poll for input: -1 while the keys are not held.
  int fd() const { return saved_ && InForeground(fd_) ? fd_ : -1; }

  /// The next key, nothing where none has been pressed. A terminal that is gone has no more keys.
  std::optional<char> Read();

 private:
  int fd_;
  std::optional<termios> saved_;  ///< the modes to give back
};

/// "benchctl: SENTENCE" as one line on stderr, in one piece; a stderr that is gone is no reason to
/// fail. Any thread.
void PrintToStderr(const std::string& sentence);

}  // namespace benchd::client
