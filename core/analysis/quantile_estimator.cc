#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "core/analysis/effect_estimator.h"
#include "core/stats/order_statistics.h"
#include "core/stats/welch.h"

namespace benchd {
namespace {

// `quantile:P` under watching (docs/statistics.md section 5): the quantiles of both arms, each
// between two of its order statistics. It keeps all values, sorted, and looks at ceil(n0 * 1.05^j)
// values of the arm that has fewer. Between two looks the last interval remains valid.
//
// For rates, a ratio is that of 1/x, so that the quantile 0.99 is the slow end. The loss of a rate
// is the low end of the reference minus that of the candidate, which are the same runs, counted
// from below.
class WatchedQuantile final : public EffectEstimator {
 public:
  WatchedQuantile(const Subject& subject, double quantile)
      : EffectEstimator(subject),
        ratio_{.quantile = quantile},
        difference_{.quantile = subject.rate ? 1 - quantile : quantile} {}

  std::pair<ArmFigures, ArmFigures> Figures() const override {
    return {FiguresOf(raw_reference_), FiguresOf(raw_candidate_)};
  }

  bool Allows(Contrast scale) const override {
    return Fewer() > 0 && (scale == Contrast::kDifference || positive());
  }

  std::optional<Inference> Infer(Contrast scale, const Look& look) override {
    if (!Allows(scale)) return std::nullopt;
    if (look.decides && !LookNow(look)) return std::nullopt;
    const Scale& values = Of(scale);
    Inference inference{
        .centre = Centre(values, scale),
        .allowance = AllowanceOn(scale, raw_reference_, raw_candidate_, look.resolution)};
    inference.SetInterval(values.interval, inference.allowance);
    inference.rounding = kRoundingFactor * SizeOn(scale, inference.centre);
    if (look.decides) {
      const auto p = CompareQuantilesP(values.from, values.to, values.quantile, scale,
                                       subject().Hypothesis(), inference.allowance);
      inference.finding = {
          .p = p ? *p : 1, .information = Information(), .direction = SignOf(inference.centre)};
    }
    return inference;
  }

 protected:
  void Take(Values reference, Values candidate) override {
    for (const ArmValue& value : reference) Take(value.value, raw_reference_, false);
    for (const ArmValue& value : candidate) Take(value.value, raw_candidate_, true);
  }

 private:
  // The values of one scale, ascending: `to` is compared with `from`, and positive is worse.
  struct Scale {
    double quantile = 0;
    std::vector<double> from;
    std::vector<double> to;
    std::optional<LookInterval> interval;  // interval of the last look
  };

  void Take(double value, Moments& raw, bool of_candidate) {
    raw.Add(value);
    InsertSorted(of_candidate != rate() ? difference_.to : difference_.from, value);
    if (positive()) {
      InsertSorted(of_candidate ? ratio_.to : ratio_.from, rate() ? 1 / value : value);
    }
  }

  Scale& Of(Contrast scale) { return scale == Contrast::kLogRatio ? ratio_ : difference_; }
  std::uint64_t Fewer() const { return std::min(n_reference(), n_candidate()); }
  // The larger number of values gives the smaller level, which suffices for either arm.
  double Information() const { return static_cast<double>(std::max(n_reference(), n_candidate())); }

  // Takes the intervals of both scales if a look is due. Returns whether it was.
  bool LookNow(const Look& look) {
    const SequentialBoundary& boundary = look.level->boundary();
    const std::uint64_t n = Fewer();
    if (n < boundary.first_look() || n < next_look_) return false;
    next_look_ = NextGeometricLook(n, boundary.first_look());
    for (const Contrast scale : {Contrast::kLogRatio, Contrast::kDifference}) {
      if (!Allows(scale)) continue;
      Scale& values = Of(scale);
      const auto interval = look.level->EndsOf([&](const EndLevel& end) -> std::optional<Interval> {
        const double alpha = LevelOfOneLook(end.boundary(), Information());
        const auto at_level =
            CompareQuantiles(values.from, values.to, values.quantile, scale, alpha);
        return at_level ? at_level->interval : std::nullopt;
      });
      // A missing interval must not replace the interval of an earlier look.
      if (interval) values.interval = interval;
    }
    return true;
  }

  static double Centre(const Scale& values, Contrast scale) {
    return PairValue(QuantileType7(values.from, values.quantile).value(),
                     QuantileType7(values.to, values.quantile).value(), scale)
        .value_or(0);
  }

  double SizeOn(Contrast scale, double centre) const {
    if (scale == Contrast::kLogRatio) return 1 + std::abs(centre);
    return std::abs(raw_reference_.mean()) + std::abs(raw_candidate_.mean());
  }

  Moments raw_reference_;
  Moments raw_candidate_;
  Scale ratio_;
  Scale difference_;
  std::uint64_t next_look_ = 0;
};

}  // namespace

std::unique_ptr<EffectEstimator> MakeWatchedQuantile(const SequentialDesign& design,
                                                     const Subject& subject) {
  return std::make_unique<WatchedQuantile>(subject, design.estimator.quantile);
}

}  // namespace benchd
