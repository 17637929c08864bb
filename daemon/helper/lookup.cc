#include "daemon/helper/lookup.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <nettle/sha2.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <optional>
#include <utility>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "core/base/user_database.h"

namespace benchd {
namespace {

constexpr std::string_view kDefaultPath = "/bin:/usr/bin";

/// Converts `path` to an absolute path. Removes a leading "./".
std::string Absolute(std::string_view path, std::string_view cwd) {
  if (path.starts_with('/')) return std::string(path);
  while (path.starts_with("./")) {
    path.remove_prefix(2);
    path.remove_prefix(std::min(path.size(), path.find_first_not_of('/')));
  }
  std::string absolute(cwd);
  if (!absolute.ends_with('/')) absolute += '/';
  return absolute.append(path);
}

/// Returns 0 if `path` is an executable regular file, otherwise an error number.
int CheckExecutable(const std::string& path, struct stat& info) {
  if (stat(path.c_str(), &info) != 0) return errno;
  if (S_ISDIR(info.st_mode)) return EISDIR;
  if (!S_ISREG(info.st_mode)) return EACCES;
  return access(path.c_str(), X_OK) == 0 ? 0 : errno;
}

/// The time limit for reading a file, because a sparse file may have a size of a terabyte. Reading
/// a benchmark program takes a second or two.
constexpr std::chrono::seconds kDigestTimeout{20};

/// The number of bytes that are read at normal priority, which is more than the size of most
/// programs. The rest of a larger file is read at a lower priority, because benchd and the runner
/// share the housekeeping CPUs with this process.
constexpr std::uint64_t kReadAtOnce = std::uint64_t{4} << 20U;
constexpr int kNiceForMore = 10;

Result<void> Digest(int file, ProgramIdentity& program) {
  const auto until = std::chrono::steady_clock::now() + kDigestTimeout;
  sha256_ctx context;
  sha256_init(&context);
  static unsigned char buffer[64 * 1024];
  std::uint64_t left_at_once = kReadAtOnce;
  for (;;) {
    const ssize_t count = read(file, buffer, sizeof(buffer));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return SystemError(program.path, errno);
    if (count == 0) break;
    if (std::chrono::steady_clock::now() > until) {
      return Error{
          ErrorCode::kDeadlineExceeded,
          fmt::format("{}: reading it takes over {} s", program.path, kDigestTimeout.count()),
          "check that it is a program; benchd computes its SHA-256 on every submission"};
    }
    const auto bytes = static_cast<std::size_t>(count);
    sha256_update(&context, bytes, buffer);
    const bool was_at_once = left_at_once > 0;
    left_at_once -= std::min<std::uint64_t>(left_at_once, bytes);
    if (was_at_once && left_at_once == 0) setpriority(PRIO_PROCESS, 0, kNiceForMore);
  }
  sha256_digest(&context, program.sha256.size(), program.sha256.data());
  return {};
}

Result<ProgramIdentity> Identify(const std::string& path, struct stat info) {
  ProgramIdentity program;
  program.path = path;
  UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (file) {
    if (fstat(file.get(), &info) != 0) return SystemError(path, errno);
    TRY_VOID(Digest(file.get(), program));
  } else if (errno != EACCES) {
    return SystemError(path, errno);
  }
  program.device = info.st_dev;
  program.inode = info.st_ino;
  program.size_bytes = static_cast<std::uint64_t>(info.st_size);
  program.mtime_ns = std::int64_t{info.st_mtim.tv_sec} * 1'000'000'000 + info.st_mtim.tv_nsec;
  return program;
}

Error NotExecutable(const std::string& what, const std::string& path, int error_number) {
  if (error_number == EISDIR) {
    return Error{ErrorCode::kPermissionDenied, what + path + " is a directory"};
  }
  if (error_number == EACCES) {
    return Error{ErrorCode::kPermissionDenied,
                 fmt::format("{}{} cannot be executed by uid {}", what, path, geteuid()),
                 "check its mode (chmod +x) and the modes of its parent folders"};
  }
  return SystemError(what + path, error_number);
}

Result<ProgramIdentity> SearchPath(const std::string& program, std::string_view path,
                                   const std::string& cwd) {
  const std::string what = "command '" + program + "': ";
  std::string refused;
  for (;;) {
    const std::string_view folder = path.substr(0, path.find(':'));
    const std::string candidate =
        Absolute(std::string(folder).append(folder.empty() ? "" : "/") + program, cwd);
    struct stat info {};
    const int error_number = CheckExecutable(candidate, info);
    if (error_number == 0) return Identify(candidate, info);
    if (error_number == EACCES && refused.empty()) refused = candidate;
    if (path.size() == folder.size()) break;
    path.remove_prefix(folder.size() + 1);
  }
  if (!refused.empty()) return NotExecutable(what, refused, EACCES);
  return Error{ErrorCode::kNotFound, what + "not found in PATH",
               "give its path, or use --shell for shell builtins"};
}

}  // namespace

Result<ProgramIdentity> ResolveCommand(const std::string& program, const std::string& path,
                                       const std::string& cwd) {
  if (program.empty()) return InvalidArgument("command", "empty");
  if (!cwd.starts_with('/')) return InvalidArgument("cwd", "'" + cwd + "' is not an absolute path");
  if (chdir(cwd.c_str()) != 0) return SystemError("cwd: " + cwd, errno);
  if (program.find('/') == std::string::npos) {
    return SearchPath(program, path.empty() ? kDefaultPath : std::string_view(path), cwd);
  }
  const std::string absolute = Absolute(program, cwd);
  struct stat info {};
  const int error_number = CheckExecutable(absolute, info);
  if (error_number == 0) return Identify(absolute, info);
  return NotExecutable("command '" + program + "': ", absolute, error_number);
}
namespace {

std::optional<std::uint32_t> IdOf(std::string_view text) {
  std::uint32_t id = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, id);
  if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  return id;
}

Error NotUnderstood(std::string_view line) {
  return Error{ErrorCode::kInternal, "getent: invalid answer: " + Quoted(line)};
}

}  // namespace

Result<void> TakePasswdLine(std::string_view line, uid_t uid, wire::UserRecord& record) {
  auto user = ParseUserLine(line);
  if (!user || user->uid != uid) return NotUnderstood(line);
  record.known = true;
  record.name = std::move(user->name);
  record.gid = user->gid;
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

Result<wire::UserRecord> LookUpUser(uid_t uid, const std::string& socket_group) {
  wire::UserRecord record;
  TRY(auto group, Getent("group", socket_group));
  if (group) {
    const auto entry = ParseGroupLine(*group);
    if (!entry) return NotUnderstood(*group);
    record.socket_gid = entry->gid;
  }
  TRY(auto user, Getent("passwd", std::to_string(uid)));
  if (!user) return record;
  TRY_VOID(TakePasswdLine(*user, uid, record));
  TRY(auto groups, Getent("initgroups", record.name));
  if (!groups) return record;
  TRY(auto numbers, ParseInitgroups(*groups, record.name));
  record.groups = std::move(numbers);
  return record;
}

}  // namespace benchd
