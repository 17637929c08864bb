#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "core/analysis/effect_estimator.h"
#include "core/stats/one_look_intervals.h"
#include "core/stats/resampling.h"
#include "core/stats/welch.h"

namespace benchd {
namespace {

// An arbitrary level, because the estimate does not depend on it.
constexpr double kSomeLevel = 0.5;

// The result of one look on one scale. The interval does not include the allowance for the
// resolution.
struct Answer {
  double estimate = 0;
  std::optional<LookInterval> interval;
  double p = 1;
};

// The input of a method that takes one look and needs every value. The candidate is compared with
// the reference, and positive is worse.
struct AllValues {
  const std::vector<double>& reference;
  const std::vector<double>& candidate;
  Contrast scale;
  const SignificanceLevel& level;
  double hypothesis;
  double allowance;
};

// Computes `hl` of independent arms: the median of all differences, by Mann and Whitney.
std::optional<Answer> Shift(const AllValues& values) {
  const auto sorted = [&values](std::vector<double> arm) {
    if (values.scale == Contrast::kLogRatio) {
      for (double& value : arm) value = std::log(value);
    }
    std::sort(arm.begin(), arm.end());
    return arm;
  };
  const std::vector<double> b = sorted(values.reference);
  const std::vector<double> c = sorted(values.candidate);
  std::optional<double> estimate;
  const auto interval = values.level.EndsOf([&](const EndLevel& end) -> std::optional<Interval> {
    const auto look = HodgesLehmannShift(b, c, end.two_sided());
    if (!look) return std::nullopt;
    estimate = look->estimate;
    return look->interval;
  });
  const auto p = HodgesLehmannShiftP(b, c, values.hypothesis, values.allowance);
  if (!estimate || !p) return std::nullopt;
  return Answer{*estimate, interval, *p};
}

std::optional<Answer> Quantile(const AllValues& values, double quantile, Pairing pairing,
                               std::uint64_t seed) {
  const auto bootstrap =
      QuantileContrast(values.reference, values.candidate, quantile, values.scale, pairing, seed);
  if (!bootstrap) return std::nullopt;
  Answer answer{.estimate = bootstrap->estimate(),
                .interval = {},
                .p = bootstrap->PValue(values.hypothesis, values.allowance)};
  const std::size_t n = std::min(values.reference.size(), values.candidate.size());
  answer.interval = values.level.EndsOf([&](const EndLevel& end) -> std::optional<Interval> {
    if (!QuantileIntervalPossible(n, quantile, end.two_sided())) return std::nullopt;
    const auto interval = bootstrap->At(end.two_sided());
    return interval ? std::optional(*interval) : std::nullopt;
  });
  return answer;
}

// The estimators of methods that take one look (docs/statistics.md section 5). All of them are
// expensive, so there is no estimate before the look.
class KeptValues final : public EffectEstimator {
 public:
  using Method = std::function<std::optional<Answer>(const AllValues&)>;

  KeptValues(const Subject& subject, std::size_t fewest, Method method)
      : EffectEstimator(subject), fewest_(fewest), method_(std::move(method)) {}

  std::pair<ArmFigures, ArmFigures> Figures() const override {
    return {FiguresOf(raw_reference_), FiguresOf(raw_candidate_)};
  }

  bool Allows(Contrast scale) const override {
    return scale == Contrast::kDifference || positive();
  }

  std::optional<Inference> Infer(Contrast scale, const Look& look) override {
    if (look.level == nullptr || !look.once || !Allows(scale)) return std::nullopt;
    if (std::min(reference_.size(), candidate_.size()) < fewest_) return std::nullopt;
    const double allowance = AllowanceOn(scale, raw_reference_, raw_candidate_, look.resolution);
    std::optional<Answer>& answer = scale == Contrast::kLogRatio ? ratio_ : difference_;
    if (!answer) answer = AskOn(scale, *look.level, allowance);
    if (!answer) return std::nullopt;
    Inference inference{.centre = answer->estimate, .allowance = allowance};
    inference.SetInterval(answer->interval, allowance);
    if (look.decides) inference.finding = {.p = answer->p, .direction = SignOf(answer->estimate)};
    return inference;
  }

 protected:
  void Take(Values reference, Values candidate) override {
    for (const ArmValue& value : reference) {
      reference_.push_back(value.value);
      raw_reference_.Add(value.value);
    }
    for (const ArmValue& value : candidate) {
      candidate_.push_back(value.value);
      raw_candidate_.Add(value.value);
    }
    ratio_.reset();
    difference_.reset();
  }

 private:
  // For rates, the ratio is that of slowness, and the difference is the loss.
  std::optional<Answer> AskOn(Contrast scale, const SignificanceLevel& level,
                              double allowance) const {
    const auto ask = [&](const std::vector<double>& reference,
                         const std::vector<double>& candidate) {
      return method_({reference, candidate, scale, level, subject().Hypothesis(), allowance});
    };
    if (!rate()) return ask(reference_, candidate_);
    if (scale == Contrast::kDifference) return ask(candidate_, reference_);
    return ask(Inverted(reference_), Inverted(candidate_));
  }

