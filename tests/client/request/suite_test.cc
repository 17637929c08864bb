#include <gtest/gtest.h>

#include "client/app/command.h"
#include "client/request/spec_input.h"
#include "tests/client/refusals.h"
#include "tests/support/wording.h"

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

TEST(SuiteTest, AParameterMakesABenchmarkOfEachOfItsValues) {
  const auto spec =
      Compare({"--parameter-list", "size", "1,64", "./old -n {size}", "./new -n {size}"});
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(Names(spec), (Texts{"size=1", "size=64"}));
  EXPECT_EQ(Commands(spec, 0), (Texts{"./old -n 1", "./old -n 64"}));
  EXPECT_EQ(Commands(spec, 1), (Texts{"./new -n 1", "./new -n 64"}));
}

TEST(SuiteTest, AnArmsOwnValuesHaveTheParameterAsWell) {
  const auto spec = BuildSuite(
      "[defaults]\nparameter_list = { size = [1, 2] }\n"
      "[[arm]]\nname = 'base'\ninput = '/{size}.old'\n"
      "[[arm]]\nname = 'feature'\ninput = '/{size}.new'\nenv = { N = '{size}' }\n"
      "[[benchmark]]\ncommand = 'cat'\n");
  ASSERT_EQ(Names(spec), (Texts{"size=1", "size=2"}));
  EXPECT_EQ(spec->benchmarks(0).arms(0).input(), "/1.old");
  EXPECT_EQ(spec->benchmarks(1).arms(0).input(), "/2.old");
  EXPECT_EQ(spec->benchmarks(1).arms(1).input(), "/2.new");
  EXPECT_EQ(spec->benchmarks(1).arms(1).env().at("N"), "2");
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
  const Texts of_one = notes({"-L", "m", "1,2", "./a", "./b {m}"});
  ASSERT_EQ(of_one.size(), 1U);
  EXPECT_WORDING(of_one.front());
  EXPECT_EQ(notes({"-L", "m", "1,2", "./a {m}", "./b {m}"}), Texts());
  EXPECT_EQ(notes({"-L", "m", "1,2", "--prepare", "make {m}", "./a", "./b"}), Texts());
}

Texts ArmsOf(const Result<v1::SessionSpec>& spec, int benchmark) {
  if (!spec) return {"error: " + spec.error().message};
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
  for (const Texts& words : {Texts{"./a {t}", "./b {t}"},
                             {"-n", "x", "./a {t}"},
                             {"./a"},
                             {"--prepare", "clean {t}", "./a {t}"}}) {
    Texts all = list;
    all.insert(all.end(), words.begin(), words.end());
    ExpectRefused(Compare(all));
  }
  ExpectRefused(Compare({"--between", "t", "./a {t}"}));
  ExpectRefused(Compare({"--parameter-list", "t", "1", "--between", "t", "./a {t}"}));
}

TEST(SuiteTest, TheWordsOfAnOptionMayBeginBehindAnEqualsSign) {
  const auto spec = Compare({"--parameter-scan=size", "1", "3", "1", "a {size}", "b {size}"});
  EXPECT_EQ(Names(spec), (Texts{"size=1", "size=2", "size=3"}));
  ExpectRefused(Compare({"a", "b", "--parameter-scan", "size", "1", "3"}));
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
  ExpectRefused(Compare({"--parameter-list", "size", "1,2", "a", "b"}));
  ExpectRefused(Compare(
      {"--parameter-list", "n", "1,2", "--parameter-scan", "n", "1", "2", "1", "a {n}", "b {n}"}));
  ExpectRefused(BuildSuite(std::string(kSuiteArms) +
                           "[[benchmark]]\nname = 'a'\ncommand = 'x'\nparameter_list = 'n 1,2'\n"));
  ExpectRefused(Compare({"--parameter-scan", "n", "1", "x", "1", "a {n}", "b {n}"}));
}

