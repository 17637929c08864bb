#pragma once

#include <elfutils/libdw.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "daemon/helper/elf_file.h"

namespace benchd {

/// The DWARF debug information of a file, as far as it names functions. It is read by compilation
/// unit, and only the units that contain sampled addresses.
class DebugInfo {
 public:
  /// Returns null if the file has no debug information, or too much of it. `file` must outlive the
  /// result.
  static std::unique_ptr<DebugInfo> Read(const ElfFile& file);

  /// Returns the names of the functions that were inlined at an address, the outermost first,
  /// without the function that contains them all. The names are those of SymbolTable::NameAt() for
  /// functions that were not inlined, except for details of types.
  /// @param address  as linked
  std::vector<std::string> InlinedAt(std::uint64_t address);

  /// Returns the source file that distinguishes the function at an address from other local
  /// functions with its name: an empty text if no other file has one, std::nullopt if this is not
  /// known.
  std::optional<std::string> SourceAt(std::uint64_t address);

 private:
  struct EndDwarf {
    void operator()(Dwarf* dwarf) const { dwarf_end(dwarf); }
  };
  /// A part of the code of a function that was not inlined.
  struct Range {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    void* die = nullptr;
  };
  struct UnitRange {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    void* unit = nullptr;  // of its DIE
  };
  /// A function that is local to its source file.
  struct LocalFunction {
    std::size_t name_hash = 0;
    void* die = nullptr;
  };

  DebugInfo() = default;

  std::optional<Dwarf_Die> DieAt(void* address) const;
  std::optional<Dwarf_Die> UnitAt(std::uint64_t address);
  void ReadUnitRanges();
  std::optional<Dwarf_Die> FunctionAt(std::uint64_t address);
  void IndexFunctions(Dwarf_Die& parent, int depth, std::vector<Range>& ranges);
  void AddRanges(Dwarf_Die& function, std::vector<Range>& ranges);
  void AddInlined(Dwarf_Die& parent, std::uint64_t address, int depth,
                  std::vector<std::string>& names);
  const std::string& NameOf(Dwarf_Die& function);
  void CountLocalFunctions();
  void CountIn(Dwarf_Die& parent, int depth);
  std::string DistinctSource(Dwarf_Die& origin);
  bool MayVisit();

  std::unique_ptr<Dwarf, EndDwarf> dwarf_;
  std::uint64_t left_to_visit_ = 0;
  std::optional<std::vector<UnitRange>> unit_ranges_;        // by low
  std::unordered_map<void*, std::vector<Range>> functions_;  // of each unit, by low
  std::unordered_map<void*, std::string> names_;             // of each origin
  std::vector<LocalFunction> local_functions_;               // by hash
  bool counted_ = false;
  bool countable_ = false;
};

}  // namespace benchd
