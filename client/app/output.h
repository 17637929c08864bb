#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "benchd/v1/session.pb.h"
#include "client/app/arguments.h"
#include "client/app/command.h"
#include "client/app/exit_code.h"
#include "client/present/exports.h"
#include "client/present/markdown_limit.h"
#include "client/present/report.h"
#include "client/present/text.h"
#include "core/base/file.h"

namespace benchd::client {

/// How to print a result on stdout, from the command line.
struct ResultChoice {
  Detail detail = Detail::kUsual;
  std::string_view time_unit;  ///< Style::time_unit; refers to the arguments
  bool bisect = false;         ///< one line for `git bisect run`

  /// The style of stdout with `time_unit`.
  Style StyleOfStdout() const;
};

/// Reads ResultOptions() and --bisect.
///
/// @param arguments  must outlive the result
/// @errors (exit 2) --quiet together with --verbose.
Result<ResultChoice> ReadResultChoice(const ParsedArguments& arguments);

/// The name of the format that an option `export-NAME` asks for; empty for any other option.
std::string_view ExportFormatOf(std::string_view option);

/// A file that appears completely or not at all. Its folder is opened first, so that a typo is
/// reported before anything is measured; the file gets its name when its text is complete.
///
/// For a link, the target is replaced, whether it exists or not. A new file inherits the
/// permissions of the one it replaces. Anything but a regular file, and every path below /dev (a
/// pipe, /dev/null, /dev/fd/3), is opened at once and appended to.
class NewFile {
 public:
  enum class If { kReplace, kAppend };  ///< how an existing file is treated

  /// @errors (exit 2) the folder is missing or not writable, the path is a folder, the existing
  ///         file is read-only.
  static Result<NewFile> Prepare(const std::string& path, If there = If::kReplace);

  /// @errors those of the system; an existing file is then unchanged.
  Result<void> Write(std::string_view text) const;

  /// Size of the file that is appended to; 0 if it is replaced.
  std::size_t BytesThere() const;

 private:
  Result<void> OpenToAppend();

  std::string path_;  ///< as given, for messages
  std::string name_;  ///< in `folder_`; empty: `folder_` is the file itself
  UniqueFd folder_;
  std::optional<mode_t> mode_;  ///< of the replaced file
};

/// The files of `--export-FORMAT FILE`, one text per file, for a command that also prints its
/// result.
///
/// Markdown is appended to `+FILE` and to the file that GITHUB_STEP_SUMMARY names, because that
/// file belongs to a whole step of a job. It is cut to GitHub's limit (present/markdown_limit.h).
class ExportFiles {
 public:
  /// @errors (exit 2) an option given twice, the same file for two options, `-` (stdout already has
  ///         the result); those of NewFile::Prepare().
  static Result<ExportFiles> Prepare(const ParsedArguments& arguments);

  bool empty() const { return files_.empty(); }
  /// Whether any format contains the runs of a session.
  bool WantsRuns() const;
  /// The options that request such formats.
  std::vector<std::string> OfRuns() const;

  /// Renders and writes every file; a failure does not prevent the others.
  ///
  /// @param text  renders a format; nothing is written if it returns nullopt
  /// @errors that of the first file that could not be written.
  template <typename Text>
  Result<void> Write(Text text) const {
    Result<void> all;
    for (const Export& one : files_) {
      const std::optional<std::string> content = text(*one.format);
      if (!content) continue;
      Result<void> written = WriteOne(one, *content);
      if (!written && all) all = std::move(written);
    }
    return all;
  }

 private:
  struct Export {
    const ExportFormat* format;
    NewFile file;
    std::size_t most_bytes = 0;  ///< limit of the file, for a format that can be shortened
  };
  static Result<Export> PrepareOne(const ExportFormat& format, const std::string& path);
  static Result<void> WriteOne(const Export& to, const std::string& text);

  std::vector<Export> files_;
};

/// The destination of an HTML page: a NewFile, or stdout.
class PageFile {
 public:
  /// Reads --output; the default and `-` are stdout.
  /// @errors (exit 2) stdout together with --json; those of NewFile::Prepare().
  static Result<PageFile> Prepare(const CommandContext& context);

  /// Writes the page and reports the name of its file on stderr, or as event `report`.
  /// @param sources  the sessions and files that the page shows
  /// @errors those of the system
  Result<void> Write(const std::string& page, const std::vector<std::string>& sources) const;

 private:
  std::optional<NewFile> file_;
  std::string path_;
  bool json_ = false;
};

/// Prints "error: ..." and, if there is a hint, "hint: ..." on stderr, for a command that continues
/// afterwards. RunBenchctl (dispatch.h) prints the error that a command returns.
void PrintError(const Error& error);

/// The same for output that could not be written; this exit code overrides that of the command.
ExitCode OutputFailed(const Error& error);

}  // namespace benchd::client
