#include "daemon/helper/unwind_table.h"

#include <dwarf.h>

#include <cstdlib>
#include <cstring>
#include <utility>

namespace benchd {
namespace {

/// The DWARF number of the stack pointer.
#if defined(__aarch64__)
constexpr unsigned kStackPointer = 31;
#else
constexpr unsigned kStackPointer = 7;
#endif

/// The maximum number of values on the stack of an expression.
constexpr std::size_t kMostOperands = 64;

/// Computes a DWARF expression of call frame information, with the operations that occur there.
/// Source: DWARF 5, 2.5.1.
class FrameExpression {
 public:
  FrameExpression(const UnwindRegisters& registers, std::optional<std::uint64_t> cfa,
                  const StackCopy& stack)
      : registers_(registers), cfa_(cfa), memory_(stack) {}

  std::optional<std::uint64_t> Compute(const std::vector<Dwarf_Op>& operations) {
    operands_.clear();
    for (const Dwarf_Op& operation : operations) {
      if (operands_.size() > kMostOperands) return std::nullopt;
      const auto value = Apply(operation);
      if (!value) return std::nullopt;
      operands_.push_back(*value);
    }
    return operands_.empty() ? std::nullopt : std::optional(operands_.back());
  }

 private:
  /// Takes the operands of an operation and returns its result.
  std::optional<std::uint64_t> Apply(const Dwarf_Op& operation) {
    const unsigned atom = operation.atom;
    if (atom >= DW_OP_lit0 && atom <= DW_OP_lit31) return atom - DW_OP_lit0;
    if (atom >= DW_OP_breg0 && atom <= DW_OP_breg31) {
      return Add(Register(atom - DW_OP_breg0), operation.number);
    }
    if (atom >= DW_OP_reg0 && atom <= DW_OP_reg31) return Register(atom - DW_OP_reg0);
    switch (atom) {
      case DW_OP_addr:
      case DW_OP_const1u:
      case DW_OP_const1s:
      case DW_OP_const2u:
      case DW_OP_const2s:
      case DW_OP_const4u:
      case DW_OP_const4s:
      case DW_OP_const8u:
      case DW_OP_const8s:
      case DW_OP_constu:
      case DW_OP_consts:
        return operation.number;
      case DW_OP_bregx:
        return Add(Register(operation.number), operation.number2);
      case DW_OP_regx:
        return Register(operation.number);
      case DW_OP_call_frame_cfa:
        return cfa_;
      case DW_OP_dup:
        return operands_.empty() ? std::nullopt : std::optional(operands_.back());
      case DW_OP_deref: {
        const auto address = Take();
        return address ? memory_.Read(*address) : std::nullopt;
      }
      case DW_OP_plus_uconst:
        return Add(Take(), operation.number);
      default:
        return Combine(atom);
    }
  }

  /// Applies an operation with two operands.
  std::optional<std::uint64_t> Combine(unsigned atom) {
    const auto right = Take();
    const auto left = Take();
    if (!left || !right) return std::nullopt;
    const auto signed_left = static_cast<std::int64_t>(*left);
    const auto signed_right = static_cast<std::int64_t>(*right);
    switch (atom) {
      case DW_OP_plus:
        return *left + *right;
      case DW_OP_minus:
        return *left - *right;
      case DW_OP_mul:
        return *left * *right;
      case DW_OP_and:
        return *left & *right;
      case DW_OP_or:
        return *left | *right;
      case DW_OP_shl:
        return *right < 64 ? *left << *right : 0;
      case DW_OP_shr:
        return *right < 64 ? *left >> *right : 0;
      case DW_OP_eq:
        return *left == *right ? 1 : 0;
      case DW_OP_ne:
        return *left != *right ? 1 : 0;
      case DW_OP_ge:
        return signed_left >= signed_right ? 1 : 0;
      case DW_OP_gt:
        return signed_left > signed_right ? 1 : 0;
      case DW_OP_le:
        return signed_left <= signed_right ? 1 : 0;
      case DW_OP_lt:
        return signed_left < signed_right ? 1 : 0;
      default:
        return std::nullopt;
    }
  }

  static std::optional<std::uint64_t> Add(std::optional<std::uint64_t> value, std::uint64_t more) {
    return value ? std::optional(*value + more) : std::nullopt;
  }

  std::optional<std::uint64_t> Register(std::uint64_t number) const {
    return number < kUnwindRegisters ? registers_.values[number] : std::nullopt;
  }

  std::optional<std::uint64_t> Take() {
    if (operands_.empty()) return std::nullopt;
    const std::uint64_t value = operands_.back();
    operands_.pop_back();
    return value;
  }

