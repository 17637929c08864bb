#include "client/render/report.h"

#include <algorithm>
#include <map>

#include "client/render/analysis.h"
#include "client/render/geometric_mean.h"
#include "client/render/sentence.h"
#include "client/render/text.h"
#include "client/render/units.h"
#include "client/render/words.h"
#include "core/base/text.h"

namespace benchd::client {
namespace {

template <typename T>
void AddIfNew(std::vector<T>& list, const T& value) {
  if (std::ranges::find(list, value) == list.end()) list.push_back(value);
}

std::vector<const v1::Comparison*> OfBenchmark(const v1::Update& update,
                                               const std::string& benchmark) {
  std::vector<const v1::Comparison*> found;
  for (const v1::Comparison& c : update.comparisons()) {
    if (c.benchmark() == benchmark) found.push_back(&c);
  }
  return found;
}

// Mean and deviation of one arm in one metric, from any comparison that has them.
std::string ArmValue(const std::vector<const v1::Comparison*>& comparisons, const std::string& arm,
                     const std::string& metric, const Style& style) {
  for (const v1::Comparison* c : comparisons) {
    if (c->metric() != metric) continue;
    if (c->reference() == arm && c->has_mean_reference()) {
      return FormatMeanSd(c->mean_reference(),
                          c->has_sd_reference() ? std::optional(c->sd_reference()) : std::nullopt,
                          c->unit(), style);
    }
    if (c->candidate() == arm && c->has_mean_candidate()) {
      return FormatMeanSd(c->mean_candidate(),
                          c->has_sd_candidate() ? std::optional(c->sd_candidate()) : std::nullopt,
                          c->unit(), style);
    }
  }
  return "-";
}

std::string ArmsTable(const v1::Update& update,
                      const std::vector<const v1::Comparison*>& comparisons, const Style& style) {
  std::vector<std::string> arms;
  std::vector<std::string> metrics;
  for (const v1::Comparison* c : comparisons) AddIfNew(arms, c->reference());
  for (const v1::Comparison* c : comparisons) AddIfNew(arms, c->candidate());
  for (const v1::Comparison* c : comparisons) AddIfNew(metrics, c->metric());
  std::map<std::string, std::uint64_t> runs;
  for (const v1::ArmRuns& arm : update.runs()) {
    if (arm.benchmark() == comparisons.front()->benchmark()) runs[arm.arm()] = arm.runs();
  }
  Rows rows(1, {""});
  for (const std::string& arm : arms) {
    rows[0].push_back(Printable(arm) + " (" + Counted(runs[arm], "run") + ")");
  }
  for (const std::string& metric : metrics) {
    rows.push_back({Printable(metric)});
    for (const std::string& arm : arms)
      rows.back().push_back(ArmValue(comparisons, arm, metric, style));
  }
  return AlignColumns(rows, 3);
}

std::string ResultWord(const v1::Comparison& c, const Style& style) {
  if (c.verdict() != v1::VERDICT_UNSPECIFIED) {
    return Paint(Word(c.verdict()), VerdictTint(c.verdict()), style);
  }
  return c.flag() == v1::FLAG_IMPROVEMENT || c.flag() == v1::FLAG_WORSE
             ? std::string(Word(c.flag()))
             : "";
}

std::string ChangesTable(const std::vector<const v1::Comparison*>& comparisons,
                         const Style& style) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const v1::Comparison* c : comparisons) AddIfNew(pairs, {c->reference(), c->candidate()});
  Rows rows;
  for (const auto& [reference, candidate] : pairs) {
    if (!rows.empty()) rows.push_back({});
    rows.push_back({Printable(candidate) + " vs " + Printable(reference), "change", "interval",
                    "margin", "verdict"});
    for (const v1::Comparison* c : comparisons) {
      if (c->reference() != reference || c->candidate() != candidate) continue;
      const std::string earlier = DecidedEarlier(*c);
      rows.push_back({Printable(c->metric())});
      for (std::string& cell : JudgedBy(*c).Cells(style)) rows.back().push_back(std::move(cell));
      rows.back().push_back(ResultWord(*c, style) + (earlier.empty() ? "" : ", " + earlier));
    }
  }
  return AlignColumns(rows, 3);
}

// What pairing saved, gate by gate: the runs needed go with the square of the standard error.
std::string PairingLines(const std::vector<const v1::Comparison*>& comparisons) {
  std::string text;
  for (const v1::Comparison* c : comparisons) {
    if (c->role() != v1::COMPARISON_ROLE_GATE || !c->has_pairing_gain()) continue;
    const double saved = 1 - c->pairing_gain() * c->pairing_gain();
    text += "pairing: " + Printable(c->metric()) + " of " + Printable(c->candidate()) + " ";
    text += saved >= 0.005 ? "needs " + Fixed(100 * saved, 0) + " % fewer runs in pairs\n"
                           : std::string("gains nothing by pairs\n");
  }
  return text;
}

std::string Place(const v1::Warning& warning) {
  if (warning.benchmark().empty()) return warning.arm();
  return warning.arm().empty() ? warning.benchmark() : warning.benchmark() + "/" + warning.arm();
}

// The verdict's word stands out; the rest of its sentence is plain.
std::string PaintedSentence(const std::string& sentence, v1::Verdict verdict, const Style& style) {
  const std::size_t colon = sentence.find(':');
  if (colon == std::string::npos || sentence.starts_with(' ')) return sentence;
  return Paint(sentence.substr(0, colon), VerdictTint(verdict), style) + sentence.substr(colon);
}

