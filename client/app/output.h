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

/// How to print a result on stdout, as the command line requests.
struct ResultChoice {
  Detail detail = Detail::kUsual;
  std::string_view time_unit;  ///< Style::time_unit; a view into the arguments
  bool bisect = false;         ///< print one line for `git bisect run`

  /// Returns the style of stdout with `time_unit`.
  Style StyleOfStdout() const;
};

/// Reads ResultOptions() and --bisect.
///
/// @param arguments  must outlive the result
/// @errors (exit 2) --quiet together with --verbose.
Result<ResultChoice> ReadResultChoice(const ParsedArguments& arguments);

/// Returns the name of the format that an option `export-NAME` requests; empty for other options.
std::string_view ExportFormatOf(std::string_view option);

/// A file that appears completely or not at all. Its folder is opened first, so that a typo is
/// reported before anything is measured. The file gets its name once its text is complete.
///
/// If the path is a link, its target is replaced or created. A new file inherits the permissions of
/// the file that it replaces. Anything other than a regular file, and any path below /dev, is
/// opened at once and appended to (a pipe, /dev/null, /dev/fd/3).
class NewFile {
 public:
  enum class If { kReplace, kAppend };  ///< how an existing file is treated

  /// @errors (exit 2) the folder is missing or not writable, the path is a folder, the existing
  ///         file is read-only.
  static Result<NewFile> Prepare(const std::string& path, If there = If::kReplace);

  /// @errors system errors; an existing file is then left unchanged.
  Result<void> Write(std::string_view text) const;

  /// Returns the size of the file if it is appended to, or 0 if it is replaced.
  std::size_t BytesThere() const;

 private:
  Result<void> OpenToAppend();

  std::string path_;  ///< as given, for messages
  std::string name_;  ///< within `folder_`; empty: `folder_` is the file itself
  UniqueFd folder_;
  std::optional<mode_t> mode_;  ///< mode of the replaced file
};

/// The files of `--export-FORMAT FILE`, one text per file, for a command that also prints its
/// result.
///
/// Markdown is appended to `+FILE`, and to the file that GITHUB_STEP_SUMMARY names, because all
/// commands of a step share that file. It is shortened to GitHub's limit
/// (present/markdown_limit.h).
class ExportFiles {
 public:
  /// @errors (exit 2) an option given twice, the same file for two options, `-` (the result
  ///         already goes to stdout); errors of NewFile::Prepare().
  static Result<ExportFiles> Prepare(const ParsedArguments& arguments);

  bool empty() const { return files_.empty(); }
  /// Returns whether any format contains the runs of a session.
  bool WantsRuns() const;
  /// Returns the options that request formats with runs.
  std::vector<std::string> OfRuns() const;

  /// Renders and writes every file, even if an earlier one could not be written.
  ///
  /// @param text  renders a format; nothing is written if it returns nullopt
  /// @errors the error of the first file that could not be written.
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
  /// @errors (exit 2) stdout together with --json; errors of NewFile::Prepare().
  static Result<PageFile> Prepare(const CommandContext& context);

  /// Writes the page and reports the name of its file on stderr, or as a `report` event on stdout.
  /// @param sources  the sessions and files that the page shows
  /// @errors system errors
  Result<void> Write(const std::string& page, const std::vector<std::string>& sources) const;

 private:
  std::optional<NewFile> file_;
  std::string path_;
  bool json_ = false;
};

/// Prints "error: ..." and, if there is a hint, "hint: ..." on stderr, for a command that continues
/// afterwards. RunBenchctl (dispatch.h) prints the error that a command returns.
void PrintError(const Error& error);

/// Prints an error about output that could not be written. Returns the exit code for it, which
/// overrides that of the command.
ExitCode OutputFailed(const Error& error);

}  // namespace benchd::client
