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

/// What SIGINT and SIGTERM do to the watched session.
enum class OnInterrupt {
  kCancel,  ///< `compare`: cancel it and wait for its end
  kLeave,   ///< `watch`: leave it running
};

/// How a session is watched.
struct Following {
  Progress progress = Progress::kTold;
  OnInterrupt on_interrupt = OnInterrupt::kCancel;
  bool may_detach = true;  ///< a key of the live view leaves the session running
};

/// How a watched session ended for us.
struct Followed {
  v1::Session
      session;  ///< id, state and, as far as there were events, started, report, failed, cancelled
  bool interrupted = false;
  bool detached = false;
};

/// Watches a session to its end. A daemon that goes away is waited for
/// (DaemonLink::AbsenceTimeout); then the watching begins again with its snapshot.
///
/// @param watched  its id, limits (for the progress bar) and arms, as far as they are known
/// @errors (exit 5) the daemon stays away; (2, 5) it refuses to let us watch.
Result<Followed> FollowSession(DaemonLink& link, const v1::Session& watched,
                               const Following& following, Interrupts& interrupts);

/// Prints the result (stdout) or failure (stderr) of a session that was followed, unless JSON lines
/// have said it already, and gives the exit code of the contract.
///
ExitCode ReportEnd(const Followed& followed, bool json, const ResultChoice& choice = {});

/// Prints the JSON line `commits` (stdout) where arms are commits, else nothing.
void PrintCommits(const v1::Session& session);

/// The contract's exit code for a verdict.
ExitCode ExitFor(const v1::Update& verdict);

/// The contract's exit code for a session in its final state.
ExitCode ExitFor(const v1::Session& session);

}  // namespace benchd::client
