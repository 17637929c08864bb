#include <gtest/gtest.h>

#include "client/app/command.h"
#include "client/request/spec_input.h"

namespace benchd::client {
namespace {

using Texts = std::vector<std::string>;

constexpr char kSuiteArms[] =
    "[[arm]]\nname = 'base'\ndir = 'old'\n[[arm]]\nname = 'feature'\ndir = 'new'\n";

/// Builds `compare -f suite.toml` with those additional options.
Result<v1::SessionSpec> BuildSuite(const std::string& text, const Texts& words = {}) {
  auto input = ParseSpecFile(text, "suite.toml", "/src");
  if (!input) return std::move(input).error();
  auto arguments = ParseArguments(words, AllOptions(*FindCommand("compare")));
  if (!arguments) return std::move(arguments).error();
  input->options = Overlay(std::move(input->options), CollectSessionOptions(*arguments));
  return BuildSpec(*input, {"/cwd", {}});
}

Result<v1::SessionSpec> Compare(const Texts& words) {
  auto arguments = ParseArguments(words, AllOptions(*FindCommand("compare")));
  if (!arguments) return std::move(arguments).error();
  auto input = InputFromCommandLine(*arguments);
  if (!input) return std::move(input).error();
  return BuildSpec(*input, {"/cwd", {}});
}

Texts Names(const Result<v1::SessionSpec>& spec) {
  if (!spec) return {"error: " + spec.error().message + " | " + spec.error().hint};
  Texts names;
  for (const v1::Benchmark& benchmark : spec->benchmarks()) names.push_back(benchmark.name());
  return names;
}

Texts Commands(const Result<v1::SessionSpec>& spec, int arm) {
  Texts commands;
  for (const v1::Benchmark& benchmark : spec->benchmarks()) {
    commands.push_back(benchmark.arms(arm).command());
  }
  return commands;
}

std::string SaidOfSuite(const Result<v1::SessionSpec>& spec) {
  return spec ? "no error" : spec.error().message + " | " + spec.error().hint;
}

TEST(SuiteTest, AParameterMakesABenchmarkOfEachOfItsValues) {
  const auto spec =
      Compare({"--parameter-list", "size", "1,64", "./old -n {size}", "./new -n {size}"});
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(Names(spec), (Texts{"size=1", "size=64"}));
  EXPECT_EQ(Commands(spec, 0), (Texts{"./old -n 1", "./old -n 64"}));
  EXPECT_EQ(Commands(spec, 1), (Texts{"./new -n 1", "./new -n 64"}));
}

TEST(SuiteTest, NamesOfArmsHaveTheValuesAsWell) {
  const auto spec =
      Compare({"-L", "x", "1,2", "-n", "one-{x}", "-n", "two-{x}-{y}", "./a {x}", "./b {x}"});
  ASSERT_TRUE(spec) << spec.error().message;
  for (int i = 0; i < 2; ++i) {
    const std::string value = std::to_string(i + 1);
    EXPECT_EQ(spec->benchmarks(i).arms(0).name(), "one-" + value);
    EXPECT_EQ(spec->benchmarks(i).arms(1).name(), "two-" + value + "-{y}");
  }
}

TEST(SuiteTest, AParameterOfSomeArmsAloneIsNoted) {
  const auto notes = [](const Texts& words) {
    auto arguments = ParseArguments(words, AllOptions(*FindCommand("compare")));
    EXPECT_TRUE(arguments);
    auto input = InputFromCommandLine(*arguments);
    EXPECT_TRUE(input);
    return NotesOnParameters(*input);
  };
  EXPECT_EQ(
      notes({"-L", "m", "1,2", "./a", "./b {m}"}),
      Texts{"--parameter-list m 1,2: './a' does not use {m}, so it is the same for every value"});
  EXPECT_EQ(notes({"-L", "m", "1,2", "./a {m}", "./b {m}"}), Texts());
  EXPECT_EQ(notes({"-L", "m", "1,2", "--prepare", "make {m}", "./a", "./b"}), Texts());
}

Texts ArmsOf(const Result<v1::SessionSpec>& spec, int benchmark) {
  if (!spec) return {SaidOfSuite(spec)};
  Texts arms;
  for (const v1::Arm& arm : spec->benchmarks(benchmark).arms()) {
    arms.push_back((arm.role() == v1::ARM_ROLE_REFERENCE ? "*" : "") + arm.name() + ": " +
                   arm.command());
  }
  return arms;
}

TEST(SuiteTest, TheValuesOfAParameterAreComparedWithEachOther) {
  const auto spec = Compare({"--parameter-list", "t", "1,2,4", "--between", "t", "./x -t {t}"});
  EXPECT_EQ(Names(spec), Texts{""});
  EXPECT_EQ(ArmsOf(spec, 0), (Texts{"*t=1: ./x -t 1", "t=2: ./x -t 2", "t=4: ./x -t 4"}));
  const auto scan =
      Compare({"--parameter-scan", "t", "1", "2", "0.5", "--between", "t", "./x -t {t}"});
  EXPECT_EQ(ArmsOf(scan, 0),
            (Texts{"*t=1.0: ./x -t 1.0", "t=1.5: ./x -t 1.5", "t=2.0: ./x -t 2.0"}));
}

TEST(SuiteTest, OtherParametersStillMakeBenchmarks) {
  const auto spec = Compare({"--parameter-list", "t", "1,2", "--parameter-list", "n", "8,9",
                             "--between", "t", "./x -t {t} -n {n}"});
  EXPECT_EQ(Names(spec), (Texts{"n=8", "n=9"}));
  EXPECT_EQ(ArmsOf(spec, 1), (Texts{"*t=1: ./x -t 1 -n 9", "t=2: ./x -t 2 -n 9"}));
}

TEST(SuiteTest, AFileMayCompareValues) {
  const auto spec = BuildSuite(
      "[defaults]\nparameter_list = ['t 1,2']\nbetween = 't'\n"
      "[[benchmark]]\nname = 'a'\ncommand = './a {t}'\n"
      "[[benchmark]]\nname = 'b'\ncommand = './b {t}'\n");
  EXPECT_EQ(Names(spec), (Texts{"a", "b"}));
  EXPECT_EQ(ArmsOf(spec, 1), (Texts{"*t=1: ./b 1", "t=2: ./b 2"}));
}

TEST(SuiteTest, SaysWhyValuesCannotBeCompared) {
  const Texts list = {"--parameter-list", "t", "1,2", "--between", "t"};
  const auto said = [&list](const Texts& words) {
    Texts all = list;
    all.insert(all.end(), words.begin(), words.end());
    return SaidOfSuite(Compare(all));
  };
  EXPECT_EQ(said({"./a {t}", "./b {t}"}),
            "--between: expected one command, got 2 | write "
            "--parameter-list t 1,2,4 --between t 'COMMAND {t}'");
  EXPECT_TRUE(said({"-n", "x", "./a {t}"}).starts_with("--name x: --between defines the arms"));
  EXPECT_TRUE(said({"./a"}).starts_with("--between t: no command uses {t}"));
  EXPECT_TRUE(
      said({"--prepare", "clean {t}", "./a {t}"})
          .starts_with("--prepare clean {t}: {t} differs between the arms, but they share this"));
  EXPECT_EQ(SaidOfSuite(Compare({"--between", "t", "./a {t}"})),
            "--between t: no such parameter | give its values: --parameter-list t 1,2,4");
  EXPECT_TRUE(SaidOfSuite(Compare({"--parameter-list", "t", "1", "--between", "t", "./a {t}"}))
                  .starts_with("--between t: only 1 value; at least 2 are needed"));
}

TEST(SuiteTest, TheWordsOfAnOptionMayBeginBehindAnEqualsSign) {
  const auto spec = Compare({"--parameter-scan=size", "1", "3", "1", "a {size}", "b {size}"});
  EXPECT_EQ(Names(spec), (Texts{"size=1", "size=2", "size=3"}));
  EXPECT_EQ(SaidOfSuite(Compare({"a", "b", "--parameter-scan", "size", "1", "3"})),
            "--parameter-scan: missing value | write --parameter-scan NAME MIN MAX STEP");
}

TEST(SuiteTest, SeveralParametersAreCombinedAllWithAll) {
  const auto spec = Compare({"--parameter-list", "mode", "a,b", "--parameter-scan", "n", "1", "2",
                             "1", "x {mode} {n}", "y {n}"});
  EXPECT_EQ(Names(spec), (Texts{"mode=a/n=1", "mode=a/n=2", "mode=b/n=1", "mode=b/n=2"}));
  EXPECT_EQ(Commands(spec, 0), (Texts{"x a 1", "x a 2", "x b 1", "x b 2"}));
}

TEST(SuiteTest, OnlyBenchmarksThatSayAParameterAreMultiplied) {
  const auto spec = BuildSuite(std::string(kSuiteArms) +
                               "[defaults]\nparameter_list = 'size 1,2'\n"
                               "[[benchmark]]\nname = 'parse'\ncommand = '{dir}/bench {size}'\n"
                               "[[benchmark]]\nname = 'start'\ncommand = '{dir}/bench'\n");
  EXPECT_EQ(Names(spec), (Texts{"parse/size=1", "parse/size=2", "start"}));
  EXPECT_EQ(Commands(spec, 1), (Texts{"/src/new/bench 1", "/src/new/bench 2", "/src/new/bench"}));
}

TEST(SuiteTest, ABenchmarkMayHaveItsOwnParametersAsTables) {
  const auto spec = BuildSuite(std::string(kSuiteArms) +
                               "[defaults]\nparameter_list = { size = [7, 8] }\n"
                               "[[benchmark]]\nname = 'a'\ncommand = 'x {size} {mode}'\n"
                               "parameter_list = { mode = ['f,g', 'h'] }\n"
                               "parameter_scan = { size = [0.1, 0.3, 0.1] }\n"
                               "[[benchmark]]\nname = 'b'\ncommand = 'x {size}'\n");
  EXPECT_EQ(Names(spec), (Texts{"a/mode=f,g/size=0.1", "a/mode=f,g/size=0.2", "a/mode=f,g/size=0.3",
                                "a/mode=h/size=0.1", "a/mode=h/size=0.2", "a/mode=h/size=0.3",
                                "b/size=7", "b/size=8"}))
      << "its own values replace the session's";
  EXPECT_EQ(Commands(spec, 0)[0], "x 0.1 f,g");
}

TEST(SuiteTest, ParametersAreFilledInWhereverABenchmarkSaysThem) {
  const auto spec = BuildSuite(std::string(kSuiteArms) +
                               "[defaults]\nparameter_list = 'size 1,2'\nsetup = 'make {size}'\n"
                               "output = '{size}.txt'\nenv = ['N={size}']\n"
                               "[[benchmark]]\nname = 'parse'\ncommand = 'x {other}'\n");
  ASSERT_TRUE(spec) << spec.error().message;
  ASSERT_EQ(spec->benchmarks_size(), 2);
  EXPECT_EQ(spec->benchmarks(1).hooks().setup(), "make 2");
  EXPECT_EQ(spec->benchmarks(1).output_path(), "/cwd/2.txt");
  EXPECT_EQ(spec->benchmarks(1).arms(0).env().at("N"), "2");
  EXPECT_EQ(spec->benchmarks(1).arms(0).command(), "x {other}") << "not a parameter";
}

TEST(SuiteTest, AValueIsNotLookedAtForFurtherParameters) {
  const auto spec = Compare(
      {"--parameter-list", "a", "{b},1", "--parameter-list", "b", "{a}", "x {a} {b}", "y {a}"});
  EXPECT_EQ(Commands(spec, 0), (Texts{"x {b} {a}", "x 1 {a}"}));
}

TEST(SuiteTest, SaysWhichParameterIsUsedNowhereOrTwice) {
  EXPECT_EQ(SaidOfSuite(Compare({"--parameter-list", "size", "1,2", "a", "b"})),
            "--parameter-list size 1,2: no command uses {size} | write {size} where its value "
            "belongs");
  EXPECT_EQ(SaidOfSuite(Compare({"--parameter-list", "n", "1,2", "--parameter-scan", "n", "1", "2",
                                 "1", "a {n}", "b {n}"})),
            "--parameter-scan n 1 2 1: duplicate parameter 'n' | put all its values into one "
            "list");
  EXPECT_EQ(SaidOfSuite(
                BuildSuite(std::string(kSuiteArms) +
                           "[[benchmark]]\nname = 'a'\ncommand = 'x'\nparameter_list = 'n 1,2'\n")),
            "suite.toml:10:1: parameter_list = n 1,2: no command uses {n} | write {n} where "
            "its value belongs");
  EXPECT_EQ(SaidOfSuite(Compare({"--parameter-scan", "n", "1", "x", "1", "a {n}", "b {n}"})),
            "--parameter-scan n 1: missing MAX: 'x' is not a number | write --parameter-scan NAME "
            "MIN MAX "
            "STEP");
}

TEST(SuiteTest, ASuiteHasAThousandBenchmarksAtMost) {
  const Texts hundred = {"--parameter-scan", "a", "1", "100", "1"};
  Texts words = hundred;
  words.insert(words.end(), {"--parameter-scan", "b", "1", "10", "1", "x {a} {b}", "y {a} {b}"});
  EXPECT_EQ(Names(Compare(words)).size(), 1000U);
  words[8] = "11";
  EXPECT_EQ(SaidOfSuite(Compare(words)),
            "more than 1000 benchmarks | use fewer values, or several "
            "sessions");
}

constexpr char kThree[] =
    "[[benchmark]]\nname = 'parse'\ncommand = 'x {size}'\nparameter_list = 'size 1,2'\n"
    "[[benchmark]]\nname = 'parse-fast'\ncommand = 'y'\n"
    "[[benchmark]]\nname = 'render'\ncommand = 'z'\n";

TEST(SuiteTest, OnlyTakesTheBenchmarksWhoseNameMatches) {
  const std::string text = std::string(kSuiteArms) + kThree;
  EXPECT_EQ(Names(BuildSuite(text, {"--only", "parse"})), (Texts{"parse/size=1", "parse/size=2"}))
      << "all values of a parameter";
  EXPECT_EQ(Names(BuildSuite(text, {"--only", "*=2"})), Texts{"parse/size=2"});
  EXPECT_EQ(Names(BuildSuite(text, {"--only", "parse*"})),
            (Texts{"parse/size=1", "parse/size=2", "parse-fast"}));
  EXPECT_EQ(Names(BuildSuite(text, {"--only", "render", "--only", "*fast"})),
            (Texts{"parse-fast", "render"}))
      << "in the order of the suite";
  EXPECT_EQ(Names(BuildSuite("[defaults]\nonly = ['render']\n" + text)), Texts{"render"});
}

TEST(SuiteTest, APatternThatMatchesNothingIsAnErrorWithTheNearestName) {
  const std::string text = std::string(kSuiteArms) + kThree;
  EXPECT_EQ(SaidOfSuite(BuildSuite(text, {"--only", "rendr*"})),
            "--only rendr*: no benchmark matches | did you mean render?");
  EXPECT_EQ(SaidOfSuite(BuildSuite(text, {"--only", "parse", "--only", "x"})),
            "--only x: no benchmark matches | available: parse/size=1, parse/size=2, "
            "parse-fast, render");
  EXPECT_EQ(SaidOfSuite(Compare({"--only", "x", "a", "b"})),
            "--only x: no benchmark matches | available: main");
}

TEST(SuiteTest, ABenchmarkMayHaveItsOwnArms) {
  const auto spec =
      BuildSuite(std::string(kSuiteArms) +
                 "[[benchmark]]\nname = 'a'\ncommand = '{dir}/x'\n"
                 "[[benchmark]]\nname = 'b'\n"
                 "[[benchmark.arm]]\nname = 'zlib'\ncommand = 'gzip'\n"
                 "[[benchmark.arm]]\nname = 'zstd'\ncommand = 'zstd'\nrole = 'reference'\n");
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(spec->benchmarks(0).arms(1).name(), "feature");
  const v1::Benchmark& own = spec->benchmarks(1);
  ASSERT_EQ(own.arms_size(), 2);
  EXPECT_EQ(own.arms(0).name(), "zlib");
  EXPECT_EQ(own.arms(0).role(), v1::ARM_ROLE_CANDIDATE);
  EXPECT_EQ(own.arms(1).command(), "zstd");
  EXPECT_EQ(own.arms(1).role(), v1::ARM_ROLE_REFERENCE);
}

TEST(SuiteTest, ASuiteNeedsNoCommonArmsWhereEveryBenchmarkHasItsOwn) {
  const std::string own =
      "[[benchmark]]\nname = 'b'\n[[benchmark.arm]]\nname = 'x'\ncommand = 'a'\n"
      "[[benchmark.arm]]\nname = 'y'\ncommand = 'b'\n";
  EXPECT_EQ(Names(BuildSuite(own)), Texts{"b"});
  EXPECT_EQ(SaidOfSuite(BuildSuite(own + "[[benchmark]]\nname = 'c'\ncommand = 'x'\n")),
            "suite.toml: missing arms | add two [[arm]] tables, each with a name");
  EXPECT_EQ(SaidOfSuite(BuildSuite(
                "[[benchmark]]\nname = 'b'\n[[benchmark.arm]]\nname = 'x'\ncommand = 'a'\n"
                "[[benchmark.arm]]\nname = 'x'\ncommand = 'b'\n")),
            "suite.toml:6:1: arm x: duplicate name 'x' | give each command its own name: -n "
            "NAME -n NAME");
  EXPECT_EQ(SaidOfSuite(BuildSuite("[[benchmark]]\nname = 'b'\narm = 1\n")),
            "suite.toml:3:7: arm: expected a list of tables | write [[benchmark.arm]]");
}

TEST(SuiteTest, TheDirectoryOfAnArmMayBeItsWorkingDirectory) {
  const auto spec = BuildSuite(std::string(kSuiteArms) +
                               "[defaults]\ncwd = '{dir}/data'\nsetup = 'make data'\n"
                               "[[benchmark]]\nname = 'a'\ncommand = '../bench'\n");
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(spec->benchmarks(0).arms(0).cwd(), "/src/old/data");
  EXPECT_EQ(spec->benchmarks(0).arms(1).cwd(), "/src/new/data");
  EXPECT_EQ(spec->benchmarks(0).hooks().cwd(), "/cwd") << "setup belongs to no arm";
}

TEST(SuiteTest, AHookThatNamesTheArmsDirectoryIsRefused) {
  EXPECT_EQ(SaidOfSuite(BuildSuite(
                std::string(kSuiteArms) +
                "[[benchmark]]\nname = 'a'\ncommand = 'x'\nprepare = 'rm {dir}/cache'\n")),
            "suite.toml:10:1: prepare = rm {dir}/cache: {dir}: this command "
            "does not belong to an arm | prepare and conclude can read their arm from the variable "
            "BENCHD_ARM");
}

TEST(SuiteTest, HooksOfACommandLineRunWhereTheirArmDoes) {
  const auto spec = Compare({"--setup", "make", "--cwd", "sub", "a", "b"});
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(spec->benchmarks(0).hooks().cwd(), "");
  EXPECT_EQ(spec->benchmarks(0).arms(0).cwd(), "/cwd/sub");
}

TEST(SuiteTest, AnOwnMarginOfTheOnlyBenchmarkLeftIsTheSessions) {
  const auto spec = BuildSuite(std::string(kSuiteArms) +
                                   "[[benchmark]]\nname = 'a'\ncommand = 'x'\nmargin = 0.05\n"
                                   "[[benchmark]]\nname = 'b'\ncommand = 'y'\n",
                               {"--only", "a"});
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(spec->margin(), 0.05);
}

}  // namespace
}  // namespace benchd::client
