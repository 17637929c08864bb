#include <fmt/format.h>

#include <set>

#include "client/request/measured_suite.h"
#include "client/request/own_values.h"
#include "client/request/quantity.h"
#include "client/request/session_options.h"
#include "client/request/spec_input.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "proto/convert/convert.h"

namespace benchd::client {
namespace {

// The kernel's limit for one argument (MAX_ARG_STRLEN). Longer commands cannot be executed.
constexpr std::size_t kMaxCommandBytes = 128 * 1024;

Result<void> CheckText(const std::string& text, const std::string& what) {
  if (text.find('\0') != std::string::npos) return UsageError(what + ": contains a NUL byte");
  if (!IsSendableText(text)) {
    return UsageError(what + ": not valid UTF-8", "put it into a script with a plain name");
  }
  if (text.size() > kMaxCommandBytes) {
    return UsageError(
        fmt::format("{}: {} bytes; the limit is {}", what, text.size(), kMaxCommandBytes),
        "put it into a script");
  }
  return {};
}

Result<void> CheckOptionText(const OptionValues& options) {
  if (options.contains("confidence") && options.contains("alpha")) {
    return UsageError("--alpha: cannot be combined with --confidence", "give only one of them");
  }
  for (const auto& [name, values] : options) {
    for (const OptionValue& value : values) {
      auto checked = CheckText(value.text, "--" + name);
      if (!checked) return checked;
    }
  }
  return {};
}

Result<void> ApplyAll(const OptionValues& options, v1::SessionSpec* spec) {
  for (const auto& [name, values] : options) {
    const SessionOption* const option = FindSessionOption(name);
    if (option == nullptr || !option->field.OfSession()) continue;
    for (const OptionValue& value : values) {
      auto applied = ParseOption(option->field, value.text, {.session = spec});
      if (!applied) return std::move(applied).error().Within(value.origin);
    }
  }
  return {};
}

class Builder {
 public:
  Builder(const SpecInput& input, const CallerContext& caller) : input_(input), caller_(caller) {}

  Result<v1::SessionSpec> Build() {
    *spec_.mutable_environment() = {caller_.environment.begin(), caller_.environment.end()};
    for (Result<void> step :
         {CheckOptionText(input_.options), CheckAllArms(), ApplyAll(input_.options, &spec_)}) {
      if (!step) return std::move(step).error();
    }
    for (const BenchmarkInput& benchmark : input_.benchmarks) {
      for (const ArmInput& arm : ArmsOf(benchmark)) arm_names_.insert(arm.name);
    }
    std::set<std::string> names;
    for (const BenchmarkInput& benchmark : input_.benchmarks) {
      if (!names.insert(benchmark.name.empty() ? "main" : benchmark.name).second) {
        return UsageError(benchmark.origin + ": two benchmarks are called " +
                              (benchmark.name.empty() ? "main" : benchmark.name),
                          "give each its own name");
      }
      TRY_VOID(AddBenchmark(benchmark));
    }
    if (input_.measures && !input_.origin.empty()) MeasureSuite(&spec_);
    return std::move(spec_);
  }

 private:
  // Returns the arms of a benchmark. Its own arms replace those of the session.
  const std::vector<ArmInput>& ArmsOf(const BenchmarkInput& benchmark) const {
    return benchmark.arms.empty() ? input_.arms : benchmark.arms;
  }

  Result<void> CheckAllArms() const {
    for (const BenchmarkInput& benchmark : input_.benchmarks) {
      const std::vector<ArmInput>& arms = ArmsOf(benchmark);
      if (arms.empty()) {
        return UsageError(input_.origin + ": missing arms",
                          input_.measures ? "add an [[arm]] table with a name"
                                          : "add two [[arm]] tables, each with a name");
      }
      const bool commits = !input_.arms.empty() && input_.arms.front().commit.has_value();
      if (commits && !arms.front().commit) {
        return UsageError(arms.front().origin + ": with git, the commits are the arms",
                          "remove git or the benchmark's own arms");
      }
      auto checked = CheckArms(arms, input_.measures);
      if (!checked) return checked;
    }
    return {};
  }

  static Result<void> CheckArms(const std::vector<ArmInput>& arms, bool measures) {
    std::set<std::string> names;
    std::size_t references = 0;
    for (std::size_t i = 0; i < arms.size(); ++i) {
      const ArmInput& arm = arms[i];
      if (arm.name.empty()) return UsageError(arm.origin + ": empty name");
      auto sendable = CheckText(arm.name, arm.origin + ": the name");
      if (!sendable) return sendable;
      if (!names.insert(arm.name).second) {
        return UsageError(arm.origin + ": duplicate name " + Quoted(arm.name),
                          "give each command its own name: -n NAME -n NAME");
      }
      if (!arm.role.empty() && arm.role != "reference" && arm.role != "candidate") {
        return UsageError(arm.origin + ": unknown role " + Quoted(arm.role),
                          "write reference or candidate");
      }
      if (IsReference(arms, i)) ++references;
    }
    if (measures) return {};
    if (references == 0) return UsageError("missing reference", "give an arm role = \"reference\"");
    if (references == arms.size()) {
      return UsageError("missing candidate", "add a second arm");
    }
    return {};
  }

