#pragma once

#include <elfutils/libdw.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "daemon/helper/elf_file.h"

namespace benchd {

/// The number of registers that are unwound, by their DWARF numbers: those of x86-64 (of which 16
/// is the return address) or arm64 (of which 32 is the program counter).
inline constexpr std::size_t kUnwindRegisters = 33;

/// The registers of a thread in one of its functions. A register without a value is unknown.
struct UnwindRegisters {
  std::array<std::optional<std::uint64_t>, kUnwindRegisters> values;
  std::uint64_t pc = 0;
};

/// The copy of the upper end of a thread's stack.
struct StackCopy {
  std::uint64_t start = 0;  ///< the address of the first byte
  std::string_view bytes;

  /// Returns the number at an address, or std::nullopt if it was not copied.
  std::optional<std::uint64_t> Read(std::uint64_t address) const;
};

/// How the registers of the caller are computed at an address, according to the call frame
/// information (CFI) that compilers write for exceptions (.eh_frame).
class UnwindTable {
 public:
  /// Reads the table of a file. Null if it has none.
  static std::unique_ptr<UnwindTable> Read(ElfFile file);

  const ElfFile& file() const { return file_; }

  /// Replaces the registers of a function by those of its caller, except the program counter if the
  /// caller is unknown.
  ///
  /// @param address  of the function, as linked
  /// @return whether there is a caller. std::nullopt if the table does not know, or if the stack
  /// was
  ///         not copied far enough
  std::optional<bool> Unwind(std::uint64_t address, const StackCopy& stack,
                             UnwindRegisters& registers);

  /// Returns whether the function at an address is the one to which a signal handler returns. Its
  /// caller was interrupted and did not call it.
  bool IsSignalFrame(std::uint64_t address);

 private:
  struct EndCfi {
    void operator()(Dwarf_CFI* cfi) const { dwarf_cfi_end(cfi); }
  };
  /// Where a register of the caller is: in memory at `operations`, or their value itself.
  struct Rule {
    unsigned number = 0;
    bool is_value = false;
    std::vector<Dwarf_Op> operations;
  };
  struct Row {
    bool known = false;
    bool signal_frame = false;
    unsigned return_register = 0;
    std::vector<Dwarf_Op> cfa;
    std::vector<Rule> rules;
    std::vector<unsigned> unchanged;  // registers that the caller has, too
  };

  UnwindTable(ElfFile file, Dwarf_CFI* cfi) : file_(std::move(file)), cfi_(cfi) {}
  const Row& RowAt(std::uint64_t address);
  static Row ReadRow(Dwarf_Frame* frame);
  static void ReadRule(Dwarf_Frame* frame, unsigned number, Row& row);

  ElfFile file_;
  std::unique_ptr<Dwarf_CFI, EndCfi> cfi_;
  std::unordered_map<std::uint64_t, Row> rows_;
};

}  // namespace benchd
