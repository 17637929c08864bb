#include "daemon/helper/user_record.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/unique_fd.h"

namespace benchd {
namespace {

/// getent(1): a key was not found.
constexpr int kNoSuchEntry = 2;
/// A line with the members of a large group has some hundred kilobytes.
constexpr std::size_t kMaxAnswerBytes = std::size_t{16} * 1024 * 1024;

std::optional<std::uint32_t> IdOf(std::string_view text) {
  std::uint32_t id = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, id);
  if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  return id;
}

/// The fields of a line that colons divide, as in passwd(5) and group(5).
std::vector<std::string_view> ColonFields(std::string_view line) {
  line = line.substr(0, line.find('\n'));
  std::vector<std::string_view> fields;
  for (;;) {
    const std::size_t colon = line.find(':');
    fields.push_back(line.substr(0, colon));
    if (colon == std::string_view::npos) return fields;
    line.remove_prefix(colon + 1);
  }
}

Error NotUnderstood(std::string_view line) {
  return Error{ErrorCode::kInternal, "getent: its answer is not understood: " + Quoted(line), {}};
}

Result<std::string> ReadAnswer(int pipe) {
  std::string text;
  char buffer[4096];
  for (;;) {
    const ssize_t count = read(pipe, buffer, sizeof(buffer));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return SystemError("getent", errno);
    if (count == 0) return text;
    text.append(buffer, static_cast<std::size_t>(count));
    if (text.size() > kMaxAnswerBytes) {
      return Error{ErrorCode::kResourceExhausted, "getent: its answer is too long", {}};
    }
  }
}

/// What getent prints for a key of a database; nothing where there is no such key.
Result<std::optional<std::string>> Getent(const char* database, std::string key) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return SystemError("getent", errno);
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
  const int failed = posix_spawnp(&pid, argv[0], &actions, nullptr, argv, envp);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return SystemError("getent", failed);
  write_end.Reset();
  auto answer = ReadAnswer(read_end.get());
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
  if (!answer) return std::move(answer).error();
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return std::optional(std::move(*answer));
  if (WIFEXITED(status) && WEXITSTATUS(status) == kNoSuchEntry) return std::optional<std::string>();
  return Error{
      ErrorCode::kUnavailable,
      std::string("getent ") + database + ": it ended with status " + std::to_string(status),
      {}};
}

}  // namespace

Result<void> TakePasswdLine(std::string_view line, uid_t uid, wire::UserRecord& record) {
  const auto fields = ColonFields(line);
  if (fields.size() < 4 || fields[0].empty() || IdOf(fields[2]) != uid || !IdOf(fields[3])) {
    return NotUnderstood(line);
  }
  record.known = true;
  record.name = fields[0];
  record.gid = *IdOf(fields[3]);
  return {};
}

Result<std::vector<std::uint32_t>> ParseInitgroups(std::string_view line, std::string_view name) {
  if (!line.starts_with(name)) return NotUnderstood(line);
  line.remove_prefix(name.size());
  constexpr std::string_view kBlanks = " \n";
  std::vector<std::uint32_t> groups;
  for (;;) {
    const std::size_t begin = line.find_first_not_of(kBlanks);
    if (begin == std::string_view::npos) return groups;
    line.remove_prefix(begin);
    const std::string_view word = line.substr(0, line.find_first_of(kBlanks));
    const auto group = IdOf(word);
    if (!group) return NotUnderstood(line);
    groups.push_back(*group);
    line.remove_prefix(word.size());
  }
}

Result<std::uint32_t> ParseGroupLine(std::string_view line) {
  const auto fields = ColonFields(line);
  const auto group = fields.size() < 3 ? std::nullopt : IdOf(fields[2]);
  if (!group) return NotUnderstood(line);
  return *group;
}

Result<wire::UserRecord> LookUpUser(uid_t uid, const std::string& socket_group) {
  wire::UserRecord record;
  auto group = Getent("group", socket_group);
  if (!group) return std::move(group).error();
  if (*group) {
    auto gid = ParseGroupLine(**group);
    if (!gid) return std::move(gid).error();
    record.socket_gid = *gid;
  }
  auto user = Getent("passwd", std::to_string(uid));
  if (!user) return std::move(user).error();
  if (!*user) return record;
  if (auto taken = TakePasswdLine(**user, uid, record); !taken) return std::move(taken).error();
  auto groups = Getent("initgroups", record.name);
  if (!groups) return std::move(groups).error();
  if (!*groups) return record;
  auto numbers = ParseInitgroups(**groups, record.name);
  if (!numbers) return std::move(numbers).error();
  record.groups = std::move(*numbers);
  return record;
}

}  // namespace benchd
