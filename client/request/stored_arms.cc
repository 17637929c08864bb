#include "client/request/stored_arms.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "client/app/sha256.h"
#include "core/base/file.h"
#include "core/base/shell_words.h"
#include "core/base/text.h"
#include "core/base/time.h"
#include "core/base/try.h"
#include "core/parse/command_line.h"

namespace benchd::client {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr char kAbout[] = "/arm.json";
constexpr std::size_t kDigestDigits = 64;
constexpr std::size_t kMostNameBytes = 64;
constexpr std::size_t kMostProgramBytes = std::size_t{1} << 30U;
constexpr std::size_t kMostAboutBytes = std::size_t{1} << 20U;

Error SystemsError(const std::string& path, int error) {
  return UsageError(path + ": " + std::strerror(error));
}

Result<std::string> ReadFile(const std::string& path, std::size_t most) {
  const UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return SystemsError(path, errno);
  auto text = ReadAll(file.get(), path, most);
  if (!text) return UsageError(text.error().message);
  if (text->size() > most) {
    return UsageError(fmt::format("{}: more than {} MiB", path, most >> 20U));
  }
  return text;
}

Result<void> WriteNewFile(const std::string& path, std::string_view text, mode_t mode) {
  const UniqueFd file(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
  if (!file) return SystemsError(path, errno);
  auto written = WriteAll(file.get(), text, path);
  if (!written) return UsageError(written.error().message);
  if (fsync(file.get()) != 0) return SystemsError(path, errno);
  return {};
}

// Flushes the entries of a folder to disk, so that they survive a power loss.
Result<void> SyncFolder(const std::string& path) {
  const UniqueFd folder(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder || fsync(folder.get()) != 0) return SystemsError(path, errno);
  return {};
}

// Moves the new folder into place and replaces an existing one atomically.
Result<void> PutInPlace(const std::string& made, const std::string& place) {
  if (rename(made.c_str(), place.c_str()) == 0) return {};
  if (errno != ENOTEMPTY && errno != EEXIST) return SystemsError(place, errno);
  if (renameat2(AT_FDCWD, made.c_str(), AT_FDCWD, place.c_str(), RENAME_EXCHANGE) == 0) return {};
  Error error = SystemsError(place, errno);
  error.hint = "remove it first: benchctl arm remove " + fs::path(place).filename().string();
  return error;
}

bool IsFileName(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string_view::npos &&
         name.find('\0') == std::string_view::npos;
}

std::string TextOf(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : "";
}

}  // namespace

std::string FormatStoredArm(const StoredArm& arm) {
  Json json = {{"command", arm.command},
               {"cwd", arm.cwd},
               {"program", arm.program},
               {"sha256", arm.sha256},
               {"saved_at", arm.saved_at}};
  if (arm.commit) {
    json["commit"] = {{"id", arm.commit->id}, {"description", arm.commit->description}};
    json["modified"] = arm.modified;
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<StoredArm> ParseStoredArm(std::string_view text, const std::string& name) {
  const auto wrong = [&name](const std::string& what) {
    return UsageError("stored arm " + Quoted(name) + ": " + what,
                      "save it again, or remove it: benchctl arm remove NAME");
  };
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return wrong("its description is not valid JSON");
  StoredArm arm{.name = name,
                .command = TextOf(json, "command"),
                .cwd = TextOf(json, "cwd"),
                .program = TextOf(json, "program"),
                .sha256 = TextOf(json, "sha256"),
                .saved_at = TextOf(json, "saved_at")};
  if (!SplitCommandLine(arm.command)) return wrong("its command cannot be read");
  if (!arm.cwd.starts_with('/')) return wrong("its cwd is not an absolute path");
  if (!IsFileName(arm.program)) return wrong("its program is not a file name");
  if (arm.sha256.size() != kDigestDigits || !IsHex(arm.sha256)) {
    return wrong("its sha256 is not 64 hexadecimal digits");
  }
  if (!ParseRfc3339(arm.saved_at)) return wrong("its saved_at is not a time");
  if (const auto commit = json.find("commit"); commit != json.end() && commit->is_object()) {
    arm.commit = CommitInput{TextOf(*commit, "id"), TextOf(*commit, "description")};
    const auto modified = json.find("modified");
    arm.modified = modified != json.end() && modified->is_boolean() && modified->get<bool>();
  }
  return arm;
}

Result<void> CheckArmName(const std::string& name) {
  const bool plain = std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
  });
  if (plain && !name.empty() && name.front() != '.' && name.size() <= kMostNameBytes) return {};
  return UsageError(Quoted(name) + ": not a name for a stored arm",
                    "use up to 64 letters, digits, '.', '_' and '-', not starting with a dot");
}

Result<std::string> FindExecutable(const std::string& program, const std::string& path,
                                   const std::string& cwd) {
  const auto executable = [](const fs::path& file) {
    std::error_code error;
    return fs::is_regular_file(file, error) && access(file.c_str(), X_OK) == 0;
  };
  if (program.find('/') != std::string::npos) {
    fs::path file = fs::path(cwd) / program;
    if (executable(file)) return file.lexically_normal().string();
    if (access(file.c_str(), F_OK) != 0) return UsageError(file.string() + ": no such file");
    return UsageError(file.string() + ": not an executable file");
  }
  std::string_view rest = path.empty() ? std::string_view("/bin:/usr/bin") : path;
  for (;;) {
    const std::string_view folder = rest.substr(0, rest.find(':'));
    fs::path file = fs::path(cwd) / folder / program;
    if (executable(file)) return file.lexically_normal().string();
    if (rest.size() == folder.size()) break;
    rest.remove_prefix(folder.size() + 1);
  }
  return UsageError("command " + Quoted(program) + ": not found in PATH", "give its path");
}

bool RunsItsArguments(std::string_view program) {
  static constexpr auto kPrograms = std::to_array<std::string_view>(
      {"ash",    "bash",    "bun",  "chrt",  "dash",    "deno", "env",     "fish",    "guile",
       "ionice", "java",    "ksh",  "lua",   "luajit",  "mono", "nice",    "node",    "nodejs",
       "nohup",  "numactl", "perl", "php",   "prlimit", "pypy", "python",  "Rscript", "ruby",
       "setsid", "sh",      "sudo", "tclsh", "taskset", "time", "timeout", "xargs",   "zsh"});
  // Ignore a version number, as in python3.11.
  const std::size_t end = program.find_last_not_of("0123456789.");
  if (end != std::string_view::npos) program = program.substr(0, end + 1);
  return std::ranges::find(kPrograms, program) != kPrograms.end();
}

Result<StoredArm> StoredArms::Save(StoredArm arm, const std::string& source) const {
  TRY_VOID(CheckArmName(arm.name));
  TRY(auto bytes, ReadFile(source, kMostProgramBytes));
  arm.program = fs::path(source).filename().string();
  arm.sha256 = Sha256Hex(bytes);
  const std::string made = fmt::format("{}/.{}.{}.tmp", folder_, arm.name, getpid());
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) return UsageError(folder_ + ": " + error.message());
  fs::remove_all(made, error);  // left by a process that was killed
  for (const std::string& path : {made, made + "/bin"}) {
    if (mkdir(path.c_str(), 0700) != 0) return SystemsError(path, errno);
  }
  Result<void> written = WriteNewFile(made + "/bin/" + arm.program, bytes, 0700);
  if (written) written = WriteNewFile(made + kAbout, FormatStoredArm(arm), 0600);
  // Everything must be on disk before the rename.
  if (written) written = SyncFolder(made + "/bin");
  if (written) written = SyncFolder(made);
  if (written) written = PutInPlace(made, PlaceOf(arm.name));
  if (written) written = SyncFolder(folder_);
  fs::remove_all(made, error);  // the unfinished folder, or the one that was replaced
  if (!written) return std::move(written).error();
  return arm;
}

