#pragma once

#include <linux/perf_event.h>

#include <cstddef>
#include <utility>

#include "core/base/result.h"
#include "daemon/launch/profile_file.h"

namespace benchd {

/// The memory in which the kernel puts the records of an event, and of those that share it: a ring
/// that the kernel writes and the runner empties. If it is full, the kernel drops records and notes
/// their number in the ring.
class SampleBuffer {
 public:
  SampleBuffer() = default;
  SampleBuffer(SampleBuffer&& other) noexcept { *this = std::move(other); }
  SampleBuffer& operator=(SampleBuffer&& other) noexcept {
    std::swap(page_, other.page_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  SampleBuffer(const SampleBuffer&) = delete;
  SampleBuffer& operator=(const SampleBuffer&) = delete;
  ~SampleBuffer();

  /// Maps the buffer of an event.
  /// @param bytes  a power of two, at least the size of a page
  /// @errors kResourceExhausted if the user may not lock as much memory: all buffers of a user
  ///         share kernel.perf_event_mlock_kb for each CPU, and RLIMIT_MEMLOCK
  static Result<SampleBuffer> Map(int event, std::size_t bytes);

  /// Moves all records to `file`.
  void Drain(ProfileFile& file);

 private:
  perf_event_mmap_page* page_ = nullptr;  ///< the first page, which the ring follows
  std::size_t bytes_ = 0;                 ///< of the ring
};

}  // namespace benchd
