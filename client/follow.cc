#include "client/follow.h"

#include <grpcpp/client_context.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <iostream>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "benchd/v1/session.grpc.pb.h"
#include "client/call.h"
#include "client/render/json.h"
#include "client/render/live_view.h"
#include "client/render/report.h"
#include "client/render/words.h"
#include "client/terminal.h"

namespace benchd::client {
namespace {

using Clock = std::chrono::steady_clock;

// Shows a watched session while it goes on: progress on stderr, or JSON lines on stdout.
//
// Thread-safe: events come from the thread that reads them, notes also from the one that handles
// signals.
class Display {
 public:
  virtual ~Display() = default;
  virtual void Show(const v1::SessionEvent& event) = 0;
  // A sentence about the watching itself ("cancelling ..."); an empty one takes it back, where it
  // has not scrolled away.
  virtual void Note(const std::string& text) {
    if (!text.empty()) TellOnStderr(text);
  }
  // Takes away what is drawn and gives the cursor back; nothing is shown afterwards.
  virtual void Close() {}
};

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

class JsonDisplay : public Display {
 public:
  void Show(const v1::SessionEvent& event) override {
    std::cout << EventJson(event) + "\n" << std::flush;
  }
};

// What is out of the ordinary is noted all the same.
class QuietDisplay : public Display {
 public:
  void Show(const v1::SessionEvent&) override {}
};

class PlainDisplay : public Display {
 public:
  PlainDisplay() : narrator_(StyleOf(STDERR_FILENO)) {}

  void Show(const v1::SessionEvent& event) override {
    for (const std::string& line : narrator_.Tell(event, SecondsSince(start_))) {
      TellOnStderr(line);
    }
  }

 private:
  const Clock::time_point start_ = Clock::now();
  PlainNarrator narrator_;
};

// Redraws with every event and once a second in between, so that the clock goes on in a long run.
class LiveDisplay : public Display {
 public:
  LiveDisplay(const std::string& session, const v1::Limits& limits) {
    state_.session = session;
    state_.limits = limits;
    ticker_ = std::jthread([this](const std::stop_token& stop) { Tick(stop); });
  }

  void Show(const v1::SessionEvent& event) override {
    const std::lock_guard lock(mutex_);
    state_.Apply(event);
    event_at_ = Clock::now();
    Draw();
  }

  void Note(const std::string& text) override {
    const std::lock_guard lock(mutex_);
    state_.note = text;
    Draw();
  }

  void Close() override {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    screen_.Clear();
  }

 private:
  void Tick(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (!stop.stop_requested()) {
      wake_.wait_for(lock, stop, std::chrono::seconds(1), [] { return false; });
      if (!stop.stop_requested()) Draw();
    }
  }

  void Draw() {
    if (closed_) return;
    state_.since_event_seconds = SecondsSince(event_at_);
    const Style style = StyleOf(STDERR_FILENO);
    // One row stays free for the cursor: writing to the last one would scroll the area away.
    screen_.Draw(RenderLiveView(state_, style, TerminalHeight(STDERR_FILENO) - 1), style.width);
  }

  std::mutex mutex_;
  std::condition_variable_any wake_;
  LiveState state_;
  LiveScreen screen_{STDERR_FILENO};
  Clock::time_point event_at_ = Clock::now();
  bool closed_ = false;
  std::jthread ticker_;  // last: it uses everything above
};

std::unique_ptr<Display> MakeDisplay(const v1::Session& session, bool json, bool quiet) {
  if (json) return std::make_unique<JsonDisplay>();
  if (quiet) return std::make_unique<QuietDisplay>();
  if (!CanRedraw(STDERR_FILENO)) return std::make_unique<PlainDisplay>();
  return std::make_unique<LiveDisplay>(session.session(), session.spec().limits());
}

// A stream that ends without a final event, by whatever code a stopping server has for it.
bool MayComeBack(const grpc::Status& status) {
  return status.ok() || status.error_code() == grpc::StatusCode::UNAVAILABLE ||
         status.error_code() == grpc::StatusCode::CANCELLED;
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
      if (final_) break;
      if (interrupts_.interrupted() && (on_interrupt_ == OnInterrupt::kLeave || stop_watching_))
        break;
      if (!MayComeBack(status)) return FromStatus(status);
      auto reconnected = Reconnect();
      if (!reconnected) {
        if (interrupts_.interrupted()) break;
        return std::move(reconnected).error();
      }
    }
    followed_.interrupted = interrupts_.interrupted();
    return std::move(followed_);
  }

  /// On the signal thread: ends the watch, or the session.
  void Interrupt() {
    if (on_interrupt_ == OnInterrupt::kLeave) {
      StopWatching();
      return;
    }
    display_.Note("cancelling " + id_ + " (once more to leave at once)");
    canceller_ = std::thread([this] { Cancel(); });
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
    if (final_) context.TryCancel();  // nothing follows; do not wait for the stream's own end
    const grpc::Status status = reader->Finish();
    const std::lock_guard lock(mutex_);
    context_ = nullptr;
    return status;
  }

