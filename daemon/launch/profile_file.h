#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/base/file.h"
#include "core/base/result.h"
#include "daemon/wire/profile_stream.h"

namespace benchd {

/// Whole records of the kernel, in the one or two pieces in which they lie in a ring buffer. A
/// piece ends at a multiple of 8 bytes.
struct RecordPieces {
  std::string_view first;
  std::string_view second;
  std::size_t size() const { return first.size() + second.size(); }
};

/// The file in memory that collects the records of a run (wire/profile_stream.h). It looks at the
/// type and the size of a record at most, which are the kernel's, and never at what a program
/// determines.
class ProfileFile {
 public:
  /// Creates an empty file with space for the header and `event_count` events.
  /// @param most_bytes  the limit on the size of the file
  /// @errors those of memfd_create(2)
  static Result<ProfileFile> Create(std::size_t event_count,
                                    std::size_t most_bytes = wire::kProfileBytes);

  /// Appends the records. From the first one that does not fit, or cannot be written, all records
  /// are dropped, and the samples among them are counted.
  void Append(const RecordPieces& records);

  /// Writes the header and the table of events. The result is rewound to its start.
  /// @param header  the fields that this file does not know
  /// @errors those of pwrite(2)
  Result<UniqueFd> Finish(wire::ProfileHeader header, std::span<const wire::ProfileEvent> events);

 private:
  ProfileFile(UniqueFd memory, std::size_t records_at, std::size_t most_bytes)
      : memory_(std::move(memory)),
        records_at_(records_at),
        most_bytes_(most_bytes),
        bytes_(records_at) {}

  std::size_t FittingBytes(const RecordPieces& records) const;
  bool Write(const RecordPieces& records, std::size_t size);
  void CountLost(const RecordPieces& records, std::size_t from);

  UniqueFd memory_;
  std::size_t records_at_ = 0;
  std::size_t most_bytes_ = 0;
  std::size_t bytes_ = 0;  ///< the size of the file
  bool full_ = false;
  std::uint64_t lost_samples_ = 0;
};

}  // namespace benchd
