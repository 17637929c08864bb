#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace benchd {

/// A line of proc/interrupts. The views refer to the text of the line.
struct InterruptLine {
  std::string_view label;  ///< with its colon: "41:", "LOC:"
  /// The sum of the counts since boot on the counted CPUs; empty if the line has none.
  std::optional<std::uint64_t> count;
  std::string_view description;  ///< the text after the counts, with the blanks before it

  /// Returns true for a line with one count of errors for the whole machine: x86 writes ERR and
  /// MIS, arm64 Err.
  bool CountsErrors() const { return label == "ERR:" || label == "MIS:" || label == "Err:"; }
};

/// The columns of proc/interrupts, a table whose first line names the online CPUs. Each other line
/// has one count per CPU, followed by a description.
///
/// Source: the kernel's Documentation/filesystems/proc.rst, "interrupts".
class InterruptColumns {
 public:
  InterruptColumns() = default;
  /// @param header  the first line of the table
  /// @param cpus    the CPUs to count on, in ascending order
  InterruptColumns(std::string_view header, const std::vector<int>& cpus);

  bool empty() const { return is_counted_.empty(); }

  InterruptLine Parse(std::string_view line) const;

 private:
  std::vector<bool> is_counted_;
};

}  // namespace benchd
