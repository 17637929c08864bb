#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/analysis/evidence.h"
#include "core/stats/one_look.h"
#include "core/stats/paired_moments.h"

namespace benchd {

/// The two estimators on the values of pairs (docs/statistics.md section 5).
enum class RankedEstimator { kHodgesLehmann, kMedian };

/// `hl` and `median` of pairs, under watching or at one look: keeps every pair's log ratio and
/// difference, sorted.
///
/// Between two looks the last one's interval stays: it holds at all times. `hl` looks at
/// ceil(n0 * 1.05^j) pairs only, because a look costs more than O(1).
class RankedEvidence final : public Evidence {
 public:
  RankedEvidence(const Subject& subject, RankedEstimator estimator);

  ArmCounts Counts() const override { return {raw_.n(), raw_.n()}; }
  ArmFigures Reference() const override;
  ArmFigures Candidate() const override;
  bool Defined(Contrast scale) const override;
  ScaleEstimate On(Contrast scale, double resolution) const override;
  std::optional<Interval> IntervalOn(Contrast scale, double resolution) const override;
  bool Look(Contrast deciding, double resolution, Level& level) override;
  bool LookOnce(Contrast deciding, double resolution, const Level& level) override;
  double p_value() const override { return p_.value(); }
  int direction() const override { return p_.direction(); }

 protected:
  void Take(Values reference, Values candidate) override;

 private:
  struct Scale {
    std::vector<double> sorted;  // worse positive
    std::optional<Interval> interval;
    /// Of `sorted` when it had `estimated_at` values.
    mutable double estimate = 0;
    mutable std::uint64_t estimated_at = 0;
  };

  const Scale& Of(Contrast scale) const {
    return scale == Contrast::kLogRatio ? ratio_ : difference_;
  }
  Scale& Of(Contrast scale) { return scale == Contrast::kLogRatio ? ratio_ : difference_; }
  std::optional<OneLook> At(const Scale& scale, double alpha) const;
  double PValueOf(const Scale& scale, double widening) const;
  double Widening(Contrast scale, double resolution) const;
  void TakeIntervals(double alpha);
  double Centre(const Scale& scale) const;

  RankedEstimator estimator_;
  PairedMoments raw_;
  Scale ratio_;
  Scale difference_;
  std::uint64_t next_look_ = 0;
  LookP<RunningOneLookP> p_;
};

}  // namespace benchd
