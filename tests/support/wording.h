#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace benchd::test {

/// Texts that differ in each run of a test, such as the path of its folder, with what stands in
/// their place.
using Replacements = std::vector<std::pair<std::string, std::string>>;

/// Compares a text with the next one of the current test in tests/golden/wording/MODULE.txt.
/// BENCHD_UPDATE_GOLDEN=1 writes the file instead, when the test program ends.
::testing::AssertionResult MatchesWording(std::string text, const Replacements& replacements = {});

/// Compares an error's code, message and hint. The test itself asserts code or field if they matter
/// to it; the wording is reviewed in the file.
template <typename E>
requires requires(const E& error) { error.hint; }
::testing::AssertionResult MatchesWording(const E& error, const Replacements& replacements = {}) {
  std::string text = std::string(NameOf(error.code)) + ": " + error.message;
  if (!error.hint.empty()) text += "\n  hint: " + error.hint;
  return MatchesWording(std::move(text), replacements);
}

}  // namespace benchd::test

/// EXPECT_WORDING(text or error[, replacements]), as described at MatchesWording().
#define EXPECT_WORDING(...) EXPECT_TRUE(::benchd::test::MatchesWording(__VA_ARGS__))
