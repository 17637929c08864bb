#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace benchd {

/// In how many stretches of equal labels a sequence comes, against what chance would give.
struct RunsTest {
  std::size_t runs = 0;
  double expected = 0;
  double z = 0;  ///< standardised; negative: labels come in stretches; positive: they alternate
  bool operator==(const RunsTest&) const = default;
};

/// Two labels or more; those that do not occur do not matter.
///
/// @param labels  in order of time; small whole numbers, such as the index of each row's arm.
/// @return nothing where the number of runs is no matter of chance: fewer than two labels occur, or
///         each occurs once.
/// Source: A. Wald, J. Wolfowitz, Ann. Math. Statist. 11 (1940) 147-162; more than two labels:
///         D. E. Barton, F. N. David, Biometrika 44 (1957) 168-178.
std::optional<RunsTest> TestRuns(std::span<const std::size_t> labels);

/// Whether the arms of a table were measured in stretches instead of in turn: z < -2.576 (0.5 %),
/// or every arm, with two rows at least, in one piece. docs/statistics.md section 8.
///
/// A machine that drifts then looks like a difference between arms.
bool NotInterleaved(std::span<const std::size_t> arms);

}  // namespace benchd
