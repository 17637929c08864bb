#include "client/session/follow.h"

#include <grpcpp/client_context.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <iostream>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>

#include "benchd/v1/session.grpc.pb.h"
#include "client/link/daemon_link.h"
#include "client/present/gates.h"
#include "client/present/json.h"
#include "client/present/live_view.h"
#include "client/present/report.h"
#include "client/present/words.h"
#include "client/session/session_runs.h"
#include "client/terminal/terminal.h"

namespace benchd::client {
namespace {

using Clock = std::chrono::steady_clock;

// Longer than a restart of the daemon by hand or by a service manager usually takes.
constexpr std::chrono::seconds kUntilRestart{3};

// Returns whether a stream without a final event may have ended because the server is stopping.
bool MayComeBack(const grpc::Status& status) {
  return status.ok() || status.error_code() == grpc::StatusCode::UNAVAILABLE ||
         status.error_code() == grpc::StatusCode::CANCELLED;
}

std::string Reattach(const std::string& session) {
  return "reattach with benchctl watch " + session;
}

class Follower {
 public:
  Follower(DaemonLink& link, const std::string& session, Display& display, Interrupts& interrupts,
           OnInterrupt on_interrupt)
      : link_(link),
        id_(session),
        display_(display),
        interrupts_(interrupts),
        on_interrupt_(on_interrupt) {
    followed_.session.set_session(session);
  }

  ~Follower() {
    if (canceller_.joinable()) canceller_.join();
  }

  Result<Followed> Run() {
    while (!final_) {
      const grpc::Status status = WatchOnce();
      if (final_ || Leaving()) break;
      if (!MayComeBack(status)) return link_.Explain(FromStatus(status));
      auto reconnected = Reconnect();
      if (!reconnected) {
        if (detached_ || interrupts_.interrupted()) break;
        return std::move(reconnected).error();
      }
    }
    followed_.interrupted = interrupts_.interrupted();
    followed_.detached = detached_ && !final_;
    return std::move(followed_);
  }

  /// Ends the watch, or cancels the session. Called on the signal thread.
  void Interrupt() {
    if (on_interrupt_ == OnInterrupt::kLeave) {
      StopWatching();
      return;
    }
    display_.Note("cancelling " + id_ + " (Ctrl-C again to quit)");
    canceller_ = std::thread([this] { Cancel(); });
  }

  /// Ends the watch, unless the session is being cancelled. Called on the display's thread.
  void Detach() {
    if (interrupts_.interrupted()) return;
    detached_ = true;
    StopWatching();
  }

 private:
  grpc::Status WatchOnce() {
    grpc::ClientContext context;
    {
      const std::lock_guard lock(mutex_);
      if (stop_watching_) return grpc::Status::CANCELLED;
      context_ = &context;
    }
    v1::WatchRequest request;
    request.set_session(id_);
    const auto reader = v1::SessionService::NewStub(link_.channel())->Watch(&context, request);
    for (v1::SessionEvent event; !final_ && reader->Read(&event);) Take(event);
    if (final_) context.TryCancel();  // nothing follows, so do not wait for the stream to end
    const grpc::Status status = reader->Finish();
    const std::lock_guard lock(mutex_);
    context_ = nullptr;
    return status;
  }

  bool Leaving() const {
    return detached_ ||
           (interrupts_.interrupted() && (on_interrupt_ == OnInterrupt::kLeave || stop_watching_));
  }

  void Take(const v1::SessionEvent& event) {
    if (away_since_) {
      away_since_.reset();
      restarted_ = false;
      display_.Note(link_.OtherEnd() + " is back");
      display_.Note("");
    }
    v1::Session& session = followed_.session;
    switch (event.event_case()) {
      case v1::SessionEvent::kQueued:
        session.set_state(v1::SESSION_STATE_QUEUED);
        break;
      case v1::SessionEvent::kStarted:
        *session.mutable_started() = event.started();
        break;
      case v1::SessionEvent::kUpdate:
        *session.mutable_report() = event.update();
        session.set_state(event.update().state());
        break;
      case v1::SessionEvent::kVerdict:
        *session.mutable_report() = event.verdict();
        End(v1::SESSION_STATE_DONE);
        break;
      case v1::SessionEvent::kFailed:
        *session.mutable_failed() = event.failed();
        End(v1::SESSION_STATE_FAILED);
        break;
      case v1::SessionEvent::kCancelled:
        *session.mutable_cancelled() = event.cancelled();
        End(v1::SESSION_STATE_CANCELLED);
        break;
      default:
        break;
    }
    display_.Show(event);
  }