TEST(SuiteTest, ASuiteHasAThousandBenchmarksAtMost) {
  const Texts hundred = {"--parameter-scan", "a", "1", "100", "1"};
  Texts words = hundred;
  words.insert(words.end(), {"--parameter-scan", "b", "1", "10", "1", "x {a} {b}", "y {a} {b}"});
  EXPECT_EQ(Names(Compare(words)).size(), 1000U);
  words[8] = "11";
  ExpectRefused(Compare(words));
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

Texts OnlyOf(const Result<v1::SessionSpec>& spec, int benchmark) {
  EXPECT_TRUE(spec) << (spec ? "" : spec.error().message);
  if (!spec || benchmark >= spec->benchmarks_size()) return {};
  const auto& only = spec->benchmarks(benchmark).only();
  return {only.begin(), only.end()};
}

TEST(SuiteTest, OnlySelectsInsideAProgramThatHasSeveralBenchmarks) {
  const auto one = Compare({"--harness", "go", "--only", "BenchmarkA*", "--only", "m*", "a", "b"});
  EXPECT_EQ(OnlyOf(one, 0), (Texts{"BenchmarkA*", "m*"})) << "main is no name of the user's";
  EXPECT_EQ(one->benchmarks(0).harness(), "go");
  EXPECT_FALSE(one->benchmarks(0).no_groups());
  EXPECT_TRUE(Compare({"--harness", "go", "--no-groups", "a", "b"})->benchmarks(0).no_groups());

  const std::string text = std::string(kSuiteArms) + kThree +
                           "[[benchmark]]\nname = 'micro'\ncommand = 'm'\nharness = 'go'\n";
  EXPECT_EQ(Names(BuildSuite(text, {"--only", "render"})), Texts{"render"});
  EXPECT_EQ(Names(BuildSuite(text, {"--only", "micro"})), Texts{"micro"});
  EXPECT_EQ(OnlyOf(BuildSuite(text, {"--only", "micro"}), 0), Texts{}) << "all of its benchmarks";
  const auto both = BuildSuite(text, {"--only", "render", "--only", "BenchmarkA"});
  EXPECT_EQ(Names(both), (Texts{"render", "micro"}));
  EXPECT_EQ(OnlyOf(both, 0), Texts{});
  EXPECT_EQ(OnlyOf(both, 1), Texts{"BenchmarkA"});
  const auto own = BuildSuite(text + "only = ['x*']\n", {});
  EXPECT_EQ(OnlyOf(own, 4), Texts{"x*"});
}

Texts ControlsOf(const Result<v1::SessionSpec>& spec, int benchmark) {
  EXPECT_TRUE(spec) << (spec ? "" : spec.error().message);
  if (!spec || benchmark >= spec->benchmarks_size()) return {};
  const auto& controls = spec->benchmarks(benchmark).controls();
  return {controls.begin(), controls.end()};
}

TEST(SuiteTest, AControlIsABenchmarkOrNamed) {
  const std::string text = std::string(kSuiteArms) + kThree;
  const auto own = BuildSuite(text + "control = true\n");
  ASSERT_TRUE(own) << own.error().message;
  EXPECT_TRUE(own->benchmarks(3).control());
  EXPECT_FALSE(own->benchmarks(0).control());
  const auto named = BuildSuite(text, {"--control", "render", "--control", "BM_*"});
  EXPECT_EQ(ControlsOf(named, 0), (Texts{"render", "BM_*"}));
  EXPECT_EQ(ControlsOf(named, 3), (Texts{"render", "BM_*"}));
  EXPECT_EQ(ControlsOf(BuildSuite("[defaults]\ncontrol = ['a', 'b']\n" + text), 0),
            (Texts{"a", "b"}));
}

TEST(SuiteTest, ABenchmarkKeepsItsControlsBesideThoseOfTheSession) {
  const std::string text = std::string(kSuiteArms) + kThree;
  const auto both = BuildSuite(text + "control = true\n", {"--control", "parse"});
  ASSERT_TRUE(both) << both.error().message;
  EXPECT_TRUE(both->benchmarks(3).control());
  EXPECT_EQ(ControlsOf(both, 3), Texts{"parse"});
  EXPECT_EQ(ControlsOf(both, 0), Texts{"parse"});
  EXPECT_EQ(ControlsOf(BuildSuite(text + "control = ['x']\n", {"--control", "parse"}), 3),
            (Texts{"x", "parse"}));
  EXPECT_FALSE(BuildSuite(text + "control = false\n")->benchmarks(3).control());
}

TEST(SuiteTest, AControlAccompaniesTheBenchmarksThatAreSelected) {
  const std::string text = std::string(kSuiteArms) + kThree;
  EXPECT_EQ(Names(BuildSuite(text + "control = true\n", {"--only", "parse-fast"})),
            (Texts{"parse-fast", "render"}));
  EXPECT_EQ(Names(BuildSuite(text, {"--only", "render", "--control", "parse"})),
            (Texts{"parse/size=1", "parse/size=2", "render"}));
}

TEST(SuiteTest, AControlThatIsNoNameIsRefused) {
  const std::string text = std::string(kSuiteArms) + kThree;
  ExpectRefused(BuildSuite(text, {"--control", ""}));
  ExpectRefused(BuildSuite("[defaults]\ncontrol = true\n" + text));
}

TEST(SuiteTest, AnUnknownHarnessIsRefused) {
  ExpectRefused(Compare({"--harness", "gbench", "a", "b"}));
}

TEST(SuiteTest, APatternThatMatchesNothingIsAnErrorWithTheNearestName) {
  const std::string text = std::string(kSuiteArms) + kThree;
  ExpectRefused(BuildSuite(text, {"--only", "rendr*"}));
  ExpectRefused(BuildSuite(text, {"--only", "parse", "--only", "x"}));
  ExpectRefused(Compare({"--only", "x", "a", "b"}));
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
  ExpectRefused(BuildSuite(own + "[[benchmark]]\nname = 'c'\ncommand = 'x'\n"));
  ExpectRefused(
      BuildSuite("[[benchmark]]\nname = 'b'\n[[benchmark.arm]]\nname = 'x'\ncommand = 'a'\n"
                 "[[benchmark.arm]]\nname = 'x'\ncommand = 'b'\n"));
  ExpectRefused(BuildSuite("[[benchmark]]\nname = 'b'\narm = 1\n"));
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
  ExpectRefused(
      BuildSuite(std::string(kSuiteArms) +
                 "[[benchmark]]\nname = 'a'\ncommand = 'x'\nprepare = 'rm {dir}/cache'\n"));
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
