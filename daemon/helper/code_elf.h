#pragma once

#include <optional>

#include "daemon/helper/address_space.h"
#include "daemon/helper/elf_file.h"

namespace benchd {

/// Opens the very file that was mapped: it has the same build ID or, if the kernel reported none,
/// the same number in its file system. The kernel's own code is read from the memory of this
/// process.
/// @param budget  must outlive the result
std::optional<ElfFile> OpenCode(const CodeFile& file, ReadBudget& budget);

}  // namespace benchd
