#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "daemon/helper/address_space.h"
#include "daemon/helper/read_budget.h"
#include "daemon/helper/unwind_table.h"

namespace benchd {

/// Finds the callers of a sampled function by the call frame information of the program, from the
/// registers and the copy of the stack (CallGraph::kDwarf).
///
/// It uses the tables of libdw but not libdwfl, which would keep a list of modules for each process
/// instead of one for each file, and which loads a client for debuginfod servers into this program.
class StackUnwinder {
 public:
  /// The maximum number of functions of a stack, as for the kernel's own chains.
  static constexpr std::size_t kMostFrames = 127;

  /// @param spaces  the mappings at the time of each sample; must outlive this
  explicit StackUnwinder(const AddressSpaces& spaces);

  /// Returns the addresses of the functions of a thread, from the innermost outwards: the address
  /// of the sampled instruction, then of the last byte of each call. The last one is
  /// kMissingCallers if the stack has more functions that could not be found.
  /// @return an empty list if the sample has no registers, or for an unknown architecture
  std::vector<std::uint64_t> AddressesOf(std::uint32_t pid, const UserState& state);

  /// In place of an address; never mapped.
  static constexpr std::uint64_t kMissingCallers = 0;

 private:
  struct Step {
    bool found = false;        // the registers are those of the caller
    bool missing = false;      // there is a caller, but it is unknown
    bool interrupted = false;  // the caller did not call: a signal interrupted it
  };
  Step ToCaller(std::uint32_t pid, std::uint64_t address, const StackCopy& stack,
                UnwindRegisters& registers);
  UnwindTable* TableOf(std::uint32_t file);

  const AddressSpaces& spaces_;
  ReadBudget budget_;
  std::unordered_map<std::uint32_t, std::unique_ptr<UnwindTable>> tables_;  // null: none
};

}  // namespace benchd
