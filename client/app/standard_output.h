#pragma once

#include <mutex>
#include <streambuf>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace benchd::client {

/// Opens those of the descriptors 0, 1 and 2 that are closed, so that no file or socket of ours
/// gets their numbers. Writes to a stdout that was closed go on failing. Before anything is opened.
void FillStandardDescriptors();

/// std::cout as long as this lives: writes to stdout whose first failure is kept for the exit code
/// (ExitCode::kOutput). Without it a result that is lost to a full disk would pass for printed.
///
/// A reader that has left (EPIPE) ends the process by SIGPIPE at once, also where that signal is
/// ignored: that is what git does, and what a shell expects of `benchctl list | head -1`.
///
/// On a terminal each line is written when it is complete, else when 64 KiB are, at a flush, and
/// before anything goes to std::cerr, which is tied to std::cout. Any thread may print.
class StandardOutput : private std::streambuf {
 public:
  StandardOutput();
  StandardOutput(const StandardOutput&) = delete;
  StandardOutput& operator=(const StandardOutput&) = delete;
  ~StandardOutput() override;

  /// Writes what is left. Call it once, when nothing is printed any more.
  ///
  /// @errors the first write that failed, or that of the end: a network's file system reports a
  ///         full disk when the file is closed.
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
  Result<void> written_;  ///< all so far; guarded by mutex_
};

}  // namespace benchd::client
