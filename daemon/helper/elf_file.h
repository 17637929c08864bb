#pragma once

#include <libelf.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/file.h"
#include "daemon/helper/read_budget.h"

// Opens the ELF files of a run for libelf and libdw. The files are the user's: every size that they
// state may be wrong, and every name may be a trap. These libraries check what they read, so that a
// corrupt file has no symbols.

namespace benchd {

/// An open ELF file.
class ElfFile {
 public:
  /// Opens a regular file with the permissions of this process. Opening waits for nothing, as it
  /// would for a FIFO.
  /// @param budget  must outlive the result
  /// @return std::nullopt if the file cannot be opened or is not an ELF file
  static std::optional<ElfFile> Open(const std::string& path, ReadBudget& budget);
  /// Opens an ELF file in memory, which must outlive the result.
  static std::optional<ElfFile> InMemory(char* image, std::size_t bytes, ReadBudget& budget);

  Elf* elf() const { return elf_.get(); }
  const std::string& path() const { return path_; }
  const std::string& build_id() const { return build_id_; }  ///< raw bytes; empty: none
  std::uint64_t inode() const { return inode_; }

  /// Returns the address, as linked, of the code at an offset of the file. std::nullopt if the file
  /// has no segment there.
  std::optional<std::uint64_t> AddressOf(std::uint64_t offset) const;

  /// Returns the section with this name, or null.
  Elf_Scn* Section(std::string_view name) const;
  /// Returns the first section of this type (SHT_*), or null.
  Elf_Scn* SectionOfType(std::uint32_t type) const;
  /// Returns the contents of a section that is not compressed. Null if it cannot be read or exceeds
  /// the budget.
  Elf_Data* Contents(Elf_Scn* section) const;

  /// Returns whether the debug information exists and fits into the budget.
  bool HasReadableDebug() const;

  /// Returns the name of the file with the debug information, as the linker recorded it
  /// (.gnu_debuglink), without folders; or an empty text.
  std::string DebugLink() const;

 private:
  struct Segment {
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
    std::uint64_t address = 0;
    bool executable = false;
  };
  struct EndElf {
    void operator()(Elf* elf) const { elf_end(elf); }
  };

  ElfFile() = default;
  bool ReadHeaders();

  std::string path_;
  UniqueFd fd_;
  std::unique_ptr<Elf, EndElf> elf_;
  ReadBudget* budget_ = nullptr;
  bool mapped_ = false;  // the whole file is in memory
  std::uint64_t inode_ = 0;
  std::string build_id_;
  std::vector<Segment> segments_;
};

}  // namespace benchd