  // Returns whether an arm is a reference. Without any `role = "reference"`, this is the first arm.
  static bool IsReference(const std::vector<ArmInput>& arms, std::size_t index) {
    for (const ArmInput& arm : arms) {
      if (arm.role == "reference") return arms[index].role == "reference";
    }
    return index == 0 && arms[0].role.empty();
  }

  Result<void> AddBenchmark(const BenchmarkInput& input) {
    v1::Benchmark* benchmark = spec_.add_benchmarks();
    benchmark->set_name(input.name);
    std::vector<ArmInput> arms = ArmsOf(input);
    OptionValues options = input_.options;
    // --env of the session is added to its environment, which is stored separately and never shown.
    OptionValues variables;
    if (auto env = options.extract("env")) variables.insert(std::move(env));
    TRY_VOID(MoveOwnValues(arm_names_, &variables, &arms));
    TRY_VOID(AddSessionEnvironment(variables["env"]));
    options = Overlay(std::move(options), input.options);
    TRY_VOID(MoveOwnValues({}, &options, &arms));
    ArmSettings settings;
    TRY_VOID(ApplyToBenchmark(options, &settings, benchmark));
    TRY_VOID(CheckGateNames(Overlay(input_.options, input.options), *benchmark));
    TRY_VOID(ApplyOwnMargin(input, benchmark));
    AddBuild(benchmark);
    TRY_VOID(AddArms(input, arms, settings, benchmark));
    const ShellChoice shell = ShellForHooks(*benchmark);
    if (options["shell"].empty() && shell.used) SetShell(shell, benchmark->mutable_hooks());
    return {};
  }

  // Applies the values that all arms share.
  Result<void> ApplyToBenchmark(const OptionValues& options, ArmSettings* settings,
                                v1::Benchmark* benchmark) {
    const OptionTarget target{&spec_, benchmark, settings, caller_.cwd};
    for (const auto& [name, values] : options) {
      const SessionOption* const option = FindSessionOption(name);
      if (option == nullptr || !option->field.OfBenchmark()) continue;
      for (const OptionValue& value : values) {
        auto applied = ParseOption(option->field, value.text, target);
        if (applied && IsHook(name)) applied = PlaceHook(value.text, benchmark);
        if (!applied) return std::move(applied).error().Within(value.origin);
      }
    }
    return {};
  }

  Result<void> AddSessionEnvironment(const std::vector<OptionValue>& values) {
    for (const OptionValue& value : values) {
      auto variable = ParseAssignment(value.text);
      if (!variable) return std::move(variable).error().Within(value.origin);
      (*spec_.mutable_environment())[variable->first] = variable->second;
    }
    return {};
  }

  // Checks the names of gates. Parsed metrics are unknown before the program has run, so their
  // names are not checked.
  static Result<void> CheckGateNames(const OptionValues& options, const v1::Benchmark& benchmark) {
    if (!benchmark.parse().empty() || !benchmark.harness().empty()) return {};
    for (int i = 0; i < benchmark.gates_size(); ++i) {
      auto known = CheckBuiltinMetric(benchmark.gates(i).metric());
      if (known) continue;
      const OptionValue& value = options.at("metric")[static_cast<std::size_t>(i)];
      return std::move(known).error().Within(value.origin);
    }
    return {};
  }

  // The margin of the only benchmark becomes the session's margin, as on a command line.
  Result<void> ApplyOwnMargin(const BenchmarkInput& input, v1::Benchmark* benchmark) {
    const auto own = input.options.find("margin");
    if (own == input.options.end()) return {};
    const OptionValue& value = own->second.front();
    auto margin = ParseMargin(value.text);
    if (!margin) return std::move(margin).error().Within(value.origin);
    if (input_.benchmarks.size() == 1) {
      spec_.set_margin(*margin);
    } else {
      benchmark->set_margin(*margin);
    }
    return {};
  }

  // The build creates the folders of the arms. The build, setup and cleanup therefore run in the
  // caller's working directory.
  void AddBuild(v1::Benchmark* benchmark) const {
    if (input_.build.empty()) return;
    benchmark->mutable_hooks()->set_build(input_.build);
    convert::ToProto(input_.build_plan, benchmark->mutable_hooks()->mutable_build_plan());
    benchmark->mutable_hooks()->set_cwd(caller_.cwd);
  }

