#pragma once

#include <functional>
#include <span>
#include <string>

#include "benchd/v1/queue.pb.h"
#include "benchd/v1/session.pb.h"
#include "client/render/text.h"
#include "core/analysis/arm_pairs.h"
#include "core/analysis/table_plan.h"

namespace benchd::client {

// What the other commands print for people. All end with a newline.

/// How a uid is called; the commands pass the system's user database.
using UserNames = std::function<std::string(std::uint32_t uid)>;

/// `list`: a line per session.
std::string RenderList(std::span<const v1::Session> sessions, const UserNames& users,
                       const google::protobuf::Timestamp& now, const Style& style);

/// `show ID`: everything about a session: what was found, what was asked for with the command that
/// asks for it again and the one that computes its numbers again from its export, when it ran, and
/// the machine.
///
/// @param columns  what the session's harness said of its metrics
/// @param pairs    its candidates among each other, where there are several
/// @param worst    its worst runs (render/worst_runs.h)
std::string RenderSession(const v1::Session& session, std::span<const TableColumn> columns,
                          std::span<const ArmPairs> pairs, const UserNames& users,
                          const Style& style, const std::string& worst = {});

/// `pause`, `resume`, `drain`: "paused; 3 queued, k3x9m2pq runs".
std::string RenderQueue(const v1::QueueStatus& status);

}  // namespace benchd::client