Result<StoredArm> StoredArms::Read(const std::string& name) const {
  TRY_VOID(CheckArmName(name));
  const std::string about = PlaceOf(name) + kAbout;
  if (access(about.c_str(), F_OK) != 0 && errno == ENOENT) return NoSuchArm(name);
  TRY(auto text, ReadFile(about, kMostAboutBytes));
  return ParseStoredArm(text, name);
}

Result<void> StoredArms::Verify(const StoredArm& arm) const {
  TRY(auto bytes, ReadFile(CopyOf(arm), kMostProgramBytes));
  if (Sha256Hex(bytes) == arm.sha256) return {};
  return UsageError("stored arm " + Quoted(arm.name) + ": " + CopyOf(arm) +
                        " was changed after it was stored (its SHA-256 differs)",
                    "save it again: benchctl compare --save " + arm.name + " COMMAND");
}

std::string StoredArms::CommandOf(const StoredArm& arm) const {
  auto words = SplitCommandLine(arm.command);
  if (!words) return arm.command;  // ParseStoredArm() refuses such commands
  words->front() = CopyOf(arm);
  return Join(*words, " ", ShellQuoted);
}

std::vector<std::string> StoredArms::Names() const {
  std::vector<std::string> names;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_, error)) {
    std::string name = entry.path().filename().string();
    if (CheckArmName(name)) names.push_back(std::move(name));
  }
  std::ranges::sort(names);
  return names;
}

Result<void> StoredArms::Remove(const std::string& name) const {
  TRY_VOID(CheckArmName(name));
  // Rename atomically, then remove.
  const std::string place = PlaceOf(name);
  const std::string gone = fmt::format("{}/.{}.{}.gone", folder_, name, getpid());
  if (rename(place.c_str(), gone.c_str()) != 0) {
    return errno == ENOENT ? NoSuchArm(name) : SystemsError(place, errno);
  }
  std::error_code error;
  fs::remove_all(gone, error);
  if (error) return UsageError(gone + ": " + error.message());
  return {};
}

std::string StoredArms::CopyOf(const StoredArm& arm) const {
  return PlaceOf(arm.name) + "/bin/" + arm.program;
}

Error StoredArms::NoSuchArm(const std::string& name) const {
  const std::vector<std::string> names = Names();
  const std::vector<std::string_view> known(names.begin(), names.end());
  return UsageError("no stored arm is called " + Quoted(name),
                    HintForUnknown(name, known,
                                   names.empty() ? "store one: benchctl compare --save NAME COMMAND"
                                                 : "benchctl arm list shows them"));
}

}  // namespace benchd::client
