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
/// @param verbose  with the kernel's command line
std::string RenderSession(const v1::Session& session, std::span<const TableColumn> columns,
                          const UserNames& users, const Style& style, bool verbose = false);

/// `pause`, `resume`, `drain`: "paused; 3 queued, k3x9m2pq runs".
std::string RenderQueue(const v1::QueueStatus& status);

// What the `machine` commands print for people. All end with a newline.

/// How the machine stands: its settings as a table, then profile, holder, CPUs and facts, then what
/// else is to say.
std::string RenderMachine(const v1::MachineStatus& status, const Style& style);

/// The noise sources, numbered, worst first, each with what to do; says so when there are none.
std::string RenderDoctor(const v1::DoctorResponse& response, const Style& style);

/// Machine settings as lines: setting, wanted, actual, held, why not; where one stood otherwise at
/// the end of its session, with a column for that. Reasons are wrapped to the width; where it
/// leaves them no column of their own, they stand below their setting. Empty without settings.
std::string RenderSettings(const google::protobuf::RepeatedPtrField<v1::Setting>& settings,
                           const Style& style);

}  // namespace benchd::client
