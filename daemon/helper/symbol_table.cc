#include "daemon/helper/symbol_table.h"

#include <gelf.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>
#include <utility>

#include "daemon/helper/function_name.h"

namespace benchd {
namespace {

/// The maximum number of symbols that are read, far more than the largest browsers have.
constexpr std::size_t kMostSymbols = 4'000'000;

/// The maximum length of a symbol in the file.
constexpr std::size_t kMostSymbolBytes = std::size_t{16} * 1024;

/// How many functions before an address are examined, if the last one ends before it. A function of
/// assembler may contain others.
constexpr int kMostEnclosing = 16;

/// Whether a source file is a part of a Rust crate. Its name differs from build to build, and its
/// functions are copies of each other: "demo.57d17ea9a3d4ad24-cgu.0".
bool IsCodegenUnit(std::string_view source) { return source.find("-cgu.") != source.npos; }

/// Orders the names of one function: public ones first, then those with fewer underscores in front,
/// then shorter ones.
struct NameOrder {
  bool operator()(std::string_view a, std::string_view b) const {
    const std::size_t a_score = std::min(a.find_first_not_of('_'), a.size());
    const std::size_t b_score = std::min(b.find_first_not_of('_'), b.size());
    if (a_score != b_score) return a_score < b_score;
    return a.size() != b.size() ? a.size() < b.size() : a < b;
  }
};

constexpr std::uint32_t kLocalRank = 2;
/// Added to the rank of a symbol without a size, as some of assembler are.
constexpr std::uint32_t kWithoutSize = 3;

std::uint32_t RankOf(const GElf_Sym& symbol) {
  const unsigned binding = GELF_ST_BIND(symbol.st_info);
  const std::uint32_t rank = binding == STB_GLOBAL ? 0 : binding == STB_WEAK ? 1 : kLocalRank;
  return rank + (symbol.st_size == 0 ? kWithoutSize : 0);
}

bool IsFunction(const GElf_Sym& symbol) {
  const unsigned type = GELF_ST_TYPE(symbol.st_info);
  return (type == STT_FUNC || type == STT_GNU_IFUNC) && symbol.st_shndx != SHN_UNDEF;
}

/// Returns the address after the end of a section, or 0 for a special number.
std::uint64_t EndOfSection(const ElfFile& file, unsigned index) {
  GElf_Shdr header;
  Elf_Scn* const section = elf_getscn(file.elf(), index);
  if (section == nullptr || gelf_getshdr(section, &header) == nullptr) return 0;
  return header.sh_addr + header.sh_size;
}

/// Returns the size of a function; for a function of unknown size, the distance to the end of its
/// section.
std::uint32_t SizeOf(const ElfFile& file, const GElf_Sym& symbol) {
  std::uint64_t bytes = symbol.st_size;
  if (bytes == 0) {
    const std::uint64_t end = EndOfSection(file, symbol.st_shndx);
    bytes = end > symbol.st_value ? end - symbol.st_value : 0;
  }
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes, UINT32_MAX));
}

std::uint64_t HashOf(std::string_view symbol) {
  return std::hash<std::string_view>()(WithoutCloneSuffixes(symbol));
}

}  // namespace

SymbolTable SymbolTable::Read(const ElfFile& file, bool dynamic) {
  SymbolTable table;
  Elf_Scn* const section = file.SectionOfType(dynamic ? SHT_DYNSYM : SHT_SYMTAB);
  GElf_Shdr header;
  if (section == nullptr || gelf_getshdr(section, &header) == nullptr) return table;
  Elf_Data* const strings = file.Contents(elf_getscn(file.elf(), header.sh_link));
  Elf_Data* const symbols = file.Contents(section);
  if (strings == nullptr || strings->d_buf == nullptr || symbols == nullptr) return table;
  table.strings_ = {static_cast<const char*>(strings->d_buf), strings->d_size};
  const std::size_t width = gelf_fsize(file.elf(), ELF_T_SYM, 1, EV_CURRENT);
  if (width == 0) return table;
  table.ReadSymbols(file, symbols, std::min(symbols->d_size / width, kMostSymbols));
  return table;
}

