#include "core/stats/geometric_looks.h"

#include <cassert>
#include <cstddef>
#include <vector>

namespace benchd {
namespace {

constexpr std::uint64_t kBase = 20;
constexpr std::uint64_t kFactor = 21;  // 1.05 = 21 / 20

// n0 * (21/20)^j exactly: the digits of n0 * 21^j to the base 20, the last j of them behind the
// point.
class GrowingNumber {
 public:
  explicit GrowingNumber(std::uint64_t start) {
    for (std::uint64_t rest = start; rest > 0; rest /= kBase) digits_.push_back(rest % kBase);
  }

  void Grow() {
    std::uint64_t carry = 0;
    for (std::uint64_t& digit : digits_) {
      carry += digit * kFactor;
      digit = carry % kBase;
      carry /= kBase;
    }
    for (; carry > 0; carry /= kBase) digits_.push_back(carry % kBase);
    fraction_ = fraction_ || digits_[places_] != 0;
    ++places_;
  }

  std::uint64_t Ceiling() const {
    std::uint64_t whole = 0;
    for (std::size_t i = digits_.size(); i > places_; --i) whole = whole * kBase + digits_[i - 1];
    return whole + (fraction_ ? 1 : 0);
  }

 private:
  std::vector<std::uint64_t> digits_;  // least significant first
  std::size_t places_ = 0;
  // 21 and 20 have no common factor: a fraction never becomes whole again.
  bool fraction_ = false;
};

}  // namespace

std::uint64_t NextGeometricLook(std::uint64_t n, std::uint64_t first_look) {
  assert(first_look > 0);
  GrowingNumber look(first_look);
  while (look.Ceiling() <= n) look.Grow();
  return look.Ceiling();
}

bool IsGeometricLook(std::uint64_t n, std::uint64_t first_look) {
  return n > 0 && NextGeometricLook(n - 1, first_look) == n;
}

}  // namespace benchd
