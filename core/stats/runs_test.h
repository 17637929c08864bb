#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace benchd {

/// In how many stretches of equal labels a sequence comes, against what chance would give.
struct RunsTest {
  std::size_t runs = 0;
  double expected = 0;
  double z = 0;  ///< standardised; negative: labels come in stretches; positive: they alternate
  bool operator==(const RunsTest&) const = default;
};

/// A sequence of labels as far as the test below needs it: memory for each label, none for each
/// place in the sequence (in order of time). Labels are small whole numbers, such as the index of
/// each row's arm.
class LabelRuns {
 public:
  void Add(std::size_t label);

  /// How often each label came, by label.
  const std::vector<std::uint64_t>& counts() const { return counts_; }
  std::uint64_t runs() const { return runs_; }

 private:
  std::vector<std::uint64_t> counts_;
  std::uint64_t runs_ = 0;
  std::size_t last_ = 0;
};

/// Two labels or more; those that do not occur do not matter.
///
/// @return nothing where the number of runs is no matter of chance: fewer than two labels occur, or
///         each occurs once.
/// Source: A. Wald, J. Wolfowitz, Ann. Math. Statist. 11 (1940) 147-162; more than two labels:
///         D. E. Barton, F. N. David, Biometrika 44 (1957) 168-178.
std::optional<RunsTest> TestRuns(const LabelRuns& labels);

/// Whether the arms of a table were measured in stretches instead of in turn: z < -2.576 (0.5 %),
/// or every arm, with two rows at least, in one piece. docs/statistics.md section 8.
///
/// A machine that drifts then looks like a difference between arms.
bool NotInterleaved(const LabelRuns& arms);

}  // namespace benchd