void SymbolTable::ReadSymbols(const ElfFile& file, Elf_Data* data, std::size_t count) {
  for (std::size_t i = 1; i < count; ++i) {
    GElf_Sym symbol;
    if (gelf_getsym(data, static_cast<int>(i), &symbol) == nullptr) break;
    if (GELF_ST_TYPE(symbol.st_info) == STT_FILE) sources_.push_back(symbol.st_name);
    if (!IsFunction(symbol) || NameOf(symbol.st_name).empty()) continue;
    const bool local = GELF_ST_BIND(symbol.st_info) == STB_LOCAL;
    symbols_.push_back({symbol.st_value, SizeOf(file, symbol), symbol.st_name,
                        static_cast<std::uint32_t>(local ? sources_.size() - 1 : 0),
                        RankOf(symbol)});
  }
  std::ranges::sort(symbols_, [this](const Symbol& a, const Symbol& b) {
    if (a.start != b.start) return a.start < b.start;
    if (a.rank != b.rank) return a.rank < b.rank;
    return NameOrder()(NameOf(a.name), NameOf(b.name));
  });
  const auto same_start = [](const Symbol& a, const Symbol& b) { return a.start == b.start; };
  std::vector<Symbol> first;
  std::ranges::unique_copy(symbols_, std::back_inserter(first), same_start);
  symbols_ = std::move(first);
}

/// Returns a name in the table of strings. A name that does not end there, or is too long, is
/// empty.
std::string_view SymbolTable::NameOf(std::uint32_t offset) const {
  if (offset >= strings_.size()) return {};
  const std::string_view rest = strings_.substr(offset, kMostSymbolBytes);
  const std::size_t end = rest.find('\0');
  return end == rest.npos ? std::string_view() : rest.substr(0, end);
}

const SymbolTable::Symbol* SymbolTable::Find(std::uint64_t address) const {
  auto next = std::ranges::upper_bound(symbols_, address, {}, &Symbol::start);
  for (int i = 0; i < kMostEnclosing && next != symbols_.begin(); ++i) {
    const Symbol& symbol = *std::prev(next);
    const bool ends_at_next = symbol.rank >= kWithoutSize;
    if (address - symbol.start < symbol.bytes && (i == 0 || !ends_at_next)) return &symbol;
    --next;
  }
  return nullptr;
}

std::string_view SymbolTable::SourceOf(const Symbol& symbol) const {
  const std::string_view source = NameOf(sources_[symbol.source]);
  return symbol.source == 0 || IsCodegenUnit(source) ? std::string_view() : source;
}

const SymbolTable::Function* SymbolTable::FunctionAt(std::uint64_t address) {
  const Symbol* const symbol = Find(address);
  if (symbol == nullptr) return nullptr;
  const auto [entry, is_new] = functions_.try_emplace(symbol);
  Function& function = entry->second;
  if (!is_new) return &function;
  const std::string_view name = NameOf(symbol->name);
  const std::string_view source = SourceOf(*symbol);
  function.name = ReadableName(name);
  function.local = symbol->rank % kWithoutSize == kLocalRank;
  if (!source.empty() && IsAmbiguous(name)) function.source = source;
  return &function;
}

void SymbolTable::CountNames() {
  if (std::exchange(counted_, true)) return;
  places_.reserve(symbols_.size());
  for (const Symbol& symbol : symbols_) {
    places_.push_back({HashOf(NameOf(symbol.name)), symbol.source});
  }
  std::ranges::sort(places_);
  places_.erase(std::unique(places_.begin(), places_.end()), places_.end());
}

bool SymbolTable::IsAmbiguous(std::string_view symbol) {
  CountNames();
  // Not std::ranges::equal_range, whose subrange clang 14 refuses.
  const std::uint64_t hash = HashOf(symbol);
  return std::ranges::upper_bound(places_, hash, {}, &NamePlace::hash) -
             std::ranges::lower_bound(places_, hash, {}, &NamePlace::hash) >
         1;
}

}  // namespace benchd
