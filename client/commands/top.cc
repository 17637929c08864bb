#include <grpcpp/client_context.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <iostream>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "benchd/v1/machine.grpc.pb.h"
#include "benchd/v1/queue.grpc.pb.h"
#include "benchd/v1/session.grpc.pb.h"
#include "client/app/command.h"
#include "client/commands/command_options.h"
#include "client/link/daemon_link.h"
#include "client/link/host.h"
#include "client/present/json.h"
#include "client/present/live_view.h"
#include "client/present/words.h"
#include "client/request/quantity.h"
#include "client/terminal/interrupts.h"
#include "client/terminal/terminal.h"
#include "core/base/file.h"
#include "core/base/try.h"

namespace benchd::client {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kTick{1};
// Every request during a run disturbs it. Events of a watched session and changes of the queue
// arrive as streams instead, without requests.
constexpr std::chrono::seconds kAskAtMost{1};  // however often the queue changes
constexpr std::chrono::seconds kAskWhileWatched{30};
constexpr std::chrono::seconds kAskElse{2};

/// The stream of one session, read by a separate thread until it ends or the destructor cancels it.
class Watcher {
 public:
  Watcher(DaemonLink& link, const v1::Session& session, std::function<void()> changed)
      : changed_(std::move(changed)) {
    state_.session = session.session();
    state_.limits = session.spec().limits();
    state_.sampled = session.spec().has_profile();
    request_.set_session(session.session());
    thread_ = std::thread([this, channel = link.channel()] { Read(channel); });
  }
  ~Watcher() {
    context_.TryCancel();
    thread_.join();
  }

  const std::string& session() const { return request_.session(); }
  bool ended() const { return ended_; }
  LiveState Newest() {
    const std::lock_guard lock(mutex_);
    LiveState state = state_;
    state.since_event_seconds = SinceEvent();
    return state;
  }

 private:
  double SinceEvent() const {
    return std::chrono::duration<double>(Clock::now() - event_at_).count();
  }

  void Read(const std::shared_ptr<grpc::Channel>& channel) {
    v1::SessionService::Stub stub(channel);
    const auto stream = stub.Watch(&context_, request_);
    v1::SessionEvent event;
    while (stream->Read(&event)) {
      if (event.has_verdict() || event.has_failed() || event.has_cancelled()) break;
      {
        const std::lock_guard lock(mutex_);
        state_.since_event_seconds = SinceEvent();
        state_.Apply(event);
        event_at_ = Clock::now();
      }
      changed_();
    }
    context_.TryCancel();
    stream->Finish();
    ended_ = true;
    changed_();
  }

  v1::WatchRequest request_;
  grpc::ClientContext context_;
  std::function<void()> changed_;
  std::mutex mutex_;
  LiveState state_;                            // guarded by mutex_
  Clock::time_point event_at_ = Clock::now();  // guarded by mutex_
  std::atomic<bool> ended_ = false;
  std::thread thread_;
};

/// The stream of queue changes, read by a separate thread until it ends.
class QueueWatcher {
 public:
  QueueWatcher(DaemonLink& link, std::function<void()> changed) : changed_(std::move(changed)) {
    thread_ = std::thread([this, channel = link.channel()] { Read(channel); });
  }
  ~QueueWatcher() {
    context_.TryCancel();
    thread_.join();
  }

  bool ended() const { return ended_; }
  /// Returns whether the daemon does not support this stream.
  bool refused() const { return refused_; }
  /// Returns QueueStatus::changes of the newest message, or 0 before the first message.
  std::uint64_t changes() const { return changes_; }

 private:
  void Read(const std::shared_ptr<grpc::Channel>& channel) {
    v1::QueueService::Stub stub(channel);
    const auto stream = stub.Watch(&context_, v1::WatchQueueRequest());
    for (v1::QueueStatus status; stream->Read(&status);) {
      changes_ = status.changes();
      changed_();
    }
    refused_ = stream->Finish().error_code() == grpc::StatusCode::UNIMPLEMENTED;
    ended_ = true;
    changed_();
  }

