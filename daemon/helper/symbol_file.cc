#include "daemon/helper/symbol_file.h"

#include <elf.h>
#include <fmt/format.h>

#include <utility>

#include "core/base/text.h"
#include "daemon/helper/code_elf.h"
#include "daemon/helper/function_name.h"

namespace benchd {
namespace {

/// Returns the beginning of a build ID, which tells the builds of a program apart.
std::string BuildOf(std::string_view id) {
  constexpr std::size_t kBytes = 4;
  return id.empty() ? "" : " " + ToHex(std::string(id.substr(0, kBytes)));
}

std::string FolderOf(const std::string& path) { return path.substr(0, path.rfind('/') + 1); }

}  // namespace

SymbolFile::SymbolFile(const CodeFile& file, ReadBudget& budget, const std::string& debug_folder)
    : kind_(file.kind),
      shown_name_(BaseName(file.path)),
      build_(BuildOf(file.build_id)),
      elf_(OpenCode(file, budget)) {
  if (!elf_) return;
  build_ = BuildOf(elf_->build_id());
  FindDebugFile(budget, debug_folder);
  ReadTables();
}

/// Opens the file with symbols and debug information, unless this file has both.
void SymbolFile::FindDebugFile(ReadBudget& budget, const std::string& debug_folder) {
  const std::string& id = elf_->build_id();
  if (id.size() < 2 ||
      (elf_->SectionOfType(SHT_SYMTAB) != nullptr && elf_->Section(".debug_info") != nullptr)) {
    return;
  }
  const std::string hex = ToHex(id);
  const std::string by_id =
      fmt::format("{}/.build-id/{}/{}.debug", debug_folder, hex.substr(0, 2), hex.substr(2));
  if (TakeDebugFile(by_id, budget)) return;
  const std::string link = elf_->DebugLink();
  if (link.empty()) return;
  const std::string folder = FolderOf(elf_->path());
  for (const std::string& path :
       {folder + link, folder + ".debug/" + link, debug_folder + folder + link}) {
    if (TakeDebugFile(path, budget)) return;
  }
}

bool SymbolFile::TakeDebugFile(const std::string& path, ReadBudget& budget) {
  if (path == elf_->path()) return false;
  debug_elf_ = ElfFile::Open(path, budget);
  if (debug_elf_ && debug_elf_->build_id() != elf_->build_id()) debug_elf_.reset();
  return debug_elf_.has_value();
}

void SymbolFile::ReadTables() {
  linked_ = LinkedCode::Read(*elf_);
  symbols_ = SymbolTable::Read(*elf_, false);
  if (symbols_.empty() && debug_elf_) symbols_ = SymbolTable::Read(*debug_elf_, false);
  if (symbols_.empty()) symbols_ = SymbolTable::Read(*elf_, true);
  debug_ = DebugInfo::Read(*elf_);
  if (!debug_ && debug_elf_) debug_ = DebugInfo::Read(*debug_elf_);
}

std::vector<std::string> SymbolFile::FunctionsAt(std::uint64_t offset, bool inlined) {
  if (!elf_) return {Unnamed(offset)};
  const auto address = elf_->AddressOf(offset);
  if (!address) return {Unnamed(offset)};
  std::vector<std::string> names{NameAt(*address)};
  if (!inlined || !debug_) return names;
  for (const std::string& name : debug_->InlinedAt(*address)) {
    names.push_back(CleanName(name).append(kInlinedSuffix));
  }
  return names;
}

std::string SymbolFile::NameAt(std::uint64_t address) {
  if (const auto stub = linked_.StubAt(address)) return CleanName(*stub);
  if (const auto* const function = symbols_.FunctionAt(address)) return NameOf(*function, address);
  return Unnamed(linked_.FunctionStart(address).value_or(address));
}

std::string SymbolFile::NameOf(const SymbolTable::Function& function, std::uint64_t address) {
  const auto [entry, is_new] = names_.try_emplace(&function);
  if (!is_new) return entry->second;
  std::string source = function.source;
  // The debug information also has the functions that were only inlined.
  if (function.local && debug_) source = debug_->SourceAt(address).value_or(source);
  return entry->second = CleanName(NameWithSource(function.name, source));
}

std::string SymbolFile::Unnamed(std::uint64_t place) const {
  switch (kind_) {
    case CodeKind::kAnonymous:
      return std::string(kAnonymousCode);
    case CodeKind::kVdso:
      return "[vdso]";
    case CodeKind::kVsyscall:
      return "[vsyscall]";
    case CodeKind::kFile:
      break;
  }
  return fmt::format("[{}+{:#x}{}]", CleanName(shown_name_), place, build_);
}

}  // namespace benchd