  std::size_t fewest_;
  Method method_;
  std::vector<double> reference_;
  std::vector<double> candidate_;
  Moments raw_reference_;
  Moments raw_candidate_;
  std::optional<Answer> ratio_;  // valid for the current values
  std::optional<Answer> difference_;
};

// Returns the method `quantile:P`. The quantile 0.99 is the slow end, also for rates. The loss of a
// rate is the low end of the reference minus that of the candidate. These are the same runs,
// counted from below.
KeptValues::Method QuantileMethod(const SequentialDesign& design, bool rate) {
  const Pairing pairing = design.paired ? Pairing::kPaired : Pairing::kIndependent;
  return [quantile = design.estimator.quantile, pairing, rate,
          seed = design.seed](const AllValues& values) {
    const bool from_below = rate && values.scale == Contrast::kDifference;
    return Quantile(values, from_below ? 1 - quantile : quantile, pairing, seed);
  };
}

// `lognormal-mean` (docs/statistics.md section 5): the ratio of the means of two log-normal arms,
// at one look, in O(1) per value. Before the look there is only the estimate, because the interval
// would not hold under watching. The arms are treated as independent even if they are pairs. Only
// ratios are supported.
class LognormalMean final : public EffectEstimator {
 public:
  using EffectEstimator::EffectEstimator;

  std::pair<ArmFigures, ArmFigures> Figures() const override {
    return {FiguresOf(reference_.raw), FiguresOf(candidate_.raw)};
  }

  bool Allows(Contrast scale) const override { return scale == Contrast::kLogRatio && positive(); }

  std::optional<Inference> Infer(Contrast scale, const Look& look) override {
    const std::uint64_t fewer = std::min(reference_.logs.count(), candidate_.logs.count());
    if (!Allows(scale) || fewer < 2) return std::nullopt;
    const auto estimate = LognormalMeanRatio(reference_.logs, candidate_.logs, kSomeLevel);
    Inference inference{.centre = estimate ? estimate->estimate : 0,
                        .allowance = AllowanceOn(Contrast::kLogRatio, reference_.raw,
                                                 candidate_.raw, look.resolution)};
    if (look.level == nullptr) return inference;
    if (!look.once) return std::nullopt;
    if (look.decides) {
      const auto p = LognormalMeanP(reference_.logs, candidate_.logs, subject().Hypothesis(),
                                    inference.allowance);
      inference.finding = {.p = p ? *p : 1, .direction = SignOf(inference.centre)};
    }
    inference.rounding = kRoundingFactor * (1 + std::abs(inference.centre));
    const auto interval = look.level->EndsOf([&](const EndLevel& end) -> std::optional<Interval> {
      const auto at_level = LognormalMeanRatio(reference_.logs, candidate_.logs, end.two_sided());
      return at_level ? at_level->interval : std::nullopt;
    });
    inference.SetInterval(interval, inference.allowance);
    return inference;
  }

 protected:
  void Take(Values reference, Values candidate) override {
    const auto take = [this](const ArmValue& value, Arm& arm) {
      arm.raw.Add(value.value);
      if (positive()) arm.logs.Add(rate() ? -std::log(value.value) : std::log(value.value));
    };
    for (const ArmValue& value : reference) take(value, reference_);
    for (const ArmValue& value : candidate) take(value, candidate_);
  }

 private:
  struct Arm {
    Moments raw;
    Moments logs;  // logarithms of the values, or of 1/x for rates
  };

  Arm reference_;
  Arm candidate_;
};

// `hl` and `median` of pairs (docs/statistics.md section 5), under watching or at one look. It
// keeps the log ratio and the difference of every pair, sorted.
//
// Between two looks the last interval remains valid. `hl` looks only at ceil(n0 * 1.05^j) pairs,
// because a look costs more than O(1).
class RankedPairs final : public EffectEstimator {
 public:
  RankedPairs(const Subject& subject, bool median) : EffectEstimator(subject), median_(median) {}

  std::pair<ArmFigures, ArmFigures> Figures() const override {
    const CentredMoments raw = raw_.Centred();
    return {FiguresOf(raw.n, raw.mean_b, raw.StandardDeviationB()),
            FiguresOf(raw.n, raw.mean_c, raw.StandardDeviationC())};
  }

  bool Allows(Contrast scale) const override {
    return raw_.n() > 0 && Of(scale).sorted.size() == raw_.n();
  }

  std::optional<Inference> Infer(Contrast scale, const Look& look) override {
    if (!Allows(scale)) return std::nullopt;
    if (look.decides && !LookNow(look)) return std::nullopt;
    Scale& values = Of(scale);
    Inference inference{.centre = Centre(values), .allowance = AllowanceOn(scale, look.resolution)};
    inference.SetInterval(values.interval, inference.allowance);
    inference.rounding = scale == Contrast::kLogRatio ? RatioRounding(raw_.Centred())
                                                      : DifferenceRounding(raw_.Centred());
    if (look.decides) {
      inference.finding = {.p = PValueOf(values, inference.allowance),
                           .information = static_cast<double>(raw_.n()),
                           .direction = SignOf(inference.centre)};
    }
    return inference;
  }

