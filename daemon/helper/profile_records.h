#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "daemon/wire/profile_stream.h"

// Decodes the stream of a sampled run (wire/profile_stream.h). Pure: reads no file, and never
// beyond the end of the stream. All views point into the stream.

namespace benchd {

/// A file that a process mapped as code, as the kernel identifies it.
struct MappedFile {
  std::string_view path;      ///< any bytes; "//anon" and "[vdso]" do not name files
  std::string_view build_id;  ///< raw bytes; empty if the kernel could not read it
  /// The number of the file in its file system; 0 with a build ID, and in old records.
  std::uint64_t inode = 0;
};

struct MappingRecord {
  std::uint32_t pid = 0;
  std::uint64_t start = 0;  ///< the first address
  std::uint64_t bytes = 0;
  std::uint64_t file_offset = 0;  ///< of the first address
  MappedFile file;
};

/// The values of the registers of a sampled thread, and a copy of its stack.
struct UserState {
  std::uint64_t mask = 0;  ///< ProfileHeader::registers; 0 if the kernel recorded no registers
  std::string_view registers;
  std::string_view stack;  ///< from the stack pointer upwards

  /// Returns the register with this number of <asm/perf_regs.h>, or 0 if it was not recorded.
  std::uint64_t Register(unsigned number) const;
};

struct SampleRecord {
  std::uint32_t pid = 0;
  wire::ProfileEventKind kind = wire::ProfileEventKind::kTime;
  std::uint64_t period = 0;
  /// 64-bit addresses as the kernel found them, from the innermost function outwards, with
  /// PERF_CONTEXT_* markers in between.
  std::string_view chain;
  UserState state;
};

/// Receives the decoded records of a stream in order of time.
class ProfileConsumer {
 public:
  virtual void OnMapping(const MappingRecord& mapping) = 0;
  /// A process was created as a copy of `parent`. Threads are not reported.
  virtual void OnFork(std::uint32_t pid, std::uint32_t parent) = 0;
  /// A process replaced its program, and lost all its mappings.
  virtual void OnExec(std::uint32_t pid) = 0;
  virtual void OnExit(std::uint32_t pid) = 0;
  virtual void OnSample(const SampleRecord& sample) = 0;

 protected:
  ~ProfileConsumer() = default;
};

/// A stream whose header and records have been checked.
class ProfileRecords {
 public:
  /// Finds the records of a stream and their order.
  ///
  /// @param stream  must outlive the result
  /// @errors kInvalidArgument "profile: ..." if the runner and the kernel cannot have written it
  static Result<ProfileRecords> Parse(std::string_view stream);

  /// Decodes the records. Records of other types are skipped.
  /// @errors kInvalidArgument if the fields of a record do not fit into it
  Result<void> Deliver(ProfileConsumer& consumer) const;

  /// The number of samples that the kernel or the runner dropped.
  std::uint64_t lost_samples() const { return lost_samples_; }
  /// Returns the number of those that were lost because the stream was full.
  std::uint64_t unkept_samples() const { return header_.lost_samples; }

 private:
  struct Place {
    std::uint64_t time_ns = 0;
    std::uint32_t offset = 0;
  };

  explicit ProfileRecords(std::string_view stream) : stream_(stream) {}
  Result<void> ParseHeader();
  Result<void> FindRecords();
  std::string_view RecordAt(std::size_t offset) const;
  Result<void> AddPlace(std::size_t offset);
  bool DeliverOne(std::string_view record, ProfileConsumer& consumer) const;
  bool DeliverSample(std::string_view record, ProfileConsumer& consumer) const;

  std::string_view stream_;
  wire::ProfileHeader header_;
  std::vector<wire::ProfileEvent> events_;  ///< by ID
  std::vector<Place> places_;               ///< by time
  std::uint64_t lost_samples_ = 0;
};

}  // namespace benchd
