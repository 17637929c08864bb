#include "daemon/daemon.h"

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/post.hpp>
#include <asio/redirect_error.hpp>
#include <asio/use_awaitable.hpp>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <utility>

#include "core/base/affinity.h"
#include "core/base/try.h"
#include "core/base/user_database.h"
#include "daemon/runner_link/runner_sources.h"
#include "daemon/service_manager.h"

namespace benchd {
namespace {

// The time that the runner has to kill a run's children and release the machine. After that, benchd
// no longer waits for it. benchd ends within ten seconds, far below TimeoutStopSec= of
// benchd.service.
constexpr std::chrono::seconds kQueueTimeout{6};
constexpr std::chrono::seconds kServerGrace{2};

/// Runs `coroutine` to its end on the loop, before the loop serves clients.
template <typename T>
T RunToEnd(asio::io_context& loop, asio::awaitable<T> coroutine) {
  std::optional<T> result;
  std::exception_ptr thrown;
  bool ended = false;
  const auto keep = [](asio::awaitable<T> running, std::optional<T>* to) -> asio::awaitable<void> {
    *to = co_await std::move(running);
  };
  asio::co_spawn(loop, keep(std::move(coroutine), &result),
                 [&thrown, &ended](std::exception_ptr error) {
                   thrown = std::move(error);
                   ended = true;
                 });
  loop.restart();
  // The handler runs in a separate step after the result, and must not outlive this frame.
  while (!ended && loop.run_one() > 0) {
  }
  if (thrown) std::rethrow_exception(thrown);
  return std::move(result).value();
}

std::optional<std::uint32_t> GidOf(const std::string& group) {
  const auto found = FindGroup(group);
  return found ? std::optional(found->gid) : std::nullopt;
}

void Log(const Error& error) {
  spdlog::warn("{}{}{}", error.message, error.hint.empty() ? "" : "; ", error.hint);
}

std::unique_ptr<RunnerSource> MakeRunnerSource(const asio::any_io_executor& loop,
                                               const Options& options, const Config& config,
                                               const Paths& paths) {
  if (!options.places.user) return std::make_unique<ConnectedRunner>(config.runner_socket);
  // The runner's default is the system's configuration, so pass ours if it exists.
  std::error_code none;
  const bool there = std::filesystem::exists(paths.config, none);
  return std::make_unique<SpawnedRunner>(
      loop, SpawnedRunner::Options{
                .program = {}, .sysfs_root = {}, .config = there ? paths.config.string() : ""});
}

}  // namespace

Daemon::Daemon(const Options& options, const Config& config, const Paths& paths)
    : options_(options),
      config_(config),
      paths_(paths),
      info_{BENCHD_VERSION, ::getpid(), {}},
      runner_source_(MakeRunnerSource(loop_.get_executor(), options, config, paths)),
      connection_(loop_.get_executor(), *runner_source_),
      runner_(connection_),
      peers_(config_.limits.At(Limit::kConnectionsAUser)),
      notifier_(loop_.get_executor()),
      queue_end_(loop_) {}

Daemon::~Daemon() = default;

Result<void> Daemon::Start() {
  TRY_VOID(TakePlaces());
  StoreOptions store_options;
  const Budgets& limits = config_.limits;
  store_options.limits.log_bytes = limits.At(Limit::kLogASession);
  // A running session already counts towards its owner's limit.
  store_options.limits.session_bytes =
      std::min(limits.At(Limit::kStoredASession), limits.At(Limit::kKeptAUser));
  store_options.limits.session_metrics = limits.At(Limit::kMetricsASession);
  store_options.limits.summaries_a_user = limits.At(Limit::kSummariesAUser);
  TRY(std::unique_ptr<Store> store, Store::Open(paths_.state_dir, store_options));
  store_ = std::move(store);
  ConnectRunner();
  TRY_VOID(LoadQueue());
  return Serve();
}

Result<void> Daemon::TakePlaces() {
  const bool user = options_.places.user;
  if (user && !options_.force && paths_.socket != kSystemSocket && SomebodyListens(kSystemSocket)) {
    return Error{ErrorCode::kFailedPrecondition,
                 std::string("benchd: the system daemon is running at ") + kSystemSocket,
                 "use that daemon, or start another with --force"};
  }
  const bool own_choice = paths_.private_runtime_dir && options_.places.socket.empty();
  Result<void> directory = own_choice ? EnsurePrivateDirectory(paths_.runtime_dir, ::geteuid())
                                      : EnsureDirectory(paths_.socket.parent_path());
  if (!directory) return directory;
  // An activated service needs no lock on its socket, because systemd starts it only once. The
  // socket's folder may also belong to root.
  if (PassedSockets() == 0) {
    TRY(InstanceLock lock, InstanceLock::Take(paths_.socket.string() + ".lock"));
    socket_lock_.emplace(std::move(lock));
  }
  TRY_VOID(EnsureDirectory(paths_.state_dir));
  TRY(InstanceLock lock, InstanceLock::Take(paths_.state_dir / "benchd.lock"));
  state_lock_.emplace(std::move(lock));
  // Open the socket before any thread starts. Early clients wait until the queue is loaded.
  TRY(ControlSocket socket,
      ControlSocket::Open(
          {.path = paths_.socket, .system_mode = !user, .group = config_.socket_group}));
  socket_.emplace(std::move(socket));
  return {};
}

void Daemon::ConnectRunner() {
  connection_.OnConnected([this](const RunnerFacts& facts) { ConfineTo(facts); });
  connection_.OnLost([](const Error& error) { Log(error); });
  const Result<RunnerFacts> facts = RunToEnd(loop_, connection_.Connect());
  if (facts) return;
  Log(facts.error());
  spdlog::warn(
      "benchd-runner is not available yet; benchd runs on all CPUs until the runner is connected");
}

void Daemon::ConfineTo(const RunnerFacts& facts) {
  info_.housekeeping_cpus = facts.housekeeping_cpus;
  spdlog::info("benchd-runner (pid {}) is connected{}", facts.pid,
               facts.privileged ? "" : ", without privileges");
  if (const Result<void> ok = ConfineProcess(facts.housekeeping_cpus); !ok) Log(ok.error());
}

Result<void> Daemon::LoadQueue() {
  queue_.emplace(loop_.get_executor(), Queue::Services{runner_, *store_, clock_, random_, hub_},
                 Policy());
  machine_controller_.emplace(*queue_, runner_, Access());
  TRY(const std::vector<std::string> warnings, RunToEnd(loop_, queue_->Load()));
  for (const std::string& warning : warnings) spdlog::warn("{}", warning);
  return {};
}

AccessPolicy Daemon::Access() const {
  AccessPolicy policy;
  policy.allow_root = config_.allow_root;
  policy.single_user = options_.places.user;
  policy.admin_gid = GidOf(config_.admin_group);
  policy.push_gid = GidOf("benchd-push");
  return policy;
}

QueuePolicy Daemon::Policy() const {
  QueuePolicy policy{Access(), {}, config_.keep};
  policy.machine_turns = config_.limits.At(Limit::kMachineTurns);
  policy.helpers_a_user = config_.limits.At(Limit::kHelpersAUser);
  policy.max_pairs = config_.limits.At(Limit::kPairs);
  policy.keep.bytes_per_user = config_.limits.Of(Limit::kKeptAUser);
  // User mode has a single user, who may use the whole machine.
  if (options_.places.user) return policy;
  policy.limits.queued = config_.limits.Of(Limit::kQueuedAUser);
  policy.limits.waiting_bytes = config_.limits.Of(Limit::kWaitingAUser);
  policy.limits.submissions_a_day = config_.limits.Of(Limit::kSubmissionsADay);
  if (const auto a_day = config_.limits.Of(Limit::kRunningADay)) {
    policy.limits.running_a_day = Nanoseconds(*a_day);
  }
  return policy;
}

Result<void> Daemon::Serve() {
  rpc::Server::Parts parts{*queue_,
                           *machine_controller_,
                           hub_,
                           *store_,
                           random_,
                           clock_,
                           info_,
                           peers_,
                           calls_,
                           [](const std::string& line) { spdlog::info("{}", line); },
                           [](const std::string& why) { spdlog::warn("{}", why); }};
  parts.limits = config_.limits;
  parts.suspend = [this](std::uint32_t uid, Nanoseconds duration) {
    if (listener_) listener_->Suspend(uid, duration);
  };
  server_.emplace([this](std::uint32_t uid) { return inbox_.user_executor(uid); }, parts);
  TRY_VOID(server_->Start());
  listener_.emplace(
      loop_.get_executor(), socket_->TakeFd(), peers_, [this](int fd) { server_->Adopt(fd); },
      [](const std::string& why) { spdlog::warn("{}", why); });
  return {};
}

void Daemon::Run() {
  loop_.restart();
  guard_.emplace(loop_.get_executor());
  signals_.emplace(loop_, SIGTERM, SIGINT, SIGHUP);
  signals_->async_wait([this](std::error_code error, int signal) {
    if (!error) BeginStop(std::string("signal ") + strsignal(signal));
  });
  asio::co_spawn(inbox_.session_executor(), queue_->Work(),
                 [this](const std::exception_ptr& thrown) { QueueEnded(thrown); });
  const auto configured = config_.idle_exit.value_or(std::chrono::seconds(0));
  const std::chrono::seconds idle(
      options_.idle_exit.value_or(static_cast<int>(configured.count())));
  if (options_.places.user && idle.count() > 0) {
    idle_.emplace(
        loop_.get_executor(), idle,
        [this]() -> std::optional<std::uint64_t> {
          if (!queue_->Idle() || calls_.count() > 0) return std::nullopt;
          return calls_.total();
        },
        [this] { BeginStop("idle timeout"); });
    idle_->Start();
  }
  listener_->Start();
  notifier_.Ready();
  spdlog::info("benchd {} is listening on {}", info_.version, paths_.socket.string());
  RunLoop();
  if (server_shutdown_.joinable()) server_shutdown_.join();
  spdlog::info("benchd has stopped");
}

void Daemon::RunLoop() {
  try {
    loop_.run();
  } catch (const std::exception& error) {
    // Calls can only end on the loop, so no clean stop is possible without it. Children die with
    // the connection to benchd-runner, and the database is consistent after every commit.
    spdlog::critical("benchd cannot continue: {}", error.what());
    std::_Exit(kExitFailed);
  }
}

void Daemon::BeginStop(const std::string& why) {
  if (std::exchange(stopping_, true)) return;
  spdlog::info("stopping: {}", why);
  notifier_.Stopping();
  if (idle_) idle_->Stop();
  listener_->Close();
  asio::co_spawn(loop_, Stop(), asio::detached);
}

asio::awaitable<void> Daemon::Stop() {
  queue_->Stop();
  // The store completes pending writes, but no longer answers reads.
  store_->StopAnswering();
  co_await AwaitQueueEnd();
  // Ends every wait for the runner, in sessions and in calls.
  connection_.Close();
  calls_.Close();
  ShutDownServer();
}

asio::awaitable<void> Daemon::AwaitQueueEnd() {
  queue_end_.expires_after(kQueueTimeout);
  std::error_code ended;
  if (!queue_ended_)
    co_await queue_end_.async_wait(asio::redirect_error(asio::use_awaitable, ended));
  if (!queue_ended_) spdlog::warn("the running session did not end in time");
}

void Daemon::QueueEnded(const std::exception_ptr& thrown) {
  queue_ended_ = true;
  queue_end_.cancel();
  if (!thrown) return;
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& error) {
    spdlog::critical("the queue has failed: {}", error.what());
  }
  BeginStop("the queue has failed");
}

void Daemon::ShutDownServer() {
  server_shutdown_ = std::thread([this] {
    server_->Shutdown(kServerGrace);
    asio::post(loop_, [this] { LetLoopEnd(); });
  });
}

void Daemon::LetLoopEnd() {
  notifier_.Stop();
  signals_.reset();  // from now on, a signal ends the process at once
  guard_.reset();
  inbox_.Close();
}

}  // namespace benchd
