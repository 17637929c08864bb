#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/helper/read_budget.h"

namespace benchd {

/// The functions that a process compiled itself, as a JIT compiler lists them in
/// /tmp/perf-PID.map: one line "START SIZE NAME" each, numbers in hexadecimal digits.
class PerfMap {
 public:
  static constexpr std::size_t kMostBytes = std::size_t{64} * 1024 * 1024;
  static constexpr std::size_t kMostEntries = 1'000'000;

  /// Reads a list of at most kMostEntries. Lines that are not entries are skipped.
  static PerfMap Parse(std::string text);

  /// Reads a regular file that belongs to `owner`, up to kMostBytes. Follows no symbolic link at
  /// its end, because any user may create a file with this name. The result is empty if there is no
  /// such file, or if it exceeds the budget.
  static PerfMap ReadFile(const std::string& path, uid_t owner, ReadBudget& budget);

  /// Returns the name of the function at an address. Of several, it is the one that was listed
  /// last, because a compiler may reuse the memory.
  ///
  /// The files in the names of Python and V8 are returned without folders: "py::main (demo.py)".
  std::optional<std::string> NameAt(std::uint64_t address) const;

 private:
  struct Entry {
    std::uint64_t start = 0;
    std::uint32_t bytes = 0;
    std::uint32_t name = 0;  // offset in text_
    std::uint32_t name_bytes = 0;
  };

  void AddLine(std::string_view line);

  std::string text_;
  std::vector<Entry> entries_;  // by start; entries with the same start in the order of the list
};

}  // namespace benchd
