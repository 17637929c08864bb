#include "daemon/helper/read_budget.h"

#include <sys/resource.h>

namespace benchd {
namespace {

/// The budget of a process whose address space is unlimited.
constexpr std::uint64_t kUnlimitedBudget = std::uint64_t{2} << 30U;

}  // namespace

ReadBudget ReadBudget::OfThisProcess() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
    return ReadBudget(kUnlimitedBudget);
  }
  return ReadBudget(limit.rlim_cur / 2);
}

}  // namespace benchd
