#include "core/stats/pair_values.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

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

Result<std::vector<double>> PairValues(std::span<const double> reference,
                                       std::span<const double> candidate, Contrast contrast) {
  if (reference.size() != candidate.size()) {
    return InvalidArgument("values", "the two arms of pairs differ in length");
  }
  std::vector<double> pairs;
  pairs.reserve(reference.size());
  for (std::size_t i = 0; i < reference.size(); ++i) {
    const Result<double> pair = PairValue(reference[i], candidate[i], contrast);
    if (!pair) return pair.error();
    pairs.push_back(*pair);
  }
  return pairs;
}

void InsertSorted(std::vector<double>& sorted, double value) {
  sorted.insert(std::upper_bound(sorted.begin(), sorted.end(), value), value);
}

}  // namespace benchd
