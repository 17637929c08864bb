#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "daemon/helper/elf_file.h"

namespace benchd {

/// The functions of an ELF file, by address. The names stay in the file, which must outlive this.
class SymbolTable {
 public:
  /// Reads the symbols of functions from .symtab or, if `dynamic`, from .dynsym.
  static SymbolTable Read(const ElfFile& file, bool dynamic);

  bool empty() const { return symbols_.empty(); }

  /// A function's name, and what distinguishes it from others with this name.
  struct Function {
    std::string name;  ///< ReadableName() of its symbol
    bool local = false;
    /// The source file of a local function, if other source files have a function with the same
    /// symbol, disregarding the suffixes of clones; otherwise empty.
    std::string source;
  };

  /// Returns the function with the greatest start at or below the address, if the address is within
  /// its size. A function of unknown size ends where the next one starts. Of several symbols of a
  /// function, the most public and then the shortest is chosen. Returns null if there is none.
  /// @param address  as linked
  const Function* FunctionAt(std::uint64_t address);

 private:
  struct Symbol {
    std::uint64_t start = 0;
    std::uint32_t bytes = 0;
    std::uint32_t name = 0;    // offset in strings_
    std::uint32_t source = 0;  // index into sources_; 0 if it is not local
    std::uint32_t rank = 0;    // of several symbols at an address, the lowest is chosen
  };
  struct NamePlace {
    std::uint64_t hash = 0;
    std::uint32_t source = 0;
    auto operator<=>(const NamePlace&) const = default;
  };

  void ReadSymbols(const ElfFile& file, Elf_Data* data, std::size_t count);
  std::string_view NameOf(std::uint32_t offset) const;
  const Symbol* Find(std::uint64_t address) const;
  std::string_view SourceOf(const Symbol& symbol) const;
  void CountNames();
  bool IsAmbiguous(std::string_view symbol);

  std::string_view strings_;
  std::vector<Symbol> symbols_;            // by start and rank
  std::vector<std::uint32_t> sources_{0};  // offsets in strings_ of the names of source files
  std::vector<NamePlace> places_;          // sorted; empty until a name is looked up
  bool counted_ = false;
  std::unordered_map<const Symbol*, Function> functions_;
};

}  // namespace benchd
