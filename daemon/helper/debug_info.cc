#include "daemon/helper/debug_info.h"

#include <dwarf.h>
#include <gelf.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <span>
#include <utility>

#include "daemon/helper/die_name.h"
#include "daemon/helper/function_name.h"

namespace benchd {
namespace {

/// The maximum number of entries that are visited in a file, which takes a second or two.
constexpr std::uint64_t kMostVisits = 20'000'000;
/// The maximum depth of entries within each other.
constexpr int kMostDepth = 64;
/// The maximum size of .debug_info for which the names of all functions are read.
constexpr std::uint64_t kMostCountedBytes = std::uint64_t{32} << 20U;
/// How many functions of the same name are compared.
constexpr int kMostCompared = 20;

bool IsInlined(Dwarf_Die& die) { return dwarf_tag(&die) == DW_TAG_inlined_subroutine; }

/// Whether an entry may contain functions with code of their own.
bool MayContainFunctions(Dwarf_Die& die) {
  switch (dwarf_tag(&die)) {
    case DW_TAG_namespace:
    case DW_TAG_module:
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
      return true;
    default:
      return false;
  }
}

/// Whether an entry is a definition, or the origin of inlined copies.
bool HasBody(Dwarf_Die& function) {
  return dwarf_hasattr(&function, DW_AT_abstract_origin) == 0 &&
         (dwarf_hasattr(&function, DW_AT_inline) != 0 ||
          dwarf_hasattr(&function, DW_AT_low_pc) != 0 ||
          dwarf_hasattr(&function, DW_AT_ranges) != 0);
}

std::size_t HashOfName(Dwarf_Die& function) {
  const char* const name = dwarf_diename(&function);
  return std::hash<std::string_view>()(name == nullptr ? "" : name);
}

/// Calls `take(low, high)` for each range of the code of an entry.
template <typename Take>
void ForEachRange(Dwarf_Die& die, Take take) {
  Dwarf_Addr base = 0;
  Dwarf_Addr low = 0;
  Dwarf_Addr high = 0;
  std::ptrdiff_t at = 0;
  while ((at = dwarf_ranges(&die, at, &base, &low, &high)) > 0) {
    if (low < high) take(low, high);
  }
}

/// Returns the last of the ranges, sorted by their start, that contains an address.
template <typename Ranges>
auto RangeAt(const Ranges& ranges, std::uint64_t address) {
  const auto next = std::ranges::upper_bound(ranges, address, {}, &Ranges::value_type::low);
  if (next == ranges.begin() || std::prev(next)->high <= address) return ranges.end();
  return std::prev(next);
}

}  // namespace

std::unique_ptr<DebugInfo> DebugInfo::Read(const ElfFile& file) {
  if (!file.HasReadableDebug()) return nullptr;
  std::unique_ptr<DebugInfo> info(new DebugInfo());
  info->dwarf_.reset(dwarf_begin_elf(file.elf(), DWARF_C_READ, nullptr));
  if (!info->dwarf_) return nullptr;
  info->left_to_visit_ = kMostVisits;
  GElf_Shdr header;
  Elf_Scn* const section = file.Section(".debug_info");
  info->countable_ = section != nullptr && gelf_getshdr(section, &header) != nullptr &&
                     header.sh_size <= kMostCountedBytes;
  return info;
}

std::vector<std::string> DebugInfo::InlinedAt(std::uint64_t address) {
  std::vector<std::string> names;
  auto function = FunctionAt(address);
  if (function) AddInlined(*function, address, 0, names);
  return names;
}

std::optional<std::string> DebugInfo::SourceAt(std::uint64_t address) {
  auto function = FunctionAt(address);
  if (!function) return std::nullopt;
  Dwarf_Die origin = OriginOf(*function);
  CountLocalFunctions();
  if (!countable_) return std::nullopt;
  return DistinctSource(origin);
}

bool DebugInfo::MayVisit() {
  if (left_to_visit_ == 0) return false;
  --left_to_visit_;
  return true;
}

std::optional<Dwarf_Die> DebugInfo::DieAt(void* address) const {
  Dwarf_Die die;
  if (dwarf_die_addr_die(dwarf_.get(), address, &die) == nullptr) return std::nullopt;
  return die;
}

/// Returns the compilation unit that contains the code at an address.
std::optional<Dwarf_Die> DebugInfo::UnitAt(std::uint64_t address) {
  Dwarf_Die unit;
  if (dwarf_addrdie(dwarf_.get(), address, &unit) != nullptr) return unit;
  // Clang writes no .debug_aranges.
  ReadUnitRanges();
  const auto range = RangeAt(*unit_ranges_, address);
  return range == unit_ranges_->end() ? std::nullopt : DieAt(range->unit);
}

void DebugInfo::ReadUnitRanges() {
  if (unit_ranges_) return;
  std::vector<UnitRange>& ranges = unit_ranges_.emplace();
  Dwarf_CU* unit = nullptr;
  Dwarf_Die die;
  while (MayVisit() &&
         dwarf_get_units(dwarf_.get(), unit, &unit, nullptr, nullptr, &die, nullptr) == 0) {
    if (dwarf_tag(&die) != DW_TAG_compile_unit) continue;
    ForEachRange(die, [&](std::uint64_t low, std::uint64_t high) {
      if (MayVisit()) ranges.push_back({low, high, die.addr});
    });
  }
  std::ranges::sort(ranges, {}, &UnitRange::low);
}

/// Returns the function, not inlined, that contains an address.
std::optional<Dwarf_Die> DebugInfo::FunctionAt(std::uint64_t address) {
  auto unit = UnitAt(address);
  if (!unit) return std::nullopt;
  const auto [entry, is_new] = functions_.try_emplace(unit->addr);
  std::vector<Range>& ranges = entry->second;
  if (is_new) {
    IndexFunctions(*unit, 0, ranges);
    std::ranges::sort(ranges, {}, &Range::low);
  }
  const auto range = RangeAt(ranges, address);
  return range == ranges.end() ? std::nullopt : DieAt(range->die);
}

void DebugInfo::IndexFunctions(Dwarf_Die& parent, int depth, std::vector<Range>& ranges) {
  Dwarf_Die child;
  if (depth > kMostDepth || !ToFirstChild(parent, child)) return;
  do {
    if (!MayVisit()) return;
    if (dwarf_tag(&child) == DW_TAG_subprogram) {
      AddRanges(child, ranges);
    } else if (MayContainFunctions(child)) {
      IndexFunctions(child, depth + 1, ranges);
    }
  } while (ToNextSibling(child));
}

void DebugInfo::AddRanges(Dwarf_Die& function, std::vector<Range>& ranges) {
  ForEachRange(function, [&](std::uint64_t low, std::uint64_t high) {
    if (MayVisit()) ranges.push_back({low, high, function.addr});
  });
}

/// Appends the chain of inlined functions that contain an address.
void DebugInfo::AddInlined(Dwarf_Die& parent, std::uint64_t address, int depth,
                           std::vector<std::string>& names) {
  Dwarf_Die child;
  if (depth > kMostDepth || !ToFirstChild(parent, child)) return;
  do {
    if (!MayVisit()) return;
    const int tag = dwarf_tag(&child);
    if ((!IsInlined(child) && tag != DW_TAG_lexical_block && tag != DW_TAG_try_block &&
         tag != DW_TAG_catch_block) ||
        dwarf_haspc(&child, address) <= 0) {
      continue;
    }
    if (IsInlined(child)) names.push_back(NameOf(child));
    return AddInlined(child, address, depth + 1, names);
  } while (ToNextSibling(child));
}

const std::string& DebugInfo::NameOf(Dwarf_Die& function) {
  Dwarf_Die origin = OriginOf(function);
  const auto [entry, is_new] = names_.try_emplace(origin.addr);
  if (is_new) {
    CountLocalFunctions();
    entry->second = NameWithSource(NameOfFunction(origin), DistinctSource(origin));
  }
  return entry->second;
}

/// Finds the local functions of all source files.
void DebugInfo::CountLocalFunctions() {
  if (std::exchange(counted_, true) || !countable_) return;
  Dwarf_CU* unit = nullptr;
  Dwarf_Die die;
  while (dwarf_get_units(dwarf_.get(), unit, &unit, nullptr, nullptr, &die, nullptr) == 0) {
    CountIn(die, 0);
  }
  if (left_to_visit_ == 0) countable_ = false;
  std::ranges::sort(local_functions_, {}, &LocalFunction::name_hash);
}

void DebugInfo::CountIn(Dwarf_Die& parent, int depth) {
  Dwarf_Die child;
  if (depth > kMostDepth || !ToFirstChild(parent, child)) return;
  do {
    if (!MayVisit()) return;
    if (dwarf_tag(&child) == DW_TAG_subprogram) {
      if (HasBody(child) && !IsExternal(child)) {
        local_functions_.push_back({HashOfName(child), child.addr});
      }
    } else if (dwarf_tag(&child) == DW_TAG_namespace) {
      CountIn(child, depth + 1);
    }
  } while (ToNextSibling(child));
}

/// Returns the source file of a local function if another file has a local function with the same
/// name; otherwise an empty text.
std::string DebugInfo::DistinctSource(Dwarf_Die& origin) {
  if (!countable_ || IsExternal(origin)) return {};
  // Not std::ranges::equal_range, whose subrange clang 14 refuses.
  const std::size_t hash = HashOfName(origin);
  const std::span<const LocalFunction> same(
      std::ranges::lower_bound(local_functions_, hash, {}, &LocalFunction::name_hash),
      std::ranges::upper_bound(local_functions_, hash, {}, &LocalFunction::name_hash));
  if (same.size() < 2) return {};
  const std::string name = IdentityOfFunction(origin);
  const std::string source = SourceOfFunction(origin);
  int left = kMostCompared;
  for (const LocalFunction& other : same) {
    auto die = DieAt(other.die);
    if (!die || die->addr == origin.addr) continue;
    if (SourceOfFunction(*die) != source && IdentityOfFunction(*die) == name) return source;
    if (--left == 0) break;
  }
  return {};
}

}  // namespace benchd
