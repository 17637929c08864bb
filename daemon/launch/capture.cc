#include "daemon/launch/capture.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace benchd {
namespace {

// A child that prints a lot fills the default 64 KiB of a pipe before the runner has woken up.
constexpr int kPipeBytes = 1024 * 1024;

}  // namespace

Result<std::unique_ptr<Capture>> Capture::Open(EventLoop& loop, CaptureTargets targets) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return SystemError("creating a pipe for output", errno);
  UniqueFd read_end(ends[0]);
  UniqueFd write_end(ends[1]);
  fcntl(read_end.get(), F_SETFL, O_NONBLOCK);
  // The kernel refuses a larger size to users who own many pipes. The default size then remains.
  if (targets.much) fcntl(read_end.get(), F_SETPIPE_SZ, kPipeBytes);
  return std::unique_ptr<Capture>(
      new Capture(loop, std::move(read_end), std::move(write_end), targets));
}

Capture::Capture(EventLoop& loop, UniqueFd read_end, UniqueFd write_end, CaptureTargets targets)
    : read_end_(std::move(read_end)),
      write_end_(std::move(write_end)),
      targets_(targets),
      watch_(std::make_unique<Watch>(loop, read_end_.get(), *this)) {}

void Capture::OnReady(int, std::uint32_t) {
  if (!ReadSome() && errno != EAGAIN) watch_.reset();
}

void Capture::Finish() {
  if (!watch_) return;
  watch_.reset();
  // The number of reads is bounded, because a process outside the tree may hold the pipe and write
  // to it forever.
  constexpr int kMaxReads = 64;
  for (int i = 0; i < kMaxReads && ReadSome(); ++i) {
  }
}

bool Capture::ReadSome() {
  // Static, so that the pages are used only if a child prints, and so that all captures share them.
  static std::array<char, 64 * 1024> buffer;
  ssize_t count = 0;
  do {
    count = read(read_end_.get(), buffer.data(), buffer.size());
  } while (count < 0 && errno == EINTR);
  if (count == 0) errno = 0;
  if (count <= 0) return false;
  Keep(buffer.data(), static_cast<std::size_t>(count));
  return true;
}

void Capture::Keep(const char* bytes, std::size_t count) {
  if (targets_.keep_tail) {
    const std::size_t kept = std::min(count, kTailBytes);
    tail_.append(bytes + (count - kept), kept);
    if (tail_.size() > kTailBytes) tail_.erase(0, tail_.size() - kTailBytes);
  }
  if (targets_.log != nullptr) KeepInLog(bytes, count);
  if (targets_.digester != nullptr) targets_.digester->Add(bytes, count);
  if (targets_.memory >= 0) KeepInMemory(bytes, count);
}

void Capture::KeepInLog(const char* bytes, std::size_t count) {
  std::string& log = *targets_.log;
  const std::size_t room = kLogBytes - log.size();
  log.append(bytes, std::min(count, room));
  if (count > room) log.replace(kLogBytes - kLogCut.size(), kLogCut.size(), kLogCut);
}

void Capture::KeepInMemory(const char* bytes, std::size_t count) {
  if (count > targets_.memory_limit - in_memory_) {
    overflowed_ = true;
    return;
  }
  while (count > 0) {
    const ssize_t written = write(targets_.memory, bytes, count);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      overflowed_ = true;  // out of memory
      return;
    }
    bytes += written;
    count -= static_cast<std::size_t>(written);
    in_memory_ += static_cast<std::size_t>(written);
  }
}

std::string Capture::TakeTail() {
  if (tail_.size() == kTailBytes) {
    // The text probably begins in the middle of a line.
    const std::size_t newline = tail_.find('\n');
    if (newline != std::string::npos && newline + 1 < tail_.size()) tail_.erase(0, newline + 1);
  }
  return std::move(tail_);
}

}  // namespace benchd
