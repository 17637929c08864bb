#include "daemon/rpc/connections.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <system_error>
#include <utility>

#include "core/base/file.h"
#include "core/base/try.h"

namespace benchd::rpc {
namespace {

constexpr std::string_view kPrefix = "fd:";

// Lower numbers are left to the daemon's own files. A wider range would make a round longer, and
// the callers of closed connections are kept for a round.
constexpr int kFirstNumber = 64;
constexpr int kLastNumber = 2047;

std::optional<std::uint64_t> SocketInode(int fd) {
  struct stat info {};
  if (::fstat(fd, &info) != 0 || !S_ISSOCK(info.st_mode)) return std::nullopt;
  return info.st_ino;
}

}  // namespace

Result<UniqueFd> PeerTable::Register(UniqueFd connection, Caller caller) {
  UniqueFd numbered;
  if (next_number_ >= kFirstNumber && next_number_ <= kLastNumber) {
    numbered = UniqueFd(::fcntl(connection.get(), F_DUPFD_CLOEXEC, next_number_));
  }
  // Begin the next round: the last one is complete, or no higher number is free.
  if (!numbered) numbered = UniqueFd(::fcntl(connection.get(), F_DUPFD_CLOEXEC, kFirstNumber));
  if (!numbered) return SystemError("numbering a connection", errno);
  next_number_ = numbered.get() + 1;
  const int number = numbered.get();
  // The previous connection with this number has been closed.
  for (auto& [uid, open] : open_) open.erase(number);
  open_[caller.uid].emplace(number, SocketInode(number).value_or(0));
  const std::lock_guard lock(mutex_);
  callers_.insert_or_assign(number, std::move(caller));
  return numbered;
}

std::optional<Caller> PeerTable::Find(std::string_view peer) const {
  if (!peer.starts_with(kPrefix)) return std::nullopt;
  peer.remove_prefix(kPrefix.size());
  int fd = -1;
  const auto [end, error] = std::from_chars(peer.data(), peer.data() + peer.size(), fd);
  if (error != std::errc{} || end != peer.data() + peer.size()) return std::nullopt;
  const std::lock_guard lock(mutex_);
  const auto it = callers_.find(fd);
  if (it == callers_.end()) return std::nullopt;
  return it->second;
}

std::size_t PeerTable::CountOpen(Open& open) {
  std::erase_if(open, [](const auto& one) { return SocketInode(one.first) != one.second; });
  return open.size();
}

std::size_t PeerTable::OpenConnections(std::uint32_t uid) const {
  const auto user = open_.find(uid);
  if (user == open_.end()) return 0;
  const std::size_t count = CountOpen(user->second);
  if (count == 0) open_.erase(user);
  return count;
}

void PeerTable::Disconnect(std::uint32_t uid) {
  const auto user = open_.find(uid);
  if (user == open_.end()) return;
  for (const auto& [number, inode] : user->second) {
    // gRPC may close the number at any moment, and another thread may get it: a duplicate stays the
    // same file.
    const UniqueFd same(::fcntl(number, F_DUPFD_CLOEXEC, 0));
    if (same && SocketInode(same.get()) == inode) ::shutdown(same.get(), SHUT_RDWR);
  }
}

std::vector<LimitUse> PeerTable::Uses(std::optional<std::uint32_t> uid) const {
  std::vector<LimitUse> uses;
  const auto add = [this, &uses](std::uint32_t who, std::uint64_t count) {
    uses.push_back({Limit::kConnectionsAUser, who, count, most_a_user_});
  };
  if (uid) {
    add(*uid, OpenConnections(*uid));
    return uses;
  }
  for (auto& [who, open] : open_) {
    if (const std::size_t count = CountOpen(open); count > 0) add(who, count);
  }
  return uses;
}

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

Result<ucred> ReadCredentials(int socket) {
  ucred credentials{};
  socklen_t size = sizeof(credentials);
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0) return credentials;
  return Error{ErrorCode::kPermissionDenied,
               SystemError("reading the identity of the caller", errno).message,
               {}};
}

}  // namespace

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

