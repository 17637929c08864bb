#include <fmt/format.h>

#include <algorithm>

#include "client/present/live_view.h"
#include "client/present/measurement.h"
#include "client/present/sentence.h"
#include "client/present/text.h"
#include "client/present/units.h"
#include "client/present/verdict_words.h"
#include "client/present/words.h"
#include "core/base/text.h"

namespace benchd::client {
namespace {

constexpr double kSecondsBetweenLines = 5;
constexpr std::size_t kMostGates = 3;  // on one line

std::string WaitingWords(const v1::Comparison& gate, const Style& style) {
  const std::string found =
      RequiresImprovement(gate) ? "not " + RequiredWords(gate, style) : "regressed";
  return found + ", to be confirmed";
}

// Formats the progress of a gate: "candidate +10.2 % (+9.8 … +10.6 %)" or "candidate regressed
// (+9.8 … +10.6 %)".
std::string GateProgress(const v1::Comparison& gate, const v1::Update& update, const Style& style) {
  if (!gate.has_decided()) {
    std::string layouts = LayoutSentence(gate, update, style);
    if (!layouts.empty()) return layouts;
  }
  const Judged judged = JudgedBy(gate);
  std::string line = ComparisonLabel(gate, update) + " ";
  if (!gate.has_decided()) {
    line += judged.estimate ? judged.FormatSigned(*judged.estimate, style) : "?";
  } else {
    const std::string control = ControlWord(gate);
    line += !control.empty()                           ? control
            : gate.verdict() == v1::VERDICT_PASS       ? "passed"
            : IsNotBetter(gate)                        ? VerdictWords(gate, style)
            : gate.verdict() == v1::VERDICT_REGRESSION ? "regressed"
            : IsToBeConfirmed(gate)                    ? WaitingWords(gate, style)
                                                       : "undecided";
  }
  const std::string interval = judged.Interval(style);
  return line + (interval.empty() ? "" : " (" + interval + ")");
}

// Formats the progress of the first gates: ", GATE, GATE and 2 more OF_THESE".
std::string GatesProgress(const std::vector<const v1::Comparison*>& gates,
                          const std::string& of_these, const v1::Update& update,
                          const Style& style) {
  std::string text;
  for (std::size_t i = 0; i < std::min(gates.size(), kMostGates); ++i) {
    text += ", " + GateProgress(*gates[i], update, style);
  }
  if (gates.size() > kMostGates) {
    text += fmt::format(" and {} more{}", gates.size() - kMostGates, of_these);
  }
  return text;
}

// Formats the state of the only gate: "18 runs each, change -0.4 … +3.1 %".
std::string OneGateSoFar(const v1::Comparison& gate, const v1::Update& update, const Style& style) {
  const bool of_runs =
      gate.n_reference() == gate.n_candidate() && gate.method() != v1::METHOD_LAYOUTS;
  std::string text =
      of_runs ? Counted(gate.n_candidate(), "run") + " each" : BlocksSentence(update);
  const Judged judged = JudgedBy(gate);
  const std::string interval = judged.Interval(style);
  const std::string what = gate.metric() != "wall_time" ? Printable(gate.metric())
                           : judged.relative            ? "change"
                                                        : "difference";
  if (!interval.empty()) return text + ", " + what + " " + interval;
  if (!judged.estimate) return text;
  return text + ", " + what + " about " + judged.FormatSigned(*judged.estimate, style) +
         ", no interval yet";
}

// Describes the expected end: ", verdict in about 12 s". Empty while it is unknown.
std::string ExpectedEnd(const v1::Update& update) {
  std::string words;
  if (update.has_eta_seconds()) {
    words += ", " + std::string(EndWord(update)) + " in about " + FormatRough(update.eta_seconds());
  }
  if (update.has_time_left_seconds()) {
    words += ", at most " + FormatRough(update.time_left_seconds()) + " left";
  }
  return words;
}

std::string MeasuredLine(const v1::Update& update, const Style& style) {
  return "running: " + BlocksSentence(update) + ", " + FormatClock(update.elapsed_seconds()) +
         ", " + MeasuredProgress(update, style) + ExpectedEnd(update);
}

std::string SampledLine(const v1::Update& update) {
  std::string line =
      "running: " + BlocksSentence(update) + ", " + FormatClock(update.elapsed_seconds());
  if (update.has_eta_seconds()) line += ", done in about " + FormatRough(update.eta_seconds());
  return line;
}

}  // namespace

std::string KnownSoFar(const v1::Update& update, const Style& style) {
  if (Measures(update) && CountBlocks(update).blocks > 0) {
    return "ended early: " + BlocksSentence(update) + ", " + MeasuredProgress(update, style);
  }
  const std::string none = "no verdict: ";
  std::vector<const v1::Comparison*> gates = GatesOf(update);
  if (gates.empty() || CountBlocks(update).blocks == 0) return none + "nothing was measured";
  if (gates.size() == 1) return none + OneGateSoFar(*gates.front(), update, style);
  // Regressions come first, then undecided gates, then those that passed.
  const auto rank = [](const v1::Comparison* gate) {
    if (gate->verdict() == v1::VERDICT_REGRESSION) return 0;
    return gate->has_decided() ? 2 : 1;
  };
  std::ranges::stable_sort(gates, {}, rank);
  return none + BlocksSentence(update) + GatesProgress(gates, "", update, style);
}

std::vector<std::string> PlainNarrator::Describe(const v1::SessionEvent& event,
                                                 double now_seconds) {
  if (event.has_queued()) return DescribeQueued(event.queued());
  if (event.has_started()) return DescribeStarted(event.started());
  if (event.has_update()) return DescribeUpdate(event.update(), now_seconds);
  return {};
}

std::vector<std::string> PlainNarrator::DescribeQueued(const v1::Queued& queued) {
  if (queued.position() == 0 || position_ == queued.position()) return {};  // 0: about to start
  position_ = queued.position();
  std::string line = fmt::format("queued: place {}", queued.position());
  if (queued.has_eta_seconds()) line += ", starts in about " + FormatRough(queued.eta_seconds());
  return {line};
}

std::vector<std::string> PlainNarrator::DescribeStarted(const v1::Started& started) {
  if (started_) return {};
  started_ = true;
  std::string line = fmt::format("started: seed {}", started.seed());
  const auto held = std::ranges::count_if(started.isolation(), &v1::Setting::held);
  if (started.isolation_size() > 0 && started.user_mode()) {
    line += "; user mode: machine not tuned";
  } else if (started.isolation_size() > 0) {
    line += fmt::format("; {} of {} machine settings held", held, started.isolation_size());
  }
  if (started.found_benchmarks() == 0) return {line};
  return {fmt::format("found {} in the programs; each runs alone",
                      Counted(started.found_benchmarks(), "benchmark")),
          line};
}

// Returns the line for a new state. Empty if other lines cover it: for queued, and usually for
// running.
std::string PlainNarrator::StateNews(const v1::Update& update) const {
  switch (update.state()) {
    case v1::SESSION_STATE_QUEUED:
      return "";
    case v1::SESSION_STATE_RUNNING:
      return state_ == v1::SESSION_STATE_PAUSED ? "running again" : "";
    case v1::SESSION_STATE_PAUSED:
      return PauseSentence(update);
    default:
      return std::string(Word(update.state()));
  }
}

std::vector<std::string> PlainNarrator::DescribeUpdate(const v1::Update& update,
                                                       double now_seconds) {
  std::vector<std::string> lines;
  if (update.state() != state_) {
    const std::string news = StateNews(update);
    if (!news.empty()) lines.push_back(news);
    if (state_ == v1::SESSION_STATE_PAUSED) told_at_.reset();
    state_ = update.state();
  }
  // Nothing has been measured yet, or the session is paused.
  const bool measured = !update.comparisons().empty() || Measures(update);
  if (!measured || state_ != v1::SESSION_STATE_RUNNING) return lines;
  if (told_at_ && now_seconds - *told_at_ < kSecondsBetweenLines) return lines;
  told_at_ = now_seconds;
  lines.push_back(Progress(update));
  return lines;
}

// Returns a line with the gates that were decided since the last such line and those still open.
std::string PlainNarrator::Progress(const v1::Update& update) {
  if (Measures(update)) return MeasuredLine(update, style_);
  if (sampled_) return SampledLine(update);
  std::vector<const v1::Comparison*> decided;
  std::vector<const v1::Comparison*> open;
  for (const v1::Comparison* gate : GatesOf(update)) {
    if (!gate->has_decided()) {
      open.push_back(gate);
    } else if (decided_
                   .insert(gate->benchmark() + "\n" + gate->reference() + "\n" + gate->candidate() +
                           "\n" + gate->metric())
                   .second) {
      decided.push_back(gate);
    }
  }
  const std::string count = DecidedSentence(update);
  const std::string confirming = ConfirmingSentence(update);
  return (confirming.empty() ? "running" : confirming) + ": " + BlocksSentence(update) +
         (count.empty() ? "" : ", ") + count + ", " + FormatClock(update.elapsed_seconds()) +
         GatesProgress(decided, " decided", update, style_) +
         GatesProgress(open, " open", update, style_) + ExpectedEnd(update);
}

}  // namespace benchd::client
