#include "daemon/helper/linked_code.h"

#include <dwarf.h>
#include <gelf.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "daemon/helper/function_name.h"

namespace benchd {
namespace {

/// The size of a stub, on both x86-64 and arm64.
constexpr std::uint64_t kStubBytes = 16;
constexpr std::size_t kMostStubs = 1'000'000;

/// The start of .eh_frame_hdr, in the only encoding that linkers write. A table of pairs of signed
/// 32-bit numbers follows: the start of a function and the place of its unwind information, both
/// relative to the start of the section.
/// Source: Linux Standard Base Core 5.0, 10.6.2.
struct UnwindHeader {
  std::uint8_t version;
  std::uint8_t frame_encoding;
  std::uint8_t count_encoding;
  std::uint8_t table_encoding;
  std::int32_t frame;
  std::uint32_t count;
};
struct UnwindEntry {
  std::int32_t function;
  std::int32_t unwind;
};

bool IsUsual(const UnwindHeader& header) {
  return header.version == 1 && header.frame_encoding == (DW_EH_PE_pcrel | DW_EH_PE_sdata4) &&
         header.count_encoding == DW_EH_PE_udata4 &&
         header.table_encoding == (DW_EH_PE_datarel | DW_EH_PE_sdata4);
}

/// Returns the bytes before the first stub of a section, or std::nullopt if the section does not
/// have the usual stubs.
std::optional<std::uint64_t> BytesBeforeStubs(const ElfFile& file, std::string_view section) {
  GElf_Ehdr header;
  if (gelf_getehdr(file.elf(), &header) == nullptr) return std::nullopt;
  if (section == ".plt.sec") return header.e_machine == EM_X86_64 ? std::optional(0) : std::nullopt;
  if (header.e_machine == EM_X86_64) return 16;
  if (header.e_machine == EM_AARCH64) return 32;
  return std::nullopt;
}

/// Returns whether a relocation belongs to a thread-local variable, which has no stub of its own.
bool IsOfThreadLocal(const GElf_Rela& relocation) {
  const std::uint64_t type = GELF_R_TYPE(relocation.r_info);
  return type == R_AARCH64_TLSDESC || type == R_X86_64_TLSDESC;
}

struct Stubs {
  std::vector<std::string_view> names;  ///< of the functions that have a stub, in their order
  /// What thread-local variables add behind the stubs, at most.
  std::uint64_t most_bytes_behind = 0;
};

Stubs ReadStubNames(const ElfFile& file, Elf_Scn* relocations) {
  Stubs stubs;
  std::vector<std::string_view>& names = stubs.names;
  GElf_Shdr header;
  GElf_Shdr symbols_header;
  if (gelf_getshdr(relocations, &header) == nullptr || header.sh_type != SHT_RELA) return stubs;
  Elf_Scn* const symbols_section = elf_getscn(file.elf(), header.sh_link);
  Elf_Data* const data = file.Contents(relocations);
  Elf_Data* const symbols = file.Contents(symbols_section);
  if (data == nullptr || symbols == nullptr ||
      gelf_getshdr(symbols_section, &symbols_header) == nullptr) {
    return stubs;
  }
  GElf_Rela relocation;
  for (int i = 0; names.size() < kMostStubs && gelf_getrela(data, i, &relocation) != nullptr; ++i) {
    if (IsOfThreadLocal(relocation)) {
      stubs.most_bytes_behind = 2 * kStubBytes;
      continue;
    }
    GElf_Sym symbol;
    const auto index = static_cast<int>(GELF_R_SYM(relocation.r_info));
    const char* name = nullptr;
    if (index > 0 && gelf_getsym(symbols, index, &symbol) != nullptr) {
      name = elf_strptr(file.elf(), symbols_header.sh_link, symbol.st_name);
    }
    names.emplace_back(name == nullptr ? "" : name);
  }
  return stubs;
}

}  // namespace

LinkedCode LinkedCode::Read(const ElfFile& file) {
  LinkedCode code;
  code.ReadStarts(file);
  code.ReadStubs(file);
  return code;
}

void LinkedCode::ReadStarts(const ElfFile& file) {
  Elf_Scn* const section = file.Section(".eh_frame_hdr");
  Elf_Data* const data = file.Contents(section);
  GElf_Shdr place;
  if (data == nullptr || data->d_buf == nullptr || gelf_getshdr(section, &place) == nullptr) return;
  UnwindHeader header{};
  if (data->d_size < sizeof(header)) return;
  std::memcpy(&header, data->d_buf, sizeof(header));
  if (!IsUsual(header)) return;
  const std::size_t fits = (data->d_size - sizeof(header)) / sizeof(UnwindEntry);
  const char* entry_bytes = static_cast<const char*>(data->d_buf) + sizeof(header);
  starts_.reserve(std::min<std::size_t>(header.count, fits));
  for (std::size_t i = 0; i < std::min<std::size_t>(header.count, fits); ++i) {
    UnwindEntry entry{};
    std::memcpy(&entry, entry_bytes + i * sizeof(entry), sizeof(entry));
    starts_.push_back(place.sh_addr + static_cast<std::uint64_t>(std::int64_t{entry.function}));
  }
  std::ranges::sort(starts_);
}

void LinkedCode::ReadStubs(const ElfFile& file) {
  Elf_Scn* const relocations = file.Section(".rela.plt");
  if (relocations == nullptr) return;
  for (const std::string_view name : {".plt.sec", ".plt"}) {
    Elf_Scn* const section = file.Section(name);
    GElf_Shdr place;
    if (section == nullptr || gelf_getshdr(section, &place) == nullptr) continue;
    const auto before = BytesBeforeStubs(file, name);
    if (!before) return;
    Stubs stubs = ReadStubNames(file, relocations);
    const std::uint64_t size = *before + stubs.names.size() * kStubBytes;
    // Otherwise stub and name might not belong together.
    if (place.sh_size < size || place.sh_size > size + stubs.most_bytes_behind) return;
    first_stub_ = place.sh_addr + *before;
    stubs_ = std::move(stubs.names);
    return;
  }
}

std::optional<std::uint64_t> LinkedCode::FunctionStart(std::uint64_t address) const {
  const auto next = std::ranges::upper_bound(starts_, address);
  if (next == starts_.begin()) return std::nullopt;
  return *std::prev(next);
}

std::optional<std::string> LinkedCode::StubAt(std::uint64_t address) const {
  if (address < first_stub_) return std::nullopt;
  const std::uint64_t index = (address - first_stub_) / kStubBytes;
  if (index >= stubs_.size() || stubs_[index].empty()) return std::nullopt;
  return ReadableName(stubs_[index]) + "@plt";
}

}  // namespace benchd
