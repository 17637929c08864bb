#include "daemon/settings/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <optional>

#include "core/base/fnv.h"
#include "core/base/try.h"

namespace benchd {
namespace {

constexpr std::string_view kMagic = "benchd-runner settings ";
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kPageBytes = 4096;
constexpr std::size_t kMaxBootIdBytes = 64;
constexpr const char* kLookAtIt =
    "nothing was changed; inspect the file, then remove it (a reboot also resets the settings)";

/// Returns the line without its checksum; empty if the checksum is missing or wrong.
std::optional<std::string_view> Unsealed(std::string_view line) {
  const std::size_t tab = line.rfind('\t');
  if (tab == std::string_view::npos) return std::nullopt;
  const std::string_view text = line.substr(0, tab);
  if (line.substr(tab + 1) != Fnv1aHex(text)) return std::nullopt;
  return text;
}

bool IsBootId(std::string_view text) {
  return !text.empty() && text.size() <= kMaxBootIdBytes &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '-';
         });
}

/// Appends a line to `text`, which begins at `offset` of the file. Pads with empty lines first if
/// the line would otherwise cross a page boundary.
void AddWithinAPage(std::string& text, std::size_t offset, const std::string& line) {
  const std::size_t in_page = (offset + text.size()) % kPageBytes;
  if (in_page + line.size() > kPageBytes) text.append(kPageBytes - in_page, '\n');
  text += line;
}

Error AtLine(std::size_t number, std::string_view why) {
  return InvalidArgument(fmt::format("line {}", number), why, kLookAtIt);
}

Result<std::string> ParseHeader(std::string_view line, std::size_t number) {
  if (!line.starts_with(kMagic)) return AtLine(number, "not the header of a settings journal");
  std::string_view rest = line.substr(kMagic.size());
  std::uint32_t version = 0;
  const auto parsed = std::from_chars(rest.data(), rest.data() + rest.size(), version);
  if (parsed.ec != std::errc() || parsed.ptr == rest.data() + rest.size() || *parsed.ptr != ' ') {
    return AtLine(number, "the version is invalid");
  }
  // Checked before the checksum, whose format may differ in another version.
  if (version != kVersion) {
    return Error{
        ErrorCode::kFailedPrecondition,
        fmt::format(
            "line {}: the journal has version {}, but this benchd-runner supports only version {}",
            number, version, kVersion),
        "nothing was changed; restore with the benchd-runner that wrote it"};
  }
  const auto text = Unsealed(line);
  if (!text) return AtLine(number, "the line is damaged");
  rest = text->substr(static_cast<std::size_t>(parsed.ptr - line.data()) + 1);
  if (!IsBootId(rest)) return AtLine(number, "the boot ID is invalid");
  return std::string(rest);
}

std::optional<std::string_view> TakeField(std::string_view& line) {
  const std::size_t tab = line.find('\t');
  if (tab == std::string_view::npos) return std::nullopt;
  const std::string_view field = line.substr(0, tab);
  line.remove_prefix(tab + 1);
  return field;
}

Result<JournalEntry> ParseEntry(std::string_view line, std::size_t number) {
  const auto text = Unsealed(line);
  if (!text) return AtLine(number, "the line is damaged");
  std::string_view rest = *text;
  const auto name = TakeField(rest);
  const auto target = TakeField(rest);
  const auto old_value = TakeField(rest);
  if (!old_value) return AtLine(number, "too few fields");
  const auto kind = FindSettingKind(*name);
  if (!kind) return AtLine(number, "unknown kind of setting");
  JournalEntry entry{{*kind, std::string(*target)}, std::string(*old_value), std::string(rest)};
  if (!IsValidSetting(entry.key, entry.old_value) || !IsValidSetting(entry.key, entry.new_value)) {
    return AtLine(number, "it has a value that benchd-runner never writes");
  }
  return entry;
}

Result<void> CheckFile(const std::string& path, int file) {
  struct stat info {};
  if (fstat(file, &info) != 0) return SystemError(path, errno);
  if (!S_ISREG(info.st_mode)) return InvalidArgument(path, "not a regular file");
  if (info.st_uid == geteuid() && (info.st_mode & 07777) == 0600) return {};
  return Error{ErrorCode::kPermissionDenied,
               path + ": another user owns the file or can access it, so it cannot be trusted",
               "inspect the file, then remove it"};
}

}  // namespace

std::string SealedLine(std::string_view line) {
  return std::string(line).append("\t").append(Fnv1aHex(line));
}

std::string JournalHeader(std::string_view boot_id) {
  return SealedLine(fmt::format("{}{} {}", kMagic, kVersion, boot_id));
}

std::string JournalLine(const JournalEntry& entry) {
  std::string line(SettingKindName(entry.key.kind));
  line.append("\t").append(entry.key.target);
  line.append("\t").append(entry.old_value);
  line.append("\t").append(entry.new_value);
  return SealedLine(line);
}