namespace {

// accept() fails repeatedly while no descriptor is free, so pause between attempts.
constexpr auto kPauseAfterError = std::chrono::milliseconds(200);
constexpr auto kRefusalLogInterval = std::chrono::seconds(10);

// Asio sets neither flag; without O_NONBLOCK, gRPC's server does not respond.
bool PrepareForServer(int fd) {
  const int flags = ::fcntl(fd, F_GETFL);
  return flags >= 0 && ::fcntl(fd, F_SETFL, flags | O_NONBLOCK) == 0 &&
         ::fcntl(fd, F_SETFD, FD_CLOEXEC) == 0;
}

}  // namespace

Listener::Listener(const asio::any_io_executor& loop, UniqueFd socket, PeerTable& peers,
                   HandOver hand_over, Log log)
    : acceptor_(loop),
      pause_(loop),
      peers_(peers),
      hand_over_(std::move(hand_over)),
      log_(std::move(log)) {
  acceptor_.assign(asio::local::stream_protocol(), socket.Release());
}

void Listener::Start() { Accept(); }

void Listener::Close() {
  std::error_code ignored;
  acceptor_.close(ignored);
  pause_.cancel();
  suspended_.clear();
}

void Listener::Accept() {
  acceptor_.async_accept(
      [this](std::error_code error, asio::local::stream_protocol::socket connection) {
        if (!acceptor_.is_open()) return;
        if (!error) {
          Take(UniqueFd(connection.release()));
          return Accept();
        }
        log_("accepting a connection: " + error.message());
        pause_.expires_after(kPauseAfterError);
        pause_.async_wait([this](std::error_code cancelled) {
          if (!cancelled && acceptor_.is_open()) Accept();
        });
      });
}

void Listener::Take(UniqueFd connection) {
  if (!PrepareForServer(connection.get())) {
    return log_(SystemError("preparing a connection", errno).message);
  }
  const Result<ucred> credentials = ReadCredentials(connection.get());
  if (!credentials) return log_(credentials.error().message);
  const auto suspended = suspended_.find(credentials->uid);
  if (suspended == suspended_.end()) return Identify(std::move(connection));
  std::deque<UniqueFd>& waiting = suspended->second.waiting;
  if (waiting.size() >= peers_.most_a_user()) return LogRefusal(credentials->uid);
  waiting.push_back(std::move(connection));
}

/// Hands over a connection with its caller.
void Listener::Identify(UniqueFd connection) {
  Result<Caller> caller = ReadPeer(connection.get());
  if (!caller) return log_(caller.error().message);
  if (peers_.OpenConnections(caller->uid) >= peers_.most_a_user()) {
    return LogRefusal(caller->uid);
  }
  Result<UniqueFd> numbered = peers_.Register(std::move(connection), std::move(caller).value());
  if (!numbered) return log_(numbered.error().message);
  hand_over_(numbered->Release());
}

void Listener::Suspend(std::uint32_t uid, std::chrono::nanoseconds duration) {
  if (!acceptor_.is_open()) return;
  peers_.Disconnect(uid);
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(duration);
  log_(
      fmt::format("uid {}: suspended for {} s, because it calls again and again although its calls "
                  "are refused",
                  uid, seconds.count()));
  suspended_.try_emplace(uid, acceptor_.get_executor());
  AwaitNext(uid, duration);
}

void Listener::AwaitNext(std::uint32_t uid, std::chrono::nanoseconds duration) {
  asio::steady_timer& next = suspended_.at(uid).next;
  next.expires_after(duration);
  next.async_wait([this, uid](std::error_code cancelled) {
    if (!cancelled) HandOverNext(uid);
  });
}

/// Hands over a connection of a user whose suspension has ended, and forgets the suspension after
/// the last one.
void Listener::HandOverNext(std::uint32_t uid) {
  const auto user = suspended_.find(uid);
  if (user == suspended_.end()) return;
  std::deque<UniqueFd>& waiting = user->second.waiting;
  if (waiting.empty()) {
    suspended_.erase(user);
    return;
  }
  UniqueFd connection = std::move(waiting.front());
  waiting.pop_front();
  AwaitNext(uid, kBetweenConnections);
  Identify(std::move(connection));
}

void Listener::LogRefusal(std::uint32_t uid) {
  const auto now = std::chrono::steady_clock::now();
  if (refusal_logged_at_ && now - *refusal_logged_at_ < kRefusalLogInterval) return;
  refusal_logged_at_ = now;
  const Error refused =
      OverLimit(Limit::kConnectionsAUser, peers_.most_a_user(), peers_.most_a_user(), uid);
  log_("refused " + refused.message + "; " + refused.hint);
}

}  // namespace benchd::rpc
