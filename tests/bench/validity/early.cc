#include "tests/bench/validity/early.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/analysis/metric_comparison.h"
#include "core/stats/decision.h"
#include "core/stats/early_look.h"
#include "tests/bench/validity/repeat.h"
#include "tests/bench/validity/table.h"

namespace benchd::validity {
namespace {

constexpr std::uint64_t kMostPairs = 200;
// Number of sessions that look in turn: the critical t of a look is computed once for all of them.
constexpr std::uint64_t kSessionsInTurn = 100;
// Separate from the streams of the main tables.
constexpr std::uint64_t kEarlyStream = 0x7cU;
constexpr std::array kTrueRatios{1 + kMargin, kMultiple, 1 / kMultiple, 4.0};
constexpr std::array kMultiples{33.0, 9.0, 3.7, 2.0, 1 / 3.7};
constexpr std::array kVariations{0.005, 0.01, 0.02, 0.05, 0.1};

// Whole numbers, so that threads may add them in any order.
struct EarlyErrors {
  std::uint64_t sessions = 0;
  std::uint64_t early = 0;
  std::uint64_t any = 0;
  EarlyErrors& operator+=(const EarlyErrors& other) {
    sessions += other.sessions;
    early += other.early;
    any += other.any;
    return *this;
  }
};

SequentialDesign EarlyDesign(double alpha) {
  SessionSpec spec;
  spec.alpha = alpha;
  spec.early_looks = true;
  return MakeSequentialDesign(spec).value();
}

Subject GateAtTheMargin() {
  PlannedGate gate;
  gate.margin = kMargin;
  gate.threshold = LowerIsBetterThreshold(kMargin);
  return {.rate = false, .gate = gate};
}

// One gate with early looks.
class EarlySession {
 public:
  EarlySession(const SequentialDesign& design, BlockSource source)
      : comparison_(GateAtTheMargin(), design), source_(source) {}

  bool decided() const { return comparison_.decided().has_value(); }

  void Look(const SequentialDesign& design, const SignificanceLevel& level, double ratio) {
    const Block block = source_.Next();
    const ArmValue base{block.base, true};
    const ArmValue candidate{block.candidate, true};
    comparison_.Add({&base, 1}, {&candidate, 1});
    ++pairs_;
    comparison_.Watch(
        level, {.blocks = pairs_, .expected_reference = pairs_, .expected_candidate = pairs_},
        true);
    if (pairs_ == kLastEarlyLook) early_ = IsWrong(design, ratio);
  }

  void Count(const SequentialDesign& design, double ratio, EarlyErrors& errors) const {
    ++errors.sessions;
    errors.early += early_;
    errors.any += early_ || IsWrong(design, ratio);
  }

 private:
  // Returns whether there is an error so far: if the true change is the margin, any verdict, else
  // an interval without it.
  bool IsWrong(const SequentialDesign& design, double ratio) const {
    if (ratio == kTrueRatios[0]) return decided();
    Comparison found;
    comparison_.Describe(design, found);
    const Effect& change = *found.change;
    if (pairs_ > kLastEarlyLook && !change.lo && !change.hi) return true;  // empty
    // An early look excludes the multiple itself, and begins the interval there.
    const double truth = ratio - 1;
    return change.lo.value_or(truth) > truth || change.hi.value_or(truth) < truth ||
           (decided() && comparison_.decided()->by == kEarlyLook && IsMultiple(ratio));
  }
  static bool IsMultiple(double ratio) { return ratio == kMultiple || ratio == 1 / kMultiple; }

