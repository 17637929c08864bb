#include "tests/bench/validity/intersection.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/analysis/metric_comparison.h"
#include "core/stats/decision.h"
#include "core/stats/paired.h"
#include "tests/bench/validity/repeat.h"
#include "tests/bench/validity/table.h"

namespace benchd::validity {
namespace {

constexpr std::uint64_t kPairs = 1000;
// Number of sessions that look in turn: the critical t of a look is computed once for all of them.
constexpr std::uint64_t kSessionsAtOnce = 100;
// Separate from the streams of the main tables.
constexpr std::uint64_t kStream = 0x7fU;

// Whole numbers, so that threads may add them in any order.
struct Outcomes {
  std::uint64_t sessions = 0;
  std::uint64_t empty = 0;
  std::uint64_t outside = 0;
  std::uint64_t width = 0;       // of the non-empty ones, in billionths
  std::uint64_t last_width = 0;  // of the same sessions' last looks
  std::uint64_t decided = 0;
  std::uint64_t other_verdicts = 0;
  std::uint64_t wrong_side = 0;

  Outcomes& operator+=(const Outcomes& other) {
    sessions += other.sessions;
    empty += other.empty;
    outside += other.outside;
    width += other.width;
    last_width += other.last_width;
    decided += other.decided;
    other_verdicts += other.other_verdicts;
    wrong_side += other.wrong_side;
    return *this;
  }
};

std::uint64_t Billionths(double width) {
  return static_cast<std::uint64_t>(std::llround(width * 1e9));
}

Verdict VerdictOf(LookDecision decision) {
  if (decision == LookDecision::kPass) return Verdict::kPass;
  return decision == LookDecision::kRegression ? Verdict::kRegression : Verdict::kUndecided;
}

// One gate, and the results of single looks by the formulas alone.
class Session {
 public:
  Session(const SequentialDesign& design, const Subject& subject, BlockSource source)
      : comparison_(subject, design), source_(source) {}

  void Look(const SignificanceLevel& level) {
    const Block block = source_.Next();
    const ArmValue base{block.base, true};
    const ArmValue candidate{block.candidate, true};
    comparison_.Add({&base, 1}, {&candidate, 1});
    moments_.Add(block.base, block.candidate);
    const std::uint64_t n = moments_.n();
    comparison_.Watch(level, {.blocks = n, .expected_reference = n, .expected_candidate = n}, true);
    if (single_ != LookDecision::kContinue || n < kFirstLook) return;
    single_ = DecideAgainst(GuardedInterval(EstimateRatio(moments_.Centred()), level.CriticalT(n)),
                            comparison_.gate()->threshold);
  }

  void Count(const SequentialDesign& design, Outcomes& outcomes) const {
    Comparison found;
    comparison_.Describe(design, found);
    const Effect& common = *found.change;
    const Effect& last = *found.last_change;
    ++outcomes.sessions;
    outcomes.other_verdicts += *found.verdict != VerdictOf(single_);
    outcomes.decided += found.decided.has_value();
    if (!common.lo || !common.hi) {
      ++outcomes.empty;
      return;
    }
    outcomes.outside += common.estimate < *common.lo || common.estimate > *common.hi;
    outcomes.width += Billionths(*common.hi - *common.lo);
    outcomes.last_width += Billionths(*last.hi - *last.lo);
    outcomes.wrong_side += (*found.verdict == Verdict::kPass && !(*common.hi < kMargin)) ||
                           (*found.verdict == Verdict::kRegression && !(*common.lo > kMargin));
  }

 private:
  MetricComparison comparison_;
  BlockSource source_;
  PairedMoments moments_;
  LookDecision single_ = LookDecision::kContinue;
};

Outcomes Simulated(const Options& options, const Family& family, double alpha) {
  SessionSpec spec;
  spec.alpha = alpha;
  const SequentialDesign design = MakeSequentialDesign(spec).value();
  const Subject subject{
      .rate = false,
      .gate = PlannedGate{
          .metric = 0, .margin = kMargin, .threshold = LowerIsBetterThreshold(kMargin)}};
  const auto number = static_cast<std::uint64_t>(&family - Families().data());
  const auto body = [&](std::uint64_t batch, std::vector<Outcomes>& outcomes) {
    const SignificanceLevel level(design, alpha);
    const std::uint64_t first = batch * kSessionsAtOnce;
    const std::uint64_t end = std::min(options.repetitions, first + kSessionsAtOnce);
    std::vector<Session> sessions;
    for (std::uint64_t i = first; i < end; ++i) {
      const std::uint64_t stream = number << 56U | kStream << 48U | i;
      sessions.emplace_back(design, subject, BlockSource(family, options.seed, stream, 0));
    }
    for (std::uint64_t pair = 0; pair < kPairs; ++pair) {
      for (Session& session : sessions) session.Look(level);
    }
    for (const Session& session : sessions) session.Count(design, outcomes[0]);
  };
  const std::uint64_t batches = (options.repetitions + kSessionsAtOnce - 1) / kSessionsAtOnce;
  return Repeat(batches, options.threads, std::vector<Outcomes>(1), body)[0];
}

}  // namespace

Result<std::string> IntersectionReport(const Options& options, Format format) {
  Result<std::vector<const Family*>> families = Chosen(options, Families());
  if (!families) return std::move(families).error();
  std::string text = "intersection: " + std::to_string(options.repetitions) +
                     " sessions of a family, seed " + std::to_string(options.seed) + "\n\n";
  for (const double alpha : options.alphas) {
    Table table("Intersection of all looks of 1000 pairs, equal arms, alpha " + Percent(alpha),
                {"family", "empty, %", "estimate outside, %", "width, share of the last look's",
                 "decided", "other verdicts", "not on the verdict's side"});
    for (const Family* family : *families) {
      const Outcomes found = Simulated(options, *family, alpha);
      table.AddRow(
          {std::string(family->name), Share(found.empty, found.sessions),
           Share(found.outside, found.sessions),
           Number(static_cast<double>(found.width) / static_cast<double>(found.last_width), 3),
           std::to_string(found.decided), std::to_string(found.other_verdicts),
           std::to_string(found.wrong_side)});
    }
    text += table.Print(format);
  }
  return text;
}

}  // namespace benchd::validity
