#include "core/analysis/function_match.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "core/analysis/profile_samples.h"

namespace benchd {
namespace {

/// The variants of two arms, and what becomes of them.
class FunctionMatchTest : public testing::Test {
 protected:
  void See(SeenVariants& seen, const std::string& name, std::uint8_t how = kSeenOwn) {
    const std::uint32_t variant = table_.VariantOf(name);
    reference_.resize(table_.variants());
    candidate_.resize(table_.variants());
    seen[variant] |= how;
  }
  void Before(const std::string& name, std::uint8_t how = kSeenOwn) { See(reference_, name, how); }
  void Now(const std::string& name, std::uint8_t how = kSeenOwn) { See(candidate_, name, how); }

  /// "FUNCTION <- MATCHED (PRESENCE)" of every function, in the order in which they were seen.
  std::vector<std::string> Matches() const {
    const FunctionMatcher matcher(table_);
    std::vector<std::string> lines;
    for (const MatchedFunction& one : matcher.Match(reference_, candidate_)) {
      FunctionChange change;
      matcher.Describe(one, reference_, candidate_, change);
      std::string& line = lines.emplace_back(change.function);
      if (!change.matched.empty()) line += " <- " + change.matched;
      if (change.presence != Presence::kBoth) {
        line += " (" + std::string(NameOf(change.presence)) + ")";
      }
    }
    return lines;
  }

  FunctionTable table_;
  SeenVariants reference_;
  SeenVariants candidate_;
};

using Lines = std::vector<std::string>;

TEST_F(FunctionMatchTest, TheSameNameIsTheSameFunction) {
  Before("f<int>");
  Now("f<int>");
  Before("g");
  Now("h");
  EXPECT_EQ(Matches(), (Lines{"f<int>", "g (gone)", "h (new)"}));
}

TEST_F(FunctionMatchTest, ClonesOfOneFunctionAreOne) {
  for (const char* name : {"f", "f.cold", "f.part.0"}) Before(name);
  Now("f");
  Before("g");
  Now("g.isra.0");
  Before("h.constprop.0");
  Before("h.cold");
  Now("h");
  EXPECT_EQ(Matches(), (Lines{"f", "g.isra.0 <- g", "h"}))
      << "the clones of h have its name together";
}

// A static function is followed by its file as soon as another file of the program has a namesake.
TEST_F(FunctionMatchTest, GuessesByTheNameWithoutTheSourceFile) {
  Before("step");
  Now("step (a.c)");
  Before("walk (b.c)");
  Now("walk");
  EXPECT_EQ(Matches(), (Lines{"step (a.c) <- step", "walk <- walk (b.c)"}));
}

TEST_F(FunctionMatchTest, DoesNotGuessBetweenNamesakesOfSeveralFiles) {
  Before("step");
  Now("step (a.c)");
  Now("step (b.c)");
  EXPECT_EQ(Matches(), (Lines{"step (gone)", "step (a.c) (new)", "step (b.c) (new)"}));
}

// Another build has other code at the same address.
TEST_F(FunctionMatchTest, AddressesAreThoseOfOneBuild) {
  Before("[bench+0x1180 5f3a02c1]");
  Now("[bench+0x1180 77aa0001]");
  Before("[libc.so.6+0x20 01020304]");
  Now("[libc.so.6+0x20 01020304]");
  EXPECT_EQ(Matches(), (Lines{"[libc.so.6+0x20]"})) << "the others are part of the rest";
}

TEST_F(FunctionMatchTest, GuessesByTheNameWithoutTemplateArguments) {
  Before("f<int>");
  Now("f<long>");
  EXPECT_EQ(Matches(), (Lines{"f<long> <- f<int>"}));
}

TEST_F(FunctionMatchTest, GuessesByTheNameWithoutParameters) {
  Before("void a::f<int>(int)");
  Now("void a::f<long>(long)");
  Before("g(int)");
  Now("g(int, int)");
  EXPECT_EQ(Matches(),
            (Lines{"void a::f<long>(long) <- void a::f<int>(int)", "g(int, int) <- g(int)"}));
}

TEST_F(FunctionMatchTest, DoesNotGuessBetweenSeveral) {
  Before("f<int>");
  Before("f<char>");
  Now("f<long>");
  Before("g<int>");
  Now("g<int>");
  Before("g<char>");
  Now("g<long>");
  EXPECT_EQ(Matches(), (Lines{"g<int>", "f<int> (gone)", "f<char> (gone)", "f<long> (new)",
                              "g<char> (gone)", "g<long> (new)"}));
}

TEST_F(FunctionMatchTest, KnowsWhatBecameInlined) {
  Before("f");
  Now("f", kSeenInlined);
  Before("g", kSeenInlined);
  Now("g", kSeenOwn | kSeenInlined);
  Before("h", kSeenOwn | kSeenInlined);
  Now("h");
  EXPECT_EQ(Matches(), (Lines{"f (inlined)", "g (outlined)", "h"}));
}

TEST_F(FunctionMatchTest, AStaticFunctionIsThatOfItsFile) {
  Before("step (a.c)");
  Now("step.part.0 (a.c)");
  Before("step (b.c)");
  Now("step (b.c)");
  EXPECT_EQ(Matches(), (Lines{"step.part.0 (a.c) <- step (a.c)", "step (b.c)"}));
}

TEST(FunctionTableTest, HoldsSoManyNamesAndNotMore) {
  FunctionTable table;
  for (std::size_t i = 0; i < FunctionTable::kMostVariants + 1000; ++i) {
    table.VariantOf("f" + std::to_string(i));
  }
  EXPECT_EQ(table.variants(), FunctionTable::kMostVariants);
  EXPECT_EQ(table.NameOfVariant(table.VariantOf("g")), kOtherFunctions);
  EXPECT_EQ(table.NameOfVariant(table.VariantOf("f7")), "f7");
}

}  // namespace
}  // namespace benchd