  MetricComparison comparison_;
  BlockSource source_;
  std::uint64_t pairs_ = 0;
  bool early_ = false;
};

std::uint64_t StreamOfEarly(std::uint64_t family, std::size_t scenario, std::uint64_t repetition) {
  return family << 56U | kEarlyStream << 48U | std::uint64_t{scenario} << 40U | repetition;
}

EarlyErrors ErrorsOf(const Options& options, const Family& family, double alpha,
                     std::size_t scenario) {
  const SequentialDesign design = EarlyDesign(alpha);
  const double ratio = kTrueRatios[scenario];
  const auto number = static_cast<std::uint64_t>(&family - Families().data());
  const auto body = [&](std::uint64_t batch, std::vector<EarlyErrors>& errors) {
    const SignificanceLevel level(design, alpha, {}, false, true);
    const std::uint64_t first = batch * kSessionsInTurn;
    const std::uint64_t end = std::min(options.repetitions, first + kSessionsInTurn);
    std::vector<EarlySession> sessions;
    for (std::uint64_t i = first; i < end; ++i) {
      const std::uint64_t stream = StreamOfEarly(number, scenario, i);
      sessions.emplace_back(design, BlockSource(family, options.seed, stream, ratio - 1));
    }
    for (std::uint64_t pair = 0; pair < kMostPairs; ++pair) {
      for (EarlySession& session : sessions) session.Look(design, level, ratio);
    }
    for (const EarlySession& session : sessions) session.Count(design, ratio, errors[0]);
  };
  const std::uint64_t batches = (options.repetitions + kSessionsInTurn - 1) / kSessionsInTurn;
  return Repeat(batches, options.threads, std::vector<EarlyErrors>(1), body)[0];
}

std::string ErrorTable(const Options& options, std::span<const Family* const> families,
                       double alpha, Format format) {
  Table table("Early looks, wrong in % of sessions of " + std::to_string(kMostPairs) +
                  " pairs, margin " + Percent(kMargin) + ", alpha " + Percent(alpha),
              {"family", "margin: early", "margin: any look", "1.5: early", "1.5: any look",
               "1/1.5: early", "1/1.5: any look", "4: early", "4: any look"});
  for (const Family* family : families) {
    std::vector<std::string> cells{std::string(family->name)};
    for (std::size_t scenario = 0; scenario < kTrueRatios.size(); ++scenario) {
      const EarlyErrors errors = ErrorsOf(options, *family, alpha, scenario);
      cells.push_back(Share(errors.early, errors.sessions));
      cells.push_back(Share(errors.any, errors.sessions));
    }
    table.AddRow(std::move(cells));
  }
  return table.Print(format);
}

// Returns the mean number of pairs until a ratio is decided, with normal arms.
double PairsUntilDecided(const Options& options, double alpha, double ratio, double variation,
                         std::size_t scenario) {
  const Family family{.name = "normal",
                      .base = Shape::kNormal,
                      .candidate = Shape::kNormal,
                      .machine = Machine::kSteady,
                      .base_variation = variation,
                      .candidate_variation = variation};
  const SequentialDesign design = EarlyDesign(alpha);
  const SignificanceLevel level(design, alpha, {}, false, true);
  std::uint64_t pairs = 0;
  for (std::uint64_t i = 0; i < options.repetitions; ++i) {
    const std::uint64_t stream = StreamOfEarly(Families().size(), scenario, i);
    EarlySession session(design, BlockSource(family, options.seed, stream, ratio - 1));
    while (!session.decided()) {
      session.Look(design, level, ratio);
      ++pairs;
    }
  }
  return static_cast<double>(pairs) / static_cast<double>(options.repetitions);
}

std::string PairsTable(const Options& options, double alpha, Format format) {
  std::vector<std::string> header{"ratio"};
  for (const double variation : kVariations) header.push_back("CV " + Percent(variation));
  Table table("Pairs until a multiple is decided, normal arms, alpha " + Percent(alpha), header);
  std::size_t scenario = kTrueRatios.size();
  for (const double ratio : kMultiples) {
    std::vector<std::string> cells{ratio < 1 ? "1/" + Number(1 / ratio, 1) : Number(ratio, 1)};
    for (const double variation : kVariations) {
      cells.push_back(Number(PairsUntilDecided(options, alpha, ratio, variation, scenario++), 2));
    }
    table.AddRow(std::move(cells));
  }
  return table.Print(format);
}

}  // namespace

Result<std::string> EarlyReport(const Options& options, Format format) {
  Result<std::vector<const Family*>> families = Chosen(options, Families());
  if (!families) return std::move(families).error();
  std::string text = "early looks: " + std::to_string(options.repetitions) +
                     " sessions of a cell, seed " + std::to_string(options.seed) + "\n\n";
  for (const double alpha : options.alphas) {
    text += ErrorTable(options, *families, alpha, format);
  }
  if (options.only) return text;
  for (const double alpha : options.alphas) text += PairsTable(options, alpha, format);
  return text;
}

}  // namespace benchd::validity
