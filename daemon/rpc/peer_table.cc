#include "daemon/rpc/peer_table.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <cerrno>
#include <charconv>
#include <string>
#include <system_error>
#include <utility>

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

}  // namespace benchd::rpc
