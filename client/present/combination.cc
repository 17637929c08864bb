#include "client/present/combination.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "client/present/findings.h"
#include "client/present/gates.h"
#include "client/present/json.h"
#include "client/present/sentence.h"
#include "client/present/units.h"
#include "client/present/verdict_words.h"
#include "core/base/text.h"
#include "proto/convert/convert.h"

namespace benchd::client {

v1::Update AsUpdate(const std::vector<Comparison>& comparisons) {
  Report report;
  report.comparisons = comparisons;
  v1::Update update;
  convert::ToProto(report, SessionState::kDone, &update);
  return update;
}

v1::Update GatesOfAll(const MachineCombination& combination) {
  std::vector<Comparison> gates;
  for (const CombinedGate& gate : combination.gates) gates.push_back(gate.comparison);
  return AsUpdate(gates);
}

namespace {

constexpr std::size_t kShortName = 8;

std::string IntervalOrDash(const Judged& judged, const Style& style) {
  const std::string interval = judged.Interval(style);
  return interval.empty() ? "-" : interval;
}

std::string MachineTable(const MachineCombination& combination, const CombinedGate& gate,
                         const Style& style) {
  const v1::Update machines = AsUpdate(gate.of_machine);
  Rows rows = {{Printable(gate.comparison.metric), "machine", Printable(gate.comparison.reference),
                Printable(gate.comparison.candidate), "change", "interval", ""}};
  for (int i = 0; i < machines.comparisons_size(); ++i) {
    const v1::Comparison& own = machines.comparisons(i);
    const auto index = static_cast<std::size_t>(i);
    const CombinedMachine& machine = combination.machines[index];
    const Judged judged = JudgedBy(own);
    const auto [reference, candidate] =
        FormatMeans(gate.of_machine[index].mean_reference, gate.of_machine[index].mean_candidate,
                    judged.lo && judged.hi ? *judged.hi - *judged.lo : 0, own.unit(), style);
    const bool outside = std::ranges::count(gate.outliers, index) > 0;
    rows.push_back({Printable(Join(machine.sources, ", ")),
                    Printable(machine.machine.substr(0, kShortName)), reference, candidate,
                    judged.Estimate(style), IntervalOrDash(judged, style),
                    outside ? "unlike the others" : ReasonWords(own)});
  }
  const v1::Update all = AsUpdate({gate.comparison});
  const Judged judged = JudgedBy(all.comparisons(0));
  rows.push_back({Counted(combination.machines.size(), "machine"), "", "", "",
                  judged.Estimate(style), IntervalOrDash(judged, style), ""});
  return AlignColumns(rows);
}

std::string WhyUndecided(const MachineCombination& combination,
                         std::optional<std::size_t> expected) {
  const std::size_t machines = combination.machines.size();
  if (expected && machines < *expected) {
    return fmt::format("{} of {}", machines, Counted(*expected, "machine"));
  }
  if (machines >= kFewestMachines) return "";
  return fmt::format("{}; a verdict needs {}", Counted(machines, "machine"), kFewestMachines);
}

std::string Where(const ReasonedRegression& one) {
  return Printable(one.source) + " (machine " + Printable(one.machine.substr(0, kShortName)) + ")";
}

// Formats the regressions by reason, each reason once: "in node2.json (machine 41d6b3f7) and
// node3.json (machine d90e6c55): candidate has no b, ...".
std::string RegressedSentence(const CombinedGate& gate) {
  std::vector<std::string> reasons;
  for (const ReasonedRegression& one : gate.regressed_in) {
    if (std::ranges::find(reasons, one.reason) == reasons.end()) reasons.push_back(one.reason);
  }
  return Join(reasons, "; ", [&gate](const std::string& reason) {
    std::vector<ReasonedRegression> alike;
    std::ranges::copy_if(gate.regressed_in, std::back_inserter(alike),
                         [&reason](const auto& one) { return one.reason == reason; });
    Comparison found = gate.comparison;
    found.reason = reason;
    const std::string sentence = ReasonSentence(AsUpdate({found}).comparisons(0));
    return "in " + Join(alike, ", ", Where, " and ") + ": " +
           (sentence.empty() ? "a regression without an estimate" : sentence);
  });
}

// Explains the verdict of a gate that the mean of the machines does not decide; "" if the mean
// decides it.
std::string WithoutInterval(const CombinedGate& gate) {
  if (!gate.regressed_in.empty()) return RegressedSentence(gate);
  const auto printable = [](const std::string& source) { return Printable(source); };
  return gate.refused_by.empty()
             ? ""
             : "not judged by " + Join(gate.refused_by, ", ", printable, " and ");
}

std::string VerdictLine(const v1::Comparison& gate, const std::string& why, const Style& style) {
  const std::string word = Paint(LeadingWord(gate), VerdictTint(gate.verdict()), style);
  if (!why.empty()) return word + ": " + why;
  if (gate.verdict() != v1::VERDICT_UNDECIDED) return VerdictSentence(gate, style);
  return word + ": " + GateSentence(gate, style) + "; more machines may decide it";
}

}  // namespace

std::string SpreadSentence(const CombinedGate& gate, const Style& style) {
  const v1::Update all = AsUpdate({gate.comparison});
  Judged judged = JudgedBy(all.comparisons(0));
  std::string text;
  if (gate.tau_squared) {
    const double tau = std::sqrt(*gate.tau_squared);
    const std::string name = style.unicode ? "τ" : "tau";
    text = "between machines: " + name + " " +
           judged.Format(judged.relative ? std::expm1(tau) : tau, style) + ", " + name +
           (style.unicode ? "²" : "^2") + " " +
           FormatRoundTrip(std::stod(Fixed(*gate.tau_squared, 9)));
  }
  if (gate.prediction) {
    judged.lo = gate.prediction->first;
    judged.hi = gate.prediction->second;
    text += (text.empty() ? "" : "; ") + std::string("one more machine would find ") +
            judged.Interval(style) + " (" + FormatConfidence(gate.comparison.confidence) +
            (gate.comparison.pass_confidence
                 ? ", " + FormatConfidence(*gate.comparison.pass_confidence) + " for a pass)"
                 : ")");
  }
  return text;
}

std::vector<std::string> CombinationVerdicts(const MachineCombination& combination,
                                             std::optional<std::size_t> expected,
                                             const Style& style) {
  const v1::Update update = GatesOfAll(combination);
  const std::string why = WhyUndecided(combination, expected);
  if (!why.empty()) return {VerdictLine(update.comparisons(0), why, style)};
  std::vector<std::string> verdicts;
  for (int i = 0; i < update.comparisons_size(); ++i) {
    const v1::Comparison& gate = update.comparisons(i);
    const std::string name =
        update.comparisons_size() > 1 ? Printable(gate.benchmark()) + ": " : "";
    const std::string decisive = WithoutInterval(combination.gates[static_cast<std::size_t>(i)]);
    verdicts.push_back(name + VerdictLine(gate, decisive, style));
  }
  return verdicts;
}

std::string RenderCombination(const MachineCombination& combination,
                              std::optional<std::size_t> expected, const Style& style) {
  std::string text;
  const bool several = combination.gates.size() > 1;
  for (const CombinedGate& gate : combination.gates) {
    if (several) {
      text += Paint(Printable(gate.comparison.benchmark + ": " + gate.comparison.candidate +
                              " against " + gate.comparison.reference),
                    Tint::kBold, style) +
              "\n";
    }
    text += MachineTable(combination, gate, style);
    const std::string spread = SpreadSentence(gate, style);
    text += (spread.empty() ? "" : WrapSentence(spread, style)) + "\n";
  }
  for (const Warning& warning : combination.warnings) {
    text += WrapSentence("warning: " + WarningText(warning), style);
  }
  if (!combination.warnings.empty()) text += "\n";
  for (const std::string& verdict : CombinationVerdicts(combination, expected, style)) {
    text += WrapSentence(verdict, style);
  }
  return text;
}

namespace {

Json MachineJson(const CombinedMachine& machine) {
  Json json;
  json["machine"] = machine.machine;
  json["exports"] = machine.sources;
  json["sessions"] = machine.sessions;
  return json;
}

Json GateJson(const CombinedGate& gate, const std::vector<CombinedMachine>& machines) {
  Json json = MessageJson(AsUpdate({gate.comparison}).comparisons(0));
  // Counts of a combined gate are counts of machines, not of runs.
  for (const char* key : {"n_reference", "n_candidate", "method", "flag", "decided"})
    json.erase(key);
  json["machines"] = machines.size();
  if (gate.tau_squared) Put(json, "tau_squared", *gate.tau_squared);
  if (gate.prediction) {
    Put(json["prediction"], "lo", gate.prediction->first);
    Put(json["prediction"], "hi", gate.prediction->second);
  }
  json["of_machine"] = Json::array();
  const v1::Update own = AsUpdate(gate.of_machine);
  for (std::size_t i = 0; i < machines.size(); ++i) {
    const v1::Comparison& comparison = own.comparisons(static_cast<int>(i));
    Json entry;
    entry["machine"] = machines[i].machine;
    entry["n_reference"] = comparison.n_reference();
    entry["n_candidate"] = comparison.n_candidate();
    if (comparison.has_mean_reference()) Put(entry, "mean_reference", comparison.mean_reference());
    if (comparison.has_mean_candidate()) Put(entry, "mean_candidate", comparison.mean_candidate());
    if (comparison.has_change()) entry["change"] = MessageJson(comparison.change());
    if (comparison.has_difference()) entry["difference"] = MessageJson(comparison.difference());
    if (std::ranges::count(gate.outliers, i) > 0) entry["outlier"] = true;
    if (!comparison.reason().empty()) entry["reason"] = comparison.reason();
    json["of_machine"].push_back(std::move(entry));
  }
  if (!gate.refused_by.empty()) json["refused_by"] = gate.refused_by;
  for (const ReasonedRegression& one : gate.regressed_in) {
    Json where = {{"export", one.source}, {"machine", one.machine}};
    if (!one.reason.empty()) where["reason"] = one.reason;
    json["regressed_in"].push_back(std::move(where));
  }
  return json;
}

}  // namespace

std::string CombinationJson(const MachineCombination& combination,
                            const google::protobuf::Timestamp& now) {
  Json json = Named("combined", "", now);
  json["verdict"] = NameOf(combination.verdict);
  json["machines"] = Json::array();
  for (const CombinedMachine& machine : combination.machines) {
    json["machines"].push_back(MachineJson(machine));
  }
  json["comparisons"] = Json::array();
  for (const CombinedGate& gate : combination.gates) {
    json["comparisons"].push_back(GateJson(gate, combination.machines));
  }
  Report report;
  report.warnings = combination.warnings;
  v1::Update update;
  convert::ToProto(report, SessionState::kDone, &update);
  json["warnings"] = MessageJson(update)["warnings"];
  return Line(json);
}

}  // namespace benchd::client
