#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/model/session_spec.h"

namespace benchd::store {

/// A SessionSpec as JSON, without loss: doubles in shortest round-trip form, enums by name, empty
/// optionals left out, bytes that are no UTF-8 as hex.
std::string SpecToJson(const SessionSpec& spec);

/// @errors kInternal naming the field that is missing or of the wrong type.
Result<SessionSpec> SpecFromJson(std::string_view json);

}  // namespace benchd::store