Result<JournalContents> ParseJournal(std::string_view text) {
  JournalContents contents;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return AtLine(number, "the line is truncated");
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    if (line.empty()) continue;
    if (contents.boot_id.empty()) {
      TRY(auto boot_id, ParseHeader(line, number));
      contents.boot_id = std::move(boot_id);
    } else {
      TRY(auto entry, ParseEntry(line, number));
      contents.entries.push_back(std::move(entry));
    }
  }
  return contents;
}

Result<Journal> Journal::Open(const std::string& path) {
  constexpr int kFlags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK;
  UniqueFd file(open(path.c_str(), kFlags, 0600));
  if (!file) return SystemError(path, errno);
  TRY_VOID(CheckFile(path, file.get()));
  if (flock(file.get(), LOCK_EX | LOCK_NB) == 0) return Journal(path, std::move(file));
  if (errno != EWOULDBLOCK) return SystemError(path, errno);
  return Error{ErrorCode::kFailedPrecondition, path + ": in use by another benchd-runner",
               "stop that benchd-runner first"};
}

Result<JournalContents> Journal::Read() const {
  std::string text;
  char buffer[4096];
  for (;;) {
    const ssize_t count =
        pread(file_.get(), buffer, sizeof(buffer), static_cast<off_t>(text.size()));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return SystemError(path_, errno);
    if (count == 0) break;
    text.append(buffer, static_cast<std::size_t>(count));
    if (text.size() > kMaxJournalBytes)
      return InvalidArgument(path_, "larger than 1 MiB", kLookAtIt);
  }
  auto contents = ParseJournal(text);
  if (!contents) return std::move(contents).error().Within(path_);
  return contents;
}

Result<std::size_t> Journal::Prepare(std::string_view boot_id) {
  if (!IsBootId(boot_id)) {
    return Error{ErrorCode::kFailedPrecondition,
                 path_ + ": cannot be used, because the ID of the current boot is unknown"};
  }
  struct stat info {};
  if (fstat(file_.get(), &info) != 0) return SystemError(path_, errno);
  if (info.st_size > 0 && boot_id_.empty()) {
    TRY(auto contents, Read());
    boot_id_ = contents.boot_id;
  }
  if (info.st_size > 0 && boot_id_ != boot_id) {
    return Error{ErrorCode::kFailedPrecondition, path_ + ": contains entries from another boot",
                 "run benchd-runner --restore"};
  }
  return static_cast<std::size_t>(info.st_size);
}

Result<void> Journal::Append(const JournalEntry& entry, std::string_view boot_id) {
  return AppendAll({entry}, boot_id);
}

Result<void> Journal::AppendAll(const std::vector<JournalEntry>& entries,
                                std::string_view boot_id) {
  if (entries.empty()) return {};
  TRY(const auto size, Prepare(boot_id));
  std::string text = size == 0 ? JournalHeader(boot_id) + "\n" : std::string();
  for (const JournalEntry& entry : entries) {
    const std::string line = JournalLine(entry) + "\n";
    AddWithinAPage(text, size, line);
    if (line.size() > kPageBytes || size + text.size() > kMaxJournalBytes) {
      return Error{ErrorCode::kResourceExhausted,
                   path_ + ": not enough space for " + DescribeSetting(entry.key)};
    }
  }
  if (auto written = WriteAt(size, text); !written) {
    if (ftruncate(file_.get(), static_cast<off_t>(size)) != 0) return SystemError(path_, errno);
    return written;
  }
  boot_id_ = boot_id;
  return {};
}

Result<void> Journal::WriteAt(std::size_t offset, std::string_view text) {
  ssize_t count = 0;
  do {
    count = pwrite(file_.get(), text.data(), text.size(), static_cast<off_t>(offset));
  } while (count < 0 && errno == EINTR);
  if (count < 0) return SystemError(path_, errno);
  if (static_cast<std::size_t>(count) != text.size()) return SystemError(path_, ENOSPC);
  return fdatasync(file_.get()) == 0 ? Result<void>() : SystemError(path_, errno);
}

Result<void> Journal::Clear() {
  if (ftruncate(file_.get(), 0) != 0) return SystemError(path_, errno);
  boot_id_.clear();
  return {};
}

Result<void> Journal::KeepOnly(const std::vector<JournalEntry>& entries) {
  TRY(const auto contents, Read());
  struct stat info {};
  if (fstat(file_.get(), &info) != 0) return SystemError(path_, errno);
  std::string text = JournalHeader(contents.boot_id) + "\n";
  for (const JournalEntry& entry : entries) AddWithinAPage(text, 0, JournalLine(entry) + "\n");
  const std::size_t size = text.size();
  // Pads with newlines to the length of the old text, so that only whole old lines remain if the
  // write is interrupted.
  text.append(std::max(static_cast<std::size_t>(info.st_size), size) - size, '\n');
  TRY_VOID(WriteAt(0, text));
  return ftruncate(file_.get(), static_cast<off_t>(size)) == 0 ? Result<void>()
                                                               : SystemError(path_, errno);
}

}  // namespace benchd
