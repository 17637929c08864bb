#pragma once

#include <google/protobuf/repeated_field.h>

#include <functional>
#include <span>
#include <string>

#include "benchd/v1/machine.pb.h"
#include "benchd/v1/queue.pb.h"
#include "benchd/v1/session.pb.h"
#include "client/present/text.h"
#include "core/analysis/table_plan.h"

namespace benchd::client {

// The text output of the other commands. Every text ends with a newline.

/// Returns the name of a user. Commands pass a lookup in the system's user database.
using UserNames = std::function<std::string(std::uint32_t uid)>;

/// Renders the output of `list`: one line per session.
std::string RenderList(std::span<const v1::Session> sessions, const UserNames& users,
                       const google::protobuf::Timestamp& now, const Style& style);

/// Renders the output of `show ID`: the findings, the request, the commands that repeat the session
/// and that recompute its numbers from its export, the times, and the machine.
///
/// @param columns  the properties of metrics that the session's harness reported
/// @param verbose  whether to include the kernel's command line
std::string RenderSession(const v1::Session& session, std::span<const TableColumn> columns,
                          const UserNames& users, const Style& style, bool verbose = false);

/// Renders the output of `pause`, `resume` and `drain`: "paused: no session starts; 3 queued,
/// k3x9m2pq is running".
std::string RenderQueue(const v1::QueueStatus& status);

// The text output of the `machine` commands. Every text ends with a newline.

/// Renders the state of the machine: its settings as a table, then profile, holder, CPUs and facts,
/// then notes.
std::string RenderMachine(const v1::MachineStatus& status, const Style& style);

/// Renders a numbered list of the noise sources, worst first, each with advice. States if there are
/// none.
std::string RenderDoctor(const v1::DoctorResponse& response, const Style& style);

/// Renders machine settings as a table: setting, wanted, actual, held, why not. A column "at end"
/// is added if a setting differed at the end of its session. Reasons are wrapped to the width; if
/// there is no room for their column, they are below their setting. Empty without settings.
std::string RenderSettings(const google::protobuf::RepeatedPtrField<v1::Setting>& settings,
                           const Style& style);

}  // namespace benchd::client