  grpc::ClientContext context_;
  std::function<void()> changed_;
  std::atomic<std::uint64_t> changes_ = 0;
  std::atomic<bool> ended_ = false;
  std::atomic<bool> refused_ = false;
  std::thread thread_;
};

/// The state to show, kept up to date. Only one thread uses it.
class Board {
 public:
  Board(DaemonLink& link, std::function<void()> changed)
      : link_(link), changed_(std::move(changed)) {}

  /// If a request is due, reads the state from the daemon.
  void Refresh() {
    if (!IsDue()) return;
    asked_at_ = Clock::now();
    if (!queue_watcher_ || (queue_watcher_->ended() && !queue_watcher_->refused())) {
      queue_watcher_ = std::make_unique<QueueWatcher>(link_, changed_);
    }
    const std::uint64_t changes = queue_watcher_->changes();
    Result<void> asked = Ask();
    state_.note = asked ? "" : OneLine(Printable(asked.error().message));
    seen_ = asked ? std::max(changes, state_.queue.changes()) : 0;
    if (asked) return;
    queue_watcher_.reset();
    static_cast<void>(link_.Reopen());
  }

  TopState Newest() {
    TopState state = state_;
    if (watcher_ && !watcher_->ended()) state.running = watcher_->Newest();
    return state;
  }

 private:
  bool IsDue() const {
    if (!asked_at_) return true;
    const auto since = Clock::now() - *asked_at_;
    const bool told = queue_watcher_ && !queue_watcher_->ended();
    const bool has_changed =
        (told && queue_watcher_->changes() > seen_) || (watcher_ && watcher_->ended());
    if (has_changed) return since >= kAskAtMost;
    return since >= (told || (watcher_ && !watcher_->ended()) ? kAskWhileWatched : kAskElse);
  }

  Result<void> Ask() {
    TRY(auto queue,
        CallDaemon(link_, &v1::QueueService::Stub::Get, v1::GetQueueRequest(), kTick * 5));
    TRY(auto list,
        CallDaemon(link_, &v1::SessionService::Stub::List, v1::ListSessionsRequest(), kTick * 5));
    // The settings change only when the running session changes.
    if (!machine_known_ || queue.running() != state_.queue.running()) {
      auto machine =
          CallDaemon(link_, &v1::MachineService::Stub::Get, v1::GetMachineRequest(), kTick * 5);
      if (machine) state_.machine = *std::move(machine);
      machine_known_ = true;
    }
    state_.queue = std::move(queue);
    state_.sessions.assign(list.sessions().begin(), list.sessions().end());
    Watch();
    return {};
  }

  /// Watches the running session if it belongs to the caller. Other sessions come without a spec.
  void Watch() {
    const std::string& running = state_.queue.running();
    if (watcher_ && watcher_->session() == running && !watcher_->ended()) return;
    watcher_.reset();
    const auto found = std::ranges::find(state_.sessions, running, &v1::Session::session);
    if (running.empty() || found == state_.sessions.end() || !found->has_spec()) return;
    watcher_ = std::make_unique<Watcher>(link_, *found, changed_);
  }

  DaemonLink& link_;
  std::function<void()> changed_;
  TopState state_;
  bool machine_known_ = false;
  std::optional<Clock::time_point> asked_at_;
  std::uint64_t seen_ = 0;  ///< QueueStatus::changes of the shown state
  std::unique_ptr<Watcher> watcher_;
  std::unique_ptr<QueueWatcher> queue_watcher_;
};

/// Draws on a terminal, or prints one line per second, until the user quits.
class Top {
 public:
  Top(DaemonLink& link, bool json, std::uint64_t count)
      : board_(link, [this] { Wake(); }), json_(json), count_(count) {}

  void Wake() { eventfd_write(wake_.get(), 1); }
  void Quit() {
    quitting_ = true;
    Wake();
  }
  void Suspend() {
    const std::lock_guard lock(mutex_);
    suspended_ = true;
    GiveBack();
  }
  void Resume() {
    const std::lock_guard lock(mutex_);
    suspended_ = false;
    screen_.Forget();
    Wake();
  }
  void Close() {
    const std::lock_guard lock(mutex_);
    suspended_ = true;
    GiveBack();
  }

