#include "proto/convert/summary.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>

#include "benchd/v1/history.pb.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "proto/convert/enum_values.h"
#include "proto/convert/field_reader.h"
#include "proto/convert/to_proto.h"

namespace benchd::convert {
namespace {

constexpr std::uint64_t kUsualPage = 100;
constexpr std::uint64_t kLargestPage = 500;

void CommitToProto(const Commit& commit, v1::Commit* to) {
  to->set_id(commit.id);
  to->set_description(commit.description);
}

Commit CommitOf(const v1::Commit& from) { return {from.id(), from.description()}; }

}  // namespace

void ToProto(const GateSummary& summary, v1::Summary* to) {
  to->set_session(summary.session.value);
  to->set_position(summary.position);
  to->set_number(summary.number);
  to->set_uid(summary.uid);
  ToProto(summary.ended_at, to->mutable_ended_at());
  to->set_benchmark(summary.benchmark);
  to->set_series(summary.series);
  to->set_metric(Utf8Lossy(summary.metric));
  to->set_unit(Utf8Lossy(summary.unit));
  if (summary.better) to->set_better(ToWire<v1::Better>(*summary.better));
  to->set_reference(summary.reference);
  to->set_candidate(summary.candidate);
  if (summary.reference_commit) {
    CommitToProto(*summary.reference_commit, to->mutable_reference_commit());
  }
  if (summary.candidate_commit) {
    CommitToProto(*summary.candidate_commit, to->mutable_candidate_commit());
  }
  to->set_command(Utf8Lossy(summary.command));
  to->mutable_labels()->insert(summary.labels.begin(), summary.labels.end());
  to->set_n_reference(summary.n_reference);
  to->set_n_candidate(summary.n_candidate);
  if (summary.mean_reference) to->set_mean_reference(*summary.mean_reference);
  if (summary.mean_candidate) to->set_mean_candidate(*summary.mean_candidate);
  if (summary.change) {
    to->mutable_change()->set_estimate(summary.change->estimate);
    if (summary.change->lo) to->mutable_change()->set_lo(*summary.change->lo);
    if (summary.change->hi) to->mutable_change()->set_hi(*summary.change->hi);
  }
  to->set_verdict(ToWire<v1::Verdict>(summary.verdict));
  to->set_machine(Utf8Lossy(summary.machine));
  to->set_kernel(Utf8Lossy(summary.kernel));
  to->set_settings(Utf8Lossy(summary.settings));
}

Result<GateSummary> FromProto(const v1::Summary& from) {
  FieldReader reader;
  GateSummary summary;
  summary.number = from.number();
  summary.session = {from.session()};
  summary.position = from.position();
  summary.uid = from.uid();
  summary.ended_at = Timestamp(std::chrono::seconds(from.ended_at().seconds()) +
                               Nanoseconds(from.ended_at().nanos()));
  summary.benchmark = from.benchmark();
  summary.series = from.series();
  summary.metric = from.metric();
  summary.unit = from.unit();
  if (from.better() != v1::BETTER_UNSPECIFIED) {
    summary.better = reader.Enum("better", from.better(), Better::kLower);
  }
  summary.reference = from.reference();
  summary.candidate = from.candidate();
  if (from.has_reference_commit()) summary.reference_commit = CommitOf(from.reference_commit());
  if (from.has_candidate_commit()) summary.candidate_commit = CommitOf(from.candidate_commit());
  summary.command = from.command();
  summary.labels = {from.labels().begin(), from.labels().end()};
  summary.n_reference = from.n_reference();
  summary.n_candidate = from.n_candidate();
  if (from.has_mean_reference()) {
    summary.mean_reference = reader.Finite("mean_reference", from.mean_reference());
  }
  if (from.has_mean_candidate()) {
    summary.mean_candidate = reader.Finite("mean_candidate", from.mean_candidate());
  }
  if (from.has_change()) {
    Effect& change = summary.change.emplace();
    change.estimate = reader.Finite("change", from.change().estimate());
    if (from.change().has_lo()) change.lo = reader.Finite("change", from.change().lo());
    if (from.change().has_hi()) change.hi = reader.Finite("change", from.change().hi());
  }
  summary.verdict = reader.Enum("verdict", from.verdict(), Verdict::kUndecided);
  summary.machine = from.machine();
  summary.kernel = from.kernel();
  summary.settings = from.settings();
  if (!reader.ok()) return std::move(reader).error();
  return summary;
}

Result<SummaryQuery> FromProto(const v1::ListSummariesRequest& from) {
  SummaryQuery query;
  query.benchmark = from.benchmark();
  query.oldest_first = from.oldest_first();
  if (query.oldest_first) query.beyond = from.after();
  query.limit =
      from.page_size() == 0 ? kUsualPage : std::min<std::uint64_t>(from.page_size(), kLargestPage);
  if (from.page_token().empty()) return query;
  const std::string& token = from.page_token();
  const char* const end = token.data() + token.size();
  const auto [stopped, failed] = std::from_chars(token.data(), end, query.beyond);
  if (failed == std::errc{} && stopped == end) return query;
  return InvalidArgument("page_token", "none of this benchd's", "begin without one");
}

}  // namespace benchd::convert
