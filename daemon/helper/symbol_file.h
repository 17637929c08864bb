#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "daemon/helper/address_space.h"
#include "daemon/helper/debug_info.h"
#include "daemon/helper/elf_file.h"
#include "daemon/helper/linked_code.h"
#include "daemon/helper/symbol_table.h"

namespace benchd {

/// The functions of one file that ran, with their names. Symbols and debug information may be in a
/// file of their own, which must have the same build ID.
class SymbolFile {
 public:
  /// Opens a file as OpenCode() does. Without it, functions have addresses only.
  /// @param budget        must outlive the result
  /// @param debug_folder  where packages install debug information, usually /usr/lib/debug
  SymbolFile(const CodeFile& file, ReadBudget& budget, const std::string& debug_folder);

  /// Returns the functions at an offset of the file, as folded stacks show them (model/profile.h):
  /// the function itself and, if `inlined`, the functions inlined into it that contain the offset,
  /// the outermost first.
  std::vector<std::string> FunctionsAt(std::uint64_t offset, bool inlined);

 private:
  void FindDebugFile(ReadBudget& budget, const std::string& debug_folder);
  bool TakeDebugFile(const std::string& path, ReadBudget& budget);
  void ReadTables();
  std::string NameAt(std::uint64_t address);
  std::string NameOf(const SymbolTable::Function& function, std::uint64_t address);
  std::string Unnamed(std::uint64_t place) const;

  CodeKind kind_;
  std::string shown_name_;
  std::string build_;  // of an unnamed function: " 5f3a02c1"; empty if the file has no build ID
  std::optional<ElfFile> elf_;
  std::optional<ElfFile> debug_elf_;
  SymbolTable symbols_;
  LinkedCode linked_;
  std::unique_ptr<DebugInfo> debug_;
  std::unordered_map<const SymbolTable::Function*, std::string> names_;
};

}  // namespace benchd
