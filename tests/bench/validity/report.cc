#include "tests/bench/validity/report.h"

#include <cstddef>
#include <sstream>

#include "tests/bench/validity/table.h"

namespace benchd::validity {
namespace {

constexpr const char* kNothing = "-";

// `gates` share the pairs.
std::string Mean(const Tally& tally, double gates = 1) {
  const double error = tally.MeanPairsError() / gates;
  const int decimals = error < 1 ? 1 : 0;
  return Number(tally.MeanPairs() / gates, decimals) + " ±" + Number(error, decimals);
}

bool Applies(Method method, const Family& family) {
  return !AsksForTypicalChange(method) || !family.unlike();
}

std::vector<std::string> MethodHeader(std::string first) {
  std::vector<std::string> header{std::move(first)};
  for (Method method : SequentialMethods()) header.emplace_back(NameOf(method));
  return header;
}

template <typename Cell>
Table ByFamily(const std::string& title, std::span<const FamilyResult> results, double alpha,
               const Cell& cell) {
  Table table(title + ", alpha " + Percent(alpha), MethodHeader("family"));
  for (const FamilyResult& result : results) {
    if (result.alpha != alpha) continue;
    std::vector<std::string> row{std::string(result.family->name)};
    for (std::size_t i = 0; i < SequentialMethods().size(); ++i) {
      const bool applies = Applies(SequentialMethods()[i], *result.family);
      row.push_back(applies ? cell(result, i) : kNothing);
    }
    table.AddRow(std::move(row));
  }
  return table;
}

std::string EqualCell(const FamilyResult& result, std::size_t method) {
  const Tally& tally = result.equal[method];
  return Share(tally.decided(), tally.repetitions);
}

std::string RegressionCell(const FamilyResult& result, std::size_t method) {
  const Tally& tally = result.at_margin[method];
  return Share(tally.regressions, tally.repetitions);
}

std::string PassCell(const FamilyResult& result, std::size_t method) {
  const Tally& tally = result.at_margin[method];
  return Share(tally.passes, tally.repetitions);
}

std::uint64_t Wrong(const Tally& tally, double effect) {
  return effect < 1 ? tally.regressions : tally.passes;
}

void AddTimedRow(Table& table, std::string family, std::string method,
                 const std::array<const Tally*, kEffects.size()>& tallies) {
  std::vector<std::string> row{std::move(family), std::move(method)};
  std::uint64_t wrong = 0;
  std::uint64_t undecided = 0;
  std::uint64_t repetitions = 0;
  for (std::size_t e = 0; e < kEffects.size(); ++e) {
    row.push_back(tallies[e]->repetitions > 0 ? Mean(*tallies[e]) : kNothing);
    wrong += Wrong(*tallies[e], kEffects[e]);
    undecided += tallies[e]->repetitions - tallies[e]->decided();
    repetitions += tallies[e]->repetitions;
  }
  if (repetitions == 0) return;
  row.push_back(Share(wrong, repetitions));
  row.push_back(Share(undecided, repetitions));
  table.AddRow(std::move(row));
}

Table Timing(std::span<const FamilyResult> results, double alpha) {
  std::vector<std::string> header{"family", "method"};
  for (double effect : kEffects) header.push_back(Number(effect, 1) + " margins");
  header.insert(header.end(), {"wrong %", "open %"});
  Table table("Mean pairs to the verdict by the true change, alpha " + Percent(alpha), header);
  for (const FamilyResult& result : results) {
    if (result.alpha != alpha) continue;
    std::array<const Tally*, kEffects.size()> tallies{};
    for (std::size_t i = 0; i < SequentialMethods().size(); ++i) {
      if (!Applies(SequentialMethods()[i], *result.family)) continue;
      for (std::size_t e = 0; e < kEffects.size(); ++e) tallies[e] = &result.effects[e][i];
      AddTimedRow(table, std::string(result.family->name),
                  std::string(NameOf(SequentialMethods()[i])), tallies);
    }
    for (std::size_t e = 0; e < kEffects.size(); ++e) tallies[e] = &result.oracle[e];
    AddTimedRow(table, std::string(result.family->name), "oracle", tallies);
  }
  return table;
}

void AddSuiteRow(Table& table, const SuiteResult& result, std::string method,
                 const SuiteTally& tally) {
  std::vector<std::string> row{std::string(result.family->name),
                               std::string(result.scenario->name),
                               std::move(method),
                               Share(tally.false_regressions, tally.repetitions),
                               Share(tally.false_passes, tally.repetitions),
                               Share(tally.decided, tally.repetitions)};
  // A gate at its margin correctly stays open: then the pairs only give their number.
  if (result.oracle_pairs) {
    row.insert(row.end(), {Mean(tally.open_only, kGates), Mean(tally.all_to_the_end, kGates),
                           Number(*result.oracle_pairs, 0)});
  } else {
    row.insert(row.end(), 3, kNothing);
  }
  table.AddRow(std::move(row));
}

Table Suites(std::span<const SuiteResult> results, double alpha) {
  Table table("Ten gates, each at a tenth of alpha " + Percent(alpha),
              {"family", "true changes", "method", "false regression %", "false pass %",
               "all decided %", "pairs a gate", "had all run on", "oracle"});
  for (const SuiteResult& result : results) {
    if (result.alpha != alpha) continue;
    AddSuiteRow(table, result, "paired", result.paired);
    AddSuiteRow(table, result, "classic", result.classic);
  }
  return table;
}

std::string Heading(const Options& options) {
  std::ostringstream out;
  out << "validity bench: " << options.repetitions << " repetitions, seed " << options.seed
      << ", CV " << Percent(kVariation) << ", margin " << Percent(kMargin) << ", first look "
      << kFirstLook << ", horizon " << kHorizonPairs << "\n"
      << "Shares in per cent, means in pairs, each with its Monte-Carlo standard error. \"open\": "
         "no\n"
      << "verdict at the last look, which is at " << kHorizonPairs << " pairs for horizon, "
      << kLastRankLook << " for hl, " << kLastTimedLook << " for the others.\n\n";
  return out.str();
}

}  // namespace

std::string Share(std::uint64_t count, std::uint64_t repetitions) {
  const double share = static_cast<double>(count) / static_cast<double>(repetitions);
  return Number(100 * share, 2) + " ±" + Number(100 * ShareError(count, repetitions), 2);
}

std::string Report(const Results& results, const Options& options, Format format) {
  std::string text = Heading(options);
  for (double alpha : options.alphas) {
    text += ByFamily("Equal arms: % whose interval ever excluded equality within 1000 pairs",
                     results.families, alpha, EqualCell)
                .Print(format);
    text += ByFamily("A change equal to the margin: % false regressions within 1000 pairs",
                     results.families, alpha, RegressionCell)
                .Print(format);
    text += ByFamily("A change equal to the margin: % false passes within 1000 pairs",
                     results.families, alpha, PassCell)
                .Print(format);
    text += Timing(results.families, alpha).Print(format);
    if (!results.suites.empty()) text += Suites(results.suites, alpha).Print(format);
  }
  return text;
}

}  // namespace benchd::validity
