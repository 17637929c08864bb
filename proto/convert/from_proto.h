#pragma once

#include "core/base/result.h"
#include "core/base/time.h"
#include "core/model/comparison.h"
#include "core/model/session_spec.h"

namespace benchd::v1 {
class Comparison;
class SessionSpec;
}  // namespace benchd::v1

namespace google::protobuf {
class Timestamp;
}

namespace benchd::convert {

/// What a client asked for, as the core knows it, with the contract's defaults in every field that
/// was left open: names (main; base, candidate, candidate-2), the first arm as the reference,
/// margins of gates, limits. The seed stays 0 when absent: the caller draws it.
///
/// Checks only what the wire can say wrong: enum values nobody knows, numbers that are not finite,
/// durations that are not positive. Whether the request makes sense is ValidateSpec()'s matter.
/// @errors kInvalidArgument with the field's path first ("benchmarks[0].arms[1].role: ...").
Result<SessionSpec> FromProto(const v1::SessionSpec& proto);

/// What was found, without what was expected then (`expected_blocks`, `eta`).
/// @errors as above.
Result<Comparison> FromProto(const v1::Comparison& proto);

Timestamp FromProto(const google::protobuf::Timestamp& time);

}  // namespace benchd::convert
