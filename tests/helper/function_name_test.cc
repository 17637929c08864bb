#include "daemon/helper/function_name.h"

#include <gtest/gtest.h>

#include <string>

#include "core/base/text.h"

namespace benchd {
namespace {

// The expected names are those of c++filt (binutils 2.40), without the return type of templates.
TEST(FunctionNameTest, DemanglesCPlusPlus) {
  EXPECT_EQ(ReadableName("_ZN4demo5OuterEi"), "demo::Outer(int)");
  EXPECT_EQ(ReadableName("_ZN4demo12_GLOBAL__N_1L6HiddenEi"),
            "demo::(anonymous namespace)::Hidden(int)");
  EXPECT_EQ(ReadableName("_ZN12_GLOBAL__N_14stepEPKc"), "(anonymous namespace)::step(char const*)");
  EXPECT_EQ(ReadableName("_Z5TwiceIdET_S0_"), "Twice<double>(double)");
  EXPECT_EQ(ReadableName("_ZN4demo4sortEi.part.0"), "demo::sort(int) [clone .part.0]");
}

TEST(FunctionNameTest, DemanglesRustWithoutItsHash) {
  EXPECT_EQ(ReadableName("_ZN4core3ptr13drop_in_place17h0123456789abcdefE"),
            "core::ptr::drop_in_place");
  EXPECT_EQ(ReadableName("_ZN50_$LT$T$u20$as$u20$core..convert..From$LT$T$GT$$GT$4from"
                         "17h0123456789abcdefE"),
            "<T as core::convert::From<T>>::from");
  EXPECT_EQ(ReadableName("_RNvNtCs1234_7mycrate6shapes4area"), "mycrate::shapes::area");
}

TEST(FunctionNameTest, LeavesOtherNamesAsTheyAre) {
  for (const char* name :
       {"main", "_start", "_Z", "_R", "", "step.part.0", "@", "runtime.mallocgc"}) {
    EXPECT_EQ(ReadableName(name), name);
  }
  EXPECT_EQ(ReadableName("memcpy@@GLIBC_2.14"), "memcpy");
  EXPECT_EQ(ReadableName("pthread_create@GLIBC_2.2.5"), "pthread_create");
}

TEST(FunctionNameTest, ALongNameIsDemangled) {
  // void f<A<A<...int...>>>(): over a kilobyte.
  std::string symbol = "_Z1fI";
  for (int i = 0; i < 300; ++i) symbol += "1AI";
  symbol += "i" + std::string(300, 'E') + "Evv";
  ASSERT_GT(symbol.size(), 1024U);
  EXPECT_TRUE(ReadableName(symbol).starts_with("f<A<A<A<")) << ReadableName(symbol).substr(0, 40);
}

TEST(FunctionNameTest, ANameThatStandsForGigabytesStaysMangled) {
  // Each parameter is a template of the previous one, twice.
  std::string symbol = "_Z1f1AIiiE";
  std::string previous = "S_";
  const std::string digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  for (std::size_t i = 0; i < 35; ++i) {
    symbol += "1BI" + previous + previous + "E";
    previous = std::string("S") + digits[i] + "_";
  }
  const std::string name = ReadableName(symbol);
  EXPECT_LE(name.size(), std::size_t{64} * 1024);
}

TEST(FunctionNameTest, ACleanNameIsOneLineOfUtf8WithoutSemicolons) {
  EXPECT_EQ(CleanName("<[u8; 4]>::len"), "<[u8, 4]>::len");
  EXPECT_EQ(CleanName("a\nb\tc\x7f"), "a b c ");
  EXPECT_EQ(CleanName("\xff"), "\uFFFD");
  EXPECT_EQ(CleanName(""), "[unknown]");
  EXPECT_EQ(CleanName("main"), "main");
}

TEST(FunctionNameTest, ALongNameIsCutInTheMiddle) {
  std::string name = "begin";
  for (int i = 0; i < 400; ++i) name += "é";
  name += "end";
  const std::string cut = CleanName(name);
  EXPECT_LE(cut.size(), kMostNameBytes);
  EXPECT_GE(cut.size(), kMostNameBytes - 4);
  EXPECT_FALSE(FirstInvalidUtf8(cut));
  EXPECT_TRUE(cut.starts_with("begin"));
  EXPECT_TRUE(cut.ends_with("end"));
  EXPECT_NE(cut.find("é...é"), cut.npos);
}

TEST(FunctionNameTest, TheSourceIsShownWithoutItsFolder) {
  EXPECT_EQ(NameWithSource("step", "/home/a/src/a.c"), "step (a.c)");
  EXPECT_EQ(NameWithSource("step", "a.c"), "step (a.c)");
  EXPECT_EQ(NameWithSource("step", ""), "step");
}

TEST(FunctionNameTest, RemovesTheSuffixesOfClones) {
  EXPECT_EQ(WithoutCloneSuffixes("step.cold"), "step");
  EXPECT_EQ(WithoutCloneSuffixes("step.constprop.0.isra.12.cold"), "step");
  EXPECT_EQ(WithoutCloneSuffixes("step.part.0"), "step");
  EXPECT_EQ(WithoutCloneSuffixes("main.step"), "main.step");
  EXPECT_EQ(WithoutCloneSuffixes("step.0"), "step.0");
  EXPECT_EQ(WithoutCloneSuffixes(".cold"), ".cold");
  EXPECT_EQ(WithoutCloneSuffixes("7"), "7");
}

}  // namespace
}  // namespace benchd
