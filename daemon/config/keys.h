#pragma once

#include <chrono>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/limits.h"
#include "core/model/session.h"
#include "daemon/config/key.h"

// What benchd.toml configures: the values of each program, then the table of all keys, which fills
// them in. A new key is a field and a row here, and for a key of [children] or
// [machine_profile.NAME] the field is in core/model.

namespace benchd {

/// The values that benchd uses, with the defaults of missing keys.
struct Config {
  std::string socket_group;  ///< empty for the default
  std::string runner_socket = "/run/benchd/runner.sock";
  bool allow_root = false;
  std::string admin_group = "benchd-admin";
  std::optional<std::chrono::seconds> idle_exit;
  std::string log_level = "info";
  RetentionPolicy keep;  ///< without bytes_per_user, which is one of the limits
  Budgets limits;
  bool operator==(const Config&) const = default;
};

/// The values that benchd-push uses: the data to send, and its destination.
struct PushConfig {
  std::string url;        ///< connection URL for libpq; empty: nothing is sent
  bool commands = false;  ///< whether to send the candidates' command lines
  bool labels = false;
  std::vector<std::string> benchmarks;  ///< patterns such as "parse*"; empty: all

  bool Sends(const std::string& benchmark) const;
  bool operator==(const PushConfig&) const = default;
};

/// The values that benchd-runner uses. benchd-helper sends them as a record (wire/messages.h).
struct RunnerConfig {
  std::string user;                ///< who may connect, by name or number; empty for the default
  std::string socket_group;        ///< children may run as its members; empty for the default
  bool allow_root = false;         ///< children may run as uid 0
  std::vector<std::string> users;  ///< others as whom children may run, by name or number
  std::string benchmark_cpus;      ///< CPU list; empty for the default split
  bool counters = false;           ///< counters are opened for every run, even if not requested
  /// The profiles of the file; `default` and `strict` always exist.
  std::vector<MachineProfile> profiles;
  ChildLimits children;
};
BENCHD_FIELDS(RunnerConfig, user, socket_group, allow_root, users, benchmark_cpus, counters,
              profiles, children)

/// A table of the file.
struct ConfigTable {
  std::string_view name;
  /// The programs that refuse unknown keys and wrong values in this table, as bits. Any other
  /// program checks only the keys that it reads.
  unsigned checkers;
};

inline constexpr ConfigTable kConfigTables[] = {
    {"socket", kForBenchd},   {"access", kForBenchd},
    {"store", kForBenchd},    {"limits", kForBenchd},
    {"daemon", kForBenchd},   {"push", kForBenchd | kForPush},
    {"log", kForBenchd},      {"runner", kForBenchd | kForRunner},
    {"children", kForRunner}, {"machine_profile", kForRunner},
};

namespace config_types {

inline constexpr std::string_view kLogLevels = "trace debug info warn error off";
inline constexpr std::int64_t kMebibyte = 1024 * 1024;
inline constexpr std::int64_t kMaxMebibytes = std::int64_t{1} << 40;
inline constexpr std::int64_t kDaySeconds = 24 * 3600;
inline constexpr std::int64_t kDayNanoseconds = kDaySeconds * 1'000'000'000;

/// The keys, except the limits (LimitRows()) and the settings of the whole machine
/// (kMachineSettings), whose rows have more columns. ConfigKeys() has them all.
inline constexpr ConfigKey kOwnConfigKeys[] = {
    {"socket", "group", kForBenchd | kForRunner,
     kText<&Config::socket_group, &RunnerConfig::socket_group>, "",
     "in system mode, the group whose members may use the control socket"},

    {"access", "admin_group", kForBenchd, kText<&Config::admin_group>, "\"benchd-admin\"",
     "the group whose members may pause the queue, raise priorities and cancel the sessions of "
     "others"},
    // The runner reads the next two itself, because it must not leave the decision to benchd.
    {"access", "allow_root", kForBenchd | kForRunner,
     kFlag<&Config::allow_root, &RunnerConfig::allow_root>, "false",
     "if true, root may submit sessions in system mode, and their programs run as root"},
    {"access", "users", kForRunner, kUsers<&RunnerConfig::users>, "",
     "additional users, by name or number, that programs may run as even if they are system users "
     "or not in the group of the socket"},

    {"store", "keep_days", kForBenchd,
     Whole<kDayNanoseconds, &Config::keep, &RetentionPolicy::age>(1, 36500, "days"), "",
     "delete sessions this many days after their end (default: never)"},
    {"store", "keep_mib", kForBenchd,
     Whole<kMebibyte, &Config::keep, &RetentionPolicy::bytes>(1, kMaxMebibytes, "MiB"), "",
     "delete the oldest sessions once all sessions together take more than this many MiB (default: "
     "never)"},

    {"daemon", "idle_exit", kForBenchd,
     Whole<1, &Config::idle_exit>(1, 365 * kDaySeconds, "seconds"), "",
     "in user mode, exit after this many seconds without work (default: never)"},

    {"push", "url", kForPush, kText<&PushConfig::url>, "",
     "the database, as a libpq connection string; a network connection requires TLS (sslmode is "
     "verify-full unless the string sets require or verify-ca)"},
    {"push", "commands", kForPush, kFlag<&PushConfig::commands>, "false",
     "if true, also send the candidates' command lines"},
    {"push", "labels", kForPush, kFlag<&PushConfig::labels>, "false",
     "if true, also send the labels of sessions"},
    {"push", "benchmarks", kForPush, kPatterns<&PushConfig::benchmarks>, "",
     "send only benchmarks that match one of these patterns (default: all)"},

    {"log", "level", kForBenchd, Word<&Config::log_level>(kLogLevels), "\"info\"",
     "trace, debug, info, warn, error or off"},

    {"runner", "socket", kForBenchd, kText<&Config::runner_socket>, "\"/run/benchd/runner.sock\"",
     "the socket of benchd-runner in system mode"},
    {"runner", "user", kForRunner, kTextOrNumber<&RunnerConfig::user>, "",
     "the user that benchd runs as; benchd-runner serves no other"},
    {"runner", "benchmark_cpus", kForRunner, kTextOrNumber<&RunnerConfig::benchmark_cpus>, "",
     "the CPUs that programs are measured on (default: all but one physical core)"},
    {"runner", "counters", kForRunner, kFlag<&RunnerConfig::counters>, "false",
     "if true, count hardware events in every run, not only for gates that name them"},

    {"children", "memory_mib", kForRunner,
     Whole<kMebibyte, &ChildLimits::memory_bytes>(1, kMaxMebibytes, "", "none"), "",
     "MiB of memory of all processes of the run together (default: nine tenths of the memory)"},
    // 4194304 is the largest possible value of pid_max (proc(5)).
    {"children", "pids", kForRunner, Whole<1, &ChildLimits::processes>(1, 4'194'304, "", "none"),
     "", "processes and threads"},
    // A program starts with three descriptors, and its loader needs a few more.
    {"children", "open_files", kForRunner,
     Whole<1, &ChildLimits::open_files>(16, 1'048'576, "", "none"), "", "open files of a process"},
    {"children", "file_size_mib", kForRunner,
     Whole<kMebibyte, &ChildLimits::file_bytes>(0, kMaxMebibytes, "", "none"), "",
     "MiB of each file that a process writes"},
    {"children", "core_mib", kForRunner,
     Whole<kMebibyte, &ChildLimits::core_bytes>(0, kMaxMebibytes, "", "none"), "",
     "MiB of a core dump"},
    {"children", "cpu_seconds", kForRunner,
     Whole<1, &ChildLimits::cpu_seconds>(1, 365 * kDaySeconds, "", "none"), "",
     "CPU time of a process"},

    {"machine_profile", "base", kForRunner,
     ConfigType{.take = TakeBase, .allowed = "the name of a profile"}, "",
     "start from the values of another profile (default: those of the built-in profile of the same "
     "name, else those of default)"},
    {"machine_profile", "benchmark_cpus", kForRunner,
     ConfigType{.take = TakeBenchmarkCpus,
                .allowed = "a list of CPUs such as \"1-3,7\", or a single number"},
     "", "the CPUs that programs are measured on"},
    {"machine_profile", "hold", kForRunner, Word<&MachineProfile::hold>("sessions daemon"),
     "\"sessions\"",
     "hold the settings during sessions, or with \"daemon\" for as long as the daemon runs"},
    {"machine_profile", "c_state_latency_us", kForRunner,
     Whole<1, &MachineProfile::c_state_latency_us>(0, std::numeric_limits<std::int32_t>::max(),
                                                   "microseconds", "leave"),
     "10", "the deepest idle state of CPUs, by its exit latency in microseconds, or leave"},
    {"machine_profile", "numa", kForRunner, Word<&MachineProfile::numa_local>("local leave"),
     "\"leave\"", "local: allocate memory only on the nodes of the benchmark CPUs; or leave"},
    {"machine_profile", "memory_limit", kForRunner,
     ConfigType{.take = TakeMemoryLimit,
                .allowed = "a number of bytes, a string such as \"4GiB\" (KiB, MiB, GiB, TiB)",
                .also = "leave"},
     "\"leave\"",
     "the memory limit of a run with all of its processes, as a number of bytes or with a unit, "
     "such as \"4GiB\"; or leave"},
    {"machine_profile", "nice", kForRunner, Whole<1, &MachineProfile::nice>(-20, 19), "0",
     "-20 to 19"},
    {"machine_profile", "policy", kForRunner, Word<&MachineProfile::policy>("batch fifo", "other"),
     "\"other\"", "the scheduling policy: other, batch or fifo"},
    {"machine_profile", "drop_caches", kForRunner, kFlag<&MachineProfile::drop_caches>, "false",
     "if true, empty the page cache before every run"},
    {"machine_profile", "aslr", kForRunner, Word<&MachineProfile::aslr>("on off"), "\"on\"",
     "off: use one fixed memory layout for all runs; the verdict then has a warning"},
};

}  // namespace config_types

/// Returns all keys of the configuration.
std::span<const ConfigKey> ConfigKeys();

/// Returns whether `level` is valid for `[log] level` and `--log-level`: trace, debug, info, warn,
/// error or off.
bool IsLogLevel(std::string_view level);

}  // namespace benchd
