#pragma once

#include <string>
#include <string_view>

#include "benchd/v1/session.pb.h"
#include "core/model/metric.h"

namespace benchd::client {

// The contract's words for the messages' enums; "" for unspecified where nothing stands for it.

std::string_view StateWord(v1::SessionState state);
v1::SessionState StateFromWord(std::string_view word);  ///< UNSPECIFIED for an unknown one
std::string_view VerdictWord(v1::Verdict verdict);
std::string_view BasisWord(v1::Basis basis);
std::string_view RoleWord(v1::ComparisonRole role);
std::string_view RoleWord(v1::ArmRole role);
std::string_view BetterWord(v1::Better better);
std::string_view BetterWord(Better better);
std::string_view MethodWord(v1::Method method);
std::string EstimatorWord(const v1::Estimator& estimator);
std::string_view FlagWord(v1::Flag flag);
std::string_view SidedWord(v1::Sided sided);
std::string_view AtLimitWord(v1::AtLimit at_limit);
std::string_view ScheduleWord(v1::ScheduleKind schedule);
std::string_view IsolationWord(v1::Isolation isolation);
std::string_view OutputWord(v1::OutputKind kind);
std::string_view PhaseWord(v1::RunPhase phase);

/// RFC 3339 in UTC with as many digits as are needed, in groups of three: 2026-01-02T03:04:05.678Z.
std::string Rfc3339(const google::protobuf::Timestamp& time);
google::protobuf::Timestamp Now();

/// "HH:MM:SS" today, "YYYY-MM-DD HH:MM" otherwise, in local time.
std::string LocalTime(const google::protobuf::Timestamp& time,
                      const google::protobuf::Timestamp& now);

/// "1,2,3"
std::string CpuList(const google::protobuf::RepeatedField<std::int32_t>& cpus);

}  // namespace benchd::client
