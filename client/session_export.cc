#include "client/session_export.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "client/exit_code.h"
#include "client/render/text.h"
#include "core/base/text.h"

namespace benchd::client {
namespace {

using ExportedJson = nlohmann::json;

constexpr char kNotAnExport[] = "not an export of a session as JSON";
constexpr char kHowToExport[] = "benchctl export ID --format json > FILE";

Error DoesNotCount(std::string why) {
  return {ErrorCode::kFailedPrecondition, std::move(why), "export it again when it has ended"};
}

const ExportedJson* Member(const ExportedJson& json, const char* key) {
  const auto found = json.is_object() ? json.find(key) : json.end();
  return found == json.end() || !json.is_object() ? nullptr : &*found;
}

std::string TextOf(const ExportedJson& json, const char* key) {
  const ExportedJson* member = Member(json, key);
  return member != nullptr && member->is_string() ? member->get<std::string>() : std::string();
}

std::optional<double> NumberOf(const ExportedJson& json, const char* key) {
  const ExportedJson* member = Member(json, key);
  if (member == nullptr || !member->is_number()) return std::nullopt;
  const double value = member->get<double>();
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::uint64_t CountOf(const ExportedJson& json, const char* key) {
  const ExportedJson* member = Member(json, key);
  return member != nullptr && member->is_number_unsigned() ? member->get<std::uint64_t>() : 0;
}

std::optional<Effect> ReadEffect(const ExportedJson& comparison, const char* key) {
  const ExportedJson* effect = Member(comparison, key);
  if (effect == nullptr) return std::nullopt;
  const auto estimate = NumberOf(*effect, "estimate");
  if (!estimate) return std::nullopt;
  return Effect{*estimate, NumberOf(*effect, "lo"), NumberOf(*effect, "hi")};
}

/// "quantile:0.99" as the exports write it.
std::optional<Estimator> ReadEstimator(std::string_view word) {
  const std::size_t colon = word.find(':');
  const auto kind = ValueOf<EstimatorKind>(word.substr(0, colon));
  if (!kind) return std::nullopt;
  Estimator estimator{.kind = *kind};
  if (colon == std::string_view::npos) return estimator;
  const auto quantile = ExportedJson::parse(word.substr(colon + 1), nullptr, false);
  if (quantile.is_number()) estimator.quantile = quantile.get<double>();
  return estimator;
}

bool IsUsable(const Comparison& gate) {
  const bool ratio = gate.margin_kind == MarginKind::kRatio;
  const std::optional<Effect>& effect = ratio ? gate.change : gate.difference;
  return effect && (!ratio || effect->estimate > -1) && gate.margin && *gate.margin >= 0 &&
         (!ratio || gate.better != Better::kHigher || *gate.margin < 1) && gate.better &&
         gate.confidence > 0 && gate.confidence < 1 && !gate.metric.empty();
}

/// @errors a gate that lacks what it is judged by.
Result<Comparison> ReadGate(const ExportedJson& json) {
  const auto method = ValueOf<Method>(TextOf(json, "method"));
  const auto estimator = ReadEstimator(TextOf(json, "estimator"));
  Comparison gate{
      .benchmark = TextOf(json, "benchmark"),
      .reference = TextOf(json, "reference"),
      .candidate = TextOf(json, "candidate"),
      .metric = TextOf(json, "metric"),
      .unit = TextOf(json, "unit"),
      .role = ComparisonRole::kGate,
      .better = ValueOf<Better>(TextOf(json, "better")),
      .margin = NumberOf(json, "margin"),
      .margin_kind = ValueOf<MarginKind>(TextOf(json, "margin_kind")).value_or(MarginKind::kRatio),
      .confidence = NumberOf(json, "confidence").value_or(0),
      .method = method.value_or(Method::kPaired),
      .estimator = estimator.value_or(Estimator()),
      .n_reference = CountOf(json, "n_reference"),
      .n_candidate = CountOf(json, "n_candidate"),
      .mean_reference = NumberOf(json, "mean_reference"),
      .mean_candidate = NumberOf(json, "mean_candidate"),
      .sd_reference = NumberOf(json, "sd_reference"),
      .sd_candidate = NumberOf(json, "sd_candidate"),
      .change = ReadEffect(json, "change"),
      .difference = ReadEffect(json, "difference"),
      .verdict = ValueOf<Verdict>(TextOf(json, "verdict")),
      .pairing_gain = NumberOf(json, "pairing_gain")};
  if (const ExportedJson* decided = Member(json, "decided"); decided != nullptr) {
    gate.decided = Decision{CountOf(*decided, "blocks"), {}, {}};
  }
  if (IsUsable(gate)) return gate;
  return DoesNotCount("nothing is known of its gate " + Quoted(gate.metric));
}

void ReadCommits(const ExportedJson& spec, MachineSession& session) {
  const ExportedJson* benchmarks = Member(spec, "benchmarks");
  if (benchmarks == nullptr || !benchmarks->is_array()) return;
  for (const ExportedJson& benchmark : *benchmarks) {
    const ExportedJson* arms = Member(benchmark, "arms");
    if (arms == nullptr || !arms->is_array()) continue;
    for (const ExportedJson& arm : *arms) {
      const ExportedJson* commit = Member(arm, "commit");
      if (commit == nullptr) continue;
      session.commits[{TextOf(benchmark, "name"), TextOf(arm, "name")}] = TextOf(*commit, "id");
    }
  }
}

Result<void> ReadGates(const ExportedJson& result, MachineSession& session) {
  const ExportedJson* report = Member(result, "report");
  const ExportedJson* comparisons = report == nullptr ? nullptr : Member(*report, "comparisons");
  if (comparisons != nullptr && comparisons->is_array()) {
    for (const ExportedJson& comparison : *comparisons) {
      if (TextOf(comparison, "role") != NameOf(ComparisonRole::kGate)) continue;
      auto gate = ReadGate(comparison);
      if (!gate) return std::move(gate).error();
      session.gates.push_back(*std::move(gate));
    }
  }
  if (session.gates.empty()) return DoesNotCount("it has no gate");
  return {};
}

Result<MachineSession> ReadSession(const ExportedJson& json) {
  const ExportedJson* spec = Member(json, "spec");
  const ExportedJson* result = Member(json, "result");
  MachineSession session;
  session.session = TextOf(json, "session");
  if (spec == nullptr || result == nullptr || session.session.empty()) {
    return UsageError(kNotAnExport, kHowToExport);
  }
  if (const std::string state = TextOf(*result, "state"); state != "done") {
    return DoesNotCount("session " + session.session + " is not done but " +
                        (state.empty() ? "without a state" : state));
  }
  const ExportedJson* started = Member(*result, "started");
  const ExportedJson* facts = started == nullptr ? nullptr : Member(*started, "environment");
  session.machine = facts == nullptr ? "" : TextOf(*facts, "machine");
  if (session.machine.empty()) {
    return UsageError("it does not say on which machine it was measured",
                      "measure with benchd 0.3 or newer, on a machine that has /etc/machine-id "
                      "(systemd-machine-id-setup makes it)");
  }
  const auto started_at = ParseRfc3339(TextOf(*result, "started_at"));
  if (!started_at) return UsageError(kNotAnExport, kHowToExport);
  session.started_at = *started_at;
  session.sided = ValueOf<Sided>(TextOf(*spec, "sided")).value_or(Sided::kTwo);
  ReadCommits(*spec, session);
  if (auto gates = ReadGates(*result, session); !gates) return std::move(gates).error();
  return session;
}

}  // namespace

Result<MachineSession> ReadSessionExport(std::string_view text, const std::string& source) {
  const auto but_runs = [](int depth, ExportedJson::parse_event_t event, ExportedJson& parsed) {
    return !(depth == 1 && event == ExportedJson::parse_event_t::key && parsed == "runs");
  };
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  const ExportedJson json = ExportedJson::parse(text, but_runs, /*allow_exceptions=*/false);
  Result<MachineSession> session = UsageError(kNotAnExport, kHowToExport);
  if (begin == std::string_view::npos || (json.is_discarded() && text[begin] == '{')) {
    session = DoesNotCount("cut off: not complete JSON");
  } else if (!json.is_discarded()) {
    session = ReadSession(json);
  }
  if (!session) {
    // It may quote any text of the file.
    Error error = std::move(session).error();
    error.message = OneLine(Printable(error.message));
    return std::move(error).Within(source);
  }
  session->source = source;
  return session;
}

}  // namespace benchd::client
