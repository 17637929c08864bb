#include "daemon/launch/profile_file.h"

#include <linux/perf_event.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "core/base/try.h"
#include "daemon/launch/helper_process.h"

namespace benchd {
namespace {

/// Returns the header of the record at `offset`. It never lies in both pieces, because the sizes of
/// records and pieces are multiples of its own.
perf_event_header HeaderAt(const RecordPieces& records, std::size_t offset) {
  const bool in_first = offset < records.first.size();
  const std::string_view piece = in_first ? records.first.substr(offset)
                                          : records.second.substr(offset - records.first.size());
  perf_event_header header{};
  std::memcpy(&header, piece.data(), std::min(piece.size(), sizeof(header)));
  return header;
}

Result<void> WriteAt(int file, const void* bytes, std::size_t size, std::size_t offset) {
  const ssize_t written = pwrite(file, bytes, size, static_cast<off_t>(offset));
  if (written < 0) return SystemError("writing the header of a profile", errno);
  if (static_cast<std::size_t>(written) == size) return {};
  return SystemError("writing the header of a profile", ENOSPC);
}

}  // namespace

Result<ProfileFile> ProfileFile::Create(std::size_t event_count, std::size_t most_bytes) {
  TRY(auto memory, EmptyMemory());
  const std::size_t records_at =
      sizeof(wire::ProfileHeader) + event_count * sizeof(wire::ProfileEvent);
  if (lseek(memory.get(), static_cast<off_t>(records_at), SEEK_SET) < 0) {
    return SystemError("creating a profile", errno);
  }
  return ProfileFile(std::move(memory), records_at, most_bytes);
}

void ProfileFile::Append(const RecordPieces& records) {
  if (!full_ && bytes_ + records.size() <= most_bytes_ && Write(records, records.size())) return;
  std::size_t fitting = full_ ? 0 : FittingBytes(records);
  if (!full_ && !Write(records, fitting)) fitting = 0;
  full_ = true;
  CountLost(records, fitting);
}

/// Returns the total size of the first records that fit into the file.
std::size_t ProfileFile::FittingBytes(const RecordPieces& records) const {
  const std::size_t space = most_bytes_ - std::min(most_bytes_, bytes_);
  std::size_t offset = 0;
  while (offset < records.size()) {
    const std::size_t size = HeaderAt(records, offset).size;
    if (size < sizeof(perf_event_header) || offset + size > space) break;
    offset += size;
  }
  return std::min(offset, records.size());
}

/// Appends the first `size` bytes. If that fails, the file remains as it was and accepts no more.
bool ProfileFile::Write(const RecordPieces& records, std::size_t size) {
  const std::string_view first = records.first.substr(0, size);
  const std::string_view second = records.second.substr(0, size - first.size());
  if (WriteAll(memory_.get(), first, "profile") && WriteAll(memory_.get(), second, "profile")) {
    bytes_ += size;
    return true;
  }
  full_ = true;
  static_cast<void>(ftruncate(memory_.get(), static_cast<off_t>(bytes_)) == 0);
  return false;
}

void ProfileFile::CountLost(const RecordPieces& records, std::size_t from) {
  while (from < records.size()) {
    const perf_event_header header = HeaderAt(records, from);
    if (header.size < sizeof(header)) return;
    if (header.type == PERF_RECORD_SAMPLE) ++lost_samples_;
    from += header.size;
  }
}

Result<UniqueFd> ProfileFile::Finish(wire::ProfileHeader header,
                                     std::span<const wire::ProfileEvent> events) {
  header.event_count = static_cast<std::uint32_t>(events.size());
  header.records_at = records_at_;
  header.lost_samples = lost_samples_;
  TRY_VOID(WriteAt(memory_.get(), &header, sizeof(header), 0));
  TRY_VOID(WriteAt(memory_.get(), events.data(), events.size_bytes(), sizeof(header)));
  lseek(memory_.get(), 0, SEEK_SET);
  return std::move(memory_);
}

}  // namespace benchd
