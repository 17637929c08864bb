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

/// How a result is printed on stdout, as the command line says it.
struct ResultChoice {
  Detail detail = Detail::kUsual;
  std::string_view time_unit;  ///< Style::time_unit; of the arguments
  bool bisect = false;         ///< one line for `git bisect run`

  /// That of stdout, with the unit.
  Style StyleOfStdout() const;
};

/// Reads those of ResultOptions() and --bisect.
///
/// @param arguments  outlive the choice
/// @errors (exit 2) --quiet together with --verbose.
Result<ResultChoice> ReadResultChoice(const ParsedArguments& arguments);

/// The name of the format that an option `export-NAME` asks for; empty for any other option.
std::string_view ExportFormatOf(std::string_view option);

/// A file that appears whole or not at all: its folder is held open from the beginning, so that a
/// typo is told before anything is measured, and the text gets its name when it is complete.
///
/// Of a link, what it points to is replaced, whether that is there or not; a file that is replaced
/// hands its permissions on. What is no regular file, and all that is named by /dev (a pipe,
/// /dev/null, /dev/fd/3), is opened at once and appended to.
class NewFile {
 public:
  enum class If { kReplace, kAppend };  ///< what is done with what is there

  /// @errors (exit 2) the folder is not there or cannot be written to, the name is a folder's, the
  ///         file that is there is read-only.
  static Result<NewFile> Prepare(const std::string& path, If there = If::kReplace);

  /// @errors the system's; then what was there before is still there.
  Result<void> Write(std::string_view text) const;

  /// What is in the file that is appended to; 0 where it is replaced.
  std::size_t BytesThere() const;

 private:
  Result<void> OpenToAppend();

  std::string path_;  ///< as it was given, for messages
  std::string name_;  ///< in `folder_`; empty: it is `folder_` itself that is written to
  UniqueFd folder_;
  std::optional<mode_t> mode_;  ///< of the file that it replaces
};

/// What `--export-FORMAT FILE` asks of a command that also prints its result: one text a file.
///
/// Markdown is appended to `+FILE`, and to the file that GITHUB_STEP_SUMMARY names: that belongs to
/// a whole step of a job. It is shortened to what GitHub takes (present/markdown_limit.h).
class ExportFiles {
 public:
  /// @errors (exit 2) an option given twice, one file for two, `-` (stdout has the result); those
  ///         of NewFile::Prepare().
  static Result<ExportFiles> Prepare(const ParsedArguments& arguments);

  bool empty() const { return files_.empty(); }
  /// Whether any is made of a session's runs.
  bool WantsRuns() const;
  /// The options that ask for those.
  std::vector<std::string> OfRuns() const;

  /// Makes the text of each and writes it; all are tried.
  ///
  /// @param text  of a format, for what was prepared; nothing is written where it is a nullopt
  /// @errors the first that could not be written.
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
    std::size_t most_bytes = 0;  ///< in the file, of a format that can be shortened
  };
  static Result<Export> PrepareOne(const ExportFormat& format, const std::string& path);
  static Result<void> WriteOne(const Export& to, const std::string& text);

  std::vector<Export> files_;
};

/// Where a command puts a page: a file that appears whole, or stdout.
class PageFile {
 public:
  /// By --output; without it, and with -, stdout.
  /// @errors (exit 2) stdout together with --json; those of NewFile::Prepare().
  static Result<PageFile> Prepare(const CommandContext& context);

  /// What has a name is told by it, on stderr or as event `report`.
  /// @param sources  what the page is about
  /// @errors the system's
  Result<void> Write(const std::string& page, const std::vector<std::string>& sources) const;

 private:
  std::optional<NewFile> file_;
  std::string path_;
  bool json_ = false;
};

/// "error: ..." and, where there is something to do, "hint: ..." on stderr: for a command that goes
/// on after it. What a command returns is printed by RunBenchctl (dispatch.h).
void PrintError(const Error& error);

/// The same for output that could not be written: that outweighs what the command has to say.
ExitCode OutputFailed(const Error& error);

}  // namespace benchd::client
