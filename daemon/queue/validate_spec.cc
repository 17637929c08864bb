#include "daemon/queue/validate_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/file_pattern.h"
#include "core/base/path.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "core/model/labels.h"
#include "core/model/machine_profile.h"
#include "core/model/metric.h"
#include "core/model/name_pattern.h"
#include "core/parse/command_line.h"
#include "core/parse/discovery.h"
#include "core/parse/harness_builder.h"
#include "core/parse/harness_output.h"
#include "daemon/queue/sampled_spec.h"

namespace benchd {
namespace {

constexpr std::size_t kMaxArms = 64;
constexpr std::size_t kMaxNameBytes = 200;
constexpr std::size_t kMaxInvocationBytes = std::size_t{16} * 1024;
constexpr std::size_t kMaxPointers = 20;
constexpr std::size_t kMaxPointerBytes = 1024;
constexpr std::size_t kMaxEnvironmentBytes = 1024 * 1024;
constexpr std::size_t kMaxInterpreterBytes = 4096;

Error Wrong(std::string_view field, std::string_view value, std::string_view why,
            std::string_view hint = {}) {
  return InvalidArgument(field, Quoted(value) + " " + std::string(why), hint);
}

Result<void> CheckName(std::string_view field, const std::string& name) {
  if (name.empty()) return InvalidArgument(field, "empty name");
  if (name.size() > kMaxNameBytes) return InvalidArgument(field, "a name is over 200 bytes long");
  if (HasControlCharacter(name)) {
    return InvalidArgument(field, "a name contains a control character");
  }
  return {};
}

Result<void> CheckMost(std::string_view field, std::size_t count, std::size_t most,
                       std::string_view hint) {
  if (count <= most) return {};
  return InvalidArgument(field, fmt::format("more than {} names", most), hint);
}

Result<void> CheckEnvironment(const std::map<std::string, std::string>& environment) {
  std::size_t bytes = 0;
  for (const auto& [name, value] : environment) {
    if (name.empty() || name.find('=') != std::string::npos) {
      return Wrong("env", name, "is not a variable name", "write --env NAME=VALUE");
    }
    if (name.find('\0') != std::string::npos || value.find('\0') != std::string::npos) {
      return Wrong("env", name.substr(0, name.find('\0')), "contains a NUL byte");
    }
    bytes += name.size() + value.size() + 2;
  }
  if (bytes > kMaxEnvironmentBytes) return InvalidArgument("env", "the environment is over 1 MiB");
  return {};
}

Result<void> CheckPath(std::string_view field, const std::string& path, bool required) {
  if (path.empty() && !required) return {};
  if (path.empty() || path.front() != '/') {
    return Wrong(field, path, "is not an absolute path");
  }
  if (path.find('\0') != std::string::npos) {
    return InvalidArgument(field, "a path contains a NUL byte");
  }
  return {};
}

/// Checks the path of a file that each run opens.
Result<void> CheckFile(std::string_view field, const std::string& path, bool required) {
  TRY_VOID(CheckPath(field, path, required));
  if (!NamesADescriptor(path)) return {};
  return Wrong(field, path, "is a descriptor, not a file", "name a file that each run can open");
}

Result<void> CheckCommit(const std::optional<Commit>& commit) {
  if (!commit) return {};
  const bool is_id = (commit->id.size() == 40 || commit->id.size() == 64) &&
                     commit->id.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (!is_id) return Wrong("commit", commit->id, "is not a full commit ID");
  if (commit->description.size() > kMaxNameBytes || HasControlCharacter(commit->description)) {
    return InvalidArgument("commit", "the description is over 200 bytes or not plain text");
  }
  return {};
}

/// How commands are executed: Arm::shell and Arm::interpreter, or those of Hooks.
struct Shell {
  bool used = false;
  std::string interpreter = {};
};

/// Checks the program of a shell. Like that of a command, it is looked up at submission.
Result<void> CheckShell(const Shell& shell) {
  const std::string& program = shell.interpreter;
  if (program.empty()) return {};
  if (!shell.used) return Wrong("shell", program, "is given, but shell is off");
  if (program.size() > kMaxInterpreterBytes || HasControlCharacter(program)) {
    return InvalidArgument("shell", "is over 4 KiB or contains a control character");
  }
  if (program.front() == '/' || program.find('/') == std::string::npos) return {};
  return Wrong("shell", program, "is neither a name nor an absolute path");
}

/// Returns the argv of a command. A shell script is not split into words, but must be non-empty,
/// bounded and free of NUL bytes.
Result<std::vector<std::string>> CompleteCommand(const std::string& command, const Shell& shell) {
  Result<std::vector<std::string>> argv = SplitCommandLine(command);
  if (!shell.used) return argv;
  const bool only_quoting = !argv && command.size() <= kMaxCommandBytes &&
                            command.find('\0') == std::string::npos &&
                            command.find_first_not_of(" \t\n") != std::string::npos;
  if (!argv && !only_quoting) return argv;
  const std::string& program = shell.interpreter;
  return std::vector<std::string>{program.empty() ? "/bin/sh" : program, "-c", command};
}

Result<void> CompleteArm(Arm& arm) {
  TRY_VOID(CheckName("name", arm.name));
  TRY_VOID(CheckPath("cwd", arm.cwd, true));
  TRY_VOID(CheckEnvironment(arm.env));
  TRY_VOID(CheckCommit(arm.commit));
  TRY_VOID(CheckFile("input", arm.input, false));
  const Shell shell{arm.shell, arm.interpreter};
  TRY_VOID(CheckShell(shell));
  Result<std::vector<std::string>> argv = CompleteCommand(arm.command, shell);
  if (!argv) return std::move(argv).error().Within("command of " + arm.name);
  arm.argv = std::move(argv).value();
  return {};
}

Result<void> CheckDefaultMargin(double margin) {
  if (std::isfinite(margin) && margin != 0) return {};
  return InvalidArgument("margin", "must be a number other than zero", "write 2%");
}

Result<void> CheckGate(const Gate& gate) {
  if (gate.metric.empty()) return InvalidArgument("metric", "a gate has no metric");
  if (HasControlCharacter(gate.metric)) {
    return InvalidArgument("metric", "a name contains a control character");
  }
  if (!std::isfinite(gate.margin) || gate.margin == 0) {
    return InvalidArgument(
        "margin", "the margin of " + Quoted(gate.metric) + " must be a number other than zero",
        "write the smallest slowdown that counts, such as 2%");
  }
  if (gate.kind == MarginKind::kRatio && gate.better == Better::kHigher && gate.margin >= 1) {
    return InvalidArgument("margin",
                           "a drop of 100 % or more of " + Quoted(gate.metric) + " is impossible");
  }
  return {};
}

Result<void> CompleteHook(const std::string& name, const Shell& shell, Hook& hook) {
  if (!hook.Exists()) return {};
  Result<std::vector<std::string>> argv = CompleteCommand(hook.command, shell);
  if (!argv) return std::move(argv).error().Within(name);
  hook.argv = std::move(argv).value();
  return {};
}

/// Checks that no arm lacks a value that others have. Without a shared value, either all arms or no
/// arm must have one, because the arms would otherwise do different work unnoticed.
Result<void> CheckAllHaveOne(std::string_view field, bool shared, std::size_t with,
                             std::size_t arms) {
  if (shared || with == 0 || with == arms) return {};
  return InvalidArgument(field, fmt::format("{} of {} arms have one", with, arms),
                         "set one for every arm, or one for all arms together");
}

/// Checks the hooks of single arms, which replace the benchmark's hook of the same kind.
Result<void> CompleteOwnHooks(const std::string& name, const Hook& shared, Hook Arm::*own,
                              const Shell& shell, Benchmark& benchmark) {
  std::size_t with = 0;
  for (Arm& arm : benchmark.arms) {
    Result<void> ok = CompleteHook(name + " of " + arm.name, shell, arm.*own);
    if (!ok) return ok;
    if ((arm.*own).Exists()) ++with;
  }
  return CheckAllHaveOne(name, shared.Exists(), with, benchmark.arms.size());
}

Result<void> CompleteHooks(Benchmark& benchmark) {
  Hooks& hooks = benchmark.hooks;
  TRY_VOID(CheckPath("cwd", hooks.cwd, false));
  const Shell shell{hooks.shell, hooks.interpreter};
  TRY_VOID(CheckShell(shell));
  TRY_VOID(CompleteHook("build", {hooks.shell}, hooks.build));
  for (const auto& [name, hook] : {std::pair{"setup", &hooks.setup},
                                   {"prepare", &hooks.prepare},
                                   {"conclude", &hooks.conclude},
                                   {"cleanup", &hooks.cleanup}}) {
    TRY_VOID(CompleteHook(name, shell, *hook));
  }
  TRY_VOID(CompleteOwnHooks("prepare", hooks.prepare, &Arm::prepare, shell, benchmark));
  return CompleteOwnHooks("conclude", hooks.conclude, &Arm::conclude, shell, benchmark);
}

Result<void> CheckInputs(const Benchmark& benchmark) {
  TRY_VOID(CheckFile("input", benchmark.input, false));
  const auto with =
      std::ranges::count_if(benchmark.arms, [](const Arm& arm) { return !arm.input.empty(); });
  return CheckAllHaveOne("input", !benchmark.input.empty(), static_cast<std::size_t>(with),
                         benchmark.arms.size());
}

/// Checks the harness, and sets the format that its runs print unless the user named another.
Result<void> CompleteHarness(Benchmark& benchmark) {
  if (!benchmark.inner.empty()) return InvalidArgument("inner", "only the daemon may set it");
  if (benchmark.harness.empty()) {
    if (benchmark.only.empty()) return {};
    return InvalidArgument("only", "given without a harness", "write --harness NAME");
  }
  TRY_VOID(CheckMost("only", benchmark.only.size(), kMaxNamePatterns,
                     "name several benchmarks by one pattern, such as 'BM_Sort/*'"));
  for (const std::string& pattern : benchmark.only) TRY_VOID(CheckName("only", pattern));
  // ParseFormats checks the harness that an adapter describes, because that takes longer.
  if (benchmark.harness == kAdapterHarness && !benchmark.parse.empty()) return {};
  TRY(const Harness harness, FindHarness(benchmark.harness));
  if (benchmark.parse.empty()) benchmark.parse = harness.format;
  return {};
}

/// The formats of --parse in one session. Compiling an adapter takes milliseconds, so an adapter
/// that many benchmarks share is checked once.
class ParseFormats {
 public:
  Result<void> Complete(Benchmark& benchmark) {
    benchmark.parse_stderr = false;
    if (benchmark.parse.empty()) {
      if (!benchmark.parse_file.empty()) {
        return InvalidArgument("parse-file", "given without parse",
                               "state the format of the files by --parse");
      }
      if (benchmark.adapter.empty()) return {};
      return InvalidArgument("adapter", "given without a name", "send its file as parse");
    }
    if (benchmark.parse.size() > kMaxCommandBytes || HasControlCharacter(benchmark.parse)) {
      return InvalidArgument("parse", "is too long or not plain text");
    }
    std::pair key(benchmark.parse, benchmark.adapter);
    auto known = sources_.find(key);
    if (known == sources_.end()) {
      if (sources_.size() == kMaxFormats) {
        return InvalidArgument("parse", "a session has more than 16 formats and adapters",
                               "submit its benchmarks in several sessions");
      }
      // Ask the parser itself, so that there is only one list of formats.
      TRY(auto source, CheckHarnessFormat(benchmark.parse, benchmark.adapter));
      known = sources_.emplace(key, std::move(source)).first;
    }
    if (benchmark.harness == kAdapterHarness && !harnesses_.contains(key)) {
      TRY_VOID(FindHarness(benchmark.harness, benchmark.parse, benchmark.adapter));
      harnesses_.insert(std::move(key));
    }
    return CompleteSource(benchmark, known->second);
  }

