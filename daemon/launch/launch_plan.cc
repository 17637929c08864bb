#include "daemon/launch/launch_plan.h"

#include <fmt/format.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "core/base/cpu_list.h"
#include "core/base/result.h"
#include "core/base/try.h"
#include "daemon/kernel/kernel_files.h"

namespace benchd {
namespace {

constexpr std::string_view kPaddingName = "BENCHD_PADDING=";

bool HasNul(const std::string& text) { return text.find('\0') != std::string::npos; }

Result<void> CheckStrings(const LaunchSpec& spec) {
  for (const auto& [field, list] :
       {std::pair{"command", &spec.argv}, std::pair{"env", &spec.env}}) {
    for (const std::string& text : *list) {
      if (HasNul(text)) return InvalidArgument(field, "it contains a NUL byte");
    }
  }
  for (const std::string& variable : spec.env) {
    if (variable.find('=') == std::string::npos) {
      return InvalidArgument("env", "'" + variable + "' has no '='", "write NAME=VALUE");
    }
  }
  const std::string program = spec.program ? spec.program->path : std::string();
  for (const auto& [field, path] :
       {std::pair{"cwd", &spec.cwd}, std::pair{"input", &spec.input},
        std::pair{"output", &spec.output_path}, std::pair{"program", &program}}) {
    if (HasNul(*path)) return InvalidArgument(field, "it contains a NUL byte");
  }
  return {};
}

/// Returns the strings in the form that execve takes. Its argument type is not const for historical
/// reasons; the strings are never modified.
std::vector<char*> Pointers(const std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  pointers.reserve(strings.size() + 2);
  for (const std::string& text : strings) pointers.push_back(const_cast<char*>(text.c_str()));
  return pointers;
}

const char* OrNull(const std::string& text) { return text.empty() ? nullptr : text.c_str(); }

bool IsOwn(const ResourceLimit& limit) {
  rlimit64 own{};
  return prlimit64(0, static_cast<__rlimit_resource>(limit.resource), nullptr, &own) == 0 &&
         own.rlim_cur == limit.soft && own.rlim_max == limit.hard;
}

/// Returns true if the caller is root with the runner's own ids and groups. Its children need no
/// change of ids, which saves some system calls in every run. Children of all other users must drop
/// the runner's privileges.
bool IsRootItself(const Host& host, const Caller& caller) {
  std::vector<gid_t> own(static_cast<std::size_t>(std::max(getgroups(0, nullptr), 0)));
  if (getgroups(static_cast<int>(own.size()), own.data()) < 0) return false;
  return caller.uid == 0 && host.uid == 0 && host.gid == caller.gid && own == caller.groups;
}

void AddCpus(const std::vector<int>& cpus, unsigned long (&mask)[ChildPlan::kMaskWords]) {
  constexpr std::size_t kBits = 8 * sizeof(unsigned long);
  for (const int cpu : cpus) {
    const auto bit = static_cast<std::size_t>(cpu);
    mask[bit / kBits] |= 1UL << (bit % kBits);
  }
}

}  // namespace

Result<void> LaunchPlan::Check(const Host& host, const LaunchSpec& spec) {
  if (spec.argv.empty()) return InvalidArgument("command", "empty");
  TRY_VOID(CheckStrings(spec));
  if (spec.program && !spec.program->path.starts_with('/')) {
    return InvalidArgument("program", "'" + spec.program->path + "' is not an absolute path");
  }
  if (const auto missing = CpusWithout(spec.cpus, host.usable_cpus); !missing.empty()) {
    return InvalidArgument("cpus", FormatCpuList(missing) + " cannot be used here",
                           "choose among " + FormatCpuList(host.usable_cpus));
  }
  return spec.as_caller ? CheckCaller(host, spec.caller) : Result<void>();
}

LaunchPlan::LaunchPlan(const Host& host, LaunchSpec spec)
    : spec_(std::move(spec)), argv_(Pointers(spec_.argv)), envp_(Pointers(spec_.env)) {
  argv_.push_back(nullptr);

  const std::vector<int>& cpus = spec_.cpus.empty() ? host.usable_cpus : spec_.cpus;
  AddCpus(cpus, plan_.affinity);
  // A child that may use any CPU need not start on the CPUs of the runner and benchd.
  const std::vector<int> apart = CpusWithout(cpus, host.cpus.housekeeping);
  const std::vector<int>& made_on = spec_.cpus.empty() && !apart.empty() ? apart : cpus;
  AddCpus(made_on, plan_.made_on);
  plan_.roams = cpus.size() > 1;
  plan_.reset_oom_score = host.reset_oom_score;
  Apply(host, spec_.settings);
  plan_.umask = static_cast<mode_t>(spec_.caller.umask & 0777);
  for (const ResourceLimit& limit : spec_.caller.limits) {
    if (IsOwn(limit)) continue;  // the child inherits it, which saves a system call in every run
    limits_.push_back({limit.resource, {.rlim_cur = limit.soft, .rlim_max = limit.hard}});
  }
  plan_.limits = limits_.data();
  plan_.limit_count = limits_.size();

  plan_.clear_inheritable = host.has_inheritable;
  plan_.capabilities[0] = host.capabilities[0];
  plan_.capabilities[1] = host.capabilities[1];
  plan_.become_user = host.privileged && spec_.as_caller && !IsRootItself(host, spec_.caller);
  plan_.uid = spec_.caller.uid;
  plan_.gid = spec_.caller.gid;
  plan_.groups = spec_.caller.groups.data();
  plan_.group_count = spec_.caller.groups.size();

  plan_.cwd = OrNull(spec_.cwd);
  plan_.input = OrNull(spec_.input);
  plan_.output = OrNull(spec_.output_path);
  plan_.argv = argv_.data();
  if (spec_.program) {
    SetIdentity(*spec_.program);
  } else {
    plan_.execute_fd = host.helper.get();
    // A helper may run at the same time as another user's session. The children of a session share
    // the session's keyring (Peer).
    plan_.join_keyring = true;
  }
}

void LaunchPlan::Apply(const Host& host, const ChildSettings& settings) {
  // If the runner inherited a nice value that it may not lower, the children keep it, and the
  // verdict contains a warning. A negative value from a profile is tried, and a refusal is reported
  // as an error.
  plan_.nice = host.own_nice > 0 ? std::max(settings.nice, host.own_nice) : settings.nice;
  plan_.set_nice = plan_.nice != host.own_nice;
  if (settings.policy == "batch") plan_.policy = SCHED_BATCH;
  if (settings.policy == "fifo") {
    plan_.policy = SCHED_FIFO;
    // The lowest real-time priority, so that the kernel's own real-time threads take precedence.
    // Real-time throttling remains enabled.
    plan_.fifo_priority = 1;
  }
  constexpr std::size_t kBits = 8 * sizeof(unsigned long);
  for (const int node : settings.numa_nodes) {
    const auto bit = static_cast<std::size_t>(node);
    if (bit / kBits < ChildPlan::kNodeWords) plan_.nodes[bit / kBits] |= 1UL << (bit % kBits);
    plan_.bind_memory = true;
  }
  plan_.fixed_layout = settings.fixed_layout;
}

void LaunchPlan::SetIdentity(const ProgramIdentity& program) {
  plan_.check_identity = true;
  plan_.path = spec_.program->path.c_str();
  plan_.device_major = gnu_dev_major(program.device);
  plan_.device_minor = gnu_dev_minor(program.device);
  plan_.inode = program.inode;
  plan_.size_bytes = program.size_bytes;
  plan_.mtime_ns = program.mtime_ns;
}

ChildPlan& LaunchPlan::Prepare(LaunchMemory& memory, LaunchStreams streams,
                               std::uint32_t padding_bytes) const {
  memory.plan = plan_;
  memory.plan.streams[0] = streams.in;
  memory.plan.streams[1] = streams.out;
  memory.plan.streams[2] = streams.err;
  memory.envp.assign(envp_.begin(), envp_.end());
  for (std::string& variable : memory.variables) memory.envp.push_back(variable.data());
  if (padding_bytes > 0) {
    memory.padding.assign(kPaddingName).append(padding_bytes, 'x');
    memory.envp.push_back(memory.padding.data());
  }
  memory.envp.push_back(nullptr);
  memory.plan.envp = memory.envp.data();
  return memory.plan;
}

namespace {

std::string ProgramPath(const LaunchSpec& spec) {
  return spec.program ? spec.program->path : std::string("benchd-helper");
}

std::string Because(int error_number) { return std::string(": ") + std::strerror(error_number); }

Error Failed(std::string message, std::string hint = {}) {
  return Error{ErrorCode::kFailedPrecondition, std::move(message), std::move(hint)};
}

std::string Uid(const LaunchSpec& spec) { return fmt::format("uid {}", spec.caller.uid); }

Error DescribeChange(const ChildReport& report, const LaunchSpec& spec) {
  std::string what;
  const auto add = [&what](const char* part) { AppendItem(what, ", ", part); };
  if ((report.changed & kOtherFile) != 0) add("different file");
  if ((report.changed & kOtherSize) != 0) add("different size");
  if ((report.changed & kOtherTime) != 0) add("different modification time");
  return Failed("program: " + ProgramPath(spec) + " changed since submission: " + what,
                "build first, then submit; programs must not change during a session");
}

Error DescribeExecute(const ChildReport& report, const LaunchSpec& spec) {
  const std::string program = "program: " + ProgramPath(spec);
  switch (report.error_number) {
    case ENOEXEC:
      return Failed(program + ": it is neither a program nor a script with a #! line",
                    "run it through a shell (--shell), or add a #! line");
    case ENOENT:
      return Failed(program + ": its interpreter does not exist",
                    "check its #! line, and its architecture with `file`");
    case E2BIG:
      return Failed(program + ": its arguments and environment are too long",
                    "shorten the command or raise the stack limit (ulimit -s)");
    case EACCES:
      return Failed(program + ": " + Uid(spec) + " is not permitted to execute it");
    case EAGAIN:
      return Failed(program + ": " + Uid(spec) + " has reached its process limit",
                    "raise the limit (ulimit -u) or end some processes");
    case ETXTBSY:
      return Failed(program + ": it is open for writing", "wait until its build has finished");
    default:
      return Failed(program + Because(report.error_number));
  }
}

}  // namespace

Error DescribeLaunchFailure(const ChildReport& report, const LaunchSpec& spec) {
  const std::string why = Because(report.error_number);
  const auto at = [&why](const std::string& what, const char* hint = "") {
    return Failed(what + why, hint);
  };
  switch (report.step) {
    case ChildStep::kCwd:
      return at("cwd: " + spec.cwd);
    case ChildStep::kInput:
      return at("input: " + spec.input);
    case ChildStep::kOutput:
      return at("output: " + spec.output_path);
    case ChildStep::kStat:
      return at("program: " + ProgramPath(spec),
                "it existed at submission; build first, then submit");
    case ChildStep::kIdentity:
      return DescribeChange(report, spec);
    case ChildStep::kExecute:
      return DescribeExecute(report, spec);
    case ChildStep::kGroup:
      return at("control group: the child cannot join it",
                "it may have been removed; restart benchd-runner");
    case ChildStep::kAffinity:
      return at("cpus: the child cannot be moved to them");
    case ChildStep::kLimits:
      return at("limits: a resource limit of " + Uid(spec) + " cannot be set");
    case ChildStep::kPriority:
      return at("machine profile: nice or policy cannot be set",
                "choose a profile that does not set them, or use the system daemon");
    case ChildStep::kMemory:
      return at("machine profile: numa or aslr cannot be set",
                "choose a profile that does not set them");
    case ChildStep::kGroups:
    case ChildStep::kGid:
    case ChildStep::kUid:
    case ChildStep::kCapabilities:
      return at("benchd-runner: cannot become " + Uid(spec));
    case ChildStep::kSession:
    case ChildStep::kStreams:
    case ChildStep::kDescriptors:
    case ChildStep::kNone:
      break;
  }
  return at("benchd-runner: the child cannot be prepared");
}

Error DescribeHungLaunch(const LaunchSpec& spec) {
  std::string what = "cwd " + spec.cwd;
  if (!spec.input.empty()) what += ", input " + spec.input;
  if (!spec.output_path.empty()) what += ", output " + spec.output_path;
  return Error{ErrorCode::kDeadlineExceeded,
               "program: " + ProgramPath(spec) + " did not start within the timeout (" + what + ")",
               "check for a FIFO or for a file server that does not respond"};
}

}  // namespace benchd