  void End(v1::SessionState state) {
    followed_.session.set_state(state);
    final_ = true;
  }

  // The daemon counts as back only after an event, because a new connection may be lost again.
  Result<void> Reconnect() {
    const std::string timeout = std::to_string(link_.AbsenceTimeout().count());
    if (!away_since_) {
      away_since_ = Clock::now();
      display_.Note(link_.OtherEnd() + " went away: waiting up to " + timeout + " s for it");
    }
    const auto deadline = *away_since_ + link_.AbsenceTimeout();
    const auto leaving = [this] { return detached_ || interrupts_.interrupted(); };
    while (Clock::now() < deadline && !leaving()) {
      interrupts_.Wait(link_.RetryPause());
      if (leaving()) break;
      if (link_.Reopen()) return {};
      if (!restarted_ && Clock::now() >= *away_since_ + kUntilRestart && link_.MayRestart()) {
        restarted_ = true;
        display_.Note(link_.OtherEnd() + " did not come back: starting it again");
        if (link_.Restart()) return {};
      }
    }
    return ConnectionError(link_.OtherEnd() + " went away and did not come back within " + timeout +
                               " s: session " + id_ + " is no longer watched",
                           "once it is running again, " + Reattach(id_));
  }

  void Cancel() {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(60));
    v1::CancelRequest request;
    request.set_session(id_);
    v1::CancelResponse response;
    const grpc::Status status =
        v1::SessionService::NewStub(link_.channel())->Cancel(&context, request, &response);
    if (status.ok()) return;  // the final event comes on the stream
    display_.Note("cannot cancel " + id_ + ": " + FromStatus(status).message);
    StopWatching();
  }

  void StopWatching() {
    const std::lock_guard lock(mutex_);
    stop_watching_ = true;
    if (context_ != nullptr) context_->TryCancel();
  }

  DaemonLink& link_;
  const std::string id_;
  Display& display_;
  Interrupts& interrupts_;
  const OnInterrupt on_interrupt_;
  Followed followed_;
  bool final_ = false;                           // reading thread only
  std::optional<Clock::time_point> away_since_;  // reading thread only
  bool restarted_ = false;                       // during this absence; reading thread only
  std::mutex mutex_;
  grpc::ClientContext* context_ = nullptr;
  std::atomic<bool> stop_watching_ = false;
  std::atomic<bool> detached_ = false;
  std::thread canceller_;
};

// Sets the spec of a session that was followed. Its benchmarks are those that were found in the
// programs meanwhile, if they have a harness and the daemon still answers.
void CompleteSpec(DaemonLink& link, const v1::SessionSpec& known, v1::Session* session) {
  const bool has_harness = std::ranges::any_of(
      known.benchmarks(), [](const v1::Benchmark& one) { return !one.harness().empty(); });
  *session->mutable_spec() = known;
  if (!has_harness) return;
  auto full = GetSession(link, session->session());
  if (!full) return;
  session->mutable_spec()->mutable_benchmarks()->Swap(full->mutable_spec()->mutable_benchmarks());
}

}  // namespace

v1::Session SessionToFollow(const v1::SessionSpec& spec) {
  v1::Session session;
  *session.mutable_spec() = spec;
  session.mutable_spec()->clear_environment();
  return session;
}

