#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "benchd/v1/session.pb.h"
#include "client/app/exit_code.h"
#include "client/app/output.h"
#include "client/link/daemon_link.h"
#include "client/terminal/interrupts.h"

namespace benchd::client {

/// Shows a watched session while it runs: progress on stderr, or JSON lines on stdout.
///
/// Thread-safe: Show is called on the reading thread, all other methods also on the thread that
/// handles signals.
class Display {
 public:
  virtual ~Display() = default;
  virtual void Show(const v1::SessionEvent& event) = 0;
  /// Shows a sentence about the watch itself ("cancelling ..."). An empty sentence removes the
  /// previous one from a live view.
  virtual void Note(const std::string& text);

  /// Sets the function that a key of the live view calls, and the line that explains the keys.
  /// `detach` is not called after Close() has returned.
  virtual void OnDetach(std::function<void()> /*detach*/, std::string /*keys*/) {}

  /// Removes the drawing and restores the terminal. Nothing is shown afterwards.
  virtual void Close() {}
  /// Removes the drawing until Resume(), before the process is stopped (Ctrl-Z).
  virtual void Suspend() {}
  /// Draws again, below any text that other programs have written.
  virtual void Resume() {}
  /// Redraws for the new size of the terminal.
  virtual void Resize() {}
};

/// The way progress is shown.
enum class Progress {
  kTold,   ///< a live view if stderr is a terminal that can redraw, else plain lines
  kJson,   ///< JSON lines on stdout
  kQuiet,  ///< no progress, only notes about the watch
};

/// @param session  needs the ID and, if known, the limits
std::unique_ptr<Display> MakeDisplay(const v1::Session& session, Progress progress);

/// The effect of SIGINT and SIGTERM on a watched session.
enum class OnInterrupt {
  kCancel,  ///< `compare`: cancel the session and wait for its end
  kLeave,   ///< `watch`: leave the session running
};

/// Options for watching a session.
struct Following {
  Progress progress = Progress::kTold;
  OnInterrupt on_interrupt = OnInterrupt::kCancel;
  bool may_detach = true;  ///< whether a key of the live view detaches from the session
};

/// The end of a watch.
struct Followed {
  v1::Session
      session;  ///< ID and state; started, report, failed and cancelled if there were such events
  bool interrupted = false;
  bool detached = false;
};

/// Returns the session of a spec that is about to be submitted, for FollowSession(). As from the
/// daemon, it has the whole spec, from which results are printed, without the environment.
v1::Session SessionToFollow(const v1::SessionSpec& spec);

/// Watches a session to its end. If the connection is lost, waits up to DaemonLink::AbsenceTimeout
/// for the daemon and resumes the watch with a snapshot.
///
/// @param watched  needs the ID and the spec, which the returned session has, too
/// @errors (exit 5) the daemon does not return; (2, 5) it refuses the watch.
Result<Followed> FollowSession(DaemonLink& link, const v1::Session& watched,
                               const Following& following, Interrupts& interrupts);

/// Prints the result (stdout) or failure (stderr) of a watched session, unless JSON lines have
/// reported it. Returns the exit code of the contract.
ExitCode ReportEnd(const Followed& followed, bool json, const ResultChoice& choice = {});

/// Prints the JSON line `commits` (stdout) if the arms are commits.
void PrintCommits(const v1::Session& session);

/// Returns the contract's exit code for a verdict.
ExitCode ExitFor(const v1::Update& verdict);

/// Returns the contract's exit code for a session in its final state. That of a sampled session is
/// 0 if it has an explanation.
ExitCode ExitFor(const v1::Session& session);

}  // namespace benchd::client
