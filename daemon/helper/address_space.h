#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "daemon/helper/profile_records.h"

// From the addresses of processes to places in files. Pure: opens no file.

namespace benchd {

/// What is mapped at an address: a file, or memory that belongs to no file.
enum class CodeKind {
  kFile,
  kAnonymous,  ///< code that the program itself wrote, such as that of a JIT compiler
  kVdso,       ///< code of the kernel that runs in user mode
  kVsyscall,   ///< the same, of old programs on x86
};

/// A file that was mapped as code by any process of the run, or a kind of memory.
struct CodeFile {
  CodeKind kind = CodeKind::kFile;
  std::string path;
  std::string build_id;  ///< raw bytes; empty: unknown
  std::uint64_t inode = 0;
};

/// A place in the code of a run.
struct CodePlace {
  std::uint32_t file = 0;    ///< index into AddressSpaces::files()
  std::uint32_t pid = 0;     ///< the process, if the code is kAnonymous; otherwise 0
  std::uint64_t offset = 0;  ///< in the file; if the code is kAnonymous, the address
  bool operator==(const CodePlace&) const = default;
};

/// The mappings of all processes of a run, as they change from record to record.
///
/// A program can create any number of processes and mappings. Beyond the limits, processes have no
/// mappings, and mappings are ignored, so that addresses in them are unknown.
class AddressSpaces {
 public:
  static constexpr std::size_t kMostMappings = 100'000;  ///< of all processes together
  static constexpr std::size_t kMostProcesses = 10'000;  ///< that have not exited
  static constexpr std::size_t kMostFiles = 10'000;

  /// Replaces whatever the process had mapped in the same range.
  void Map(const MappingRecord& mapping);
  /// Copies the mappings of `parent`.
  void Fork(std::uint32_t pid, std::uint32_t parent);
  /// Removes all mappings of a process that replaced its program.
  void Exec(std::uint32_t pid);
  /// The process may be forgotten. It is kept while there is space, because other threads of a
  /// process may outlive the first one.
  void Exit(std::uint32_t pid);

  /// Returns std::nullopt for an address outside of all mappings.
  std::optional<CodePlace> Find(std::uint32_t pid, std::uint64_t address) const;

  /// The files in the order in which they were first mapped.
  const std::vector<CodeFile>& files() const { return files_; }

 private:
  struct Mapping {
    std::uint64_t end = 0;
    std::uint32_t file = 0;
    std::uint64_t offset = 0;
  };
  using Mappings = std::map<std::uint64_t, Mapping>;  // by the first address

  /// Parent and child own the mappings together until one of them changes its own, because a shell
  /// script forks thousands of processes that run for a moment.
  using Shared = std::shared_ptr<Mappings>;

  struct Process {
    Shared mappings;  ///< null: none
    bool exited = false;
  };

  Process* ProcessOf(std::uint32_t pid);
  bool ForgetOne();
  void Drop(Shared& mappings);
  Mappings* ToChange(Process& process);
  void Clear(Mappings& mappings, std::uint64_t start, std::uint64_t end);
  std::optional<std::uint32_t> FileOf(const MappedFile& file);

  std::unordered_map<std::uint32_t, Process> processes_;
  std::deque<std::uint32_t> exited_;  // the oldest first; a process may have been forgotten since
  std::size_t mappings_ = 0;          // in all distinct maps
  std::vector<CodeFile> files_;
  std::map<std::tuple<CodeKind, std::string, std::string, std::uint64_t>, std::uint32_t> index_of_;
};

}  // namespace benchd
