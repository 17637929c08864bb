#pragma once

#include <mutex>
#include <streambuf>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace benchd::client {

/// Opens any of the descriptors 0, 1 and 2 that is closed, so that no file or socket gets its
/// number. Writes to a closed stdout still fail. Call this before anything else is opened.
void FillStandardDescriptors();

/// Replaces the buffer of std::cout during its lifetime and keeps the first write error for the
/// exit code (ExitCode::kOutput). Without it, a result lost to a full disk would count as printed.
///
/// When the reader of a pipe has exited (EPIPE), the process dies of SIGPIPE at once, even if that
/// signal is ignored. git does the same, and shells expect it of `benchctl list | head -1`.
///
/// On a terminal, each complete line is written at once; otherwise output is written in pieces of
/// 64 KiB. It is also written on a flush, and before output to std::cerr, which is tied to
/// std::cout. Any thread may print.
class StandardOutput : private std::streambuf {
 public:
  StandardOutput();
  StandardOutput(const StandardOutput&) = delete;
  StandardOutput& operator=(const StandardOutput&) = delete;
  ~StandardOutput() override;

  /// Writes the rest of the buffer. Call this once, after all output.
  ///
  /// @errors the first failed write, or a failed close: a network file system may report a full
  ///         disk only when the file is closed.
  Result<void> Finish();

 private:
  int_type overflow(int_type c) override;
  std::streamsize xsputn(const char* text, std::streamsize size) override;
  int sync() override;

  bool Take(std::string_view text);
  bool WriteOut();

  const bool line_by_line_;
  std::streambuf* const previous_;
  std::mutex mutex_;
  std::string text_;      ///< guarded by mutex_
  Result<void> written_;  ///< result of all writes so far; guarded by mutex_
};

}  // namespace benchd::client
