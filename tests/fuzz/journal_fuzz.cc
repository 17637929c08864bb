#include <algorithm>
#include <string>

#include "daemon/settings/journal.h"
#include "tests/fuzz/fuzz.h"

namespace benchd::fuzz {
namespace {

/// A restore relies on this: a journal affects only the closed list of settings, and writing its
/// content again yields the same content.
void CheckJournalContents(const JournalContents& contents) {
  std::string text;
  if (!contents.boot_id.empty()) text = JournalHeader(contents.boot_id) + "\n";
  for (const JournalEntry& entry : contents.entries) {
    FUZZ_CHECK(IsValidSetting(entry.key, entry.old_value));
    FUZZ_CHECK(IsValidSetting(entry.key, entry.new_value));
    FUZZ_CHECK(entry.key.target.find("..") == std::string::npos);
    FUZZ_CHECK(!entry.key.target.starts_with('/'));
    text += JournalLine(entry) + "\n";
  }
  FUZZ_CHECK(contents.entries.empty() || !contents.boot_id.empty());
  const auto again = ParseJournal(text);
  FUZZ_CHECK(again && again->boot_id == contents.boot_id && again->entries == contents.entries);
}

void CheckJournal(std::string_view text) {
  const auto contents = ParseJournal(text);
  if (contents) return CheckJournalContents(*contents);
  CheckMessage(contents.error().message);
  FUZZ_CHECK(contents.error().message.starts_with("line "));
  FUZZ_CHECK(!contents.error().hint.empty());
}

/// The lines with matching checksums, as a forger could write them.
std::string SealedLines(std::string_view text) {
  std::string sealed;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (const std::size_t tab = line.rfind('\t'); tab != std::string_view::npos) {
      line = line.substr(0, tab);
    }
    sealed += line.empty() ? "\n" : SealedLine(line) + "\n";
  }
  return sealed;
}

}  // namespace

void FuzzJournal(std::string_view input) {
  CheckJournal(input);
  CheckJournal(SealedLines(input));
}

}  // namespace benchd::fuzz
