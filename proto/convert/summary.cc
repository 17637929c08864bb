#include "proto/convert/summary.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>

#include "benchd/v1/history.pb.h"
#include "core/base/result.h"
#include "proto/convert/field_reader.h"
#include "proto/convert/message_fields.h"

namespace benchd::convert {
namespace {

constexpr std::uint64_t kUsualPage = 100;
constexpr std::uint64_t kLargestPage = 500;

}  // namespace

void ToProto(const GateSummary& summary, v1::Summary* to) {
  WriteFields(summary, to);
  to->set_number(summary.number);
}

Result<GateSummary> FromProto(const v1::Summary& from) {
  FieldReader reader;
  GateSummary summary;
  ReadFields(reader, "", from, &summary);
  summary.number = from.number();
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
