#include <algorithm>
#include <functional>
#include <vector>

#include "daemon/base/cpu_list.h"
#include "daemon/system/cpu_mask.h"
#include "tests/fuzz/fuzz.h"

namespace {

using Cpus = std::vector<int>;

/// What was read is a set of CPUs, and both formats write it so that it is read again.
void Check(const benchd::Result<Cpus>& cpus) {
  if (!cpus) {
    benchd::fuzz::CheckMessage(cpus.error().message);
    FUZZ_CHECK(cpus.error().code == benchd::ErrorCode::kInvalidArgument);
    return;
  }
  FUZZ_CHECK(std::adjacent_find(cpus->begin(), cpus->end(), std::greater_equal<>()) == cpus->end());
  FUZZ_CHECK(cpus->empty() || (cpus->front() >= 0 && cpus->back() < benchd::kMaxCpus));
  const auto from_list = benchd::ParseCpuList(benchd::FormatCpuList(*cpus));
  FUZZ_CHECK(from_list && *from_list == *cpus);
  const auto from_mask = benchd::ParseCpuMask(benchd::FormatCpuMask(*cpus));
  FUZZ_CHECK(from_mask && *from_mask == *cpus);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = benchd::fuzz::AsText(data, size);
  Check(benchd::ParseCpuList(text));
  Check(benchd::ParseCpuMask(text));
  return 0;
}
