#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "client/site/site.h"
#include "core/model/summary.h"

namespace benchd::client {

/// 2026-01-02 03:04:05 UTC and every hour after that.
inline Timestamp TimeOfSiteEntry(int i) {
  return Timestamp(std::chrono::seconds(1'767'323'045) + std::chrono::hours(i));
}

/// The entries of a benchmark whose values grow by 11 % at the ninth entry. From there on each is a
/// regression against the same base. The kernel changes at the thirteenth entry.
inline std::vector<GateSummary> EntriesOfBenchmark(const std::string& benchmark, int count = 16) {
  std::vector<GateSummary> entries;
  for (int i = 0; i < count; ++i) {
    const double value = (i < 8 ? 0.0100 : 0.0111) + 0.00001 * ((i * 7) % 5);
    GateSummary entry{.number = static_cast<std::uint64_t>(i) + 1,
                      .session = {"session" + std::to_string(i)},
                      .ended_at = TimeOfSiteEntry(i),
                      .benchmark = benchmark,
                      .metric = "wall_time",
                      .unit = "s",
                      .better = Better::kLower,
                      .reference = "base",
                      .candidate = "candidate",
                      .machine = "EPYC, CPUs 0-3",
                      .kernel = i < 12 ? "6.1.0" : "6.2.0",
                      .settings = "cpus=1"};
    entry.reference_commit = Commit{std::string(40, '0'), ""};
    entry.candidate_commit = Commit{std::string(40, static_cast<char>('a' + i % 6)), ""};
    entry.mean_candidate = value;
    entry.change = Effect{value / 0.0100 - 1, value / 0.0101 - 1, value / 0.0099 - 1};
    entry.verdict = i < 8 ? Verdict::kPass : Verdict::kRegression;
    entries.push_back(std::move(entry));
  }
  return entries;
}

/// Two benchmarks, one of them on two machines and the other without a commit.
inline std::vector<GateSummary> SummariesOfSite() {
  std::vector<GateSummary> summaries = EntriesOfBenchmark("parse");
  for (GateSummary entry : EntriesOfBenchmark("parse", 3)) {
    entry.machine = "Xeon, CPUs 0-1";
    summaries.push_back(entry);
  }
  GateSummary plain = EntriesOfBenchmark("main", 1).front();
  plain.series = "85944171f73967e8";
  plain.command = "./解析 --fast <input>";
  plain.candidate_commit.reset();
  plain.metric = "rate";
  plain.unit = "MB/s";
  plain.better = Better::kHigher;
  plain.verdict = Verdict::kUndecided;
  summaries.push_back(plain);
  return summaries;
}

inline Site SampleSite() {
  SiteOptions options{"https://host.example/repo/commit/{commit}", "https://bench.example/", {}};
  return MakeSite(SummariesOfSite(), std::move(options), 1).value();
}

}  // namespace benchd::client
