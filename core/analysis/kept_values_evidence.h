#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/analysis/evidence.h"
#include "core/stats/bootstrap.h"
#include "core/stats/moments.h"
#include "core/stats/quantile_ratio.h"

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

}  // namespace benchd
