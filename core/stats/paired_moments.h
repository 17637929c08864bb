#pragma once

#include <cstdint>

namespace benchd {

/// Means and centred co-moments of n pairs (b = reference, c = candidate): sums over the pairs of
/// powers of (b - mean_b) and (c - mean_c); s_bbc is the sum of (b - mean_b)^2 (c - mean_c).
struct CentredMoments {
  std::uint64_t n = 0;
  double mean_b = 0;
  double mean_c = 0;
  double mean_difference = 0;  ///< mean_c - mean_b, without the cancellation of that subtraction
  double s_bb = 0;
  double s_bc = 0;
  double s_cc = 0;
  double s_bbb = 0;
  double s_bbc = 0;
  double s_bcc = 0;
  double s_ccc = 0;

  /// Standard deviations with divisor n - 1; 0 for fewer than two pairs.
  double StandardDeviationB() const;
  double StandardDeviationC() const;
};

/// The state of one paired comparison: n and nine co-moment sums, O(1) time and memory a pair.
///
/// Everything that section 3 of the method needs (ratio or difference, variance, skewness) follows
/// from it at any time. The sums are taken relative to the first pair, so that a large common
/// offset costs no digits, and compensated, so that a long session costs none either. A value type.
/// Source of the compensation (TwoSum): D. E. Knuth, The Art of Computer Programming 2, 4.2.2.
class PairedMoments {
 public:
  /// `b` and `c` are finite and in the same unit.
  void Add(double b, double c);

  std::uint64_t n() const { return n_; }
  /// All zero before the first pair.
  CentredMoments Centred() const;

 private:
  class Sum {
   public:
    void Add(double term) {
      const double total = value_ + term;
      const double part = total - value_;
      error_ += (value_ - (total - part)) + (term - part);
      value_ = total;
    }
    double value() const { return value_ + error_; }

   private:
    double value_ = 0;
    double error_ = 0;
  };

  std::uint64_t n_ = 0;
  double first_b_ = 0;
  double first_c_ = 0;
  Sum x_, y_, xx_, yy_, xy_, xxx_, xxy_, xyy_, yyy_;
};

}  // namespace benchd
