#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/helper/elf_file.h"

namespace benchd {

/// What the linker itself recorded about the code of an ELF file. It remains in a stripped file.
class LinkedCode {
 public:
  /// Reads the table of .eh_frame_hdr and the entries of the procedure linkage table. `file` must
  /// outlive the result.
  static LinkedCode Read(const ElfFile& file);

  /// Returns the start of the function at an address, according to the unwind tables. It identifies
  /// the function if the file has no symbol for it.
  std::optional<std::uint64_t> FunctionStart(std::uint64_t address) const;

  /// Returns the function of another file that the stub at this address calls: "malloc@plt".
  std::optional<std::string> StubAt(std::uint64_t address) const;

 private:
  void ReadStarts(const ElfFile& file);
  void ReadStubs(const ElfFile& file);

  std::vector<std::uint64_t> starts_;  // sorted
  std::uint64_t first_stub_ = 0;
  std::vector<std::string_view> stubs_;
};

}  // namespace benchd
