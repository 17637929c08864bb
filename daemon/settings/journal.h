#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/file.h"
#include "core/base/result.h"
#include "daemon/settings/setting.h"

namespace benchd {

/// The maximum size of a journal, for writing and reading.
inline constexpr std::size_t kMaxJournalBytes = std::size_t{1024} * 1024;

/// A record of a setting that the runner has changed or was about to change.
struct JournalEntry {
  SettingKey key;
  std::string old_value;
  std::string new_value;
  bool operator==(const JournalEntry&) const = default;
};

/// The parsed text of a journal.
struct JournalContents {
  std::string boot_id;  ///< the boot in which it was written; empty for an empty file
  std::vector<JournalEntry> entries;
};

/// Appends a tab and the line's checksum (FNV-1a, 64 bits, hexadecimal).
std::string SealedLine(std::string_view line);

// The two kinds of lines, with their checksum and without the newline.
std::string JournalHeader(std::string_view boot_id);
std::string JournalLine(const JournalEntry& entry);

/// Parses the text of a journal: a header "benchd-runner settings VERSION BOOT_ID" and one line per
/// entry with kind, target, old value and new value, separated by tabs. Each line ends with its
/// checksum. Empty lines are skipped.
///
/// @errors kFailedPrecondition for another version; kInvalidArgument "line N: ..." for a truncated
///         or damaged line, an unknown kind, or a value that this program never writes
Result<JournalContents> ParseJournal(std::string_view text);

/// A file with the changed settings and their old values, from which they can be restored after the
/// runner was killed. The file is locked for the lifetime of the object, so only one runner can use
/// it at a time.
///
/// An entry is written before its setting is changed. The file is emptied when all settings have
/// been restored. Single-threaded.
class Journal {
 public:
  /// Opens the file, or creates it with mode 0600.
  /// @errors kFailedPrecondition if another runner holds it; kPermissionDenied if another user owns
  ///         it or can access it; those of the file
  static Result<Journal> Open(const std::string& path);

  Journal(Journal&&) = default;
  Journal& operator=(Journal&&) = default;

  /// Reads the file. @errors those of ParseJournal(), prefixed with the path
  Result<JournalContents> Read() const;

  /// Adds an entry, and the header if the file is empty.
  ///
  /// The entry is written completely or not at all, even if the process is killed: SIGKILL can
  /// truncate a write(2) only between two pages, and entries do not cross page boundaries.
  /// @errors kFailedPrecondition if the file's entries are from another boot, or if `boot_id` is
  ///         invalid; those of the file, which is then unchanged
  Result<void> Append(const JournalEntry& entry, std::string_view boot_id);
  /// Adds several entries with one write and one flush. Each is written completely or not at all;
  /// if the process is killed, the file may contain only the first of them.
  Result<void> AppendAll(const std::vector<JournalEntry>& entries, std::string_view boot_id);

  /// Removes all entries. Call when all settings have been restored.
  Result<void> Clear();

  /// Keeps these entries and removes the others. If the process is killed meanwhile, some of the
  /// others may remain, and if the kept entries take more than one page, some of them may be lost.
  Result<void> KeepOnly(const std::vector<JournalEntry>& entries);

  const std::string& path() const { return path_; }

 private:
  Journal(std::string path, UniqueFd file) : path_(std::move(path)), file_(std::move(file)) {}

  /// Checks that entries of this boot can be added. @return the size of the file
  Result<std::size_t> Prepare(std::string_view boot_id);
  Result<void> WriteAt(std::size_t offset, std::string_view text);

  std::string path_;
  UniqueFd file_;
  std::string boot_id_;  ///< the boot of the file's entries; empty until it is known
};

}  // namespace benchd
