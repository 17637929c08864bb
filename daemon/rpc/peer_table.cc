#include "daemon/rpc/peer_table.h"

#include <sys/stat.h>

#include <charconv>
#include <utility>

namespace benchd::rpc {
namespace {

constexpr std::string_view kPrefix = "fd:";

std::optional<std::uint64_t> SocketInode(int fd) {
  struct stat info {};
  if (::fstat(fd, &info) != 0 || !S_ISSOCK(info.st_mode)) return std::nullopt;
  return info.st_ino;
}

}  // namespace

void PeerTable::Set(int fd, Caller caller) {
  const std::uint64_t inode = SocketInode(fd).value_or(0);
  const std::lock_guard lock(mutex_);
  entries_.insert_or_assign(fd, Entry{std::move(caller), inode});
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