 protected:
  void Take(Values reference, Values candidate) override {
    const double b = reference.front().value;
    const double c = candidate.front().value;
    raw_.Add(b, c);
    // The log ratio of slowness is the negative log ratio of the rate, and a lower rate is worse.
    const double from = rate() ? c : b;
    const double to = rate() ? b : c;
    // If one pair lacks a ratio, ratios are not used at all: Allows() compares the counts.
    if (const auto ratio = PairValue(from, to, Contrast::kLogRatio)) {
      InsertSorted(ratio_.sorted, *ratio);
    }
    if (const auto difference = PairValue(from, to, Contrast::kDifference)) {
      InsertSorted(difference_.sorted, *difference);
    }
  }

 private:
  struct Scale {
    std::vector<double> sorted;            // positive = worse
    std::optional<LookInterval> interval;  // interval of the last look
    double estimate = 0;  // estimate from `sorted` when it had `estimated_at` values
    std::uint64_t estimated_at = 0;
  };

  const Scale& Of(Contrast scale) const {
    return scale == Contrast::kLogRatio ? ratio_ : difference_;
  }
  Scale& Of(Contrast scale) { return scale == Contrast::kLogRatio ? ratio_ : difference_; }

  // Takes the intervals of both scales if a look is due. Returns whether it was.
  bool LookNow(const Look& look) {
    const std::uint64_t n = raw_.n();
    if (look.once) {
      if (n < 2) return false;
      ratio_.interval.reset();
      difference_.interval.reset();
      TakeIntervals(*look.level, [](const EndLevel& end) { return end.two_sided(); });
      return true;
    }
    const SequentialBoundary& boundary = look.level->boundary();
    if (n < boundary.first_look()) return false;
    if (!median_) {
      if (n < next_look_) return false;
      const bool due = IsGeometricLook(n, boundary.first_look());
      next_look_ = NextGeometricLook(n, boundary.first_look());
      if (!due) return false;
    }
    TakeIntervals(*look.level, [n](const EndLevel& end) {
      return LevelOfOneLook(end.boundary(), static_cast<double>(n));
    });
    return true;
  }

  // Takes the intervals at the level that `alpha_of` returns for each end.
  template <typename AlphaOf>
  void TakeIntervals(const SignificanceLevel& level, AlphaOf alpha_of) {
    for (Scale* scale : {&ratio_, &difference_}) {
      const auto interval = level.EndsOf([&](const EndLevel& end) -> std::optional<Interval> {
        const std::optional<OneLook> look = At(*scale, alpha_of(end));
        return look ? look->interval : std::nullopt;
      });
      // A missing interval must not replace the interval of an earlier look.
      if (interval) scale->interval = interval;
    }
  }

  std::optional<OneLook> At(const Scale& scale, double alpha) const {
    if (scale.sorted.size() != raw_.n()) return std::nullopt;
    const Result<OneLook> look =
        median_ ? MedianInterval(scale.sorted, alpha) : HodgesLehmann(scale.sorted, alpha);
    if (!look) return std::nullopt;
    return *look;
  }

  double Centre(Scale& scale) const {
    if (scale.estimated_at != scale.sorted.size()) {
      const std::optional<OneLook> look = At(scale, kSomeLevel);
      scale.estimate = look ? look->estimate : 0;
      scale.estimated_at = scale.sorted.size();
    }
    return scale.estimate;
  }

  double PValueOf(const Scale& scale, double allowance) const {
    const double hypothesis = subject().Hypothesis();
    const Result<double> p = median_ ? MedianP(scale.sorted, hypothesis, allowance)
                                     : HodgesLehmannP(scale.sorted, hypothesis, allowance);
    return p ? *p : 1;
  }

  double AllowanceOn(Contrast scale, double resolution) const {
    const CentredMoments raw = raw_.Centred();
    if (!NeedsAllowance(raw, resolution)) return 0;
    return scale == Contrast::kLogRatio ? RatioAllowance(raw, resolution)
                                        : DifferenceAllowance(resolution);
  }

  bool median_;
  PairedMoments raw_;
  Scale ratio_;
  Scale difference_;
  std::uint64_t next_look_ = 0;
};

}  // namespace

std::unique_ptr<EffectEstimator> MakeValueEstimator(const SequentialDesign& design,
                                                    const Subject& subject) {
  switch (design.estimator.kind) {
    case EstimatorKind::kLognormalMean:
      return std::make_unique<LognormalMean>(subject);
    case EstimatorKind::kQuantile:
      if (!design.OneLook()) return MakeWatchedQuantile(design, subject);
      return std::make_unique<KeptValues>(subject, kFewestForQuantile,
                                          QuantileMethod(design, subject.rate));
    case EstimatorKind::kMedian:
      return std::make_unique<RankedPairs>(subject, true);
    default:
      break;
  }
  if (!design.paired) return std::make_unique<KeptValues>(subject, 1, Shift);
  return std::make_unique<RankedPairs>(subject, false);
}

}  // namespace benchd