  const UnwindRegisters& registers_;
  const std::optional<std::uint64_t> cfa_;
  const StackCopy& memory_;
  std::vector<std::uint64_t> operands_;
};

/// Whether a location is a register, not memory.
bool IsRegister(const Dwarf_Op& operation) {
  return (operation.atom >= DW_OP_reg0 && operation.atom <= DW_OP_reg31) ||
         operation.atom == DW_OP_regx;
}

}  // namespace

std::optional<std::uint64_t> StackCopy::Read(std::uint64_t address) const {
  std::uint64_t value = 0;
  if (address < start || bytes.size() < sizeof(value) ||
      address - start > bytes.size() - sizeof(value)) {
    return std::nullopt;
  }
  std::memcpy(&value, bytes.data() + (address - start), sizeof(value));
  return value;
}

std::unique_ptr<UnwindTable> UnwindTable::Read(ElfFile file) {
  // Checks that there is space for it.
  if (file.Contents(file.Section(".eh_frame")) == nullptr) return nullptr;
  Dwarf_CFI* const cfi = dwarf_getcfi_elf(file.elf());
  if (cfi == nullptr) return nullptr;
  return std::unique_ptr<UnwindTable>(new UnwindTable(std::move(file), cfi));
}

const UnwindTable::Row& UnwindTable::RowAt(std::uint64_t address) {
  const auto [entry, is_new] = rows_.try_emplace(address);
  if (!is_new) return entry->second;
  Dwarf_Frame* frame = nullptr;
  if (dwarf_cfi_addrframe(cfi_.get(), address, &frame) == 0) entry->second = ReadRow(frame);
  free(frame);
  return entry->second;
}

UnwindTable::Row UnwindTable::ReadRow(Dwarf_Frame* frame) {
  Row row;
  Dwarf_Op* operations = nullptr;
  std::size_t count = 0;
  const int return_register = dwarf_frame_info(frame, nullptr, nullptr, &row.signal_frame);
  if (return_register < 0 || return_register >= static_cast<int>(kUnwindRegisters) ||
      dwarf_frame_cfa(frame, &operations, &count) != 0 || count == 0) {
    return row;
  }
  row.known = true;
  row.return_register = static_cast<unsigned>(return_register);
  row.cfa.assign(operations, operations + count);
  for (unsigned number = 0; number < kUnwindRegisters; ++number) ReadRule(frame, number, row);
  return row;
}

void UnwindTable::ReadRule(Dwarf_Frame* frame, unsigned number, Row& row) {
  std::array<Dwarf_Op, 3> memory{};
  Dwarf_Op* operations = nullptr;
  std::size_t count = 0;
  if (dwarf_frame_register(frame, static_cast<int>(number), memory.data(), &operations, &count) !=
      0) {
    return;
  }
  if (count == 0) {
    if (operations == nullptr) row.unchanged.push_back(number);
    return;  // otherwise the function did not keep it
  }
  Rule rule{number, false, {operations, operations + count}};
  if (rule.operations.back().atom == DW_OP_stack_value) {
    rule.is_value = true;
    rule.operations.pop_back();
  } else if (count == 1 && IsRegister(rule.operations[0])) {
    rule.is_value = true;
  }
  row.rules.push_back(std::move(rule));
}

bool UnwindTable::IsSignalFrame(std::uint64_t address) { return RowAt(address).signal_frame; }

std::optional<bool> UnwindTable::Unwind(std::uint64_t address, const StackCopy& stack,
                                        UnwindRegisters& registers) {
  const Row& row = RowAt(address);
  if (!row.known) return std::nullopt;
  const auto cfa = FrameExpression(registers, std::nullopt, stack).Compute(row.cfa);
  if (!cfa) return std::nullopt;
  UnwindRegisters caller;
  for (const unsigned number : row.unchanged) caller.values[number] = registers.values[number];
  caller.values[kStackPointer] = cfa;
  FrameExpression expression(registers, cfa, stack);
  bool has_return = false;
  for (const Rule& rule : row.rules) {
    auto value = expression.Compute(rule.operations);
    if (value && !rule.is_value) value = stack.Read(*value);
    caller.values[rule.number] = value;
    has_return = has_return || rule.number == row.return_register;
  }
  const auto pc = caller.values[row.return_register];
  // The outermost function is marked as one that does not keep the address to which it returns.
  if (!pc && !has_return) return false;
  if (!pc) return std::nullopt;
  caller.pc = *pc;
  registers = caller;
  return true;
}

}  // namespace benchd
