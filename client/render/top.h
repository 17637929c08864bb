#pragma once

#include <optional>
#include <string>
#include <vector>

#include "benchd/v1/machine.pb.h"
#include "benchd/v1/queue.pb.h"
#include "benchd/v1/session.pb.h"
#include "client/render/live_view.h"
#include "client/render/pages.h"
#include "client/render/text.h"

namespace benchd::client {

/// What `top` shows: the newest that is known of each.
struct TopState {
  v1::QueueStatus queue;
  v1::MachineStatus machine;
  std::vector<v1::Session> sessions;  ///< those that have not ended, in any order
  std::optional<LiveState> running;   ///< the session that runs, where the caller may watch it
  std::string note;                   ///< what stands in the way: "the daemon went away ..."
};

/// The board: daemon, machine and settings held, the running session with its intervals, the
/// queue. Fits style.width columns and `height` rows; queued sessions that find no room are
/// counted.
std::vector<std::string> RenderTop(const TopState& state, const UserNames& users,
                                   const google::protobuf::Timestamp& now, const Style& style,
                                   int height);

/// The same in one line, for logs and pipes.
std::string TopLine(const TopState& state, const UserNames& users,
                    const google::protobuf::Timestamp& now, const Style& style);

}  // namespace benchd::client
