#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/base/file.h"
#include "core/base/result.h"
#include "daemon/launch/event_loop.h"
#include "daemon/launch/output_digester.h"

namespace benchd {

/// The number of bytes at the end of stderr that are kept with every run.
inline constexpr std::size_t kTailBytes = 4 * 1024;
/// The number of bytes that are kept of a run with output "log". Further output is read and
/// discarded, and the log then ends with kLogCut.
inline constexpr std::size_t kLogBytes = 1024 * 1024;
inline constexpr std::string_view kLogCut = "\n[truncated: the run printed more than 1 MiB]\n";

/// The optional destinations for the bytes read from a pipe. Without any, the bytes are discarded.
struct CaptureTargets {
  bool much = false;  ///< the child may print a lot: use a larger pipe
  bool keep_tail = false;
  std::string* log = nullptr;          ///< shared by both streams of a run; outlives the capture
  OutputDigester* digester = nullptr;  ///< outlives the capture
  int memory = -1;                     ///< a memfd, written up to `memory_limit`
  std::size_t memory_limit = 0;
};

/// Reads a child's stdout or stderr from a pipe while the child runs, so that the child never
/// blocks on a full pipe.
///
/// A child that prints nothing wakes the runner once, when it ends.
class Capture final : public EventSink {
 public:
  /// @errors those of pipe2.
  static Result<std::unique_ptr<Capture>> Open(EventLoop& loop, CaptureTargets targets);

  /// The end of the pipe that the child writes to. Call CloseWriteEnd() once the child has it.
  int write_end() const { return write_end_.get(); }
  void CloseWriteEnd() { write_end_.Reset(); }

  /// Reads the remaining output from the pipe and stops watching it. Call this after the child's
  /// process tree has exited.
  void Finish();

  /// Returns at most the last kTailBytes bytes. If they contain the start of a line, the result
  /// begins there.
  std::string TakeTail();
  /// True if the child wrote more than `memory_limit` bytes.
  bool overflowed() const { return overflowed_; }

 private:
  Capture(EventLoop& loop, UniqueFd read_end, UniqueFd write_end, CaptureTargets targets);

  void OnReady(int fd, std::uint32_t events) override;
  /// Reads from the pipe once. Returns false if the pipe is empty or its write end is closed.
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
