#include <algorithm>
#include <functional>
#include <vector>

#include "core/base/cpu_list.h"
#include "daemon/settings/setting.h"
#include "tests/fuzz/fuzz.h"

namespace benchd::fuzz {
namespace {

using Cpus = std::vector<int>;

/// A parsed list is a set of CPUs, and both formats write it so that it parses again.
void CheckCpuSet(const Result<Cpus>& cpus) {
  if (!cpus) {
    CheckMessage(cpus.error().message);
    FUZZ_CHECK(cpus.error().code == ErrorCode::kInvalidArgument);
    return;
  }
  FUZZ_CHECK(std::adjacent_find(cpus->begin(), cpus->end(), std::greater_equal<>()) == cpus->end());
  FUZZ_CHECK(cpus->empty() || (cpus->front() >= 0 && cpus->back() < kMaxCpus));
  const auto from_list = ParseCpuList(FormatCpuList(*cpus));
  FUZZ_CHECK(from_list && *from_list == *cpus);
  const auto from_mask = ParseCpuMask(FormatCpuMask(*cpus));
  FUZZ_CHECK(from_mask && *from_mask == *cpus);
}

}  // namespace

void FuzzCpuList(std::string_view input) {
  CheckCpuSet(ParseCpuList(input));
  CheckCpuSet(ParseCpuMask(input));
}

}  // namespace benchd::fuzz
