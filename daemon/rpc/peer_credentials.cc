#include "daemon/rpc/peer_credentials.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <string>
#include <system_error>
#include <utility>

#include "core/base/file.h"
#include "core/base/try.h"

namespace benchd::rpc {
namespace {

constexpr std::uint64_t kUnlimited = UINT64_MAX;
constexpr std::size_t kMaxProcFileBytes = 64 * 1024;

struct LimitName {
  std::string_view name;
  int resource;
};
// Source of the names: fs/proc/base.c, lnames[].
constexpr std::array<LimitName, 16> kLimitNames{{
    {"Max cpu time", RLIMIT_CPU},
    {"Max file size", RLIMIT_FSIZE},
    {"Max data size", RLIMIT_DATA},
    {"Max stack size", RLIMIT_STACK},
    {"Max core file size", RLIMIT_CORE},
    {"Max resident set", RLIMIT_RSS},
    {"Max processes", RLIMIT_NPROC},
    {"Max open files", RLIMIT_NOFILE},
    {"Max locked memory", RLIMIT_MEMLOCK},
    {"Max address space", RLIMIT_AS},
    {"Max file locks", RLIMIT_LOCKS},
    {"Max pending signals", RLIMIT_SIGPENDING},
    {"Max msgqueue size", RLIMIT_MSGQUEUE},
    {"Max nice priority", RLIMIT_NICE},
    {"Max realtime priority", RLIMIT_RTPRIO},
    {"Max realtime timeout", RLIMIT_RTTIME},
}};

std::string_view TakeLine(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

std::string_view TakeWord(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  const std::string_view word = text.substr(0, text.find_first_of(" \t"));
  text.remove_prefix(word.size());
  return word;
}

std::optional<std::uint64_t> ParseLimitValue(std::string_view word) {
  if (word == "unlimited") return kUnlimited;
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size() || word.empty()) return std::nullopt;
  return value;
}

Result<std::vector<std::uint32_t>> ReadPeerGroups(int socket) {
  std::vector<gid_t> groups(64);
  while (true) {
    auto bytes = static_cast<socklen_t>(groups.size() * sizeof(gid_t));
    if (::getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, groups.data(), &bytes) == 0) {
      groups.resize(bytes / sizeof(gid_t));
      return std::vector<std::uint32_t>(groups.begin(), groups.end());
    }
    // ERANGE: the kernel returned the required size.
    if (errno != ERANGE || bytes / sizeof(gid_t) <= groups.size()) {
      return Error{ErrorCode::kPermissionDenied,
                   SystemError("reading the groups of the caller", errno).message,
                   {}};
    }
    groups.resize(bytes / sizeof(gid_t));
  }
}

std::string ReadFileAt(int directory, const char* name) {
  const UniqueFd file(::openat(directory, name, O_RDONLY | O_CLOEXEC));
  return file ? ReadAll(file.get(), name, kMaxProcFileBytes).value_or("") : "";
}

// Reads the umask and the limits of the caller. The open directory refers to the same process even
// if the pid is reused.
void ReadProc(Caller& caller) {
  const std::string path = "/proc/" + std::to_string(caller.pid);
  const UniqueFd directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  struct stat owner {};
  if (!directory || ::fstat(directory.get(), &owner) != 0 || owner.st_uid != caller.uid) return;
  const std::optional<std::uint32_t> mask = ParseUmask(ReadFileAt(directory.get(), "status"));
  std::vector<ResourceLimit> limits = ParseLimits(ReadFileAt(directory.get(), "limits"));
  if (!mask || limits.size() < kLimitNames.size()) return;
  caller.umask = *mask;
  caller.limits = std::move(limits);
}

}  // namespace

Result<ucred> ReadCredentials(int socket) {
  ucred credentials{};
  socklen_t size = sizeof(credentials);
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0) return credentials;
  return Error{ErrorCode::kPermissionDenied,
               SystemError("reading the identity of the caller", errno).message,
               {}};
}

Result<Caller> ReadPeer(int socket) {
  TRY(const ucred credentials, ReadCredentials(socket));
  TRY(std::vector<std::uint32_t> groups, ReadPeerGroups(socket));
  Caller caller;
  caller.uid = credentials.uid;
  caller.gid = credentials.gid;
  caller.pid = credentials.pid;
  caller.groups = std::move(groups);
  ReadProc(caller);
  return caller;
}

std::optional<std::uint32_t> ParseUmask(std::string_view status) {
  while (!status.empty()) {
    std::string_view line = TakeLine(status);
    if (TakeWord(line) != "Umask:") continue;
    const std::string_view word = TakeWord(line);
    std::uint32_t mask = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), mask, 8);
    if (error != std::errc{} || end != word.data() + word.size() || mask > 0777)
      return std::nullopt;
    return mask;
  }
  return std::nullopt;
}

std::vector<ResourceLimit> ParseLimits(std::string_view limits) {
  std::vector<ResourceLimit> parsed;
  while (!limits.empty()) {
    std::string_view line = TakeLine(limits);
    for (const LimitName& known : kLimitNames) {
      if (!line.starts_with(known.name)) continue;
      line.remove_prefix(known.name.size());
      const auto soft = ParseLimitValue(TakeWord(line));
      const auto hard = ParseLimitValue(TakeWord(line));
      if (soft && hard) parsed.push_back({known.resource, *soft, *hard});
      break;
    }
  }
  return parsed;
}

}  // namespace benchd::rpc
