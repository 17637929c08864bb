#include "daemon/launch/sample_buffer.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

namespace benchd {
namespace {

std::size_t PageBytes() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

}  // namespace

SampleBuffer::~SampleBuffer() {
  if (page_ != nullptr) munmap(page_, PageBytes() + bytes_);
}

Result<SampleBuffer> SampleBuffer::Map(int event, std::size_t bytes) {
  void* const memory =
      mmap(nullptr, PageBytes() + bytes, PROT_READ | PROT_WRITE, MAP_SHARED, event, 0);
  if (memory == MAP_FAILED) {
    const bool exhausted = errno == EPERM || errno == ENOMEM;
    return Error{exhausted ? ErrorCode::kResourceExhausted : ErrorCode::kInternal,
                 std::string("no memory for samples: ") + std::strerror(errno),
                 "raise kernel.perf_event_mlock_kb, or the limit of locked memory (ulimit -l)"};
  }
  SampleBuffer buffer;
  buffer.page_ = static_cast<perf_event_mmap_page*>(memory);
  buffer.bytes_ = bytes;
  return buffer;
}

void SampleBuffer::Drain(ProfileFile& file) {
  if (page_ == nullptr) return;
  // The kernel writes the records before it moves the head (perf_event_open(2)).
  using Position = std::remove_reference_t<decltype(page_->data_head)>;
  const Position head = std::atomic_ref<Position>(page_->data_head).load(std::memory_order_acquire);
  const Position tail = page_->data_tail;
  const auto size = static_cast<std::size_t>(head - tail);
  if (size == 0 || size > bytes_) return;
  const char* const ring = reinterpret_cast<const char*>(page_) + PageBytes();
  const std::size_t begin = static_cast<std::size_t>(tail) % bytes_;
  const std::size_t until_end = std::min(size, bytes_ - begin);
  file.Append({{ring + begin, until_end}, {ring, size - until_end}});
  std::atomic_ref<Position>(page_->data_tail).store(head, std::memory_order_release);
}

}  // namespace benchd
