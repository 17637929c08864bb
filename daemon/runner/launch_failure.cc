#include "daemon/runner/launch_failure.h"

#include <cerrno>
#include <cstring>
#include <string>

namespace benchd {
namespace {

std::string ProgramPath(const LaunchSpec& spec) {
  return spec.program ? spec.program->path : std::string("benchd-helper");
}

std::string Because(int error_number) { return std::string(": ") + std::strerror(error_number); }

Error Failed(std::string message, std::string hint = {}) {
  return Error{ErrorCode::kFailedPrecondition, std::move(message), std::move(hint)};
}

std::string Uid(const LaunchSpec& spec) { return "uid " + std::to_string(spec.caller.uid); }

Error DescribeChange(const ChildReport& report, const LaunchSpec& spec) {
  std::string what;
  const auto add = [&what](const char* part) {
    what.append(what.empty() ? "" : ", ").append(part);
  };
  if ((report.changed & kOtherFile) != 0) add("another file");
  if ((report.changed & kOtherSize) != 0) add("another size");
  if ((report.changed & kOtherTime) != 0) add("another modification time");
  return Failed("program: " + ProgramPath(spec) + " changed since submit: " + what,
                "build first, then submit: a session compares programs that stay as they are");
}

Error DescribeExecute(const ChildReport& report, const LaunchSpec& spec) {
  const std::string program = "program: " + ProgramPath(spec);
  switch (report.error_number) {
    case ENOEXEC:
      return Failed(program + ": it is neither a program nor a script with a #! line",
                    "run it by a shell (--shell), or add a #! line");
    case ENOENT:
      return Failed(program + ": the interpreter it names does not exist",
                    "look at its #! line, or at `file` for a foreign program");
    case E2BIG:
      return Failed(program + ": its arguments and environment are too long",
                    "shorten the command or raise the stack limit (ulimit -s)");
    case EACCES:
      return Failed(program + ": " + Uid(spec) + " may not execute it");
    case EAGAIN:
      return Failed(program + ": " + Uid(spec) + " has reached its limit of processes",
                    "raise it (ulimit -u) or end some");
    case ETXTBSY:
      return Failed(program + ": it is open for writing", "wait until its build has ended");
    default:
      return Failed(program + Because(report.error_number));
  }
}

}  // namespace

Error DescribeLaunchFailure(const ChildReport& report, const LaunchSpec& spec) {
  const std::string why = Because(report.error_number);
  switch (report.step) {
    case ChildStep::kCwd:
      return Failed("cwd: " + spec.cwd + why);
    case ChildStep::kInput:
      return Failed("input: " + spec.input + why);
    case ChildStep::kOutput:
      return Failed("output: " + spec.output_path + why);
    case ChildStep::kStat:
      return Failed("program: " + ProgramPath(spec) + why,
                    "it was there at submit: build first, then submit");
    case ChildStep::kIdentity:
      return DescribeChange(report, spec);
    case ChildStep::kExecute:
      return DescribeExecute(report, spec);
    case ChildStep::kGroup:
      return Failed("control group: the child cannot be put into it" + why,
                    "did somebody remove it? restart benchd-runner");
    case ChildStep::kAffinity:
      return Failed("cpus: the child cannot be put on them" + why);
    case ChildStep::kLimits:
      return Failed("limits: a resource limit of " + Uid(spec) + " cannot be set" + why);
    case ChildStep::kPriority:
      return Failed("machine profile: nice or policy is refused" + why,
                    "choose a profile without them, or use the system's daemon");
    case ChildStep::kMemory:
      return Failed("machine profile: numa or aslr is refused" + why,
                    "choose a profile that leaves them alone");
    case ChildStep::kGroups:
    case ChildStep::kGid:
    case ChildStep::kUid:
    case ChildStep::kCapabilities:
      return Failed("benchd-runner: cannot become " + Uid(spec) + why);
    case ChildStep::kSession:
    case ChildStep::kStreams:
    case ChildStep::kDescriptors:
    case ChildStep::kNone:
      break;
  }
  return Failed("benchd-runner: the child cannot be prepared" + why);
}

Error DescribeHungLaunch(const LaunchSpec& spec) {
  std::string what = "cwd " + spec.cwd;
  if (!spec.input.empty()) what += ", input " + spec.input;
  if (!spec.output_path.empty()) what += ", output " + spec.output_path;
  return Error{ErrorCode::kDeadlineExceeded,
               "program: " + ProgramPath(spec) + " did not begin within the timeout (" + what + ")",
               "is one of them a FIFO, or on a server that does not answer?"};
}

}  // namespace benchd
