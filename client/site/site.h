#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/history.h"
#include "core/base/result.h"
#include "core/base/time.h"
#include "core/model/summary.h"

namespace benchd::client {

// The contents of a site (`history --site DIR`): which benchmarks it has, and what is new in them.
// Pure; site_files.h turns a Site into files.

struct SiteOptions {
  std::string commit_url;  ///< the address of a commit, with {commit} for its ID; empty: no links
  std::string address;     ///< the address of the site, ending in a slash; empty: unknown
  ChangePointSearch search;
};

/// Checks the two addresses, and adds the slash at the end of `address`.
///
/// @errors (exit 2) an address does not begin with http:// or https://, or contains a space or a
///         control character; a commit_url without {commit}
Result<void> CompleteAddresses(SiteOptions* options);

/// A benchmark with a page of its own.
struct SiteBenchmark {
  std::string name;                   ///< SeriesName() of its newest entry; shortened, printable
  std::string stem;                   ///< FileStem()
  std::vector<HistorySeries> series;  ///< ordered by machine, metric and candidate; not empty
};

struct Site {
  std::vector<SiteBenchmark> benchmarks;  ///< ordered by name
  SiteOptions options;
};

/// Groups the summaries by benchmark and machine, and searches each series for steps.
///
/// @param threads  the number of threads that search; the result does not depend on it
/// @errors those of MakeHistory()
Result<Site> MakeSite(std::vector<GateSummary> summaries, SiteOptions options, std::size_t threads);

/// A regression or a step: what readers of a feed want to hear of.
struct News {
  const SiteBenchmark* benchmark = nullptr;
  const HistorySeries* series = nullptr;
  const GateSummary* entry = nullptr;
  const HistoryStep* step = nullptr;  ///< null for a regression
};

/// Returns the newest regressions and steps, newest first. Of consecutive regressions against the
/// same reference only the first is news.
std::vector<News> NewestOf(const Site& site, std::size_t most);

// Texts of all pages. They are not markup yet.

/// Says what happened: "regression +10.2 % (+9.8 … +10.6 %)" or "step +10.0 %  100 → 110 ms".
std::string NewsSentence(const News& news);
/// Formats a text of a user for a page: on one line, printable, with at most `columns` columns.
std::string SiteText(std::string_view text, int columns = 100);
/// Returns the ID of the element of a series in the page of its benchmark.
std::string AnchorOf(const HistorySeries& series);
/// Returns the place of a series: the machine, or "unknown machine".
std::string MachineOf(const HistorySeries& series);
/// Returns what a series measures: the metric and, unless it is a commit, the candidate.
std::string MeasureOf(const HistorySeries& series);
/// Formats a time in UTC: "2026-01-02 03:04".
std::string UtcMinute(Timestamp time);
/// Returns the address of the candidate's commit; absent without a commit or a template.
std::optional<std::string> CommitAddress(const SiteOptions& options, const GateSummary& entry);
/// Returns the class of a verdict in the style sheet: "pass", "regression" or "undecided".
std::string_view VerdictClass(const GateSummary& entry);
/// Returns "regression" for a step to worse values, "pass" for one to better values; empty if the
/// metric has no better direction.
std::string_view StepClass(const HistoryStep& step, const GateSummary& entry);

}  // namespace benchd::client