std::string WarningLine(const v1::Warning& warning, const Style& style) {
  const std::string place = Place(warning);
  return Paint("warning:", Tint::kYellow, style) + " " +
         (place.empty() ? "" : Printable(place) + ": ") + OneLine(warning.message()) + "\n";
}

// What every benchmark of a suite says for itself is told twice, and how often else.
std::string WarningsOfSuite(const v1::Update& update, const Style& style) {
  constexpr int kMostOfAKind = 2;
  std::map<std::string, int> told;
  std::string text;
  for (const v1::Warning& warning : update.warnings()) {
    if (++told[warning.code()] <= kMostOfAKind) text += WarningLine(warning, style);
  }
  for (const auto& [code, count] : told) {
    if (count <= kMostOfAKind) continue;
    text += Paint("warning:", Tint::kYellow, style) + " " + Printable(code) + ": " +
            std::to_string(count - kMostOfAKind) + " more like these; `show` has them all\n";
  }
  return text;
}

// The verdict, where anything gates.
std::string RenderVerdict(const v1::Update& update, const Style& style) {
  std::string text;
  if (update.verdict() == v1::VERDICT_UNSPECIFIED) return text;
  for (const std::string& sentence : VerdictSentences(update, style)) {
    text += PaintedSentence(sentence, update.verdict(), style) + "\n";
  }
  return text;
}

}  // namespace

std::string RenderWarnings(const v1::Update& update, const Style& style) {
  std::string text;
  for (const v1::Warning& warning : update.warnings()) text += WarningLine(warning, style);
  return text;
}

std::string RenderComparisons(const v1::Update& update, const Style& style) {
  std::vector<std::string> benchmarks;
  for (const v1::Comparison& c : update.comparisons()) AddIfNew(benchmarks, c.benchmark());
  std::string text;
  for (const std::string& benchmark : benchmarks) {
    const auto comparisons = OfBenchmark(update, benchmark);
    if (benchmarks.size() > 1 || benchmark != "main") {
      text += Paint(Printable(benchmark), Tint::kBold, style) + "\n";
    }
    text += ArmsTable(update, comparisons, style) + "\n" + ChangesTable(comparisons, style) + "\n" +
            PairingLines(comparisons);
  }
  return text;
}

std::string RenderFindings(const v1::Update& update, const Style& style) {
  return RenderComparisons(update, style) +
         (SeveralBenchmarks(update) ? RenderSuite(update, style) : "") +
         RenderGeometricMeans(update, style) + RenderWarnings(update, style) +
         RenderVerdict(update, style);
}

std::vector<std::pair<std::string, std::string>> ArmCommits(const v1::SessionSpec& spec) {
  std::vector<std::pair<std::string, std::string>> commits;
  for (const v1::Benchmark& benchmark : spec.benchmarks()) {
    for (const v1::Arm& arm : benchmark.arms()) {
      if (!arm.has_commit()) continue;
      AddIfNew(commits, {Printable(arm.name()), Printable(arm.commit().description()) + " (" +
                                                    Printable(arm.commit().id()) + ")"});
    }
  }
  return commits;
}

std::string RenderResult(const v1::Session& session, const Style& style) {
  const v1::Update& update = session.report();
  std::string about = "session " + Printable(session.session());
  if (session.has_started()) about += ", seed " + std::to_string(session.started().seed());
  about += ", " + FormatClock(update.elapsed_seconds());
  if (update.disturbances() > 0) about += ", " + Counted(update.disturbances(), "disturbance");
  about += "; more: benchctl show " + Printable(session.session());
  std::string commits;
  for (const auto& [arm, commit] : ArmCommits(session.spec()))
    commits += arm + ": " + commit + "\n";
  const std::string findings =
      SeveralBenchmarks(update) ? RenderSuite(update, style) + RenderGeometricMeans(update, style) +
                                      WarningsOfSuite(update, style) + RenderVerdict(update, style)
                                : RenderFindings(update, style);
  return findings + commits + Paint(about, Tint::kDim, style) + "\n";
}

std::string RenderFailure(const std::string& session, const v1::Failed& failed) {
  std::string text =
      "error: session " + Printable(session) + " failed: " + OneLine(failed.error()) + "\n";
  if (!failed.hint().empty()) text += "hint: " + OneLine(failed.hint()) + "\n";
  if (!failed.has_run()) return text;
  const v1::FailedRun& run = failed.run();
  // A hook of the whole session has no arm.
  const bool of_run = !run.arm().empty();
  std::string where = of_run ? "run: arm " + Printable(run.arm()) + " of " : "hook: ";
  where += "benchmark " + Printable(run.benchmark());
  if (of_run) where += run.warmup() ? ", warm-up block " : ", block ";
  if (of_run) where += std::to_string(run.block());
  if (run.has_exit_code()) where += ", exit code " + std::to_string(run.exit_code());
  if (run.has_signal()) where += ", signal " + std::to_string(run.signal());
  text += where + "\n";
  if (run.stderr_tail().empty()) return text;
  text += of_run ? "the end of its stderr:\n" : "the end of its output:\n";
  std::string tail = Printable(run.stderr_tail(), /*keep_newlines=*/true);
  while (tail.ends_with('\n')) tail.pop_back();
  for (const std::string& line : Lines(tail)) text += "  " + line + "\n";
  return text;
}

}  // namespace benchd::client
