#include "daemon/store/summary_table.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "daemon/store/model_json.h"

namespace benchd::store {
namespace {

// In the order of the table or of summaries_by_benchmark, of one user or (without ?1) of all.
constexpr char kNewest[] =
    "SELECT number, summary FROM summaries WHERE (?1 IS NULL OR uid = ?1) AND number < ?2"
    " ORDER BY number DESC LIMIT ?3";
constexpr char kNewestOfBenchmark[] =
    "SELECT number, summary FROM summaries WHERE (?1 IS NULL OR uid = ?1) AND number < ?2"
    " AND benchmark = ?4 ORDER BY number DESC LIMIT ?3";
constexpr char kOldest[] =
    "SELECT number, summary FROM summaries WHERE (?1 IS NULL OR uid = ?1) AND number > ?2"
    " ORDER BY number LIMIT ?3";
constexpr char kOldestOfBenchmark[] =
    "SELECT number, summary FROM summaries WHERE (?1 IS NULL OR uid = ?1) AND number > ?2"
    " AND benchmark = ?4 ORDER BY number LIMIT ?3";

}  // namespace

SummaryTable::SummaryTable(Database& database)
    : insert_(database,
              "INSERT INTO summaries (session, position, uid, benchmark, summary)"
              " VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"),
      newest_(database, kNewest),
      newest_of_benchmark_(database, kNewestOfBenchmark),
      oldest_(database, kOldest),
      oldest_of_benchmark_(database, kOldestOfBenchmark) {}

Result<void> SummaryTable::Add(const SessionRecord& record) {
  for (const GateSummary& summary : SummariesOf(record)) {
    Result<void> added = insert_.Run(summary.session.value, summary.position, summary.uid,
                                     summary.benchmark, SummaryToJson(summary));
    if (!added) return added;
  }
  return {};
}

Result<std::vector<GateSummary>> SummaryTable::List(const SummaryQuery& query) {
  std::vector<GateSummary> found;
  const bool one = !query.benchmark.empty();
  Statement& select = query.oldest_first ? (one ? oldest_of_benchmark_ : oldest_)
                                         : (one ? newest_of_benchmark_ : newest_);
  const auto keep = [&found, &select] {
    Result<GateSummary> summary = SummaryFromJson(select.Text(1));
    if (!summary) return;
    summary->number = static_cast<std::uint64_t>(select.Integer(0));
    found.push_back(std::move(*summary));
  };
  constexpr auto kLargest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  const std::uint64_t beyond =
      !query.oldest_first && query.beyond == 0 ? kLargest : std::min(query.beyond, kLargest);
  Result<void> done = one ? select.Query(keep, query.uid, beyond, query.limit, query.benchmark)
                          : select.Query(keep, query.uid, beyond, query.limit);
  if (!done) return std::move(done).error();
  return found;
}

}  // namespace benchd::store
