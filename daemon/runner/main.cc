#include <fcntl.h>
#include <fmt/format.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "core/base/file.h"
#include "core/base/result.h"
#include "core/base/try.h"
#include "daemon/launch/callers.h"
#include "daemon/launch/event_loop.h"
#include "daemon/launch/host.h"
#include "daemon/launch/perf_counters.h"
#include "daemon/launch/process_tree.h"
#include "daemon/runner/machine_setup.h"
#include "daemon/runner/options.h"
#include "daemon/runner/runner_config.h"
#include "daemon/runner/server.h"

namespace benchd {
namespace {

constexpr const char* kDefaultUser = "benchd";

/// Opens the descriptors 0 to 2 if they are closed, so that no other file gets one of these
/// numbers, here or in children.
void FillStandardStreams() {
  int fd = 0;
  do {
    fd = open("/dev/null", O_RDWR | O_CLOEXEC);
  } while (fd >= 0 && fd <= STDERR_FILENO);
  if (fd >= 0) close(fd);
}

/// Resets all signal dispositions, because children inherit them. Returns a descriptor from which
/// the runner reads its own signals.
UniqueFd TakeSignals(bool inherited_connection) {
  for (int number = 1; number < NSIG; ++number) signal(number, SIG_DFL);
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, nullptr);
  sigset_t ours;
  sigemptyset(&ours);
  sigaddset(&ours, SIGTERM);
  sigaddset(&ours, SIGCHLD);
  // A terminal sends these signals to both benchd and its runner. With an inherited connection, the
  // runner ignores them and ends when benchd does.
  if (!inherited_connection) {
    sigaddset(&ours, SIGINT);
    sigaddset(&ours, SIGHUP);
  }
  return UniqueFd(signalfd(-1, &ours, SFD_CLOEXEC | SFD_NONBLOCK));
}

Result<void> PrepareProcess() {
  umask(077);
  // Makes malloc return the memory of large answers to the kernel at once, because the runner's
  // memory use is the floor of its children's.
  mallopt(M_MMAP_THRESHOLD, 64 * 1024);
  mallopt(M_TRIM_THRESHOLD, 64 * 1024);
  if (geteuid() == 0) prctl(PR_SET_DUMPABLE, 0);
  if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) {
    return Error{ErrorCode::kInternal, "the kernel refused PR_SET_CHILD_SUBREAPER"};
  }
  return {};
}

/// Gives the runner real-time priority on the housekeeping CPUs, so that it notices the end of a
/// run and starts the next one without delay. Children do not inherit the priority, and the runner
/// sleeps when it is idle. Has no effect if the kernel refuses, or if the runner was started with a
/// nice value above 0.
void KeepTurn() {
  const sched_param lowest{1};
  if (getpriority(PRIO_PROCESS, 0) > 0) return;
  static_cast<void>(sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &lowest) == 0);
}

/// The listening socket or, with "fd:N", the inherited connection.
struct Endpoint {
  UniqueFd listener;
  UniqueFd connection;
  uid_t user = 0;
  std::string path;  ///< path of the socket, which is removed at exit; empty: no socket to remove
};

Result<Endpoint> OpenEndpoint(const RunnerOptions& options, const RunnerConfig& config) {
  Endpoint endpoint;
  if (options.socket.starts_with("fd:")) {
    TRY(auto connection, AdoptConnection(options.socket));
    endpoint.connection = std::move(connection);
    return endpoint;
  }
  endpoint.user = geteuid();
  if (!config.user.empty() || geteuid() == 0) {
    TRY(auto user, UidOf(config.user.empty() ? kDefaultUser : config.user));
    endpoint.user = user;
  }
  TRY(auto adopted, AdoptSystemdSocket());
  endpoint.listener = std::move(adopted);
  if (endpoint.listener) return endpoint;
  if (options.socket.empty()) {
    return Error{ErrorCode::kInvalidArgument, "--socket: required if systemd passes no socket",
                 "see benchd-runner --help"};
  }
  TRY(auto listener, ListenAt(options.socket, endpoint.user));
  endpoint.listener = std::move(listener);
  endpoint.path = options.socket;
  return endpoint;
}

/// Returns the rules from the configuration. They do not apply if there is no listener, because
/// benchd has then started this runner for its own user.
AccessRules RulesOf(const RunnerConfig& config, const Endpoint& endpoint, const Host& host) {
  AccessRules rules;
  rules.hold = endpoint.listener && host.privileged;
  rules.benchd = endpoint.user;
  rules.allow_root = config.allow_root;
  if (!config.socket_group.empty()) rules.group = config.socket_group;
  rules.users = config.users;
  return rules;
}

Result<void> Run(const RunnerOptions& options) {
  TRY_VOID(PrepareProcess());
  UniqueFd signals = TakeSignals(options.socket.starts_with("fd:"));
  TRY(auto minimal, MinimalHost());
  TRY(auto config, LoadRunnerConfig(minimal, options.config));
  TRY(auto setup, MachineSetup::Open(options));
  MachineSetup& machine = *setup;
  // Done after restoring the settings of a dead runner, which may have left CPUs offline.
  TRY(auto host, LookAround(options.sysfs_root));
  TRY(auto profiles, KnowProfiles(host.files, host.usable_cpus, config));
  SettleOn(host, profiles.front().cpus);
  host.cpu_accounting = CpuAccounting::Try(host.files);
  KeepTurn();
  TRY(auto endpoint, OpenEndpoint(options, config));

  const AccessRules access = RulesOf(config, endpoint, host);
  const PerfSupport perf(OpenPerfEvent, host.files);
  const DisturbanceFiles disturbances(host.files);
  machine.Begin(host, std::move(profiles), config.children, perf.Describe());
  host.helper_groups = machine.helper_groups();
  auto& [group, other_group] = machine.run_groups();
  EventLoop loop;
  ProcessTree tree;
  Server server({loop,
                 host,
                 tree,
                 machine.owner(),
                 config.children,
                 access,
                 perf,
                 disturbances,
                 config.counters,
                 {&group, &other_group},
                 machine.spawner_group()},
                std::move(signals));
  if (endpoint.connection) {
    server.Serve(std::move(endpoint.connection));
  } else {
    server.Listen(std::move(endpoint.listener), endpoint.user);
    NotifySystemd("READY=1");
    Log(LogLevel::kInfo, fmt::format("ready for uid {}; runs {}", endpoint.user,
                                     group.exists() ? "use the control group " + group.path()
                                                    : "have no control group"));
  }
  loop.Run();
  if (!endpoint.path.empty()) unlink(endpoint.path.c_str());
  return {};
}

int Main(int argc, char** argv) {
  const auto fail = [](const Error& error, int code) {
    fprintf(stderr, "error: %s\n", error.message.c_str());
    if (!error.hint.empty()) fprintf(stderr, "hint: %s\n", error.hint.c_str());
    return code;
  };
  FillStandardStreams();
  auto options = ParseRunnerOptions(argc, argv);
  if (!options) return fail(options.error(), 2);
  if (options->help) return PrintForExitCode(kRunnerHelp);
  if (options->version) return PrintForExitCode("benchd-runner " BENCHD_VERSION "\n");
  if (options->restore) {
    auto restored = RestoreFromJournal(*options);
    if (!restored) return fail(restored.error(), EXIT_FAILURE);
    return PrintForExitCode(*restored + "\n");
  }
  auto done = Run(*options);
  return done ? EXIT_SUCCESS : fail(done.error(), EXIT_FAILURE);
}

}  // namespace
}  // namespace benchd

int main(int argc, char** argv) { return benchd::Main(argc, argv); }