 private:
  /// Sets where the numbers are: in the files of the user or else of the adapter, or in a stream.
  static Result<void> CompleteSource(Benchmark& benchmark, const HarnessSource& source) {
    if (benchmark.parse_file.empty()) benchmark.parse_file = source.file;
    if (benchmark.parse_file.empty()) {
      benchmark.parse_stderr = source.stream == OutputStream::kStderr;
      return {};
    }
    auto pattern = FilePattern::Parse(benchmark.parse_file);
    if (!pattern) return std::move(pattern).error().Within("parse-file");
    return {};
  }

  static constexpr std::size_t kMaxFormats = 16;
  std::map<std::pair<std::string, std::string>, HarnessSource> sources_;
  std::set<std::pair<std::string, std::string>> harnesses_;  // adapters with [discover]
};

// INNER/NAME, as a harness may print it.
static_assert(kMaxGateNameBytes == kMaxInnerNameBytes + 1 + kMaxMetricNameBytes);

/// Bounds the time that it takes to find the metrics of the gates.
Result<void> CheckGateNames(const Benchmark& benchmark) {
  std::size_t patterns = 0;
  for (const Gate& gate : benchmark.gates) {
    const bool pattern = IsPattern(gate.metric);
    const std::size_t most = pattern ? kMaxPatternBytes : kMaxGateNameBytes;
    patterns += pattern ? 1 : 0;
    if (gate.metric.size() <= most) continue;
    return InvalidArgument("metric",
                           fmt::format("{} has {} bytes; the limit is {}", Quoted(gate.metric),
                                       gate.metric.size(), most),
                           "write a shorter pattern, such as 'BM_Sort*'");
  }
  const std::string hint = "name several metrics by one pattern, such as '*/time'";
  TRY_VOID(CheckMost("metric", benchmark.gates.size(), kMaxGateNames, hint));
  if (patterns <= kMaxNamePatterns) return {};
  return InvalidArgument("metric", fmt::format("more than {} patterns", kMaxNamePatterns), hint);
}

Result<void> CheckControlNames(const Benchmark& benchmark) {
  TRY_VOID(CheckMost("control", benchmark.controls.size(), kMaxControlNames,
                     "name several by a pattern, such as 'control/*'"));
  for (const std::string& name : benchmark.controls) TRY_VOID(CheckName("control", name));
  return {};
}

Result<void> CheckRoles(const Benchmark& benchmark) {
  if (IsMeasured(benchmark)) return {};
  if (!ArmsWithRole(benchmark, ArmRole::kMeasured).empty()) {
    return InvalidArgument("role", "some arms are measured, but not all",
                           "compare all of them, or measure all of them");
  }
  if (ArmsWithRole(benchmark, ArmRole::kReference).empty()) {
    return InvalidArgument("reference", "missing");
  }
  if (ArmsWithRole(benchmark, ArmRole::kCandidate).empty()) {
    return InvalidArgument("candidate", "missing", "write benchctl compare BASE CANDIDATE...");
  }
  return {};
}

Result<void> CompleteBenchmark(Benchmark& benchmark) {
  TRY_VOID(CheckName("benchmark", benchmark.name));
  TRY_VOID(CheckGateNames(benchmark));
  TRY_VOID(CheckControlNames(benchmark));
  if (benchmark.arms.size() > kMaxArms)
    return InvalidArgument("arms", "a benchmark has more than 64 arms");
  std::set<std::string> names;
  for (Arm& arm : benchmark.arms) {
    TRY_VOID(CompleteArm(arm));
    if (!names.insert(arm.name).second) {
      return Wrong("name", arm.name, "is used by two arms", "give each arm its own name with -n");
    }
  }
  TRY_VOID(CheckRoles(benchmark));
  TRY_VOID(CompleteHooks(benchmark));
  TRY_VOID(CheckInputs(benchmark));
  const bool to_file = benchmark.output == OutputKind::kFile;
  TRY_VOID(CheckFile("output", benchmark.output_path, to_file));
  if (benchmark.check_output && to_file) {
    return InvalidArgument("check-output", "cannot be combined with --output FILE",
                           "use --output log, which keeps the output of all runs");
  }
  for (const int code : benchmark.accept_exit) {
    if (code < 0 || code > 255) {
      return Wrong("accept-exit", std::to_string(code), "is not an exit code", "use 0 to 255");
    }
  }
  if (benchmark.default_margin) {
    Result<void> ok = CheckDefaultMargin(*benchmark.default_margin);
    if (!ok) return ok;
  }
  std::set<std::string> gated;
  for (const Gate& gate : benchmark.gates) {
    TRY_VOID(CheckGate(gate));
    if (benchmark.parse.empty() && !NamesBuiltinMetric(gate.metric)) {
      return Wrong("metric", gate.metric, "is not a built-in metric, and no output is parsed",
                   "docs/metrics.md lists the built-in ones; --parse reads metrics from output");
    }
    const MetricInfo* const builtin =
        benchmark.parse.empty() ? FindBuiltinMetric(gate.metric) : nullptr;
    if (builtin != nullptr && gate.better && builtin->better && gate.better != builtin->better) {
      return Wrong("metric", gate.metric,
                   "cannot be better when " + std::string(NameOf(*gate.better)),
                   "omit :" + std::string(NameOf(*gate.better)));
    }
    if (!gated.insert(gate.metric).second) return Wrong("metric", gate.metric, "has two gates");
  }
  return {};
}

Result<void> CheckDuration(std::string_view field, Nanoseconds duration) {
  if (duration <= Nanoseconds::zero()) return InvalidArgument(field, "must be above zero");
  if (duration > kLongestDuration) return InvalidArgument(field, "must be at most 30 days");
  return {};
}

Result<void> CheckLimits(const Limits& limits) {
  TRY_VOID(CheckDuration("max-time", limits.max_time));
  TRY_VOID(CheckDuration("timeout", limits.timeout));
  if (limits.runs && limits.max_runs) {
    return InvalidArgument("runs", "cannot be combined with --max-runs");
  }
  if (limits.runs && *limits.runs < 2) {
    return InvalidArgument("runs", "must be at least 2", "use --runs 2 or more");
  }
  if (limits.max_runs && *limits.max_runs < 2) {
    return InvalidArgument("max-runs", "must be at least 2", "use --max-runs 2 or more");
  }
  // With max_runs below the default of min_runs, there is only one look, at the end.
  const std::uint64_t asked = limits.min_runs > Limits().min_runs ? limits.min_runs : 0;
  if (limits.max_runs && asked > *limits.max_runs) {
    return InvalidArgument(
        "min-runs", fmt::format("{} is above --max-runs, which is {}", asked, *limits.max_runs));
  }
  for (const std::uint64_t blocks :
       {limits.min_runs, limits.runs.value_or(0), limits.max_runs.value_or(0)}) {
    if (blocks > kMostBlocks) return InvalidArgument("runs", "must be at most 10,000,000");
  }
  return {};
}

Result<void> CheckPointers(const std::vector<std::string>& paths) {
  if (paths.size() > kMaxPointers) return InvalidArgument("lfs_pointers", "more than 20 paths");
  for (const std::string& path : paths) {
    if (path.size() <= kMaxPointerBytes && !HasControlCharacter(path)) continue;
    return InvalidArgument("lfs_pointers", "a path is over 1 KiB or contains a control character");
  }
  return {};
}

Result<void> CheckSettingsOff(const SessionSpec& spec) {
  const std::span<const std::string_view> known = MachineSettingNames();
  std::set<std::string> named;
  for (const std::string& setting : spec.settings_off) {
    if (std::find(known.begin(), known.end(), setting) == known.end()) {
      const std::string nearest = Nearest(setting, known);
      return Wrong(
          "settings_off", setting, "is not a setting of a machine profile",
          nearest.empty() ? "see `benchctl machine status`" : "did you mean " + nearest + "?");
    }
    if (!named.insert(setting).second) return Wrong("settings_off", setting, "is named twice");
  }
  return {};
}

Result<void> CheckLabels(const std::map<std::string, std::string>& labels) {
  for (const auto& [key, value] : labels) {
    TRY_VOID(CheckName("label", key));
    if (value.size() > kMaxNameBytes || HasControlCharacter(value)) {
      return Wrong("label", key,
                   "has a value that is over 200 bytes or contains a control character");
    }
  }
  if (labels.size() > kMaxLabels) {
    return InvalidArgument(
        "label", fmt::format("{} labels given; the limit is {}", labels.size(), kMaxLabels));
  }
  if (!AreFewLabels(labels)) return InvalidArgument("label", "all labels together are over 8 KiB");
  return {};
}

/// Adds the placebo as the last arm, so that the other arms keep their numbers.
void AddPlacebo(SessionSpec& spec) {
  for (Benchmark& benchmark : spec.benchmarks) {
    const std::vector<std::size_t> references = ArmsWithRole(benchmark, ArmRole::kReference);
    if (references.empty()) continue;  // rejected below
    Arm placebo = benchmark.arms[references.front()];
    placebo.name = kPlaceboName;
    placebo.role = ArmRole::kPlacebo;
    benchmark.arms.push_back(std::move(placebo));
  }
}

}  // namespace

Result<SessionSpec> ValidateSpec(SessionSpec spec) {
  TRY_VOID(CompleteSampled(spec));
  if (spec.placebo) AddPlacebo(spec);
  if (spec.benchmarks.empty()) return InvalidArgument("benchmarks", "missing");
  if (spec.benchmarks.size() > kMaxBenchmarks) {
    return InvalidArgument("benchmarks", "more than 1000");
  }
  std::set<std::string> names;
  ParseFormats formats;
  for (Benchmark& benchmark : spec.benchmarks) {
    TRY_VOID(CompleteHarness(benchmark));
    LeaveUnparsed(spec, benchmark);
    TRY_VOID(CompleteBenchmark(benchmark));
    TRY_VOID(formats.Complete(benchmark));
    if (!names.insert(benchmark.name).second) {
      return Wrong("benchmark", benchmark.name, "is used by two benchmarks");
    }
  }
  if (!IsMeasured(spec) && std::ranges::any_of(spec.benchmarks, [](const Benchmark& benchmark) {
        return IsMeasured(benchmark);
      })) {
    return InvalidArgument("role", "some benchmarks are measured, but others are compared",
                           "submit them in separate sessions");
  }
  if (!(spec.alpha > 0 && spec.alpha < 1)) {
    return InvalidArgument("confidence", "must be between 0 % and 100 %", "write 99%");
  }
  if (spec.pass_confidence && !(*spec.pass_confidence > 0.5 && *spec.pass_confidence < 1)) {
    return InvalidArgument("pass-confidence", "must be above 50 % and below 100 %", "write 95%");
  }
  TRY_VOID(CheckDefaultMargin(spec.default_margin));
  TRY_VOID(CheckLimits(spec.limits));
  TRY_VOID(CheckSettingsOff(spec));
  if (spec.invocation.size() > kMaxInvocationBytes || HasControlCharacter(spec.invocation)) {
    return InvalidArgument("invocation", "is over 16 KiB or contains a control character",
                           "omit it");
  }
  TRY_VOID(CheckPointers(spec.lfs_pointers));
  if (spec.schedule.warmup > kMostBlocks) {
    return InvalidArgument("warmup", "must be at most 10,000,000");
  }
  TRY_VOID(CheckEnvironment(spec.environment));
  TRY_VOID(CheckLabels(spec.labels));
  // Stored, so that a later release with other defaults reads the session as it was decided.
  if (!spec.early_looks) spec.early_looks = EarlyLooksByDefault(spec);
  return spec;
}

std::uint64_t HeldBytes(const SessionSpec& spec) {
  std::uint64_t bytes = sizeof(SessionSpec);
  const auto add = [&bytes](const std::string& text) {
    bytes += sizeof(std::string) + text.size();
  };
  const auto add_all = [&add](const std::map<std::string, std::string>& texts) {
    for (const auto& [key, value] : texts) {
      add(key);
      add(value);
    }
  };
  add_all(spec.labels);
  add_all(spec.environment);
  for (const std::string& path : spec.lfs_pointers) add(path);
  if (spec.profile) add(spec.profile->explains);
  for (const Benchmark& benchmark : spec.benchmarks) {
    bytes += sizeof(Benchmark) + benchmark.gates.size() * sizeof(Gate);
    for (const Gate& gate : benchmark.gates) add(gate.metric);
    for (const std::string* text :
         {&benchmark.name, &benchmark.parse, &benchmark.parse_file, &benchmark.adapter,
          &benchmark.input, &benchmark.output_path, &benchmark.hooks.build.command,
          &benchmark.hooks.setup.command, &benchmark.hooks.prepare.command,
          &benchmark.hooks.conclude.command, &benchmark.hooks.cleanup.command, &benchmark.hooks.cwd,
          &benchmark.hooks.interpreter, &benchmark.harness}) {
      add(*text);
    }
    for (const std::string& pattern : benchmark.only) add(pattern);
    for (const std::string& name : benchmark.controls) add(name);
    for (const Arm& arm : benchmark.arms) {
      bytes += sizeof(Arm);
      for (const std::string* text : {&arm.name, &arm.command, &arm.cwd, &arm.interpreter,
                                      &arm.input, &arm.prepare.command, &arm.conclude.command}) {
        add(*text);
      }
      add(arm.command);  // also stored as separate words
      add_all(arm.env);
    }
  }
  return bytes;
}

Result<void> CheckRequestId(const std::string& request_id) {
  if (request_id.size() <= kMaxRequestIdBytes) return {};
  return InvalidArgument(
      "request_id",
      fmt::format("is {} bytes long; the limit is {}", request_id.size(), kMaxRequestIdBytes),
      "use a UUID");
}

}  // namespace benchd
