#include "client/request/explaining_spec.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "client/present/gates.h"
#include "client/present/measurement.h"
#include "client/present/text.h"
#include "client/present/words.h"
#include "client/request/verdict_settings.h"
#include "core/analysis/profile_plan.h"
#include "core/base/text.h"
#include "core/model/labels.h"
#include "core/model/metric.h"
#include "core/model/name_pattern.h"
#include "core/model/session_spec.h"

namespace benchd::client {
namespace {

bool IsChange(const v1::Comparison& gate) {
  if (!IsGate(gate) || gate.control() != v1::CONTROL_STATE_UNSPECIFIED) return false;
  return gate.verdict() == v1::VERDICT_REGRESSION || gate.flag() == v1::FLAG_IMPROVEMENT;
}

const std::string& NameOf(const v1::Benchmark& benchmark) {
  static const std::string main = Benchmark().name;
  return benchmark.name().empty() ? main : benchmark.name();
}

// Returns the name of the benchmark that was submitted: that of the program for one that was found
// in it (core/model/inner_benchmarks.h).
std::string SubmittedName(const v1::Benchmark& benchmark) {
  const std::string& name = NameOf(benchmark);
  if (benchmark.inner().empty()) return name;
  if (name == benchmark.inner()) return Benchmark().name;
  return name.substr(0, name.size() - benchmark.inner().size() - 1);
}

// The benchmarks and arms that changed; everything if no gate did.
class Selection {
 public:
  Selection(const v1::Session& session, const std::vector<std::string>& only) : only_(only) {
    for (const v1::Comparison& one : session.report().comparisons()) {
      if (!IsChange(one)) continue;
      benchmarks_.insert(one.benchmark());
      arms_.insert({one.benchmark(), one.reference()});
      arms_.insert({one.benchmark(), one.candidate()});
    }
  }

  bool Has(const v1::Benchmark& benchmark) const {
    if (only_.empty()) return benchmarks_.empty() || benchmarks_.contains(NameOf(benchmark));
    return std::ranges::any_of(only_, [&benchmark](const std::string& pattern) {
      return MatchesPattern(pattern, NameOf(benchmark));
    });
  }

  // Returns whether the arm belongs to a change of the benchmark, or nothing of it changed.
  bool Has(const v1::Benchmark& benchmark, const v1::Arm& arm) const {
    if (arm.role() == v1::ARM_ROLE_PLACEBO) return false;
    if (!benchmarks_.contains(NameOf(benchmark))) return true;
    const auto layout = LayoutOf(arm.name());
    return arms_.contains({NameOf(benchmark), arm.name()}) ||
           (layout && arms_.contains({NameOf(benchmark), layout->group}));
  }

