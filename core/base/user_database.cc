#include "core/base/user_database.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <utility>

#include "core/base/file.h"

namespace benchd {
namespace {

constexpr const char* kUsers = "/etc/passwd";
constexpr const char* kGroups = "/etc/group";
/// The exit code of getent(1) for a key that does not exist.
constexpr int kNoSuchEntry = 2;
/// The line of a large group, with all its members, can take several hundred kilobytes.
constexpr std::size_t kMaxAnswerBytes = std::size_t{16} * 1024 * 1024;

std::optional<std::uint32_t> IdOf(std::string_view text) {
  std::uint32_t id = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, id);
  if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  return id;
}

std::vector<std::string_view> FieldsOf(std::string_view line) {
  line = line.substr(0, line.find('\n'));
  std::vector<std::string_view> fields;
  for (;;) {
    const std::size_t colon = line.find(':');
    fields.push_back(line.substr(0, colon));
    if (colon == std::string_view::npos) return fields;
    line.remove_prefix(colon + 1);
  }
}

Result<std::string> ReadAnswer(int pipe) {
  Result<std::string> text = ReadAll(pipe, "getent", kMaxAnswerBytes);
  if (!text || text->size() <= kMaxAnswerBytes) return text;
  return Error{ErrorCode::kResourceExhausted, "getent: the output exceeds 16 MiB"};
}

/// Returns the first matching entry of the file, or else the entry that getent prints for the key.
template <typename Entry, typename IsWanted>
std::optional<Entry> Find(const char* file, const char* database, const std::string& key,
                          std::optional<Entry> (*parse)(std::string_view), IsWanted is_wanted) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    std::optional<Entry> entry = parse(line);
    if (entry && is_wanted(*entry)) return entry;
  }
  const auto answer = Getent(database, key);
  if (!answer || !*answer) return std::nullopt;
  std::optional<Entry> entry = parse(**answer);
  return entry && is_wanted(*entry) ? std::move(entry) : std::nullopt;
}

}  // namespace

std::optional<UserEntry> ParseUserLine(std::string_view line) {
  const auto fields = FieldsOf(line);
  if (fields.size() < 4 || fields[0].empty()) return std::nullopt;
  const auto uid = IdOf(fields[2]);
  const auto gid = IdOf(fields[3]);
  if (!uid || !gid) return std::nullopt;
  return UserEntry{std::string(fields[0]), *uid, *gid,
                   fields.size() > 5 ? std::string(fields[5]) : std::string()};
}

std::optional<GroupEntry> ParseGroupLine(std::string_view line) {
  const auto fields = FieldsOf(line);
  if (fields.size() < 3 || fields[0].empty()) return std::nullopt;
  const auto gid = IdOf(fields[2]);
  return gid ? std::optional(GroupEntry{std::string(fields[0]), *gid}) : std::nullopt;
}

std::optional<UserEntry> FindUser(uid_t uid) {
  return Find<UserEntry>(kUsers, "passwd", std::to_string(uid), &ParseUserLine,
                         [uid](const UserEntry& user) { return user.uid == uid; });
}

std::optional<UserEntry> FindUser(const std::string& name) {
  return Find<UserEntry>(kUsers, "passwd", name, &ParseUserLine,
                         [&name](const UserEntry& user) { return user.name == name; });
}

std::optional<GroupEntry> FindGroup(gid_t gid) {
  return Find<GroupEntry>(kGroups, "group", std::to_string(gid), &ParseGroupLine,
                          [gid](const GroupEntry& group) { return group.gid == gid; });
}

std::optional<GroupEntry> FindGroup(const std::string& name) {
  return Find<GroupEntry>(kGroups, "group", name, &ParseGroupLine,
                          [&name](const GroupEntry& group) { return group.name == name; });
}

Result<std::optional<std::string>> Getent(const char* database, std::string key) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return SystemError("getent", errno);
  const UniqueFd read_end(ends[0]);
  UniqueFd write_end(ends[1]);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, write_end.get(), STDOUT_FILENO);
  std::string words[] = {"getent", database, "--", std::move(key)};
  char* argv[] = {words[0].data(), words[1].data(), words[2].data(), words[3].data(), nullptr};
  std::string path = "PATH=/usr/bin:/bin";
  char* envp[] = {path.data(), nullptr};
  pid_t pid = 0;
  const int failed = ::posix_spawnp(&pid, argv[0], &actions, nullptr, argv, envp);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return SystemError("getent", failed);
  write_end.Reset();
  auto answer = ReadAnswer(read_end.get());
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
  if (!answer) return std::move(answer).error();
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return std::optional(std::move(*answer));
  if (WIFEXITED(status) && WEXITSTATUS(status) == kNoSuchEntry) return std::optional<std::string>();
  return Error{ErrorCode::kUnavailable,
               fmt::format("getent {}: exited with wait status {}", database, status)};
}

}  // namespace benchd
