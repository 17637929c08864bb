#include <google/protobuf/stubs/logging.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "benchd/v1/machine.pb.h"
#include "benchd/v1/session.pb.h"
#include "daemon/queue/validate_spec.h"
#include "daemon/rpc/queue_proto.h"
#include "daemon/session/run_session.h"
#include "proto/convert/convert.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/proto_text.h"

namespace benchd::fuzz {
namespace {

void CheckRefusal(const Error& error) {
  CheckMessage(error.message);
  FUZZ_CHECK(error.code == ErrorCode::kInvalidArgument || error.code == ErrorCode::kUnimplemented);
}

/// Properties on which queue, session and runner rely without further checks.
void CheckValidSpec(const SessionSpec& spec) {
  FUZZ_CHECK(spec.alpha > 0 && spec.alpha < 1 && spec.default_margin != 0);
  FUZZ_CHECK(spec.limits.max_time.count() > 0 && spec.limits.timeout.count() > 0);
  FUZZ_CHECK(!spec.benchmarks.empty());
  for (const Benchmark& benchmark : spec.benchmarks) {
    FUZZ_CHECK(!benchmark.name.empty() && benchmark.arms.size() > 1);
    for (const Arm& arm : benchmark.arms) {
      FUZZ_CHECK(!arm.argv.empty() && !arm.argv.front().empty());
      FUZZ_CHECK(!arm.name.empty() && arm.cwd.starts_with('/'));
    }
    for (const Gate& gate : benchmark.gates) {
      FUZZ_CHECK(std::isfinite(gate.margin) && gate.margin != 0);
    }
  }
}

void CheckSubmit(std::string_view input) {
  v1::SubmitRequest request;
  if (!ReadRequest(input, &request)) return;
  auto spec = convert::FromProto(request.spec());
  if (!spec) return CheckRefusal(spec.error());
  const auto valid = ValidateSpec(std::move(spec).value());
  if (!valid) return CheckRefusal(valid.error());
  CheckValidSpec(*valid);
  if (const auto possible = CheckStatistics(*valid); !possible) CheckRefusal(possible.error());
  // The version for clients contains no environment values and can be serialised.
  v1::SessionSpec shown;
  convert::ToProto(*valid, &shown);
  FUZZ_CHECK(shown.environment().empty());
  FUZZ_CHECK(v1::SessionSpec().ParseFromString(shown.SerializeAsString()));
}

/// Requests that become one value. Errors must be attributed to the client.
template <typename Request>
void CheckPlain(std::string_view input) {
  Request request;
  if (!ReadRequest(input, &request)) return;
  const auto value = rpc::FromProto(request);
  if (!value) CheckRefusal(value.error());
}

}  // namespace

void FuzzRpcRequest(std::string_view input) {
  // Otherwise protobuf would print every string that is not UTF-8 on stderr.
  [[maybe_unused]] static const auto told = google::protobuf::SetLogHandler(nullptr);
  CheckSubmit(input);
  CheckPlain<v1::ListSessionsRequest>(input);
  CheckPlain<v1::ReserveRequest>(input);
}

}  // namespace benchd::fuzz