 private:
  const std::vector<std::string>& only_;
  std::set<std::string> benchmarks_;
  std::set<std::pair<std::string, std::string>> arms_;  // benchmark and arm
};

// Removes what only the values of runs need. The output is discarded as before: a program may do
// less if it writes to /dev/null.
void RemoveValues(v1::Benchmark* benchmark) {
  const bool was_read = benchmark->output() == v1::OUTPUT_KIND_LOG || !benchmark->parse().empty() ||
                        benchmark->check_output();
  const bool discarded = benchmark->output() == v1::OUTPUT_KIND_UNSPECIFIED ||
                         benchmark->output() == v1::OUTPUT_KIND_DISCARD ||
                         benchmark->output() == v1::OUTPUT_KIND_LOG;
  if (was_read && discarded) benchmark->set_output(v1::OUTPUT_KIND_PIPE);
  benchmark->clear_gates();
  benchmark->clear_margin();
  benchmark->clear_check_output();
  benchmark->set_no_groups(true);
  // A harness also needs its adapter to list the benchmarks of the program.
  if (!benchmark->harness().empty()) return;
  benchmark->clear_parse();
  benchmark->clear_parse_file();
  benchmark->clear_adapter();
}

// Removes the worktrees of the second phase from the plan: there is only one phase.
void RemoveSecondTrees(std::size_t arms, v1::Benchmark* benchmark) {
  if (!benchmark->hooks().has_build_plan()) return;
  auto* trees = benchmark->mutable_hooks()->mutable_build_plan()->mutable_trees();
  if (static_cast<std::size_t>(trees->size()) != 2 * arms) return;
  trees->DeleteSubrange(static_cast<int>(arms), static_cast<int>(arms));
}

// Keeps the arms that `has` wants, and removes what a sampled session does not need.
v1::Benchmark Sampled(const v1::Benchmark& from, const std::function<bool(const v1::Arm&)>& has) {
  v1::Benchmark benchmark = from;
  benchmark.clear_arms();
  std::size_t arms = 0;
  for (const v1::Arm& arm : from.arms()) {
    if (arm.role() == v1::ARM_ROLE_PLACEBO) continue;
    ++arms;
    if (has(arm)) *benchmark.add_arms() = arm;
  }
  RemoveSecondTrees(arms, &benchmark);
  RemoveValues(&benchmark);
  return benchmark;
}

using Group = std::vector<const v1::Benchmark*>;

// Turns the benchmarks that were found in a program into the one that was submitted. Only the first
// of them has the hooks that run once per session. An arm runs if any chosen benchmark needs it.
v1::Benchmark OfProgram(const Group& found, const Group& chosen, const Selection& selection) {
  v1::Benchmark program = Sampled(*found.front(), [&](const v1::Arm& arm) {
    return std::ranges::any_of(chosen,
                               [&](const v1::Benchmark* one) { return selection.Has(*one, arm); });
  });
  program.set_name(SubmittedName(*found.front()));
  program.clear_inner();
  program.set_allow_missing(true);
  if (chosen.size() == found.size()) return program;
  program.clear_only();
  for (const v1::Benchmark* one : chosen) program.add_only(one->inner());
  return program;
}

// Returns the benchmark at `begin` and those after it that were found in the same program.
Group ProgramAt(const google::protobuf::RepeatedPtrField<v1::Benchmark>& benchmarks, int begin) {
  const v1::Benchmark& first = benchmarks.Get(begin);
  Group group = {&first};
  for (int i = begin + 1; !first.inner().empty() && i < benchmarks.size(); ++i) {
    const v1::Benchmark& next = benchmarks.Get(i);
    if (next.inner().empty() || SubmittedName(next) != SubmittedName(first)) break;
    group.push_back(&next);
  }
  return group;
}

void AddBenchmarks(const v1::SessionSpec& from, const Selection& selection, v1::SessionSpec* to) {
  const auto is_chosen = [&selection](const v1::Benchmark* one) { return selection.Has(*one); };
  for (int begin = 0; begin < from.benchmarks_size();) {
    const Group found = ProgramAt(from.benchmarks(), begin);
    begin += static_cast<int>(found.size());
    Group chosen;
    std::ranges::copy_if(found, std::back_inserter(chosen), is_chosen);
    if (chosen.empty()) continue;
    const v1::Benchmark& first = *found.front();
    *to->add_benchmarks() =
        !first.inner().empty()
            ? OfProgram(found, chosen, selection)
            : Sampled(first, [&](const v1::Arm& arm) { return selection.Has(first, arm); });
  }
}

Error NoSuchBenchmark(const v1::Session& session) {
  std::vector<std::string> names;
  for (const v1::Benchmark& one : session.spec().benchmarks()) names.push_back(NameOf(one));
  return UsageError("--only: no benchmark of session " + session.session() + " matches",
                    "available: " + SomeOf(names));
}

// Returns whether an arm is the one that a comparison names, or a build of it.
bool IsOf(const std::string& arm, const std::string& named) {
  const auto layout = LayoutOf(arm);
  return arm == named || (layout && layout->group == named);
}

// Returns the mean of a metric over the runs of one arm.
std::optional<double> MeanOf(const v1::Update& report, const std::string& benchmark,
                             const std::string& arm, std::string_view metric) {
  for (const v1::Comparison& one : report.comparisons()) {
    if (one.benchmark() != benchmark || one.metric() != metric) continue;
    if (IsOf(arm, one.reference()) && one.has_mean_reference()) return one.mean_reference();
    if (IsOf(arm, one.candidate()) && one.has_mean_candidate()) return one.mean_candidate();
  }
  return std::nullopt;
}

// Time that sampling adds to each run, mostly for finding the functions of its samples. Measured:
// by a program in C 0.03 s, by Python with the debug symbols of libc 0.18 s.
constexpr double kResolvingSeconds = 0.05;

// Returns how much longer the session took than the wall time of its runs, because of hooks and the
// daemon's own work.
double OverheadOf(const v1::Update& report) {
  double seconds = 0;
  for (const v1::ArmRuns& one : report.runs()) {
    const auto mean = MeanOf(report, one.benchmark(), one.arm(), "wall_time");
    if (!mean) return 1;
    seconds += *mean * static_cast<double>(one.runs());
  }
  return seconds > 0 ? std::max(1.0, report.elapsed_seconds() / seconds) : 1;
}

// A benchmark of the explained session that runs again.
struct Repeated {
  const v1::Benchmark* benchmark;
  const v1::Benchmark* asked;  // in the session that explains it

