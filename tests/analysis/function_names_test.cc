#include "core/analysis/function_names.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace benchd {
namespace {

using NamePairs = std::vector<std::pair<std::string, std::string>>;

TEST(FunctionNamesTest, AFrameLosesTheSuffixesOfPerf) {
  EXPECT_EQ(FrameOf("main").name, "main");
  EXPECT_FALSE(FrameOf("main").inlined);
  EXPECT_EQ(FrameOf("step_[i]").name, "step");
  EXPECT_TRUE(FrameOf("step_[i]").inlined);
  EXPECT_EQ(FrameOf("py::f:/x.py_[j]").name, "py::f:/x.py");
  EXPECT_FALSE(FrameOf("py::f:/x.py_[j]").inlined);
  EXPECT_EQ(FrameOf("do_read_[k]").name, "do_read");
  EXPECT_TRUE(FrameOf("do_read_[k]").kernel);
  EXPECT_EQ(FrameOf("_[i]").name, "_[i]");
}

TEST(FunctionNamesTest, AFunctionWithAnAddressOnlyHasNoName) {
  EXPECT_TRUE(IsUnnamedFunction("[libfoo.so+0x1234]"));
  EXPECT_TRUE(IsUnnamedFunction("[a b+0x1234 5f3a02c1]"));
  EXPECT_TRUE(IsUnnamedFunction("[unknown]"));
  EXPECT_FALSE(IsUnnamedFunction("[other]"));
  EXPECT_FALSE(IsUnnamedFunction("main"));
  EXPECT_FALSE(IsUnnamedFunction("a[b+0x1]c"));
  EXPECT_EQ(WithoutBuild("[a b+0x1234 5f3a02c1]"), "[a b+0x1234]");
  EXPECT_EQ(WithoutBuild("[a b+0x1234]"), "[a b+0x1234]");
  EXPECT_EQ(WithoutBuild("operator new [clone .cold]"), "operator new [clone .cold]");
}

TEST(FunctionNamesTest, ASourceFileIsNotPartOfTheName) {
  EXPECT_EQ(WithoutSourceFile("step (a.c)"), "step");
  EXPECT_EQ(WithoutSourceFile("step(int) (a.c)"), "step(int)");
  EXPECT_EQ(WithoutSourceFile("step(int)"), "step(int)");
}

TEST(FunctionNamesTest, AClonesNameIsThatOfItsFunction) {
  const NamePairs names = {
      {"f", "f"},
      {"f.cold", "f"},
      {"f.cold.3", "f"},
      {"f.part.0", "f"},
      {"f.part", "f.part"},
      {"f.constprop.0.isra.1.cold", "f"},
      {"f.lto_priv.12", "f"},
      {"f.llvm.8812342342342342", "f"},
      {"f.0", "f.0"},
      {"f.omp_fn.0", "f.omp_fn.0"},
      {"step.part.0 (a.c)", "step (a.c)"},
      {"step (a.c)", "step (a.c)"},
      {"a::f(int) [clone .part.0]", "a::f(int)"},
      {"a::f(int) [clone .isra.0] [clone .cold]", "a::f(int)"},
      {"a::f(int) [clone .omp_fn.0]", "a::f(int) [clone .omp_fn.0]"},
      {"a::f(int) [clone .constprop.0] (a.cc)", "a::f(int) (a.cc)"},
      {".cold", ".cold"},
      {"", ""},
  };
  for (const auto& [name, base] : names) EXPECT_EQ(WithoutCloneSuffixes(name), base) << name;
}

TEST(FunctionNamesTest, TemplateArgumentsAreLeftOutButOperatorsStay) {
  const NamePairs names = {
      {"f<int>", "f"},
      {"std::vector<std::pair<int, long>, A<1>>::at(unsigned long)",
       "std::vector::at(unsigned long)"},
      {"bool operator< <int>(A<int> const&)", "bool operator< (A const&)"},
      {"std::ostream& operator<< <char>(X<char>)", "std::ostream& operator<< (X)"},
      {"A::operator->()", "A::operator->()"},
      {"A::operator<=>(A)", "A::operator<=>(A)"},
      {"my_operator<int>()", "my_operator()"},
      {"decltype (a->b) f<decltype (x->y)>(int)", "decltype (a->b) f(int)"},
      {"<alloc::vec::Vec<u8> as core::Drop>::drop", "<alloc::vec::Vec as core::Drop>::drop"},
      {"broken<int", "broken<int"},
      {"a > b", "a > b"},
  };
  for (const auto& [name, kept] : names) EXPECT_EQ(WithoutTemplateArguments(name), kept) << name;
}

TEST(FunctionNamesTest, AQualifiedNameHasNeitherParametersNorAReturnType) {
  const NamePairs names = {
      {"main", "main"},
      {"void f<int>(int)", "f"},
      {"std::vector<int> a::B<long>::f<2>(int, char) const", "a::B::f"},
      {"(anonymous namespace)::f(int)", "(anonymous namespace)::f"},
      {"void (anonymous namespace)::f<int>(int)", "(anonymous namespace)::f"},
      {"A::operator bool() const", "A::operator bool"},
      {"A::operator()(int) const", "A::operator()"},
      {"operator new(unsigned long)", "operator new"},
      {"f(int)::{lambda(char)#1}::operator()(char) const", "f(int)::{lambda(char)#1}::operator()"},
      {"step(int) (a.c)", "step (a.c)"},
      {"step (a.c)", "step (a.c)"},
      {"core::str::parse<u8>", "core::str::parse"},
  };
  for (const auto& [name, kept] : names) EXPECT_EQ(QualifiedNameOf(name), kept) << name;
}

}  // namespace
}  // namespace benchd
