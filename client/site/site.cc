#include "client/site/site.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <thread>
#include <tuple>
#include <utility>

#include "client/app/exit_code.h"
#include "client/present/history.h"
#include "client/present/text.h"
#include "client/present/words.h"
#include "client/site/site_paths.h"
#include "core/base/fnv.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "core/model/commit_id.h"
#include "proto/convert/convert.h"

namespace benchd::client {
namespace {

constexpr std::string_view kCommitMark = "{commit}";

/// Other schemes, such as javascript:, would run code when a reader follows the link.
Result<void> CheckAddress(const std::string& option, const std::string& address) {
  if (!address.starts_with("https://") && !address.starts_with("http://")) {
    return UsageError(option + " " + Quoted(address) + ": does not begin with https:// or http://");
  }
  const bool printable = std::ranges::all_of(address, [](char c) { return c > ' ' && c < '\x7f'; });
  if (!printable) {
    return UsageError(option + " " + Quoted(address) +
                          ": contains a character that is not ASCII, "
                          "or a space",
                      "write it as %XX");
  }
  return {};
}

auto OrderOf(const HistorySeries& series) {
  const GateSummary& last = series.last();
  return std::tie(last.machine, last.metric, last.candidate);
}

/// Returns the benchmark of one group of summaries, or one without series if none has a mean.
Result<SiteBenchmark> MakeBenchmark(std::vector<GateSummary> summaries,
                                    const ChangePointSearch& search) {
  SiteBenchmark benchmark;
  TRY(benchmark.series, MakeHistory(std::move(summaries), search));
  if (benchmark.series.empty()) return benchmark;
  const GateSummary& newest = benchmark.series.front().last();  // they are sorted by that
  benchmark.name = SiteText(SeriesName(newest), 300);
  if (benchmark.name.find_first_not_of(' ') == std::string::npos) benchmark.name = "unnamed";
  benchmark.stem = FileStem(newest.benchmark, newest.series);
  std::ranges::stable_sort(benchmark.series, [](const HistorySeries& a, const HistorySeries& b) {
    return OrderOf(a) < OrderOf(b);
  });
  return benchmark;
}

bool SameReference(const GateSummary& a, const GateSummary& b) {
  if (a.reference_commit && b.reference_commit) {
    return a.reference_commit->id == b.reference_commit->id;
  }
  return a.reference == b.reference && !a.reference_commit && !b.reference_commit;
}

/// Adds the news of a series.
void AddNews(const SiteBenchmark& benchmark, const HistorySeries& series, std::vector<News>* news) {
  const GateSummary* before = nullptr;
  for (const HistorySegment& segment : series.segments) {
    for (std::size_t i = 0; i < segment.entries.size(); ++i) {
      const GateSummary& entry = segment.entries[i];
      const bool again = before != nullptr && before->verdict == Verdict::kRegression &&
                         SameReference(*before, entry);
      if (entry.verdict == Verdict::kRegression && !again) {
        news->push_back({&benchmark, &series, &entry, nullptr});
      }
      if (!entry.control_changed) before = &entry;
    }
    for (const HistoryStep& step : segment.steps) {
      news->push_back({&benchmark, &series, &segment.entries[step.point.index], &step});
    }
  }
}

}  // namespace

Result<void> CompleteAddresses(SiteOptions* options) {
  if (!options->commit_url.empty()) {
    TRY_VOID(CheckAddress("--commit-url", options->commit_url));
    if (options->commit_url.find(kCommitMark) == std::string::npos) {
      return UsageError("--commit-url " + Quoted(options->commit_url) + ": missing {commit}",
                        "write --commit-url 'https://host/repo/commit/{commit}'");
    }
  }
  if (options->address.empty()) return {};
  TRY_VOID(CheckAddress("--site-url", options->address));
  if (!options->address.ends_with('/')) options->address += '/';
  return {};
}

Result<Site> MakeSite(std::vector<GateSummary> summaries, SiteOptions options,
                      std::size_t threads) {
  std::map<std::pair<std::string, std::string>, std::vector<GateSummary>> groups;
  for (GateSummary& one : summaries) {
    const std::pair<std::string, std::string> key(one.benchmark, one.series);
    groups[key].push_back(std::move(one));
  }
  summaries = {};
  std::vector<std::vector<GateSummary>> work;
  for (auto& [key, group] : groups) work.push_back(std::move(group));
  std::vector<std::optional<Result<SiteBenchmark>>> made(work.size());
  std::atomic<std::size_t> next = 0;
  const auto make = [&work, &made, &next, &options] {
    for (std::size_t i = next++; i < work.size(); i = next++) {
      made[i] = MakeBenchmark(std::move(work[i]), options.search);
    }
  };
  std::vector<std::thread> helpers;
  for (std::size_t i = 1; i < std::min(threads, work.size()); ++i) helpers.emplace_back(make);
  make();
  for (std::thread& helper : helpers) helper.join();

  Site site;
  site.options = std::move(options);
  for (auto& one : made) {
    TRY(auto benchmark, std::move(*one));
    if (!benchmark.series.empty()) site.benchmarks.push_back(std::move(benchmark));
  }
  std::ranges::sort(site.benchmarks, [](const SiteBenchmark& a, const SiteBenchmark& b) {
    return std::tie(a.name, a.stem) < std::tie(b.name, b.stem);
  });
  return site;
}

std::vector<News> NewestOf(const Site& site, std::size_t most) {
  std::vector<News> news;
  for (const SiteBenchmark& benchmark : site.benchmarks) {
    for (const HistorySeries& series : benchmark.series) AddNews(benchmark, series, &news);
  }
  std::ranges::stable_sort(
      news, [](const News& a, const News& b) { return a.entry->ended_at > b.entry->ended_at; });
  news.resize(std::min(news.size(), most));
  return news;
}

std::string NewsSentence(const News& news) {
  if (news.step != nullptr) return "step " + StepSize(*news.step, news.entry->unit, Style());
  const std::string change = EntryChange(*news.entry, Style());
  return change.empty() ? "regression" : "regression " + change;
}

std::string SiteText(std::string_view text, int columns) {
  return Shorten(Printable(OneLine(Utf8Lossy(text))), columns, Style());
}

std::string AnchorOf(const HistorySeries& series) {
  const GateSummary& last = series.last();
  const std::string candidate = last.candidate_commit ? "" : last.candidate;
  return "s" + Fnv1aHex(last.machine + '\0' + last.metric + '\0' + candidate);
}

std::string MachineOf(const HistorySeries& series) {
  const std::string& machine = series.last().machine;
  return machine.empty() ? "unknown machine" : SiteText(machine);
}

std::string MeasureOf(const HistorySeries& series) {
  const GateSummary& last = series.last();
  const std::string metric = SiteText(last.metric);
  return last.candidate_commit ? metric : metric + ", " + SiteText(last.candidate);
}

std::string UtcMinute(Timestamp time) {
  google::protobuf::Timestamp proto;
  convert::ToProto(time, &proto);
  const std::string text = Rfc3339(proto);  // 2026-01-02T03:04:05Z
  constexpr std::size_t kDate = 10;
  constexpr std::size_t kMinute = 16;
  if (text.size() <= kMinute) return text;
  return text.substr(0, kDate) + " " + text.substr(kDate + 1, kMinute - kDate - 1);
}

std::optional<std::string> CommitAddress(const SiteOptions& options, const GateSummary& entry) {
  if (options.commit_url.empty() || !entry.candidate_commit) return std::nullopt;
  const std::string& id = entry.candidate_commit->id;
  if (!IsCommitId(id)) return std::nullopt;
  std::string address = options.commit_url;
  for (std::size_t at = 0; (at = address.find(kCommitMark, at)) != std::string::npos;) {
    address.replace(at, kCommitMark.size(), id);
    at += id.size();
  }
  return address;
}

std::string_view VerdictClass(const GateSummary& entry) { return NameOf(entry.verdict); }

std::string_view StepClass(const HistoryStep& step, const GateSummary& entry) {
  if (!entry.better) return "";
  const bool worse = (step.after > step.before) == (*entry.better == Better::kLower);
  return worse ? "regression" : "pass";
}

}  // namespace benchd::client
