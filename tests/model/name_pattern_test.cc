#include "core/model/name_pattern.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/cpu_time.h"

namespace benchd {
namespace {

TEST(NamePatternTest, AnAsteriskTakesAnyTextAndAQuestionMarkOneCharacter) {
  for (const auto& [pattern, name] :
       std::vector<std::pair<std::string, std::string>>{{"*", ""},
                                                        {"*", "BM_Sort/10/cpu_time"},
                                                        {"*/sec/op", "BenchmarkX/small-8/sec/op"},
                                                        {"BM_*/1?/*", "BM_Sort/10/real_time"},
                                                        {"*a*b", "aabab"},
                                                        {"**faults", "minor_faults"},
                                                        {"p?/\u00b5s", "p9/\u00b5s"},
                                                        {"t?me", "t\u00eeme"},
                                                        {"?", "\u6642"},
                                                        {"?", "\xff"},
                                                        {"a?b", "a\u6642b"}}) {
    EXPECT_TRUE(MatchesPattern(pattern, name)) << pattern << " " << name;
  }
  for (const auto& [pattern, name] :
       std::vector<std::pair<std::string, std::string>>{{"", "a"},
                                                        {"?", ""},
                                                        {"a?", "a"},
                                                        {"*b", "ba"},
                                                        {"?", "ab"},
                                                        {"*/sec/op", "sec/op"},
                                                        {"??", "\u00ee"}}) {
    EXPECT_FALSE(MatchesPattern(pattern, name)) << pattern << " " << name;
  }
}

// pytest prints test_sort[100-0.5]; a backslash may be part of a Windows path.
TEST(NamePatternTest, BracketsColonsAndBackslashesMeanThemselves) {
  EXPECT_TRUE(MatchesPattern("test_sort[*]/mean", "test_sort[100-0.5]/mean"));
  EXPECT_FALSE(MatchesPattern("test_sort[1-2]", "test_sort1"));
  EXPECT_TRUE(MatchesPattern("*/threads:?", "BM_X/threads:2"));
  EXPECT_TRUE(MatchesPattern("a\\*", "a\\b"));
  EXPECT_FALSE(IsPattern("test_sort[100]"));
  EXPECT_TRUE(IsPattern("test_sort[?]"));
}

// A pattern that a matcher with backtracking would need years for.
TEST(NamePatternTest, ManyAsterisksTakeNoTime) {
  std::string pattern;
  for (int i = 0; i < 2000; ++i) pattern += "*a";
  EXPECT_FALSE(MatchesPattern(pattern + "*b", std::string(4000, 'a')));
  EXPECT_TRUE(MatchesPattern(pattern, std::string(4000, 'a')));
}

TEST(NamePatternTest, MatchesWhatFollowsASlash) {
  const NamePattern pattern("b*/op");
  EXPECT_TRUE(pattern.MatchesNameOrTail("b/op"));
  EXPECT_TRUE(pattern.MatchesNameOrTail("a/x/b1/sec/op"));
  EXPECT_FALSE(pattern.MatchesNameOrTail("ab/op"));
  EXPECT_FALSE(pattern.Matches("a/b/op"));
  EXPECT_TRUE(NamePattern("*").MatchesNameOrTail(""));
}

// As slow as it gets: a pattern and names that almost match, everywhere.
TEST(NamePatternTest, TakesNoLongerForNamesThatAlmostMatch) {
  std::string name;
  while (name.size() < 1000) name += "/a";
  const NamePattern pattern("*" + std::string(name, 0, 200) + "?b");
  const auto begin = CpuTime();
  for (int i = 0; i < 2000; ++i) EXPECT_FALSE(pattern.MatchesNameOrTail(name));
  EXPECT_LT(CpuTime() - begin, std::chrono::seconds(2));
}

}  // namespace
}  // namespace benchd
