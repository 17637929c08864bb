#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "tests/golden/golden.h"
#include "tests/support/places.h"

namespace benchd {
namespace {

// Where a kind of golden case is compared (a file under tests/ that names it), or why benchd does
// not offer what it computes.
struct Place {
  std::string file;
  std::string not_offered;
};

const std::map<std::string, Place> kPlaces{
    {"absolute_margin", {"stats/paired_golden_test.cc", ""}},
    {"always_valid_p", {"stats/boundary_test.cc", ""}},
    {"asympcs_boundary",
     {"", "a boundary tuned to one sample size; section 3 takes Robbins' from a first look on"}},
    {"blocks", {"analysis/blocks_golden_test.cc", ""}},
    // Its p-values of the dip are informative there: the text has a threshold of its own.
    {"diagnostics", {"stats/shape_test.cc", ""}},
    {"dunnett_z", {"", "gains 1.6 % over alpha / G at most (section 6)"}},
    {"exact_t_interval", {"stats/exact_t_test.cc", ""}},
    {"fixed_paired", {"stats/paired_golden_test.cc", ""}},
    {"gates", {"analysis/blocks_golden_test.cc", ""}},
    {"harmonic_mean", {"stats/summary_test.cc", ""}},
    {"higher_is_better", {"stats/paired_golden_test.cc", ""}},
    {"hl_sequential", {"stats/estimator_golden_test.cc", ""}},
    {"hodges_lehmann_ratio", {"stats/estimator_golden_test.cc", ""}},
    {"hodges_lehmann_shift", {"stats/estimator_golden_test.cc", ""}},
    {"horizon_constant", {"stats/boundary_test.cc", ""}},
    {"horizon_interval", {"stats/paired_golden_test.cc", ""}},
    // Ranks in drift_test.cc, runs in runs_test_test.cc. Not offered: the lag-one correlation and
    // von Neumann's ratio of the values themselves, where section 8 takes their ranks.
    {"independence_diagnostics", {"stats/drift_test.cc", ""}},
    {"ks_two_sample", {"stats/kolmogorov_smirnov_test.cc", ""}},
    {"lai_1976", {"stats/exact_t_test.cc", ""}},
    {"lan_demets", {"", "looks planned beforehand; every method here may look at any time"}},
    {"lognormal_mean_ratio", {"stats/estimator_golden_test.cc", ""}},
    {"median_order_statistic", {"stats/estimator_golden_test.cc", ""}},
    {"naive_relative_ci", {"stats/classic_interval_test.cc", ""}},
    // Holm's; not offered: Bonferroni is alpha / G (section 6), Sidak needs independence, and the
    // false discovery rate of Benjamini and Hochberg is no level of a gate.
    {"p_adjust", {"stats/adjust_test.cc", ""}},
    {"paired_margin_trajectory", {"stats/paired_golden_test.cc", ""}},
    {"quantile_type7", {"stats/summary_test.cc", ""}},
    {"ratio_fieller_welch",
     {"", "within 0.5 % of the log-delta interval, but can be unbounded (section 5)"}},
    {"ratio_log_delta_welch", {"stats/welch_golden_test.cc", ""}},
    {"resolution_widening", {"stats/paired_golden_test.cc", ""}},
    {"robbins_a", {"stats/boundary_test.cc", ""}},
    {"robbins_boundary", {"stats/boundary_test.cc", ""}},
    {"sequential_default_ci", {"stats/paired_golden_test.cc", ""}},
    {"sequential_trajectory", {"stats/paired_golden_test.cc", ""}},
    {"signed_rank_hl", {"stats/estimator_golden_test.cc", ""}},
    {"subselection", {"stats/subselection_test.cc", ""}},
    {"summary", {"stats/summary_test.cc", ""}},
    {"t_quantile", {"stats/tails_test.cc", ""}},
    {"welch_difference", {"stats/welch_golden_test.cc", ""}},
    {"welch_sequential", {"stats/welch_golden_test.cc", ""}},
    {"welch_summary", {"stats/welch_golden_test.cc", ""}},
    {"zero_variance", {"stats/paired_golden_test.cc", ""}},
};

std::set<std::string> KindsInTheFiles() {
  std::set<std::string> kinds;
  for (const char* name : {"statistics.json", "statistics2.json"}) {
    const nlohmann::json file = golden::ReadFile(name);
    for (const auto& one : file.at("cases")) kinds.insert(one.at("kind").get<std::string>());
  }
  return kinds;
}

TEST(GoldenKindsTest, EveryKindIsComparedSomewhereOrNotOfferedForAReason) {
  const std::set<std::string> kinds = KindsInTheFiles();
  EXPECT_GT(kinds.size(), 40U);
  for (const std::string& kind : kinds) {
    const auto place = kPlaces.find(kind);
    ASSERT_NE(place, kPlaces.end()) << kind << " is in the golden files and in no list";
    EXPECT_NE(place->second.file.empty(), place->second.not_offered.empty()) << kind;
  }
}

TEST(GoldenKindsTest, TheListHasNoKindThatTheFilesLack) {
  const std::set<std::string> kinds = KindsInTheFiles();
  for (const auto& [kind, place] : kPlaces) EXPECT_TRUE(kinds.contains(kind)) << kind;
}

TEST(GoldenKindsTest, TheFileThatComparesAKindNamesIt) {
  for (const auto& [kind, place] : kPlaces) {
    if (place.file.empty()) continue;
    std::ifstream file(test::TestFile(place.file));
    std::stringstream text;
    text << file.rdbuf();
    EXPECT_NE(text.str().find('"' + kind + '"'), std::string::npos)
        << place.file << " does not compare " << kind;
  }
}

}  // namespace
}  // namespace benchd