  void Take(const v1::SessionEvent& event) {
    if (away_since_) {
      away_since_.reset();
      display_.Note("the daemon is back");
      display_.Note("");
    }
    v1::Session& session = followed_.session;
    switch (event.event_case()) {
      case v1::SessionEvent::kStarted:
        *session.mutable_started() = event.started();
        break;
      case v1::SessionEvent::kUpdate:
        *session.mutable_report() = event.update();
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

  // A daemon that takes the connection and goes again before it said anything has not come back.
  Result<void> Reconnect() {
    if (!away_since_) {
      away_since_ = Clock::now();
      display_.Note("the daemon went away: waiting up to " + std::to_string(kReconnectSeconds) +
                    " s for it");
    }
    const auto deadline = *away_since_ + std::chrono::seconds(kReconnectSeconds);
    constexpr auto kPause = std::chrono::milliseconds(200);
    while (Clock::now() < deadline && !interrupts_.interrupted()) {
      interrupts_.Wait(kPause);
      if (interrupts_.interrupted()) break;
      if (link_.Reopen()) return {};
    }
    return ConnectionError("the daemon went away and did not come back within " +
                               std::to_string(kReconnectSeconds) + " s: session " + id_ +
                               " is no longer watched",
                           "when it runs again: benchctl watch " + id_);
  }

  void Cancel() {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(60));
    v1::CancelRequest request;
    request.set_session(id_);
    v1::CancelResponse response;
    const grpc::Status status =
        v1::SessionService::NewStub(link_.channel())->Cancel(&context, request, &response);
    if (status.ok()) return;  // the final event comes by the stream
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
  std::mutex mutex_;
  grpc::ClientContext* context_ = nullptr;
  std::atomic<bool> stop_watching_ = false;
  std::thread canceller_;
};

}  // namespace

Result<Followed> FollowSession(DaemonLink& link, const v1::Session& watched, bool json,
                               Interrupts& interrupts, OnInterrupt on_interrupt, bool quiet) {
  const std::string& session = watched.session();
  const auto owned = MakeDisplay(watched, json, quiet);
  Display& display = *owned;
  Follower follower(link, session, display, interrupts, on_interrupt);
  const auto interrupt = [&follower] { follower.Interrupt(); };
  const auto leave = [&display, &session, on_interrupt] {
    display.Close();
    TellOnStderr((on_interrupt == OnInterrupt::kCancel
                      ? "left; see what became of it: benchctl show "
                      : "left; go on: benchctl watch ") +
                 session);
  };
  interrupts.React({interrupt, leave});
  auto followed = follower.Run();
  interrupts.React({[] {}, {}});
  display.Close();
  if (followed) *followed->session.mutable_spec() = watched.spec();
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
  return ExitFor(session.report());
}

void PrintCommits(const v1::Session& session) {
  const std::string line = CommitsJson(session.session(), session.spec(), Now());
  if (!line.empty()) std::cout << line << std::endl;
}

namespace {

void PrintResult(const v1::Session& session, const ResultChoice& choice,
                 std::span<const ArmPairs> pairs) {
  const Style style = choice.StyleOfStdout();
  if (choice.bisect) {
    std::cout << RenderBisectStep(session, style) << std::flush;
    return;
  }
  ReportOptions options = OptionsFor(session, choice.detail);
  options.pairs = pairs;
  std::cout << RenderFindings(session.report(), options, style) << std::flush;
}

}  // namespace

ExitCode ReportEnd(const Followed& followed, bool json, const ResultChoice& choice,
                   std::span<const ArmPairs> pairs) {
  const v1::Session& session = followed.session;
  const std::string& id = session.session();
  switch (session.state()) {
    case v1::SESSION_STATE_DONE:
      if (!json) PrintResult(session, choice, pairs);
      break;
    case v1::SESSION_STATE_FAILED:
      std::cerr << RenderFailure(id, session.failed());
      if (!json && choice.bisect && !session.failed().refused()) PrintResult(session, choice, {});
      break;
    case v1::SESSION_STATE_CANCELLED:
      std::cerr << "benchctl: session " + id + " was cancelled" +
                       (followed.interrupted || session.cancelled().by().empty()
                            ? std::string()
                            : " by " + session.cancelled().by()) +
                       "\n";
      break;
    default:  // we left before its end
      std::cerr << "benchctl: session " + id + " goes on: benchctl watch " + id + "\n";
      break;
  }
  return followed.interrupted ? ExitCode::kInterrupted : ExitFor(session);
}

}  // namespace benchd::client
