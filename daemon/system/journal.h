#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/file.h"
#include "core/base/result.h"
#include "daemon/system/setting.h"

namespace benchd {

/// The largest journal that is written or read.
inline constexpr std::size_t kMaxJournalBytes = std::size_t{1024} * 1024;

/// A setting that the runner has changed, or was about to change.
struct JournalEntry {
  SettingKey key;
  std::string old_value;
  std::string new_value;
  bool operator==(const JournalEntry&) const = default;
};

/// The parsed text of a journal.
struct JournalContents {
  std::string boot_id;  ///< of the boot in which it was written; empty = an empty file
  std::vector<JournalEntry> entries;
};

/// Seals a line of a journal: appends a tab and the line's checksum (FNV-1a, 64 bits, hexadecimal).
std::string SealedLine(std::string_view line);

/// The two kinds of lines, sealed, without their newline.
std::string JournalHeader(std::string_view boot_id);
std::string JournalLine(const JournalEntry& entry);

/// Parses the text of a journal: a header "benchd-runner settings VERSION BOOT_ID" and one line per
/// entry with kind, target, old value and new value, separated by tabs. Each line ends with its
/// checksum. Empty lines are skipped.
///
/// @errors kFailedPrecondition for a later version; kInvalidArgument "line N: ..." for a line that
///         is cut off or damaged, an unknown kind, or a value that this program never writes
Result<JournalContents> ParseJournal(std::string_view text);

/// A record of changed settings and their old values, in a file that outlives a kill. Locked for
/// the lifetime of the object, so there is one runner at a time.
///
/// An entry is written before its setting is first changed. The file is emptied when all settings
/// have been restored. Single-threaded.
class Journal {
 public:
  /// Opens the file, or creates it with mode 0600.
  /// @errors kFailedPrecondition if a live runner holds it; kPermissionDenied if another user owns
  ///         it or may use it; those of the file
  static Result<Journal> Open(const std::string& path);

  Journal(Journal&&) = default;
  Journal& operator=(Journal&&) = default;

  /// Reads the file. @errors those of ParseJournal(), prefixed with the path
  Result<JournalContents> Read() const;

  /// Adds an entry; the first one after Clear() writes the header, too.
  ///
  /// The entry is written completely or not at all, even if the process is killed: SIGKILL can cut
  /// a write(2) short only between two pages, and no entry crosses a page boundary.
  /// @errors kFailedPrecondition if the file's entries are from another boot, or `boot_id` is not
  ///         valid; those of the file, which is then unchanged
  Result<void> Append(const JournalEntry& entry, std::string_view boot_id);
  /// Adds several entries with one write and one flush. Each is written completely or not at all;
  /// if the process is killed, the file may contain only the first of them.
  Result<void> AppendAll(const std::vector<JournalEntry>& entries, std::string_view boot_id);

  /// Removes all entries: no setting is changed any more.
  Result<void> Clear();

  /// Keeps these entries and forgets the others. A kill in between leaves some of the others; if
  /// the kept entries take more than one page, some of them may be lost.
  Result<void> KeepOnly(const std::vector<JournalEntry>& entries);

  const std::string& path() const { return path_; }

 private:
  Journal(std::string path, UniqueFd file) : path_(std::move(path)), file_(std::move(file)) {}

  /// Checks that entries of that boot can be added. @return the size of the file
  Result<std::size_t> Prepare(std::string_view boot_id);
  Result<void> WriteAt(std::size_t offset, std::string_view text);

  std::string path_;
  UniqueFd file_;
  std::string boot_id_;  ///< of the entries in the file, once known
};

}  // namespace benchd
