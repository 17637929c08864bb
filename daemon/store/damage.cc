#include "daemon/store/damage.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "daemon/store/disk.h"
#include "daemon/store/environment_files.h"
#include "daemon/store/schema.h"

namespace benchd::store {
namespace {

std::filesystem::path Beside(const std::filesystem::path& file, const char* suffix) {
  return file.string() + suffix;
}

std::uintmax_t SizeOf(const std::filesystem::path& file) {
  std::error_code missing;
  const std::uintmax_t size = std::filesystem::file_size(file, missing);
  return missing ? 0 : size;
}

bool HasEntries(const std::filesystem::path& folder) {
  std::error_code missing;
  const std::filesystem::directory_iterator first(folder, missing);
  return !missing && first != std::filesystem::directory_iterator();
}

std::string NameOfNow() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm utc{};
  gmtime_r(&now, &utc);
  std::array<char, 32> buffer{};
  const std::size_t length = std::strftime(buffer.data(), buffer.size(), "%Y%m%dT%H%M%SZ", &utc);
  return {buffer.data(), length};
}

}  // namespace

FileState LookAt(const std::filesystem::path& file) {
  FileState state{.bytes = SizeOf(file), .unclean = Exists(Beside(file, "-wal"))};
  state.emptied =
      state.bytes == 0 && (state.unclean || HasEntries(EnvironmentFolder(file.parent_path())));
  return state;
}

void ReadAhead(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::vector<char> piece(std::size_t{1} << 20);
  while (in.read(piece.data(), static_cast<std::streamsize>(piece.size()))) {
  }
}

Result<void> CheckFile(Database& database, bool all) {
  if (all) {
    Result<void> sound = database.Check();
    return sound ? database.CheckTable("sessions") : sound;
  }
  for (const char* table : {"sqlite_schema", "sessions", "events", "queue_mode"}) {
    if (Result<void> sound = database.CheckTable(table); !sound) return sound;
  }
  return {};
}

// sqlite.org/fileformat.html, 1.3: the magic at 0, the application id at 68, most significant
// first.
bool IsOfAnotherProgram(const std::filesystem::path& file) {
  constexpr std::string_view kMagic("SQLite format 3\0", 16);
  std::array<char, 100> header{};
  std::ifstream in(file, std::ios::binary);
  if (!in.read(header.data(), header.size())) return false;
  if (std::string_view(header.data(), kMagic.size()) != kMagic) return false;
  std::int64_t application = 0;
  for (std::size_t i = 68; i < 72; ++i) {
    application = application << 8 | static_cast<unsigned char>(header[i]);
  }
  return application != kApplicationId;
}

std::string DescribeLoss(Database& database) {
  // Without it SQLite does not look into a file that is shorter than it should be.
  static_cast<void>(database.Execute("PRAGMA writable_schema = ON"));
  Result<std::int64_t> all =
      database.QueryInteger("SELECT count(*) FROM sessions WHERE state <> 'deleted'");
  Result<std::int64_t> waiting = database.QueryInteger(
      "SELECT count(*) FROM sessions WHERE state NOT IN"
      " ('done', 'failed', 'cancelled', 'deleted')");
  if (!all || !waiting) return "all sessions";
  return "all sessions (" + std::to_string(*all) + " can be counted, " + std::to_string(*waiting) +
         " of them not ended)";
}

Result<std::filesystem::path> SetAside(const std::filesystem::path& file) {
  const std::string mark = ".damaged-" + NameOfNow();
  const std::filesystem::path folder = EnvironmentFolder(file.parent_path());
  const auto taken = [&](const std::string& suffix) {
    return Exists(Beside(file, suffix.c_str())) || Exists(Beside(folder, suffix.c_str())) ||
           Exists(Beside(file, (suffix + "-wal").c_str())) ||
           Exists(Beside(file, (suffix + "-shm").c_str()));
  };
  std::string suffix = mark;
  for (int number = 2; taken(suffix); ++number) suffix = mark + "." + std::to_string(number);

  // Whatever interrupts this, LookAt() finds at the next start that there is more to be set aside.
  const std::filesystem::path aside = Beside(file, suffix.c_str());
  std::vector<std::pair<std::filesystem::path, std::filesystem::path>> renamings{
      {file, aside},
      {Beside(file, "-wal"), Beside(aside, "-wal")},
      {Beside(file, "-shm"), Beside(aside, "-shm")}};
  if (HasEntries(folder)) renamings.emplace_back(folder, Beside(folder, suffix.c_str()));
  for (const auto& [from, to] : renamings) {
    if (!Exists(from)) continue;
    if (Result<void> renamed = Rename(from, to); !renamed) return std::move(renamed).error();
  }
  if (Result<void> synced = Sync(file.parent_path()); !synced) return std::move(synced).error();
  return aside;
}

}  // namespace benchd::store