  static bool IsHook(const std::string& option) {
    return option == "setup" || option == "cleanup" || option == "prepare" || option == "conclude";
  }

  // Adds a hook that runs once per benchmark. It does not belong to an arm and runs in the caller's
  // working directory.
  Result<void> PlaceHook(const std::string& command, v1::Benchmark* benchmark) const {
    if (!input_.origin.empty()) benchmark->mutable_hooks()->set_cwd(caller_.cwd);
    for (const std::string_view mark : {"{dir}", "{name}"}) {
      if (!input_.templates || command.find(mark) == std::string::npos) continue;
      return UsageError(std::string(mark) + ": this command does not belong to an arm",
                        "prepare and conclude can read their arm from the variable BENCHD_ARM");
    }
    return {};
  }

  // Returns the working directory of an arm; cwd may contain {dir}.
  std::string WorkingDirectory(const ArmInput& arm, const ArmSettings& settings,
                               const std::string& base) const {
    if (settings.cwd.empty()) return base;
    return Absolute(input_.templates ? FillInArm(settings.cwd, arm) : settings.cwd, base);
  }

  Result<void> AddArms(const BenchmarkInput& input, const std::vector<ArmInput>& arms,
                       const ArmSettings& shared, v1::Benchmark* benchmark) {
    for (std::size_t i = 0; i < arms.size(); ++i) {
      const ArmInput& from = arms[i];
      const std::string& origin = input.command.empty() ? from.origin : input.origin;
      std::string command = input.command.empty() ? from.command : input.command;
      if (input_.templates) command = FillInArm(std::move(command), from);
      if (command.find_first_not_of(" \t\n") == std::string::npos) {
        return UsageError(origin + ": empty command",
                          "write the program to run, such as 'sleep 1'");
      }
      auto checked = CheckText(command, origin);
      if (!checked) return checked;
      v1::Arm* arm = benchmark->add_arms();
      arm->set_name(from.name);
      arm->set_role(input_.measures        ? v1::ARM_ROLE_MEASURED
                    : IsReference(arms, i) ? v1::ARM_ROLE_REFERENCE
                                           : v1::ARM_ROLE_CANDIDATE);
      arm->set_command(command);
      ArmSettings settings = shared;
      TRY_VOID(ApplyOwnValues(from, input_.templates, caller_.cwd, &settings, arm));
      SetShell(settings.shell, arm);
      arm->set_cwd(WorkingDirectory(from, settings, caller_.cwd));
      if (settings.cwd.empty() && !from.cwd.empty()) arm->set_cwd(from.cwd);
      if (from.commit) {
        auto cwd = ApplyCommit(from, settings, arm);
        if (!cwd) return cwd;
      }
      for (const auto& [key, text] : settings.env) (*arm->mutable_env())[key] = text;
    }
    return {};
  }

  // Adds the commit of an arm. --cwd is then relative to the worktree.
  Result<void> ApplyCommit(const ArmInput& from, const ArmSettings& settings, v1::Arm* arm) const {
    auto checked = CheckText(from.dir, "the directory of worktrees");
    if (!checked) return checked;
    arm->mutable_commit()->set_id(from.commit->id);
    arm->mutable_commit()->set_description(from.commit->description);
    arm->set_cwd(WorkingDirectory(from, settings, from.dir));
    return {};
  }

  const SpecInput& input_;
  const CallerContext& caller_;
  std::set<std::string> arm_names_;  // of all benchmarks
  v1::SessionSpec spec_;
};

}  // namespace

Result<v1::SessionSpec> BuildSpec(const SpecInput& input, const CallerContext& caller) {
  TRY(const auto expanded, ExpandSuite(input));
  return Builder(expanded, caller).Build();
}

Result<v1::SessionSpec> BuildTableSpec(const OptionValues& options) {
  v1::SessionSpec spec;
  for (Result<void> step : {CheckOptionText(options), ApplyAll(options, &spec)}) {
    if (!step) return std::move(step).error();
  }
  for (const char* name : {"metric", "allow-missing", "accept-exit", "control"}) {
    const auto given = options.find(name);
    if (given == options.end()) continue;
    if (spec.benchmarks().empty()) spec.add_benchmarks();
    for (const OptionValue& value : given->second) {
      auto applied = ParseOption(FindSessionOption(name)->field, value.text,
                                 {.benchmark = spec.mutable_benchmarks(0)});
      if (!applied) return std::move(applied).error().Within(value.origin);
    }
  }
  return spec;
}

}  // namespace benchd::client
