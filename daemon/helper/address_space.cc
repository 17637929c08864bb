#include "daemon/helper/address_space.h"

#include <array>
#include <iterator>
#include <limits>
#include <string_view>
#include <utility>

namespace benchd {
namespace {

/// What the kernel writes in place of a path for memory without a file: anonymous memory, also with
/// the name that prctl(2) gave it, shared memory, and the heap and stacks.
constexpr auto kAnonymousNames =
    std::to_array<std::string_view>({"//anon", "[anon", "/memfd:", "/dev/zero", "/SYSV", "[heap]",
                                     "[stack", "anon_inode:", "/anon_hugepage"});

CodeKind KindOf(std::string_view path) {
  if (path == "[vdso]") return CodeKind::kVdso;
  if (path == "[vsyscall]") return CodeKind::kVsyscall;
  for (const std::string_view name : kAnonymousNames) {
    if (path.starts_with(name)) return CodeKind::kAnonymous;
  }
  return CodeKind::kFile;
}

}  // namespace

void AddressSpaces::Map(const MappingRecord& record) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  if (record.bytes == 0 || record.bytes > kMost - record.start) return;
  Process* const process = ProcessOf(record.pid);
  if (process == nullptr) return;
  Mappings* const mappings = ToChange(*process);
  if (mappings == nullptr) return;
  const std::uint64_t end = record.start + record.bytes;
  Clear(*mappings, record.start, end);
  const auto file = FileOf(record.file);
  if (!file || mappings_ >= kMostMappings) return;
  const bool anonymous = files_[*file].kind == CodeKind::kAnonymous;
  (*mappings)[record.start] = {end, *file, anonymous ? record.start : record.file_offset};
  ++mappings_;
}

void AddressSpaces::Fork(std::uint32_t pid, std::uint32_t parent) {
  const auto found = processes_.find(parent);
  const Shared copied = found == processes_.end() ? nullptr : found->second.mappings;
  Process* const process = ProcessOf(pid);
  if (process == nullptr) return;
  Drop(process->mappings);
  *process = {copied, false};
}

void AddressSpaces::Exec(std::uint32_t pid) {
  const auto found = processes_.find(pid);
  if (found != processes_.end()) Drop(found->second.mappings);
}

void AddressSpaces::Exit(std::uint32_t pid) {
  const auto found = processes_.find(pid);
  if (found == processes_.end() || found->second.exited) return;
  found->second.exited = true;
  exited_.push_back(pid);
}

std::optional<CodePlace> AddressSpaces::Find(std::uint32_t pid, std::uint64_t address) const {
  const auto process = processes_.find(pid);
  if (process == processes_.end() || !process->second.mappings) return std::nullopt;
  const Mappings& mappings = *process->second.mappings;
  const auto next = mappings.upper_bound(address);
  if (next == mappings.begin()) return std::nullopt;
  const auto& [start, mapping] = *std::prev(next);
  if (address >= mapping.end) return std::nullopt;
  const bool anonymous = files_[mapping.file].kind == CodeKind::kAnonymous;
  return CodePlace{mapping.file, anonymous ? pid : 0, mapping.offset + (address - start)};
}

/// Returns the process, which is new if it was unknown. Null if there are too many.
AddressSpaces::Process* AddressSpaces::ProcessOf(std::uint32_t pid) {
  const auto found = processes_.find(pid);
  if (found != processes_.end()) return &found->second;
  if (processes_.size() >= kMostProcesses && !ForgetOne()) return nullptr;
  return &processes_[pid];
}

/// Forgets the process that exited first. Returns false if no process has exited.
bool AddressSpaces::ForgetOne() {
  while (!exited_.empty()) {
    const auto found = processes_.find(exited_.front());
    exited_.pop_front();
    // The number may belong to a new process.
    if (found == processes_.end() || !found->second.exited) continue;
    Drop(found->second.mappings);
    processes_.erase(found);
    return true;
  }
  return false;
}

void AddressSpaces::Drop(Shared& mappings) {
  if (mappings && mappings.use_count() == 1) mappings_ -= mappings->size();
  mappings.reset();
}

/// Returns the mappings of a process, which no other process shares. Null if there are too many.
AddressSpaces::Mappings* AddressSpaces::ToChange(Process& process) {
  Shared& mappings = process.mappings;
  if (!mappings) {
    mappings = std::make_shared<Mappings>();
  } else if (mappings.use_count() > 1) {
    if (mappings_ + mappings->size() > kMostMappings) {
      Drop(mappings);  // they would be out of date
      return nullptr;
    }
    mappings = std::make_shared<Mappings>(*mappings);
    mappings_ += mappings->size();
  }
  return mappings.get();
}

/// Removes what is mapped in [start, end), and keeps the parts of a mapping outside of it.
void AddressSpaces::Clear(Mappings& mappings, std::uint64_t start, std::uint64_t end) {
  auto at = mappings.lower_bound(start);
  if (at != mappings.begin() && std::prev(at)->second.end > start) --at;
  while (at != mappings.end() && at->first < end) {
    const auto [first, old] = *at;
    at = mappings.erase(at);
    --mappings_;
    if (first < start) {
      mappings.emplace(first, Mapping{start, old.file, old.offset});
      ++mappings_;
    }
    if (old.end > end) {
      mappings.emplace(end, Mapping{old.end, old.file, old.offset + (end - first)});
      ++mappings_;
    }
  }
}

/// Returns the index of a file among files(). std::nullopt if there are too many.
std::optional<std::uint32_t> AddressSpaces::FileOf(const MappedFile& file) {
  CodeFile code;
  code.kind = KindOf(file.path);
  // All memory of a kind is one file: the names of anonymous memory differ from run to run.
  if (code.kind == CodeKind::kFile) {
    code.path = file.path;
    code.build_id = file.build_id;
    code.inode = file.inode;
  }
  const auto index = static_cast<std::uint32_t>(files_.size());
  const auto [entry, is_new] =
      index_of_.try_emplace({code.kind, code.path, code.build_id, code.inode}, index);
  if (!is_new) return entry->second;
  if (files_.size() >= kMostFiles) {
    index_of_.erase(entry);
    return std::nullopt;
  }
  files_.push_back(std::move(code));
  return index;
}

}  // namespace benchd
