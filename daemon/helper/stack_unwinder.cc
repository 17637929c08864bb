#include "daemon/helper/stack_unwinder.h"

#include <asm/perf_regs.h>

#include <array>
#include <utility>

#include "daemon/helper/code_elf.h"

namespace benchd {
namespace {

/// The architecture of this machine: the numbers in <asm/perf_regs.h> of the registers with the
/// DWARF numbers 0, 1 and so on.
#if defined(__x86_64__)
constexpr auto kRecorded = std::to_array<unsigned>(
    {PERF_REG_X86_AX, PERF_REG_X86_DX, PERF_REG_X86_CX, PERF_REG_X86_BX, PERF_REG_X86_SI,
     PERF_REG_X86_DI, PERF_REG_X86_BP, PERF_REG_X86_SP, PERF_REG_X86_R8, PERF_REG_X86_R9,
     PERF_REG_X86_R10, PERF_REG_X86_R11, PERF_REG_X86_R12, PERF_REG_X86_R13, PERF_REG_X86_R14,
     PERF_REG_X86_R15, PERF_REG_X86_IP});
constexpr std::size_t kFramePointer = 6;
constexpr std::size_t kStackRegister = 7;
constexpr std::size_t kProgramCounter = 16;
constexpr std::uint64_t kCodeAddresses = ~std::uint64_t{0};
#elif defined(__aarch64__)
constexpr auto kRecorded = [] {
  std::array<unsigned, PERF_REG_ARM64_PC + 1> same{};
  for (unsigned i = 0; i < same.size(); ++i) same[i] = i;
  return same;
}();
constexpr std::size_t kFramePointer = 29;
constexpr std::size_t kStackRegister = 31;
constexpr std::size_t kProgramCounter = 32;
/// The upper bits of an address to which a function returns may contain a signature.
constexpr std::uint64_t kCodeAddresses = (std::uint64_t{1} << 48U) - 1;
#else
constexpr std::array<unsigned, 0> kRecorded{};
constexpr std::size_t kFramePointer = 0;
constexpr std::size_t kStackRegister = 0;
constexpr std::size_t kProgramCounter = 0;
constexpr std::uint64_t kCodeAddresses = ~std::uint64_t{0};
#endif

UnwindRegisters RegistersOf(const UserState& state) {
  UnwindRegisters registers;
  for (std::size_t i = 0; i < kRecorded.size(); ++i) {
    if ((state.mask >> kRecorded[i] & 1U) != 0) {
      registers.values[i] = state.Register(kRecorded[i]);
    }
  }
  registers.pc = registers.values[kProgramCounter].value_or(0);
  return registers;
}

/// Follows the frame pointer, which code without tables keeps, such as that of many JIT compilers.
/// The frame pointer of the caller is at its address, and the address in the caller is above.
bool FollowFramePointer(const StackCopy& stack, UnwindRegisters& registers) {
  constexpr std::uint64_t kWidth = sizeof(std::uint64_t);
  const auto frame = registers.values[kFramePointer];
  const auto pc = frame ? stack.Read(*frame + kWidth) : std::nullopt;
  if (!pc) return false;
  UnwindRegisters caller;
  caller.pc = *pc;
  caller.values[kFramePointer] = stack.Read(*frame);
  caller.values[kStackRegister] = *frame + 2 * kWidth;
  registers = caller;
  return true;
}

}  // namespace

StackUnwinder::StackUnwinder(const AddressSpaces& spaces)
    : spaces_(spaces), budget_(ReadBudget::OfThisProcess()) {}

std::vector<std::uint64_t> StackUnwinder::AddressesOf(std::uint32_t pid, const UserState& state) {
  std::vector<std::uint64_t> addresses;
  UnwindRegisters registers = RegistersOf(state);
  const auto top = registers.values[kStackRegister];
  if (kRecorded.empty() || registers.pc == 0 || !top) return addresses;
  const StackCopy stack{*top, state.stack};
  addresses.push_back(registers.pc);
  // Whether the function may not have used the stack: the first one, and one that a signal
  // interrupted.
  bool may_be_leaf = true;
  while (addresses.size() < kMostFrames) {
    const std::uint64_t before = registers.values[kStackRegister].value_or(0);
    const Step step = ToCaller(pid, addresses.back(), stack, registers);
    if (step.missing) addresses.push_back(kMissingCallers);
    if (!step.found) break;
    registers.pc &= kCodeAddresses;
    if (registers.pc == 0) break;
    // Every caller is further up.
    const std::uint64_t after = registers.values[kStackRegister].value_or(0);
    if (after < before || (after == before && !may_be_leaf)) break;
    may_be_leaf = step.interrupted;
    addresses.push_back(step.interrupted ? registers.pc : registers.pc - 1);
    registers.values[kProgramCounter] = registers.pc;
  }
  return addresses;
}

StackUnwinder::Step StackUnwinder::ToCaller(std::uint32_t pid, std::uint64_t address,
                                            const StackCopy& stack, UnwindRegisters& registers) {
  const auto place = spaces_.Find(pid, address);
  // Where nothing is mapped, an address was read that is not one of code.
  if (!place) return {};
  UnwindTable* const table = TableOf(place->file);
  const auto linked = table == nullptr ? std::nullopt : table->file().AddressOf(place->offset);
  if (linked) {
    const bool interrupted = table->IsSignalFrame(*linked);
    const auto found = table->Unwind(*linked, stack, registers);
    if (found) return {.found = *found, .interrupted = interrupted};
  }
  const bool found = FollowFramePointer(stack, registers);
  return {.found = found, .missing = !found};
}

UnwindTable* StackUnwinder::TableOf(std::uint32_t file) {
  const auto [entry, is_new] = tables_.try_emplace(file);
  if (!is_new) return entry->second.get();
  auto elf = OpenCode(spaces_.files()[file], budget_);
  if (elf) entry->second = UnwindTable::Read(*std::move(elf));
  return entry->second.get();
}

}  // namespace benchd
