#include "core/stats/paired_moments.h"

#include <algorithm>
#include <cmath>

namespace benchd {
namespace {

double StandardDeviation(double sum_of_squares, std::uint64_t n) {
  return n < 2 ? 0 : std::sqrt(sum_of_squares / static_cast<double>(n - 1));
}

}  // namespace

double CentredMoments::StandardDeviationB() const { return StandardDeviation(s_bb, n); }
double CentredMoments::StandardDeviationC() const { return StandardDeviation(s_cc, n); }

void PairedMoments::Add(double b, double c) {
  if (n_ == 0) {
    first_b_ = b;
    first_c_ = c;
  }
  ++n_;
  const double x = b - first_b_;
  const double y = c - first_c_;
  x_.Add(x);
  y_.Add(y);
  xx_.Add(x * x);
  yy_.Add(y * y);
  xy_.Add(x * y);
  xxx_.Add(x * x * x);
  xxy_.Add(x * x * y);
  xyy_.Add(x * y * y);
  yyy_.Add(y * y * y);
}

CentredMoments PairedMoments::Centred() const {
  CentredMoments m;
  if (n_ == 0) return m;
  const auto n = static_cast<double>(n_);
  const double x = x_.value();
  const double y = y_.value();
  const double xx = xx_.value();
  const double yy = yy_.value();
  const double xy = xy_.value();
  const double mx = x / n;
  const double my = y / n;
  m.n = n_;
  m.mean_b = first_b_ + mx;
  m.mean_c = first_c_ + my;
  m.mean_difference = (first_c_ - first_b_) + (my - mx);
  m.s_bb = std::max(0.0, xx - mx * x);
  m.s_cc = std::max(0.0, yy - my * y);
  m.s_bc = xy - mx * y;
  m.s_bbb = xxx_.value() - 3 * mx * xx + 2 * mx * mx * x;
  m.s_ccc = yyy_.value() - 3 * my * yy + 2 * my * my * y;
  m.s_bbc = xxy_.value() - my * xx - 2 * mx * xy + 2 * mx * mx * y;
  m.s_bcc = xyy_.value() - mx * yy - 2 * my * xy + 2 * my * my * x;
  return m;
}

}  // namespace benchd
