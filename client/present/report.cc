#include "client/present/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "client/present/explanation.h"
#include "client/present/findings.h"
#include "client/present/measurement.h"
#include "client/present/text.h"
#include "client/present/units.h"
#include "core/base/text.h"
#include "core/model/session_spec.h"
#include "proto/convert/convert.h"

namespace benchd::client {
namespace {

template <typename T>
void AddIfNew(std::vector<T>& list, const T& value) {
  if (std::ranges::find(list, value) == list.end()) list.push_back(value);
}

// Renders how many runs pairing saved for each gate. The number of runs needed grows with the
// square of the standard error.
std::string PairingLines(const v1::Update& update) {
  std::string text;
  for (const v1::Comparison* gate : GatesOf(update)) {
    if (!gate->has_pairing_gain()) continue;
    const double saved = 1 - gate->pairing_gain() * gate->pairing_gain();
    const std::string place =
        SeveralBenchmarks(update) ? Printable(gate->benchmark()) + ": " : std::string();
    text += "pairing: " + place + Printable(gate->metric()) + " of " +
            Printable(gate->candidate()) + ": ";
    text += saved >= 0.005 ? Fixed(100 * saved, 0) + " % fewer runs needed\n"
                           : std::string("pairing did not help\n");
  }
  return text;
}

// Paints the verdict's word in its colour and leaves the rest of the sentence plain.
std::string PaintedSentence(const std::string& sentence, v1::Verdict verdict, const Style& style) {
  const std::size_t colon = sentence.find(':');
  if (colon == std::string::npos || sentence.starts_with(' ')) return sentence;
  return Paint(sentence.substr(0, colon), VerdictTint(verdict), style) + sentence.substr(colon);
}

// Renders the verdict. Empty if no metric gates.
std::string VerdictLines(const v1::Update& update, const Style& style) {
  std::string text;
  if (update.verdict() == v1::VERDICT_UNSPECIFIED) return text;
  for (const std::string& sentence : VerdictSentences(update, style)) {
    text += WrapSentence(PaintedSentence(sentence, update.verdict(), style), style);
  }
  return text;
}

// Formats the number of runs: "52 runs each", or "40 to 120 runs each" if arms or benchmarks
// differ.
std::string RunsEach(const v1::Update& update) {
  if (update.runs().empty()) return "";
  const auto [least, largest] = std::ranges::minmax(update.runs(), {}, &v1::ArmRuns::runs);
  const std::uint64_t fewest = least.runs();
  const std::uint64_t most = largest.runs();
  if (fewest == most) return Counted(most, "run") + " each";
  if (update.runs_size() == 2) {
    return fmt::format("{} and {}", update.runs(0).runs(), Counted(update.runs(1).runs(), "run"));
  }
  return fmt::format("{} to {} each", fewest, Counted(most, "run"));
}

// Returns whether the gate has an interval for its kind of margin. Without one, the gate is judged
// by a fact that involves no chance (such as a missing metric, or constant values), or not at all.
bool HasInterval(const v1::Comparison& gate) {
  if (gate.basis() == v1::BASIS_EXACT) return false;
  const v1::Effect& effect =
      gate.margin_case() == v1::Comparison::kMarginAbsolute ? gate.difference() : gate.change();
  return effect.has_lo() || effect.has_hi();
}

// Returns the comparisons that have a share of the session's alpha: gates, and placebos, which are
// controls.
Comparisons SharersOf(const v1::Update& update) {
  Comparisons sharers;
  for (const v1::Comparison& c : update.comparisons()) {
    if (IsGate(c) || c.control() != v1::CONTROL_STATE_UNSPECIFIED) sharers.push_back(&c);
  }
  return sharers;
}

// Formats the confidence of all gates together. Each gate that an interval judges has a share of
// the session's alpha; other gates have none.
std::string SessionConfidence(const v1::Update& update, const ReportOptions& options) {
  if (Measures(update)) {
    const Estimates asked = AskedOf(update);
    if (!options.alpha || asked.empty()) return "";
    return FormatConfidence(1 - *options.alpha) + " confidence" +
           (asked.size() > 1 ? " for all these intervals together" : "");
  }
  const Comparisons gates = SharersOf(update);
  if (gates.empty()) {
    if (update.comparisons().empty()) return "";
    return FormatConfidence(update.comparisons(0).confidence()) + " confidence";
  }
  if (options.wrong_shares && gates.size() > 1) {
    return fmt::format("on average at most {} of the regressions and {} of the passes are wrong",
                       FormatConfidence(options.wrong_shares->regressions),
                       FormatConfidence(options.wrong_shares->passes));
  }
  double error = 0;
  double error_of_pass = 0;
  for (const v1::Comparison* gate : gates) {
    if (!HasInterval(*gate)) continue;
    error += 1 - gate->confidence();
    if (gate->has_pass_confidence()) error_of_pass += 1 - gate->pass_confidence();
  }
  if (!options.alpha && error == 0) return "";
  std::string of_pass;
  if (options.pass_confidence || error_of_pass > 0) {
    const double confidence = options.pass_confidence.value_or(1 - error_of_pass);
    of_pass = " (" + FormatConfidence(confidence) + " for a pass)";
  }
  return FormatConfidence(1 - options.alpha.value_or(error)) + " confidence" + of_pass +
         (gates.size() > 1 ? " for all gates together" : "");
}

}  // namespace

std::string MeasuredSentence(const v1::Update& update, const ReportOptions& options) {
  std::vector<std::string> facts = {RunsEach(update)};
  const bool all = options.detail == Detail::kAll;
  if (!options.table) facts.push_back(FormatRough(update.elapsed_seconds()));
  facts.push_back(SessionConfidence(update, options));
  const std::vector<const v1::Comparison*> gates = GatesOf(update);
  if (options.decided_at && !gates.empty()) {
    facts.push_back("decided at " + DecisionCount(*gates.front(), *options.decided_at));
  }
  if (all && options.seed) facts.push_back(fmt::format("seed {}", *options.seed));
  if (all && !options.session.empty() && update.disturbances() > 0) {
    facts.push_back(Counted(update.disturbances(), "disturbance"));
  }
  std::erase(facts, "");
  return Join(facts, ", ");
}

namespace {

// Renders the amount of data and the command that shows the details.
std::string LastLine(const v1::Update& update, const ReportOptions& options, const Style& style) {
  std::string line = MeasuredSentence(update, options);
  if (!options.session.empty()) line += "; details: benchctl show " + Printable(options.session);
  if (line.empty()) return "";
  std::string text;
  for (const std::string& one : Lines(WrapSentence(line, style))) {
    text += Paint(one, Tint::kDim, style) + "\n";
  }
  return text;
}

// Renders the result of a sampled session. It has no verdict: sampled runs are slower than others.
std::string ExplanationText(const v1::Update& update, const ReportOptions& options,
                            const Style& style) {
  if (options.detail == Detail::kVerdict) return ExplanationHeadlines(update, style);
  const bool all = options.detail == Detail::kAll;
  return RenderExplanations(update, all ? FunctionsShown::kAll : FunctionsShown::kWhatMatters,
                            style) +
         RenderWarnings(update, all ? WarningsShown::kAll : WarningsShown::kToActOn, style) +
         LastLine(update, options, style);
}

}  // namespace

std::string RenderFindings(const v1::Update& update, const ReportOptions& options,
                           const Style& style) {
  if (update.explanations_size() > 0) return ExplanationText(update, options, style);
  const std::string verdict = VerdictLines(update, style);
  if (options.detail == Detail::kVerdict && !verdict.empty()) return verdict;
  const bool all = options.detail == Detail::kAll;
  std::string text = RenderResultTable(update, all ? RowsShown::kAll : RowsShown::kWhatMatters,
                                       Printable(options.session), style);
  text += RenderEstimates(update, all ? EstimatesShown::kAll : EstimatesShown::kAsked,
                          Printable(options.session), style);
  if (all) text += PairingLines(update);
  for (const auto& [arm, commit] : options.commits) text += arm + ": " + commit + "\n";
  const std::string estimator = EstimatorNote(update);
  if (!estimator.empty()) text += WrapSentence(estimator, style);
  for (const std::string& line : Lines(RenderArmOrder(update, style))) {
    text += WrapSentence(line, style);
  }
  for (const v1::Comparison* gate : GatesOf(update)) {
    const std::string layouts = LayoutSentence(*gate, update, style);
    if (!layouts.empty()) text += WrapSentence(layouts, style);
  }
  text += RenderGeometricMeans(update, style);
  text += RenderWarnings(update, all ? WarningsShown::kAll : WarningsShown::kToActOn, style);
  text += verdict;
  if (!all) text += RenderMeasurementNote(update, style);  // else it is among the warnings
  return text + LastLine(update, options, style);
}

std::vector<std::pair<std::string, std::string>> ArmCommits(const v1::SessionSpec& spec) {
  std::vector<std::pair<std::string, std::string>> commits;
  for (const v1::Benchmark& benchmark : spec.benchmarks()) {
    for (const v1::Arm& arm : benchmark.arms()) {
      if (!arm.has_commit()) continue;
      // The builds of one commit are listed once.
      const auto layout = spec.method() == v1::METHOD_LAYOUTS ? LayoutOf(arm.name()) : std::nullopt;
      AddIfNew(commits,
               {Printable(layout ? layout->group : arm.name()),
                Printable(arm.commit().description()) + " (" + Printable(arm.commit().id()) + ")"});
    }
  }
  return commits;
}

std::vector<std::pair<std::string, std::string>> ArmExtras(const v1::SessionSpec& spec) {
  std::vector<std::pair<std::string, std::string>> extras;
  for (const v1::Benchmark& benchmark : spec.benchmarks()) {
    for (const v1::Arm& arm : benchmark.arms()) {
      std::vector<std::string> texts;
      if (arm.shell()) {
        texts.push_back("shell " + (arm.interpreter().empty() ? "sh" : arm.interpreter()));
      }
      for (const auto& [what, text] : {std::pair{"input ", &arm.input()},
                                       {"prepare ", &arm.prepare()},
                                       {"conclude ", &arm.conclude()}}) {
        if (!text->empty()) texts.push_back(what + *text);
      }
      std::set<std::string> names;
      for (const auto& [name, value] : arm.env()) names.insert(name);
      if (!names.empty()) texts.push_back("env " + Join(names, " "));
      if (texts.empty()) continue;
      const std::string suite = spec.benchmarks_size() > 1 ? benchmark.name() + "/" : "";
      extras.emplace_back(Printable(suite + arm.name()), Printable(Join(texts, ", ")));
    }
  }
  return extras;
}

std::optional<WrongShares> WrongSharesOf(const SessionSpec& spec) {
  if (spec.error_rate != ErrorRate::kFdr) return std::nullopt;
  const double one_sided = spec.sided == Sided::kOne ? spec.alpha : spec.alpha / 2;
  return WrongShares{one_sided, spec.pass_confidence ? 1 - *spec.pass_confidence : one_sided};
}

ReportOptions OptionsFor(const v1::Session& session, Detail detail) {
  ReportOptions options;
  options.detail = detail;
  options.session = session.session();
  options.alpha = session.spec().has_alpha() ? session.spec().alpha() : SessionSpec().alpha;
  if (session.spec().has_pass_confidence()) {
    options.pass_confidence = session.spec().pass_confidence();
  }
  if (const auto spec = convert::FromProto(session.spec())) {
    options.wrong_shares = WrongSharesOf(*spec);
  }
  if (session.has_started()) options.seed = session.started().seed();
  options.commits = ArmCommits(session.spec());
  return options;
}

namespace {

// Returns the name of the judged commit as in `git describe`, else the name of the arm.
std::string JudgedArm(const v1::Session& session) {
  std::string name;
  for (const v1::Benchmark& benchmark : session.spec().benchmarks()) {
    for (const v1::Arm& arm : benchmark.arms()) {
      if (arm.role() == v1::ARM_ROLE_REFERENCE || arm.role() == v1::ARM_ROLE_PLACEBO) continue;
      name = arm.has_commit() ? arm.commit().description() : arm.name();
    }
  }
  return name.empty() ? "candidate" : Printable(name);
}

// Returns the reference if it failed before its first success, else nullptr.
const v1::Arm* FindBrokenBase(const v1::Session& session) {
  if (session.state() != v1::SESSION_STATE_FAILED || !session.failed().has_run()) return nullptr;
  const v1::FailedRun& run = session.failed().run();
  if (run.block() != 0) return nullptr;
  for (const v1::Benchmark& benchmark : session.spec().benchmarks()) {
    for (const v1::Arm& arm : benchmark.arms()) {
      if (arm.role() != v1::ARM_ROLE_REFERENCE && arm.role() != v1::ARM_ROLE_PLACEBO) continue;
      const bool of_build = !run.commit().empty() && run.commit() == arm.commit().id();
      const bool failed = run.arm().empty() ? of_build : run.arm() == arm.name();
      if (failed) return &arm;
    }
  }
  return nullptr;
}

std::string DescribeBase(const v1::Arm& arm) {
  const std::string& name = arm.has_commit() ? arm.commit().description() : arm.name();
  return name == "base" ? name : "base " + Printable(name);
}

std::string BisectWord(v1::Verdict verdict) {
  return verdict == v1::VERDICT_PASS ? "good" : verdict == v1::VERDICT_REGRESSION ? "bad" : "skip";
}

}  // namespace

bool IsBaseBroken(const v1::Session& session) { return FindBrokenBase(session) != nullptr; }

std::string RenderBisectStep(const v1::Session& session, const Style& style) {
  if (const v1::Arm* const base = FindBrokenBase(session)) {
    return "stop: " + DescribeBase(*base) + ": " + OneLine(session.failed().error()) + "\n";
  }
  const std::string arm = JudgedArm(session);
  if (session.state() == v1::SESSION_STATE_FAILED) {
    return "skip: " + arm + ": " + OneLine(session.failed().error()) + "\n";
  }
  std::string sentence = VerdictSentences(session.report(), style).front();
  sentence.erase(0, sentence.find(": ") + 2);  // "good" and "bad" replace the verdict
  const bool missing = RegressedByMissingAlone(session.report());
  const v1::Verdict verdict = missing ? v1::VERDICT_UNDECIDED : session.report().verdict();
  return BisectWord(verdict) + ": " + arm + ": " + sentence + "\n";
}

std::string RenderFailure(const std::string& session, const v1::Failed& failed) {
  std::string text =
      "error: session " + Printable(session) + " failed: " + OneLine(failed.error()) + "\n";
  if (!failed.hint().empty()) text += "hint: " + OneLine(failed.hint()) + "\n";
  if (!failed.has_run()) return text;
  const v1::FailedRun& run = failed.run();
  // A hook of the whole session does not belong to an arm.
  const bool of_run = !run.arm().empty();
  std::string where = of_run ? "run: arm " + Printable(run.arm()) + " of " : "hook: ";
  where += "benchmark " + Printable(run.benchmark());
  if (of_run && run.has_block()) {
    where += (run.warmup() ? ", warm-up block " : ", block ") + std::to_string(run.block());
  }
  if (run.has_exit_code()) where += fmt::format(", exit code {}", run.exit_code());
  if (run.has_signal()) where += fmt::format(", signal {}", run.signal());
  text += where + "\n";
  if (run.stderr_tail().empty()) return text;
  text += of_run ? "the end of its stderr:\n" : "the end of its output:\n";
  std::string tail = Printable(run.stderr_tail(), /*keep_newlines=*/true);
  while (tail.ends_with('\n')) tail.pop_back();
  for (const std::string& line : Lines(tail)) text += "  " + line + "\n";
  return text;
}

}  // namespace benchd::client
