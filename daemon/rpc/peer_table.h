#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

#include "core/base/file.h"
#include "core/base/result.h"
#include "core/model/child.h"
#include "core/model/limits.h"

namespace benchd::rpc {

/// Maps connections to callers, because gRPC names a connection only as "fd:7" to a handler.
///
/// Each connection gets a unique number, so that this name is unambiguous: descriptors are moved to
/// numbers that are assigned in sequence, and a number that was just closed is reused last. gRPC
/// closes a descriptor only after the last call of its connection, so no call can look up a number
/// that has been reused; CheckGrpc() tests this at each start. If gRPC closed it earlier, a wrong
/// look-up would still require a call that is delayed for a whole round of connections.
///
/// Written by the listener before gRPC sees the descriptor, and read once at the start of each RPC,
/// which then keeps its own copy. A mutex protects the table, because the loop's thread and gRPC's
/// threads share it. A look-up cannot wait for the loop, because the connection may be closed by
/// then. All functions
/// except Find() are called on the loop's thread.
class PeerTable {
 public:
  /// @param most_a_user  maximum number of connections of a user; enforced by Listener
  explicit PeerTable(std::uint64_t most_a_user = Budgets().At(Limit::kConnectionsAUser))
      : most_a_user_(most_a_user) {}
  std::uint64_t most_a_user() const { return most_a_user_; }

  /// Moves a connected socket to the next number and records its caller.
  /// @errors kResourceExhausted if no descriptor is free
  Result<UniqueFd> Register(UniqueFd connection, Caller caller);

  /// Returns the caller for a ServerContext::peer() such as "fd:7"; empty for other kinds of peers.
  std::optional<Caller> Find(std::string_view peer) const;

  /// Returns the number of connections of `uid` that are still open.
  std::size_t OpenConnections(std::uint32_t uid) const;

  /// Ends all connections of `uid`. gRPC then ends their calls and closes the descriptors.
  void Disconnect(std::uint32_t uid);

  /// Returns the number of connections as uses of the limit: of `uid`, or of each connected user.
  std::vector<LimitUse> Uses(std::optional<std::uint32_t> uid) const;

 private:
  /// Numbers that are not known to be closed, each with the inode of its socket, which
  /// distinguishes the socket from a later one with the same number.
  using Open = std::map<int, std::uint64_t>;
  static std::size_t CountOpen(Open& open);

  const std::uint64_t most_a_user_;
  mutable std::mutex mutex_;       ///< guards callers_; never held during a system call
  std::map<int, Caller> callers_;  ///< by number, closed or not
  // Grouped by user, so that the cost of a new connection depends only on that user's connections.
  // A client that reconnects repeatedly leaves a whole round of numbers behind.
  mutable std::map<std::uint32_t, Open> open_;
  int next_number_ = 0;
};

}  // namespace benchd::rpc
