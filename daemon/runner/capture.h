#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/base/file.h"
#include "core/base/result.h"
#include "daemon/runner/event_loop.h"

namespace benchd {

/// The end of a stderr that is kept with every run.
inline constexpr std::size_t kTailBytes = 4 * 1024;
/// The most that is kept of a run with output "log"; the rest is read and dropped, and the last
/// line says so.
inline constexpr std::size_t kLogBytes = 1024 * 1024;
inline constexpr std::string_view kLogCut = "\n[cut here: the run printed more than 1 MiB]\n";
/// The most that a harness may print for parsing.
inline constexpr std::size_t kParseBytes = std::size_t{64} * 1024 * 1024;

/// Where the bytes of a pipe go; every part may be absent.
struct CaptureTargets {
  bool keep_tail = false;
  std::string* log = nullptr;  ///< both streams of a run share one; outlives the capture
  int memory = -1;             ///< a memfd, written up to `memory_limit`
  std::size_t memory_limit = 0;
};

/// Reads a child's stdout or stderr from a pipe while the child runs, so that it never waits for
/// us.
///
/// A quiet child costs one wake-up, at its end.
class Capture final : public EventSink {
 public:
  /// @errors when no pipe can be made.
  static Result<std::unique_ptr<Capture>> Open(EventLoop& loop, CaptureTargets targets);

  /// The child's end; forgotten here once the child has it.
  int write_end() const { return write_end_.get(); }
  void CloseWriteEnd() { write_end_.Reset(); }

  /// Takes what is in the pipe now and stops listening: after the child's tree is gone.
  void Finish();

  /// The last kTailBytes, from the start of a line where one is in them.
  std::string TakeTail();
  /// True when more came than `memory_limit`.
  bool overflowed() const { return overflowed_; }

 private:
  Capture(EventLoop& loop, UniqueFd read_end, UniqueFd write_end, CaptureTargets targets);

  void OnReady(int fd, std::uint32_t events) override;
  /// One read; false at the end of the pipe, or when it is empty.
  bool ReadSome();
  void Keep(const char* bytes, std::size_t count);
  void KeepInLog(const char* bytes, std::size_t count);
  void KeepInMemory(const char* bytes, std::size_t count);

  UniqueFd read_end_;
  UniqueFd write_end_;
  CaptureTargets targets_;
  std::string tail_;
  std::size_t in_memory_ = 0;
  bool overflowed_ = false;
  std::unique_ptr<Watch> watch_;
};

}  // namespace benchd
