#pragma once

#include <google/protobuf/repeated_field.h>

#include <string>

#include "benchd/v1/session.pb.h"
#include "client/render/style.h"

namespace benchd::client {

/// Machine settings as lines: setting, wanted, actual, held, why not; where one stood otherwise at
/// the end of its session, with a column for that. Reasons are wrapped to the width; where it
/// leaves them no column of their own, they stand below their setting. Empty without settings.
std::string RenderSettings(const google::protobuf::RepeatedPtrField<v1::Setting>& settings,
                           const Style& style);

}  // namespace benchd::client