Result<Followed> FollowSession(DaemonLink& link, const v1::Session& watched,
                               const Following& following, Interrupts& interrupts) {
  const std::string& session = watched.session();
  const bool cancels = following.on_interrupt == OnInterrupt::kCancel;
  const auto owned = MakeDisplay(watched, following.progress);
  Display& display = *owned;
  Follower follower(link, session, display, interrupts, following.on_interrupt);
  const auto leave = [&display, &session, &interrupts, cancels] {
    display.Close();
    PrintToStderr(cancels && interrupts.interrupted()
                      ? "quit; benchctl show " + session + " reports how the session ended"
                      : "still running; " + Reattach(session));
  };
  if (following.may_detach) {
    display.OnDetach([&follower] { follower.Detach(); },
                     cancels ? "d detaches, Ctrl-C cancels" : "d detaches");
  }
  interrupts.React({.on_first = [&follower] { follower.Interrupt(); },
                    .on_leave = leave,
                    .on_stop = [&display] { display.Suspend(); },
                    .on_continue = [&display] { display.Resume(); },
                    .on_resize = [&display] { display.Resize(); }});
  auto followed = follower.Run();
  interrupts.React({.on_first = [] {}});
  display.Close();
  if (followed) CompleteSpec(link, watched.spec(), &followed->session);
  return followed;
}

ExitCode ExitFor(const v1::Update& verdict) {
  switch (verdict.verdict()) {
    case v1::VERDICT_PASS:
      return ExitCode::kPass;
    case v1::VERDICT_REGRESSION:
      return ExitCode::kRegression;
    default:
      return ExitCode::kUndecided;
  }
}

ExitCode ExitFor(const v1::Session& session) {
  if (session.state() == v1::SESSION_STATE_FAILED) {
    return session.failed().refused() ? ExitCode::kRefused : ExitCode::kFailed;
  }
  if (session.state() == v1::SESSION_STATE_CANCELLED) return ExitCode::kCancelled;
  if (session.report().explanations_size() > 0) return ExitCode::kPass;  // there is no verdict
  return ExitFor(session.report());
}

void PrintCommits(const v1::Session& session) {
  const std::string line = CommitsJson(session.session(), session.spec(), Now());
  if (!line.empty()) std::cout << line << std::endl;
}

namespace {

void PrintCancelled(const Followed& followed, bool json) {
  const v1::Session& session = followed.session;
  const std::string& by = session.cancelled().by();
  PrintToStderr("session " + session.session() + " was cancelled" +
                (followed.interrupted || by.empty() ? "" : " by " + by));
  // The JSON output has these results in the last update.
  if (!json && session.has_report() && !session.spec().has_profile()) {
    PrintToStderr(KnownSoFar(session.report(), StyleOf(STDERR_FILENO)));
  }
}

// Reports that the watch ended before the session did.
void PrintStillRunning(const Followed& followed) {
  const v1::Session& session = followed.session;
  const std::string_view state = Word(session.state());
  PrintToStderr(std::string(followed.detached ? "detached: " : "") + "still " +
                (state.empty() ? "running" : std::string(state)) + "; " +
                Reattach(session.session()));
}

void PrintResult(const v1::Session& session, const ResultChoice& choice) {
  const Style style = choice.StyleOfStdout();
  if (choice.bisect) {
    std::cout << RenderBisectStep(session, style) << std::flush;
    return;
  }
  const ReportOptions options = OptionsFor(session, choice.detail);
  std::cout << RenderFindings(session.report(), options, style) << std::flush;
}

}  // namespace

ExitCode ReportEnd(const Followed& followed, bool json, const ResultChoice& choice) {
  const v1::Session& session = followed.session;
  switch (session.state()) {
    case v1::SESSION_STATE_DONE:
      if (!json) PrintResult(session, choice);
      break;
    case v1::SESSION_STATE_FAILED:
      std::cerr << RenderFailure(session.session(), session.failed());
      if (!json && choice.bisect && !session.failed().refused()) PrintResult(session, choice);
      break;
    case v1::SESSION_STATE_CANCELLED:
      PrintCancelled(followed, json);
      break;
    default:
      PrintStillRunning(followed);
      break;
  }
  if (followed.detached) return ExitCode::kPass;  // as with --detach
  if (followed.interrupted) return ExitCode::kInterrupted;
  if (choice.bisect && IsBaseBroken(session)) return ExitCode::kBisectStop;
  const bool skipped = choice.bisect && RegressedByMissingAlone(session.report());
  return skipped ? ExitCode::kBisectSkip : ExitFor(session);
}

}  // namespace benchd::client
