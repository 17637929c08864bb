#include "tests/bench/validity/checks.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "core/analysis/data_checks.h"
#include "tests/bench/validity/noise.h"
#include "tests/bench/validity/repeat.h"
#include "tests/bench/validity/table.h"

namespace benchd::validity {
namespace {

constexpr std::array<int, 4> kPairs{30, 60, 100, 300};
constexpr std::array<std::string_view, 6> kCodes{"shapes_differ", "pairs_correlated", "pairs_drift",
                                                 "not_lognormal", "outliers",         "warmup"};
// Separate from the streams of the other tables.
constexpr std::uint64_t kStream = 0x7eU;

// Whole numbers, so that threads may add them in any order.
struct Warned {
  std::array<std::uint64_t, kCodes.size()> sessions{};

  Warned& operator+=(const Warned& other) {
    for (std::size_t i = 0; i < sessions.size(); ++i) sessions[i] += other.sessions[i];
    return *this;
  }
};

Warned CheckOne(BlockSource source, int pairs) {
  CheckedValues values(true);
  for (int i = 0; i < pairs; ++i) {
    const Block block = source.Next();
    const ArmValue base{block.base, true};
    const ArmValue candidate{block.candidate, true};
    values.Add({&base, 1}, {&candidate, 1});
  }
  const KnownMetric metric{"wall_time", "s", Better::kLower, 1e-9, true};
  CheckOptions options;
  options.by_lognormal = true;
  const std::vector<Warning> warnings =
      CheckData(values, metric, MarginKind::kRatio, {"main", "base", "candidate"}, options);
  Warned warned;
  for (std::size_t i = 0; i < kCodes.size(); ++i) {
    warned.sessions[i] = std::ranges::any_of(
        warnings, [code = kCodes[i]](const Warning& warning) { return warning.code == code; });
  }
  return warned;
}

}  // namespace

Result<std::string> CheckReport(const Options& options, Format format) {
  Result<std::vector<const Family*>> families = Chosen(options, Families());
  if (!families) return std::move(families).error();
  std::vector<std::string> header{"family", "pairs"};
  for (const std::string_view code : kCodes) header.emplace_back(code);
  Table table("% of sessions with a warning, " + std::to_string(options.repetitions) +
                  " sessions each, seed " + std::to_string(options.seed),
              std::move(header));
  for (const Family* family : *families) {
    const auto number = static_cast<std::uint64_t>(family - Families().data());
    for (const int pairs : kPairs) {
      const auto body = [&](std::uint64_t repetition, std::vector<Warned>& warned) {
        const std::uint64_t stream =
            number << 56U | kStream << 48U | static_cast<std::uint64_t>(pairs) << 36U | repetition;
        warned[0] += CheckOne(BlockSource(*family, options.seed, stream, 0), pairs);
      };
      const Warned all =
          Repeat(options.repetitions, options.threads, std::vector<Warned>(1), body).front();
      std::vector<std::string> row{std::string(family->name), std::to_string(pairs)};
      for (const std::uint64_t sessions : all.sessions) {
        row.push_back(Share(sessions, options.repetitions));
      }
      table.AddRow(std::move(row));
    }
  }
  return table.Print(format);
}

}  // namespace benchd::validity