  void Run() {
    const bool draws = !json_ && CanRedraw(STDOUT_FILENO);
    std::uint64_t told = 0;
    Clock::time_point next = Clock::now();
    while (!quitting_ && (count_ == 0 || told < count_)) {
      board_.Refresh();
      const bool due = Clock::now() >= next;
      if (draws) {
        Draw();
      } else if (due) {
        PrintSnapshot();
      }
      if (due) {
        next += kTick;
        ++told;
        if (count_ != 0 && told == count_) break;
      }
      Await(next);
    }
    Close();
  }

 private:
  void Await(Clock::time_point until) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
    pollfd waiting[] = {{wake_.get(), POLLIN, 0}, {keyboard_.fd(), POLLIN, 0}};
    poll(waiting, 2, static_cast<int>(std::clamp<std::int64_t>(left, 0, 1000)));
    eventfd_t ignored = 0;
    if (waiting[0].revents != 0) eventfd_read(wake_.get(), &ignored);
    while (keyboard_.fd() >= 0) {
      const std::optional<char> key = keyboard_.Read();
      if (!key) break;
      if (*key == 'q') quitting_ = true;
    }
  }

  void Draw() {
    const std::lock_guard lock(mutex_);
    if (suspended_ || quitting_) return;
    if (!InForeground(STDOUT_FILENO)) return screen_.Forget();
    keyboard_.Hold();
    const Style style = StyleOf(STDOUT_FILENO);
    // One row is reserved for the cursor.
    screen_.Draw(
        RenderTop(board_.Newest(), UserName, Now(), style, TerminalHeight(STDOUT_FILENO) - 1),
        style.width);
  }

  void PrintSnapshot() {
    const TopState state = board_.Newest();
    std::cout << (json_ ? MessageLine("queue", "", state.queue, Now())
                        : TopLine(state, UserName, Now(), StyleOf(STDOUT_FILENO)))
              << std::endl;
    if (!std::cout) quitting_ = true;  // the reader of stdout has exited
  }

  void GiveBack() {
    keyboard_.Release();
    if (InForeground(STDOUT_FILENO)) screen_.Clear();
    screen_.Forget();
  }

  UniqueFd wake_{eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
  Board board_;
  const bool json_;
  const std::uint64_t count_;
  std::atomic<bool> quitting_ = false;
  std::mutex mutex_;
  bool suspended_ = false;            // guarded by mutex_
  LiveScreen screen_{STDOUT_FILENO};  // guarded by mutex_
  Keyboard keyboard_{STDIN_FILENO};
};

Result<ExitCode> RunTop(const CommandContext& context) {
  std::uint64_t count = 0;
  if (const std::string* text = LastValue(context.arguments, "count")) {
    auto number = ParseCount(*text);
    if (!number) return std::move(number).error().Within("--count " + *text);
    if (*number == 0) {
      return UsageError("--count 0: must be at least 1", "omit --count to run until you quit");
    }
    count = *number;
  }
  Interrupts interrupts;
  TRY(auto link, DaemonLink::Open(context.link));
  Top top(*link, context.json, count);
  interrupts.React({.on_first = [&top] { top.Quit(); },
                    .on_leave = [&top] { top.Close(); },
                    .on_stop = [&top] { top.Suspend(); },
                    .on_continue = [&top] { top.Resume(); },
                    .on_resize = [&top] { top.Wake(); }});
  top.Run();
  interrupts.React({.on_first = [] {}});
  return interrupts.interrupted() ? ExitCode::kInterrupted : ExitCode::kPass;
}

}  // namespace

Command TopCommand() {
  return {
      .name = "top",
      .usage = "[OPTIONS]",
      .summary = "show the machine, the running session and the queue live",
      .run = RunTop,
      .options = {{"count", 0, "N", "exit after N seconds (default: never)", kThisCommand}},
      .description =
          "Shows the machine, the settings that are held, the running session with its intervals, "
          "and the queue, until you press `q` or Ctrl-C. The view is redrawn on every event and "
          "once per second. If stdout is not a terminal, prints one line per second.\n"
          "Events of your own session and changes of the queue arrive as streams. Everything else "
          "is read only every 30 seconds, because each request disturbs a run. Without a "
          "stream, it is read every two seconds.",
      .examples = {
          {"Watch the machine:", "benchctl top"},
          {"Print the state of the queue, for a script:", "benchctl top --count 1 --json"}}};
}

}  // namespace benchd::client
