#include "daemon/helper/elf_file.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "daemon/helper/function_name.h"

namespace benchd {
namespace {

/// The maximum number of segments that a file may have.
constexpr std::size_t kMostSegments = 1000;

/// Opens a path that another user may have prepared. The kernel mapped a regular file, but another
/// file may have its name now. Some devices react when they are opened.
UniqueFd OpenRegular(const std::string& path, struct stat& info) {
  if (stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return {};
  UniqueFd fd(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!fd || fstat(fd.get(), &info) != 0 || !S_ISREG(info.st_mode)) return {};
  return fd;
}

std::string_view NameOfSection(Elf* elf, const GElf_Shdr& header) {
  std::size_t names = 0;
  if (elf_getshdrstrndx(elf, &names) != 0) return {};
  const char* const name = elf_strptr(elf, names, header.sh_name);
  return name == nullptr ? std::string_view() : name;
}

/// The memory that libdw needs for a section of debug information.
std::uint64_t DebugBytes(Elf_Scn* section, const GElf_Shdr& header, bool mapped) {
  GElf_Chdr compressed;
  if ((header.sh_flags & SHF_COMPRESSED) != 0 && gelf_getchdr(section, &compressed) != nullptr) {
    return compressed.ch_size + (mapped ? 0 : header.sh_size);
  }
  return mapped ? 0 : header.sh_size;
}

}  // namespace

std::optional<ElfFile> ElfFile::Open(const std::string& path, ReadBudget& budget) {
  elf_version(EV_CURRENT);
  ElfFile file;
  file.path_ = path;
  struct stat info {};
  file.fd_ = OpenRegular(path, info);
  if (!file.fd_) return std::nullopt;
  file.inode_ = info.st_ino;
  file.budget_ = &budget;
  file.mapped_ = budget.Take(static_cast<std::uint64_t>(info.st_size));
  file.elf_.reset(elf_begin(file.fd_.get(), file.mapped_ ? ELF_C_READ_MMAP : ELF_C_READ, nullptr));
  if (!file.ReadHeaders()) return std::nullopt;
  return file;
}

std::optional<ElfFile> ElfFile::InMemory(char* image, std::size_t bytes, ReadBudget& budget) {
  elf_version(EV_CURRENT);
  ElfFile file;
  file.budget_ = &budget;
  file.mapped_ = true;
  file.elf_.reset(elf_memory(image, bytes));
  if (!file.ReadHeaders()) return std::nullopt;
  return file;
}

/// Reads the build ID and the segments. Returns false if it is not an ELF file.
bool ElfFile::ReadHeaders() {
  if (!elf_ || elf_kind(elf()) != ELF_K_ELF) return false;
  const void* id = nullptr;
  const ssize_t id_bytes = dwelf_elf_gnu_build_id(elf(), &id);
  if (id_bytes > 0) {
    build_id_.assign(static_cast<const char*>(id), static_cast<std::size_t>(id_bytes));
  }
  std::size_t count = 0;
  if (elf_getphdrnum(elf(), &count) != 0) return false;
  for (std::size_t i = 0; i < std::min(count, kMostSegments); ++i) {
    GElf_Phdr header;
    if (gelf_getphdr(elf(), static_cast<int>(i), &header) == nullptr) break;
    if (header.p_type != PT_LOAD) continue;
    segments_.push_back(
        {header.p_offset, header.p_filesz, header.p_vaddr, (header.p_flags & PF_X) != 0});
  }
  return true;
}

std::optional<std::uint64_t> ElfFile::AddressOf(std::uint64_t offset) const {
  const Segment* found = nullptr;
  for (const Segment& segment : segments_) {
    if (offset < segment.offset || offset - segment.offset >= segment.bytes) continue;
    if (found == nullptr || segment.executable) found = &segment;
  }
  if (found == nullptr) return std::nullopt;
  return found->address + (offset - found->offset);
}

Elf_Scn* ElfFile::Section(std::string_view name) const {
  GElf_Shdr header;
  for (Elf_Scn* at = elf_nextscn(elf(), nullptr); at != nullptr; at = elf_nextscn(elf(), at)) {
    if (gelf_getshdr(at, &header) != nullptr && NameOfSection(elf(), header) == name) return at;
  }
  return nullptr;
}

Elf_Scn* ElfFile::SectionOfType(std::uint32_t type) const {
  GElf_Shdr header;
  for (Elf_Scn* at = elf_nextscn(elf(), nullptr); at != nullptr; at = elf_nextscn(elf(), at)) {
    if (gelf_getshdr(at, &header) != nullptr && header.sh_type == type) return at;
  }
  return nullptr;
}

Elf_Data* ElfFile::Contents(Elf_Scn* section) const {
  GElf_Shdr header;
  if (section == nullptr || gelf_getshdr(section, &header) == nullptr) return nullptr;
  if (header.sh_type == SHT_NOBITS || (header.sh_flags & SHF_COMPRESSED) != 0) return nullptr;
  if (!mapped_ && !budget_->Take(header.sh_size)) return nullptr;
  return elf_getdata(section, nullptr);
}

bool ElfFile::HasReadableDebug() const {
  std::uint64_t bytes = 0;
  bool found = false;
  GElf_Shdr header;
  for (Elf_Scn* at = elf_nextscn(elf(), nullptr); at != nullptr; at = elf_nextscn(elf(), at)) {
    if (gelf_getshdr(at, &header) == nullptr || header.sh_type == SHT_NOBITS) continue;
    const std::string_view name = NameOfSection(elf(), header);
    if (!name.starts_with(".debug_")) continue;
    found = found || name == ".debug_info";
    const std::uint64_t needed = DebugBytes(at, header, mapped_);
    if (needed > UINT64_MAX - bytes) return false;
    bytes += needed;
  }
  return found && budget_->Take(bytes);
}

std::string ElfFile::DebugLink() const {
  GElf_Word checksum = 0;
  const char* const name = dwelf_elf_gnu_debuglink(elf(), &checksum);
  return name == nullptr ? std::string() : std::string(BaseName(name));
}

}  // namespace benchd
