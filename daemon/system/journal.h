#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/file.h"
#include "core/base/result.h"
#include "daemon/system/setting.h"

namespace benchd {

/// More is in no journal.
inline constexpr std::size_t kMaxJournalBytes = std::size_t{1024} * 1024;

/// A setting that we changed, or were about to.
struct JournalEntry {
  SettingKey key;
  std::string old_value;
  std::string new_value;
  bool operator==(const JournalEntry&) const = default;
};

/// What a journal's text says.
struct JournalContents {
  std::string boot_id;  ///< of the boot in which it was written; empty = an empty file
  std::vector<JournalEntry> entries;
};

/// Ends a line of a journal: adds a tab and the line's checksum (FNV-1a, 64 bits, hexadecimal).
std::string SealedLine(std::string_view line);

/// The two kinds of lines, sealed, without their newline.
std::string JournalHeader(std::string_view boot_id);
std::string JournalLine(const JournalEntry& entry);

/// Reads the text of a journal: a header "benchd-runner settings VERSION BOOT_ID" and one line an
/// entry, tab-separated: kind, target, old value, new value. Each ends with its checksum. Empty
/// lines mean nothing.
///
/// @errors kFailedPrecondition for a later version; kInvalidArgument "line N: ..." for a line that
///         is cut off or damaged, an unknown kind, or a value that this program never writes.
Result<JournalContents> ParseJournal(std::string_view text);

/// What was changed and what it was before, on a file that outlives a kill. Locked for this
/// object's life: one runner at a time.
///
/// An entry reaches the file before the first write of its setting; the file is emptied when
/// everything has been given back. Single-threaded.
class Journal {
 public:
  /// Makes the file where there is none; it is ours alone (0600).
  /// @errors kFailedPrecondition when a live runner holds it; kPermissionDenied when it is
  ///         somebody else's or others may use it; those of the file.
  static Result<Journal> Open(const std::string& path);

  Journal(Journal&&) = default;
  Journal& operator=(Journal&&) = default;

  /// What is in the file. @errors those of ParseJournal(), with the path in front.
  Result<JournalContents> Read() const;

  /// Adds an entry; the first one after Clear() writes the header, too.
  ///
  /// It is there as a whole or not at all, also when we are killed: a write(2) can be cut short by
  /// SIGKILL between two pages only, so that none of them has an entry on both sides.
  /// @errors kFailedPrecondition when the file's entries are another boot's, or `boot_id` is none;
  ///         those of the file, which then is as it was.
  Result<void> Append(const JournalEntry& entry, std::string_view boot_id);
  /// Several with one write and one flush. Each is there as a whole or not at all; killed
  /// meanwhile, only the first of them may be.
  Result<void> AppendAll(const std::vector<JournalEntry>& entries, std::string_view boot_id);

  /// Nothing is changed any more.
  Result<void> Clear();

  /// Keeps these of its entries and forgets the others. Killed in between, it has forgotten only
  /// some, or, with more than a page of them to keep, may have lost one of these.
  Result<void> KeepOnly(const std::vector<JournalEntry>& entries);

  const std::string& path() const { return path_; }

 private:
  Journal(std::string path, UniqueFd file) : path_(std::move(path)), file_(std::move(file)) {}

  /// Readies the file for an entry of that boot. @return its size.
  Result<std::size_t> Prepare(std::string_view boot_id);
  Result<void> WriteAt(std::size_t offset, std::string_view text);

  std::string path_;
  UniqueFd file_;
  std::string boot_id_;  ///< of what is in the file, once known
};

}  // namespace benchd
