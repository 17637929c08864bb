#pragma once

#include <functional>
#include <memory>
#include <string>

#include "benchd/v1/session.pb.h"

namespace benchd::client {

/// Shows a watched session while it runs: progress on stderr, or JSON lines on stdout.
///
/// Thread-safe: events come from the thread that reads them, all else also from the one that
/// handles signals.
class Display {
 public:
  virtual ~Display() = default;
  virtual void Show(const v1::SessionEvent& event) = 0;
  /// A sentence about the watching itself ("cancelling ..."); an empty one takes it back, where it
  /// has not scrolled away.
  virtual void Note(const std::string& text);

  /// From now on a key calls `detach`, where there are keys; `keys` says which, as a line to be
  /// shown. Not called any more once Close has returned.
  virtual void OnDetach(std::function<void()> /*detach*/, std::string /*keys*/) {}

  /// Takes away what is drawn and gives the terminal back as it was; nothing is shown afterwards.
  virtual void Close() {}
  /// The same until Resume, for a process that is about to be stopped.
  virtual void Suspend() {}
  /// Draws again, below whatever others have written meanwhile.
  virtual void Resume() {}
  /// The terminal has another size.
  virtual void Resize() {}
};

/// How progress is shown.
enum class Progress {
  kTold,   ///< a live view where stderr is a terminal that can redraw, else plain lines
  kJson,   ///< JSON lines on stdout
  kQuiet,  ///< none: only what is out of the ordinary
};

/// @param session  its id, and its limits as far as they are known
std::unique_ptr<Display> MakeDisplay(const v1::Session& session, Progress progress);

}  // namespace benchd::client
