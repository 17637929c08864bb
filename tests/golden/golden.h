#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/places.h"

namespace benchd::golden {

/// Reference numbers under tests/golden/: computed by other programs (scipy, R, mpmath, mmtests;
/// each case names its own) from the published formulas, never by the code under test.
inline nlohmann::json ReadFile(const std::string& name) {
  const std::string path = test::TestFile("golden/" + name);
  std::ifstream file(path);
  EXPECT_TRUE(file) << "cannot read " << path;
  return nlohmann::json::parse(file);
}

/// All cases of that kind in statistics.json and statistics2.json; a kind without any is a failure.
inline std::vector<nlohmann::json> Cases(const std::string& kind) {
  static const std::vector<nlohmann::json> files{ReadFile("statistics.json"),
                                                 ReadFile("statistics2.json")};
  std::vector<nlohmann::json> found;
  for (const nlohmann::json& file : files) {
    for (const nlohmann::json& one : file.at("cases")) {
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
