#include "core/stats/pair_values.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"

namespace benchd {
namespace {

// log(large / small) >= 0; the quotient may leave the range of a double where its log does not.
double LogQuotient(double large, double small) {
  const double quotient = large / small;
  return std::isfinite(quotient) ? std::log(quotient) : std::log(large) - std::log(small);
}

}  // namespace

Result<double> PairValue(double reference, double candidate, Contrast contrast) {
  if (!std::isfinite(reference) || !std::isfinite(candidate)) {
    return InvalidArgument("values", "one is not a finite number");
  }
  if (contrast == Contrast::kDifference) return candidate - reference;
  if (!(reference > 0 && candidate > 0)) {
    return InvalidArgument("values", "one is not greater than 0, so that its pair has no ratio",
                           "use an absolute margin, --metric NAME:+ABS");
  }
  return candidate >= reference ? LogQuotient(candidate, reference)
                                : -LogQuotient(reference, candidate);
}

void InsertSorted(std::vector<double>& sorted, double value) {
  sorted.insert(std::upper_bound(sorted.begin(), sorted.end(), value), value);
}

}  // namespace benchd
