#include "daemon/rpc/peer_table.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <charconv>
#include <utility>

#include "core/base/error.h"

namespace benchd::rpc {
namespace {

constexpr std::string_view kPrefix = "fd:";

// Below are the daemon's own files. More numbers would make a round longer, and the entries of
// former connections, which are kept for as long, more to count through at each new one.
constexpr int kFirstNumber = 64;
constexpr int kLastNumber = 2047;

std::optional<std::uint64_t> SocketInode(int fd) {
  struct stat info {};
  if (::fstat(fd, &info) != 0 || !S_ISSOCK(info.st_mode)) return std::nullopt;
  return info.st_ino;
}

}  // namespace

Result<UniqueFd> PeerTable::Enter(UniqueFd connection, Caller caller) {
  const std::lock_guard lock(mutex_);
  UniqueFd numbered;
  if (next_number_ >= kFirstNumber && next_number_ <= kLastNumber) {
    numbered = UniqueFd(::fcntl(connection.get(), F_DUPFD_CLOEXEC, next_number_));
  }
  // The round is over, or nothing above is free.
  if (!numbered) numbered = UniqueFd(::fcntl(connection.get(), F_DUPFD_CLOEXEC, kFirstNumber));
  if (!numbered) return SystemError("numbering a connection", errno);
  next_number_ = numbered.get() + 1;
  entries_.insert_or_assign(numbered.get(),
                            Entry{std::move(caller), SocketInode(numbered.get()).value_or(0)});
  return numbered;
}

std::optional<Caller> PeerTable::Find(std::string_view peer) const {
  if (!peer.starts_with(kPrefix)) return std::nullopt;
  peer.remove_prefix(kPrefix.size());
  int fd = -1;
  const auto [end, error] = std::from_chars(peer.data(), peer.data() + peer.size(), fd);
  if (error != std::errc{} || end != peer.data() + peer.size()) return std::nullopt;
  const std::lock_guard lock(mutex_);
  const auto it = entries_.find(fd);
  if (it == entries_.end()) return std::nullopt;
  return it->second.caller;
}

std::size_t PeerTable::OpenConnections(std::uint32_t uid) const {
  const std::lock_guard lock(mutex_);
  std::size_t count = 0;
  for (const auto& [fd, entry] : entries_) {
    if (entry.caller.uid == uid && SocketInode(fd) == entry.inode) ++count;
  }
  return count;
}

}  // namespace benchd::rpc
