#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/analysis/evidence.h"
#include "core/stats/bootstrap.h"
#include "core/stats/decision.h"
#include "core/stats/descriptive.h"
#include "core/stats/paired.h"

namespace benchd {

/// Methods that are for ONE look and need every value again there (docs/statistics.md section 5).
/// Before that look there is an estimate only where it is cheap: none here.
class KeptValues : public Evidence {
 public:
  using Evidence::Evidence;

  ArmCounts Counts() const final { return {reference_.size(), candidate_.size()}; }
  ArmFigures Reference() const final { return FiguresOf(raw_reference_); }
  ArmFigures Candidate() const final { return FiguresOf(raw_candidate_); }
  bool Defined(Contrast scale) const final;
  bool RatioPossible() const final { return positive(); }
  ScaleEstimate On(Contrast scale, double resolution) const final;
  std::optional<Interval> IntervalOn(Contrast scale, double resolution) const final;
  bool Look(Contrast, double, Level&) final { return false; }
  bool LookOnce(Contrast deciding, double resolution, const Level& level) final;
  double p_value() const final { return p_value_; }
  int direction() const final { return direction_; }

 protected:
  /// The answer on one scale, worse positive.
  struct Answer {
    double estimate = 0;
    std::optional<Interval> interval;
    double p_value = 1;
  };

  void Take(Values reference, Values candidate) final;
  /// @param arms      the values to compare: candidate against reference, worse positive.
  /// @param widening  what the resolution adds to each end; the interval comes without it.
  virtual std::optional<Answer> Ask(Contrast scale, const std::vector<double>& reference,
                                    const std::vector<double>& candidate, double alpha,
                                    double widening) const = 0;
  virtual std::size_t FewestValues() const = 0;

 private:
  double Widening(Contrast scale, double resolution) const;
  std::optional<Answer> AskOn(Contrast scale, double alpha, double widening) const;
  const std::optional<Answer>& Of(Contrast scale) const {
    return scale == Contrast::kLogRatio ? ratio_ : difference_;
  }

  std::vector<double> reference_;
  std::vector<double> candidate_;
  Moments raw_reference_;
  Moments raw_candidate_;
  std::optional<Answer> ratio_;
  std::optional<Answer> difference_;
  double p_value_ = 1;
  int direction_ = 0;
};

/// `quantile:P`: 0.99 is the slow end, of rates, too.
class QuantileEvidence final : public KeptValues {
 public:
  QuantileEvidence(const Subject& subject, double quantile, Pairing pairing, std::uint64_t seed)
      : KeptValues(subject), quantile_(quantile), pairing_(pairing), seed_(seed) {}

 protected:
  std::optional<Answer> Ask(Contrast scale, const std::vector<double>& reference,
                            const std::vector<double>& candidate, double alpha,
                            double widening) const override;
  std::size_t FewestValues() const override { return kFewestForQuantile; }

 private:
  double quantile_;
  Pairing pairing_;
  std::uint64_t seed_;
};

/// `hl` of independent arms: the median of all differences, by Mann and Whitney.
class ShiftEvidence final : public KeptValues {
 public:
  using KeptValues::KeptValues;

 protected:
  std::optional<Answer> Ask(Contrast scale, const std::vector<double>& reference,
                            const std::vector<double>& candidate, double alpha,
                            double widening) const override;
  std::size_t FewestValues() const override { return 1; }
};

/// `lognormal-mean` (docs/statistics.md section 5): the ratio of the means of two log-normal arms,
/// under watching or at one look; O(1). Takes the arms for independent, also when they come in
/// pairs. On ratios only.
class LognormalEvidence final : public Evidence {
 public:
  using Evidence::Evidence;

  ArmCounts Counts() const override { return {reference_.raw.count(), candidate_.raw.count()}; }
  ArmFigures Reference() const override { return FiguresOf(reference_.raw); }
  ArmFigures Candidate() const override { return FiguresOf(candidate_.raw); }
  bool Defined(Contrast scale) const override;
  bool RatioPossible() const override { return positive(); }
  ScaleEstimate On(Contrast scale, double resolution) const override;
  std::optional<Interval> IntervalOn(Contrast scale, double resolution) const override;
  bool Look(Contrast deciding, double resolution, Level& level) override;
  bool LookOnce(Contrast deciding, double resolution, const Level& level) override;
  double p_value() const override { return p_.value(); }
  int direction() const override { return p_.direction(); }

 protected:
  void Take(Values reference, Values candidate) override;

 private:
  struct Arm {
    Moments raw;
    Moments logs;  // of the values, or of 1/x for rates
  };
  double Widening(double resolution) const;
  double Clock() const;
  double PValueAt(double resolution) const;

  Arm reference_;
  Arm candidate_;
  std::optional<double> alpha_;  // of the last look, if no value came after it
  LookP<RunningOneLookP> p_;
};

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
