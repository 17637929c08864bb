#include "daemon/session/child_table.h"

#include "core/model/session_spec.h"

namespace benchd {
namespace {

/// As its arm would be run, and told which it is; what it prints is kept.
ChildSpec ChildOfRunHook(const SessionSpec& spec, const SessionId& id, const Benchmark& benchmark,
                         const Arm& arm, RunHook which) {
  ChildSpec child = ChildOfArm(spec, benchmark, arm);
  child.argv = HookOf(benchmark, which).argv;
  child.env["BENCHD_SESSION"] = id.value;
  child.env["BENCHD_BENCHMARK"] = benchmark.name;
  child.env["BENCHD_ARM"] = arm.name;
  child.input.clear();
  child.output = OutputKind::kLog;
  child.output_path.clear();
  child.parse.clear();
  child.program = {};
  return child;
}

}  // namespace

const Hook& HookOf(const Benchmark& benchmark, RunHook which) {
  return which == RunHook::kPrepare ? benchmark.hooks.prepare : benchmark.hooks.conclude;
}

bool HasRunHooks(const Benchmark& benchmark) {
  return benchmark.hooks.prepare.Exists() || benchmark.hooks.conclude.Exists();
}

ChildTable::ChildTable(const SessionSpec& spec) {
  std::uint32_t next = 0;
  const auto number = [&next](const Benchmark& benchmark, bool exists) {
    const std::uint32_t first = next;
    if (exists) next += static_cast<std::uint32_t>(benchmark.arms.size());
    return first;
  };
  for (const Benchmark& benchmark : spec.benchmarks) {
    first_arm_.push_back(number(benchmark, true));
  }
  arms_ = next;
  for (const Benchmark& benchmark : spec.benchmarks) {
    first_prepare_.push_back(number(benchmark, benchmark.hooks.prepare.Exists()));
    first_conclude_.push_back(number(benchmark, benchmark.hooks.conclude.Exists()));
  }
}

std::uint32_t ChildTable::Arm(std::size_t benchmark, std::size_t arm) const {
  return first_arm_[benchmark] + static_cast<std::uint32_t>(arm);
}

std::uint32_t ChildTable::Of(RunHook hook, std::size_t benchmark, std::size_t arm) const {
  const auto& first = hook == RunHook::kPrepare ? first_prepare_ : first_conclude_;
  return first[benchmark] + static_cast<std::uint32_t>(arm);
}

ChildSpec ChildOfArm(const SessionSpec& spec, const Benchmark& benchmark, const Arm& arm) {
  ChildSpec child{.caller = spec.caller,
                  .argv = arm.argv,
                  .env = spec.environment,
                  .cwd = arm.cwd,
                  .input = benchmark.input,
                  .output = benchmark.output,
                  .output_path = benchmark.output_path,
                  .parse = benchmark.parse,
                  .program = arm.program.value_or(ProgramIdentity{})};
  for (const auto& [name, value] : arm.env) child.env[name] = value;
  return child;
}

std::vector<ChildSpec> ChildrenOf(const SessionSpec& spec, const SessionId& id,
                                  const std::vector<int>& cpus) {
  std::vector<ChildSpec> children;
  for (const Benchmark& benchmark : spec.benchmarks) {
    for (const Arm& arm : benchmark.arms) {
      children.push_back(ChildOfArm(spec, benchmark, arm));
      children.back().metrics = OptionalGates(benchmark);
    }
  }
  for (const Benchmark& benchmark : spec.benchmarks) {
    for (const RunHook which : {RunHook::kPrepare, RunHook::kConclude}) {
      if (!HookOf(benchmark, which).Exists()) continue;
      for (const Arm& arm : benchmark.arms) {
        children.push_back(ChildOfRunHook(spec, id, benchmark, arm, which));
      }
    }
  }
  for (ChildSpec& child : children) child.cpus = cpus;
  return children;
}

}  // namespace benchd