  // Returns whether an arm, or a build of it, runs again.
  bool Runs(const std::string& arm) const {
    return std::ranges::any_of(asked->arms(),
                               [&arm](const v1::Arm& one) { return IsOf(one.name(), arm); });
  }
};

// Returns the benchmarks of `session` that `spec` runs.
std::vector<Repeated> RunBy(const v1::SessionSpec& spec, const v1::Session& session) {
  std::vector<Repeated> run;
  for (const v1::Benchmark& one : session.spec().benchmarks()) {
    const auto runs_it = [&one](const v1::Benchmark& asked) {
      const auto& only = asked.only();
      return NameOf(asked) == SubmittedName(one) &&
             (one.inner().empty() || only.empty() ||
              std::ranges::any_of(only, [&one](const std::string& pattern) {
                return MatchesPattern(pattern, one.inner());
              }));
    };
    const auto asked = std::ranges::find_if(spec.benchmarks(), runs_it);
    if (asked != spec.benchmarks().end()) run.push_back({&one, &*asked});
  }
  return run;
}

// Returns whether a gate of the same two arms regressed or improved.
bool HasChanged(const v1::Update& report, const v1::Comparison& pair) {
  return std::ranges::any_of(report.comparisons(), [&pair](const v1::Comparison& one) {
    return IsChange(one) && one.benchmark() == pair.benchmark() &&
           one.reference() == pair.reference() && one.candidate() == pair.candidate();
  });
}

// Adds the CPU time of a run and its change, if it is smaller than that which is known. If gates of
// the benchmark changed, only their arms have a change to explain.
void AddChange(const v1::Update& report, const Repeated& repeated, ExplainingCost* cost) {
  const std::string& benchmark = NameOf(*repeated.benchmark);
  const bool any_changed = std::ranges::any_of(report.comparisons(), [&](const auto& one) {
    return IsChange(one) && one.benchmark() == benchmark;
  });
  const bool has_cpu_time = std::ranges::any_of(report.comparisons(), [&](const auto& one) {
    return one.benchmark() == benchmark && one.metric() == "cpu_time";
  });
  for (const v1::Comparison& one : report.comparisons()) {
    if (one.benchmark() != benchmark || !one.has_mean_reference() || !one.has_mean_candidate()) {
      continue;
    }
    if (one.metric() != (has_cpu_time ? "cpu_time" : "wall_time") || one.mean_reference() <= 0) {
      continue;
    }
    if (!repeated.Runs(one.reference()) || !repeated.Runs(one.candidate())) continue;
    if (any_changed && !HasChanged(report, one)) continue;
    // Without a change, the difference of the means is noise.
    const double change = any_changed ? std::abs(one.mean_candidate() - one.mean_reference()) : 0;
    const bool smaller = cost->cpu_seconds == 0 ||
                         change / one.mean_reference() < cost->change_seconds / cost->cpu_seconds;
    if (!smaller) continue;
    cost->cpu_seconds = one.mean_reference();
    cost->change_seconds = change;
    // Pairs differ by less than independent runs.
    const double gain = one.has_pairing_gain() ? one.pairing_gain() : 1;
    cost->relative_sd =
        gain * std::hypot(one.sd_reference(), one.sd_candidate()) / one.mean_reference();
  }
}

}  // namespace

bool HasChange(const v1::Update& report) {
  return std::ranges::any_of(report.comparisons(), IsChange);
}

Result<void> CheckExplainable(const v1::Session& session) {
  const std::string what = "explain: session " + session.session();
  if (!HasEnded(session.state())) {
    return UsageError(what + " has not ended: no result yet",
                      "wait for it: benchctl watch " + session.session());
  }
  if (session.state() != v1::SESSION_STATE_DONE) {
    return UsageError(what + " has no result: it is " + std::string(Word(session.state())));
  }
  if (Measures(session.spec())) {
    return UsageError(what + " measured its commands and compared nothing",
                      "compare them: benchctl compare BASE CANDIDATE");
  }
  if (session.spec().benchmarks().empty() || session.report().comparisons().empty()) {
    return UsageError(what + " compared nothing");
  }
  return {};
}

Result<void> CheckRepeatable(const v1::Session& session, bool kept) {
  const std::string again = "compare again with --explain";
  const std::string what = "explain: session " + session.session() + " cannot be repeated: ";
  for (const v1::Benchmark& benchmark : session.spec().benchmarks()) {
    for (const v1::Arm& arm : benchmark.arms()) {
      if (arm.env().empty()) continue;
      return UsageError(what + "the values of variables of " + Printable(arm.name()) +
                            " are not kept: " + Printable(arm.env().begin()->first),
                        again);
    }
    if (benchmark.hooks().has_build_plan() && !kept) {
      return UsageError(what + "its commits are not on the machine anymore", again);
    }
  }
  return {};
}

Result<v1::SessionSpec> ExplainingSpec(const v1::Session& session, const ExplainingChoice& choice) {
  const v1::SessionSpec& from = session.spec();
  const Selection selection(session, choice.only);
  v1::SessionSpec spec = from;
  spec.clear_benchmarks();
  AddBenchmarks(from, selection, &spec);
  if (spec.benchmarks().empty()) return NoSuchBenchmark(session);
  ClearVerdictSettings(&spec);
  if (spec.method() != v1::METHOD_LAYOUTS) spec.clear_method();
  spec.clear_estimator();
  spec.clear_rule();
  spec.clear_margin();
  spec.clear_schedule();
  spec.clear_seed();
  spec.clear_invocation();
  spec.clear_environment();
  spec.mutable_labels()->erase(kCalibrationLabel);
  spec.set_warmup(1);
  spec.clear_limits();
  if (from.limits().has_timeout_seconds()) {
    spec.mutable_limits()->set_timeout_seconds(from.limits().timeout_seconds());
  }
  spec.mutable_profile()->set_frequency_hz(choice.frequency_hz);
  spec.mutable_profile()->set_call_graph(choice.call_graph);
  spec.mutable_profile()->set_explains(session.session());
  return spec;
}

void RestoreVariables(const v1::SessionSpec& submitted, v1::SessionSpec* spec) {
  for (v1::Benchmark& benchmark : *spec->mutable_benchmarks()) {
    const auto& asked = submitted.benchmarks();
    const auto own = std::ranges::find_if(asked, [&benchmark](const v1::Benchmark& one) {
      return NameOf(one) == SubmittedName(benchmark);
    });
    if (own == asked.end()) continue;
    for (v1::Arm& arm : *benchmark.mutable_arms()) {
      const auto same = std::ranges::find(own->arms(), arm.name(), &v1::Arm::name);
      if (same != own->arms().end()) *arm.mutable_env() = same->env();
    }
  }
}

ExplainingCost CostOf(const v1::Session& session, const v1::SessionSpec& spec) {
  const v1::Update& report = session.report();
  ExplainingCost cost;
  double resolving = 0;
  for (const Repeated& one : RunBy(spec, session)) {
    for (const v1::Arm& arm : one.asked->arms()) {
      resolving += kResolvingSeconds;
      cost.block_seconds +=
          MeanOf(report, NameOf(*one.benchmark), arm.name(), "wall_time").value_or(0);
    }
    AddChange(report, one, &cost);
  }
  cost.block_seconds *= OverheadOf(report);
  if (cost.block_seconds > 0) cost.block_seconds += resolving;
  return cost;
}

ExplainingPlan PlanOf(const v1::SessionSpec& spec, const ExplainingCost& cost, double max_seconds,
                      std::optional<std::uint64_t> runs) {
  constexpr std::uint64_t kBlocksOfUnknown = 30;
  constexpr double kUsedTime = 0.9;      // sampled runs take longer, and there is a warm-up block
  constexpr double kWorthSeeing = 0.01;  // half of the usual margin
  const double fitting = cost.block_seconds > 0 ? kUsedTime * max_seconds / cost.block_seconds
                                                : static_cast<double>(kMostPlannedBlocks);
  const auto most = static_cast<std::uint64_t>(
      std::clamp(std::floor(fitting), 2.0, static_cast<double>(kMostPlannedBlocks)));
  ExplainingPlan plan{.blocks = std::min(kBlocksOfUnknown, most), .change = cost.change_seconds};
  if (cost.cpu_seconds > 0) {
    ProfileQuestion question{.seconds = cost.cpu_seconds};
    question.frequency_hz = spec.profile().frequency_hz();
    question.change =
        cost.change_seconds > 0 ? cost.change_seconds / 2 : kWorthSeeing * cost.cpu_seconds;
    if (spec.has_alpha()) question.alpha = spec.alpha();
    question.relative_sd = cost.relative_sd;
    const ProfilePlan planned = PlanProfile(question, most);
    plan.blocks = runs.value_or(planned.blocks);
    plan.samples = cost.cpu_seconds * question.frequency_hz;
    const bool can_show = plan.blocks >= kLeastUnits && plan.samples >= 1;
    plan.shown = can_show ? SmallestShownChange(question, plan.blocks) : 0;
    plan.enough = can_show && plan.shown <= question.change;
  }
  plan.blocks = runs.value_or(plan.blocks);
  // More blocks do not add builds, which are the units there.
  if (spec.method() == v1::METHOD_LAYOUTS) plan.shown = 0;
  plan.seconds = cost.block_seconds * static_cast<double>(plan.blocks);
  return plan;
}

std::vector<std::string> MissingVariables(const v1::Session& session, const v1::SessionSpec& spec) {
  std::vector<std::string> missing;
  for (const std::string& name : session.environment_names()) {
    if (!spec.environment().contains(name)) missing.push_back(name);
  }
  return missing;
}

}  // namespace benchd::client
