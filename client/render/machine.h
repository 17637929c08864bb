#pragma once

#include <google/protobuf/repeated_field.h>

#include <string>

#include "benchd/v1/machine.pb.h"
#include "benchd/v1/session.pb.h"
#include "client/render/text.h"

namespace benchd::client {

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
