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

/// How much of the end of stderr is kept with every run.
inline constexpr std::size_t kTailBytes = 4 * 1024;
/// How much is kept of a run with output "log". The rest is read and discarded, and the log then
/// ends with kLogCut.
inline constexpr std::size_t kLogBytes = 1024 * 1024;
inline constexpr std::string_view kLogCut = "\n[cut here: the run printed more than 1 MiB]\n";
/// How much a harness may print for parsing.
inline constexpr std::size_t kParseBytes = std::size_t{64} * 1024 * 1024;

/// Destinations for the bytes of a pipe. All of them are optional.
struct CaptureTargets {
  bool keep_tail = false;
  std::string* log = nullptr;  ///< shared by both streams of a run; outlives the capture
  int memory = -1;             ///< a memfd, written up to `memory_limit`
  std::size_t memory_limit = 0;
};

/// Reads a child's stdout or stderr from a pipe while the child runs, so that the child never
/// blocks on us.
///
/// A child that prints nothing costs one wake-up, at its end.
class Capture final : public EventSink {
 public:
  /// @errors those of pipe2.
  static Result<std::unique_ptr<Capture>> Open(EventLoop& loop, CaptureTargets targets);

  /// The end for the child. Call CloseWriteEnd() once the child has it.
  int write_end() const { return write_end_.get(); }
  void CloseWriteEnd() { write_end_.Reset(); }

  /// Reads what is in the pipe now and stops watching it. Called after the child's tree has exited.
  void Finish();

  /// The last kTailBytes, beginning at the start of a line if there is one in them.
  std::string TakeTail();
  /// True if more than `memory_limit` bytes came.
  bool overflowed() const { return overflowed_; }

 private:
  Capture(EventLoop& loop, UniqueFd read_end, UniqueFd write_end, CaptureTargets targets);

  void OnReady(int fd, std::uint32_t events) override;
  /// Reads once. False at the end of the pipe, or when it is empty.
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
