#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/places.h"

namespace benchd::golden {

/// Reference numbers under tests/golden/: computed by other programs (scipy, R, mpmath, mmtests;
/// each case names its own) from the published formulas, never by the code under test.
///
/// A file is parsed once: one process runs all tests of a module.
inline const nlohmann::json& ReadFile(std::string_view name) {
  static std::map<std::string, nlohmann::json, std::less<>> files;
  const auto known = files.find(name);
  if (known != files.end()) return known->second;
  const std::string path = test::TestFile("golden/" + std::string(name));
  std::ifstream file(path);
  EXPECT_TRUE(file) << "cannot read " << path;
  return files.emplace(name, nlohmann::json::parse(file)).first->second;
}

/// All cases of that kind in statistics.json and statistics2.json; a kind without any is a failure.
///
/// Kinds that no test asks for, because benchd does not offer what they compute: asympcs_boundary
/// (a boundary tuned to one sample size; benchd takes Robbins' from a first look on), dunnett_z
/// (gains 1.6 % over alpha / G at most), lan_demets (looks planned beforehand; every method here
/// may look at any time) and ratio_fieller_welch (within 0.5 % of the log-delta interval, but can
/// be unbounded). Of p_adjust only Holm's is offered, of independence_diagnostics only ranks and
/// runs.
inline std::vector<nlohmann::json> Cases(const std::string& kind) {
  std::vector<nlohmann::json> found;
  for (const char* name : {"statistics.json", "statistics2.json"}) {
    for (const nlohmann::json& one : ReadFile(name).at("cases")) {
      if (one.at("kind") == kind) found.push_back(one);
    }
  }
  EXPECT_FALSE(found.empty()) << "no golden case of kind " << kind;
  return found;
}

/// Equal within the case's relative tolerance, or within 1e-12 near zero, as the files define it.
inline ::testing::AssertionResult Close(double actual, double expected, double rel_tol) {
  const double error = std::abs(actual - expected);
  if (error <= 1e-12 || error <= rel_tol * std::abs(expected)) {
    return ::testing::AssertionSuccess();
  }
  return ::testing::AssertionFailure() << ::testing::PrintToString(actual) << " instead of "
                                       << expected << ", off by " << error / std::abs(expected);
}

}  // namespace benchd::golden
