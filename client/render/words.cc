#include "client/render/words.h"

#include <array>
#include <cstdio>
#include <ctime>

#include "client/render/units.h"

namespace benchd::client {

std::string_view StateWord(v1::SessionState state) {
  switch (state) {
    case v1::SESSION_STATE_QUEUED:
      return "queued";
    case v1::SESSION_STATE_PREPARING:
      return "preparing";
    case v1::SESSION_STATE_RUNNING:
      return "running";
    case v1::SESSION_STATE_PAUSED:
      return "paused";
    case v1::SESSION_STATE_DONE:
      return "done";
    case v1::SESSION_STATE_FAILED:
      return "failed";
    case v1::SESSION_STATE_CANCELLED:
      return "cancelled";
    default:
      return "";
  }
}

v1::SessionState StateFromWord(std::string_view word) {
  for (const v1::SessionState state :
       {v1::SESSION_STATE_QUEUED, v1::SESSION_STATE_PREPARING, v1::SESSION_STATE_RUNNING,
        v1::SESSION_STATE_PAUSED, v1::SESSION_STATE_DONE, v1::SESSION_STATE_FAILED,
        v1::SESSION_STATE_CANCELLED}) {
    if (StateWord(state) == word) return state;
  }
  return v1::SESSION_STATE_UNSPECIFIED;
}

std::string_view VerdictWord(v1::Verdict verdict) {
  switch (verdict) {
    case v1::VERDICT_PASS:
      return "pass";
    case v1::VERDICT_REGRESSION:
      return "regression";
    case v1::VERDICT_UNDECIDED:
      return "undecided";
    default:
      return "";
  }
}

std::string_view BasisWord(v1::Basis basis) {
  switch (basis) {
    case v1::BASIS_INTERVAL:
      return "interval";
    case v1::BASIS_ESTIMATE:
      return "estimate";
    default:
      return "";
  }
}

std::string_view RoleWord(v1::ComparisonRole role) {
  switch (role) {
    case v1::COMPARISON_ROLE_GATE:
      return "gate";
    case v1::COMPARISON_ROLE_INFO:
      return "info";
    default:
      return "";
  }
}

std::string_view RoleWord(v1::ArmRole role) {
  switch (role) {
    case v1::ARM_ROLE_REFERENCE:
      return "reference";
    case v1::ARM_ROLE_CANDIDATE:
      return "candidate";
    case v1::ARM_ROLE_PLACEBO:
      return "placebo";
    default:
      return "";
  }
}

std::string_view BetterWord(Better better) { return better == Better::kLower ? "lower" : "higher"; }

std::string_view BetterWord(v1::Better better) {
  switch (better) {
    case v1::BETTER_LOWER:
      return "lower";
    case v1::BETTER_HIGHER:
      return "higher";
    default:
      return "";
  }
}

std::string_view MethodWord(v1::Method method) {
  switch (method) {
    case v1::METHOD_WELCH:
      return "welch";
    case v1::METHOD_EXACT_T:
      return "exact-t";
    case v1::METHOD_FIXED:
      return "fixed";
    default:
      return "paired";
  }
}

std::string EstimatorWord(const v1::Estimator& estimator) {
  switch (estimator.kind()) {
    case v1::ESTIMATOR_KIND_HODGES_LEHMANN:
      return "hl";
    case v1::ESTIMATOR_KIND_MEDIAN:
      return "median";
    case v1::ESTIMATOR_KIND_QUANTILE:
      return "quantile:" + FormatRoundTrip(estimator.quantile());
    case v1::ESTIMATOR_KIND_LOGNORMAL_MEAN:
      return "lognormal-mean";
    case v1::ESTIMATOR_KIND_SUBSELECTION:
      return "subselection";
    default:
      return "mean";
  }
}

std::string_view FlagWord(v1::Flag flag) {
  switch (flag) {
    case v1::FLAG_IMPROVEMENT:
      return "improvement";
    case v1::FLAG_WORSE:
      return "worse";
    default:
      return "none";
  }
}

std::string_view SidedWord(v1::Sided sided) { return sided == v1::SIDED_ONE ? "one" : "two"; }

std::string_view AtLimitWord(v1::AtLimit at_limit) {
  return at_limit == v1::AT_LIMIT_ESTIMATE ? "estimate" : "undecided";
}

std::string_view ScheduleWord(v1::ScheduleKind schedule) {
  return schedule == v1::SCHEDULE_KIND_COIN ? "coin" : "pairs";
}

std::string_view IsolationWord(v1::Isolation isolation) {
  switch (isolation) {
    case v1::ISOLATION_STRICT:
      return "strict";
    case v1::ISOLATION_OFF:
      return "off";
    default:
      return "best-effort";
  }
}

std::string_view OutputWord(v1::OutputKind kind) {
  switch (kind) {
    case v1::OUTPUT_KIND_LOG:
      return "log";
    case v1::OUTPUT_KIND_FILE:
      return "file";
    default:
      return "null";
  }
}

std::string_view PhaseWord(v1::RunPhase phase) {
  switch (phase) {
    case v1::RUN_PHASE_WARMUP:
      return "warmup";
    case v1::RUN_PHASE_MEASURED:
      return "measured";
    case v1::RUN_PHASE_DROPPED:
      return "dropped";
    default:
      return "";
  }
}

std::string Rfc3339(const google::protobuf::Timestamp& time) {
  const std::time_t seconds = time.seconds();
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  std::array<char, 40> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &utc);
  std::string result = text.data();
  if (time.nanos() != 0) {
    std::snprintf(text.data(), text.size(), ".%09d", time.nanos());
    std::string fraction = text.data();
    while (fraction.ends_with("000")) fraction.resize(fraction.size() - 3);
    result += fraction;
  }
  return result + "Z";
}

google::protobuf::Timestamp Now() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  google::protobuf::Timestamp time;
  time.set_seconds(now.tv_sec);
  time.set_nanos(static_cast<int>(now.tv_nsec));
  return time;
}

std::string LocalTime(const google::protobuf::Timestamp& time,
                      const google::protobuf::Timestamp& now) {
  const std::time_t then_seconds = time.seconds();
  const std::time_t now_seconds = now.seconds();
  std::tm then_local{};
  std::tm now_local{};
  localtime_r(&then_seconds, &then_local);
  localtime_r(&now_seconds, &now_local);
  const bool today =
      then_local.tm_year == now_local.tm_year && then_local.tm_yday == now_local.tm_yday;
  std::array<char, 40> text{};
  std::strftime(text.data(), text.size(), today ? "%H:%M:%S" : "%Y-%m-%d %H:%M", &then_local);
  return text.data();
}

std::string CpuList(const google::protobuf::RepeatedField<std::int32_t>& cpus) {
  std::string text;
  for (const std::int32_t cpu : cpus) text += (text.empty() ? "" : ",") + std::to_string(cpu);
  return text;
}

}  // namespace benchd::client
