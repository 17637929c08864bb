#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>

#include "daemon/model/caller.h"

namespace benchd::rpc {

/// Which caller stands behind which connection: gRPC tells a handler only "fd:7".
///
/// Written by the listener before gRPC sees the descriptor, read once at the entry of each RPC,
/// which then keeps its own copy. An entry is never removed: gRPC closes the descriptor only when
/// the last stream of the connection is gone, so a number can be used again (and its entry
/// overwritten) only when no RPC of the former client is left to look it up.
///
/// The one thing in the daemon that gRPC's threads and the loop's thread share, hence the mutex: a
/// look-up cannot wait for the loop, because by then the connection may be gone.
class PeerTable {
 public:
  /// Remembers the caller behind the connected socket `fd`, in place of whoever had that number.
  void Set(int fd, Caller caller);

  /// The caller behind ServerContext::peer(), such as "fd:7"; nothing for any other kind of peer.
  std::optional<Caller> Find(std::string_view peer) const;

  /// Number of connections of `uid` that are still open.
  std::size_t OpenConnections(std::uint32_t uid) const;

 private:
  struct Entry {
    Caller caller;
    std::uint64_t inode = 0;  ///< of the socket: tells it from a later one of the same number
  };
  mutable std::mutex mutex_;
  std::map<int, Entry> entries_;
};

}  // namespace benchd::rpc
