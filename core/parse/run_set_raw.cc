#include "core/parse/run_set_raw.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

#include "core/base/error.h"

namespace benchd {
namespace {

constexpr std::size_t kBytes = 8;
constexpr const char* kRawForm = "write runs x values: --shape 10x3000";

double ValueAt(std::string_view bytes, std::size_t index) {
  std::uint64_t bits = 0;
  for (std::size_t i = kBytes; i > 0; --i) {
    bits = bits << 8U | static_cast<unsigned char>(bytes[index * kBytes + i - 1]);
  }
  return std::bit_cast<double>(bits);
}

Result<void> CheckShape(std::string_view bytes, std::size_t runs, std::size_t values,
                        const RunSetLimits& limits) {
  const std::string shape = std::to_string(runs) + "x" + std::to_string(values);
  if (runs == 0 || values == 0)
    return InvalidArgument("shape " + shape, "it has no values", kRawForm);
  if (runs > limits.runs || values > limits.values / runs) {
    return InvalidArgument("shape " + shape,
                           "over " + std::to_string(limits.runs) + " runs or " +
                               std::to_string(limits.values) + " values in all",
                           "assess fewer runs, or the first values of each");
  }
  if (bytes.size() == runs * values * kBytes) return {};
  return InvalidArgument("shape " + shape,
                         "that is " + std::to_string(runs * values * kBytes) +
                             " bytes of doubles, the data has " + std::to_string(bytes.size()),
                         kRawForm);
}

}  // namespace

Result<RunSet> ParseRunsRaw(std::string_view bytes, std::size_t runs, std::size_t values,
                            const RunSetLimits& limits) {
  if (Result<void> fits = CheckShape(bytes, runs, values, limits); !fits) return fits.error();
  RunSet set;
  for (std::size_t r = 0; r < runs; ++r) {
    set.run_names.push_back(std::to_string(r + 1));
    std::vector<double>& run = set.runs.emplace_back();
    run.reserve(values);
    for (std::size_t v = 0; v < values; ++v) {
      run.push_back(ValueAt(bytes, r * values + v));
      if (std::isfinite(run.back())) continue;
      return InvalidArgument("run " + set.run_names.back() + ", value " + std::to_string(v + 1),
                             "it is not finite", "leave the run out, or measure it again");
    }
  }
  return set;
}

}  // namespace benchd
