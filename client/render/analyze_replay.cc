#include "client/render/analyze_replay.h"

#include <algorithm>
#include <vector>

#include "client/column_option.h"
#include "client/render/command_text.h"
#include "client/render/text.h"
#include "client/render/units.h"
#include "client/render/words.h"

namespace benchd::client {
namespace {

constexpr std::uint64_t kDefaultMinRuns = 8;

using Words = std::vector<std::string>;

void AddOnce(Words& list, const std::string& word) {
  if (std::ranges::find(list, word) == list.end()) list.push_back(word);
}

// The value of --metric for a gate with everything said: nothing is left to defaults.
std::string GateText(const v1::Comparison& gate) {
  std::string text = gate.metric();
  if (gate.margin_case() == v1::Comparison::kMarginRatio) {
    text += ":" + FormatRoundTripPercent(gate.margin_ratio());
  } else if (gate.margin_case() == v1::Comparison::kMarginAbsolute) {
    text += ":+" + FormatRoundTrip(gate.margin_absolute());
  }
  if (gate.better() != v1::BETTER_UNSPECIFIED) text += ":" + std::string(Word(gate.better()));
  return text;
}

Words GateWords(const v1::Update& report, const std::string& benchmark) {
  Words gates;
  for (const v1::Comparison& c : report.comparisons()) {
    if (c.role() == v1::COMPARISON_ROLE_GATE && c.benchmark() == benchmark) {
      AddOnce(gates, GateText(c));
    }
  }
  return gates;
}

Words ReferencesOf(const v1::Benchmark& benchmark) {
  Words references;
  for (const v1::Arm& arm : benchmark.arms()) {
    if (arm.role() == v1::ARM_ROLE_REFERENCE) references.push_back(arm.name());
  }
  return references;
}

std::string WhyNot(const v1::Session& session) {
  const v1::SessionSpec& spec = session.spec();
  const v1::Benchmark& first = spec.benchmarks(0);
  for (const v1::Benchmark& other : spec.benchmarks()) {
    if (GateWords(session.report(), other.name()) != GateWords(session.report(), first.name())) {
      return "its benchmarks have different gates";
    }
    if (ReferencesOf(other) != ReferencesOf(first))
      return "its benchmarks have different references";
  }
  if (spec.estimator().kind() == v1::ESTIMATOR_KIND_SUBSELECTION) {
    return "subselection needs the samples inside each run, a table has one value a run";
  }
  for (const v1::Warning& warning : session.report().warnings()) {
    if (warning.code() == "runs_incomplete") return "it ended before its one look";
  }
  return "";
}

void AddReferenceOption(const Words& references, CommandText* line) {
  const bool list = references.size() > 1 && std::ranges::none_of(references, [](const auto& name) {
                      return name.find(',') != std::string::npos;
                    });
  if (!list) {
    for (const std::string& name : references) line->Option("--base", name);
    return;
  }
  std::string joined = references.front();
  for (std::size_t i = 1; i < references.size(); ++i) joined += "," + references[i];
  line->Option("--references", joined);
}

bool IsUnpaired(const v1::SessionSpec& spec) {
  return spec.method() == v1::METHOD_WELCH || spec.schedule() == v1::SCHEDULE_KIND_COIN;
}

// One look: asked for by --runs, or all that --max-runs leaves room for.
bool LooksOnce(const v1::SessionSpec& spec) {
  const v1::Limits& limits = spec.limits();
  if (limits.has_runs() || spec.method() == v1::METHOD_FIXED) return true;
  if (!limits.has_max_runs() || spec.method() == v1::METHOD_EXACT_T) return false;
  return limits.max_runs() <= std::max(kDefaultMinRuns, limits.min_runs());
}

void AddLooks(const v1::SessionSpec& spec, CommandText* line) {
  const v1::Limits& limits = spec.limits();
  if (LooksOnce(spec)) {
    line->Option("--method", "fixed");
    if (IsUnpaired(spec)) line->Option("--schedule", "coin");
    return;
  }
  line->Option("--method", Word(spec.method()));
  line->Option("--schedule", Word(spec.schedule()), "pairs");
  if (limits.has_min_runs() && limits.min_runs() != kDefaultMinRuns) {
    line->Option("--min-runs", std::to_string(limits.min_runs()));
  }
  if (limits.has_max_runs()) line->Option("--max-runs", std::to_string(limits.max_runs()));
}

// Under --fail-fast a regression ends the session before its limit says anything.
bool ReachedItsLimit(const v1::Session& session) {
  const v1::Update& report = session.report();
  return !session.spec().limits().fail_fast() || report.verdict() != v1::VERDICT_REGRESSION ||
         report.basis() == v1::BASIS_ESTIMATE;
}

void AddStatistics(const v1::Session& session, CommandText* line) {
  const v1::SessionSpec& spec = session.spec();
  AddLooks(spec, line);
  line->Option("--estimator", EstimatorWord(spec.estimator()), "mean");
  if (spec.rule().precision_width() > 0) {
    line->Option("--rule", "precision:" + FormatRoundTrip(spec.rule().precision_width()));
  }
  if (spec.has_alpha()) line->Number("--alpha", spec.alpha());
  line->Option("--sided", Word(spec.sided()), "two");
  line->Switch("--placebo", spec.placebo());
  if (ReachedItsLimit(session)) {
    line->Option("--at-limit", Word(spec.limits().at_limit()), "undecided");
  }
  // Its bootstrap draws.
  if (spec.estimator().kind() == v1::ESTIMATOR_KIND_QUANTILE) {
    line->Option("--seed", std::to_string(session.started().seed()));
  }
}

}  // namespace

AnalyzeReplay ReplayAnalysis(const v1::Session& session, std::span<const TableColumn> columns) {
  if (session.spec().benchmarks().empty() || session.report().comparisons().empty()) return {};
  if (std::string why = WhyNot(session); !why.empty()) return {"", std::move(why)};
  const v1::Benchmark& benchmark = session.spec().benchmarks(0);
  CommandText line("benchctl export " + Printable(session.session()) +
                   " --format csv | benchctl analyze -");
  AddReferenceOption(ReferencesOf(benchmark), &line);
  AddStatistics(session, &line);
  for (const std::string& gate : GateWords(session.report(), benchmark.name())) {
    line.Option("--metric", gate);
  }
  for (const TableColumn& column : columns) line.Option("--column", FormatColumn(column));
  return {line.Take(), ""};
}

}  // namespace benchd::client
