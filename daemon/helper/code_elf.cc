#include "daemon/helper/code_elf.h"

#include <elf.h>
#include <link.h>
#include <sys/auxv.h>

#include <cstring>
#include <utility>

namespace benchd {
namespace {

/// Returns the code of the kernel that every process has in its memory, in this process.
std::pair<char*, std::size_t> OwnVdso() {
  // The kernel reports the address as a number.
  auto* const image = reinterpret_cast<char*>(getauxval(AT_SYSINFO_EHDR));  // NOLINT
  if (image == nullptr) return {};
  ElfW(Ehdr) header;
  std::memcpy(&header, image, sizeof(header));
  // The table of sections is at the end.
  return {image, header.e_shoff + std::size_t{header.e_shnum} * header.e_shentsize};
}

bool IsTheMapped(const ElfFile& elf, const CodeFile& file) {
  if (!file.build_id.empty()) return elf.build_id() == file.build_id;
  return file.inode != 0 && elf.inode() == file.inode;
}

}  // namespace

std::optional<ElfFile> OpenCode(const CodeFile& file, ReadBudget& budget) {
  if (file.kind == CodeKind::kVdso) {
    const auto [image, bytes] = OwnVdso();
    return image == nullptr ? std::nullopt : ElfFile::InMemory(image, bytes, budget);
  }
  if (file.kind != CodeKind::kFile) return std::nullopt;
  auto elf = ElfFile::Open(file.path, budget);
  if (elf && !IsTheMapped(*elf, file)) elf.reset();
  return elf;
}

}  // namespace benchd
