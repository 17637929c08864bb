#include "core/parse/discovery.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "core/base/text.h"
#include "core/parse/harness_builder.h"
#include "tests/parse/harness_data.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

using ListedNames = std::vector<std::string>;

Harness Known(std::string_view name) {
  const Result<Harness> harness = FindHarness(name);
  EXPECT_TRUE(harness) << name;
  return harness ? *harness : Harness();
}

ListedNames NamesIn(std::string_view harness, std::string_view list) {
  const auto names = ParseBenchmarkList(Known(harness), list);
  EXPECT_TRUE(names) << names.error().message;
  return names ? *names : ListedNames();
}

Error ListError(std::string_view harness, std::string_view list) {
  const auto names = ParseBenchmarkList(Known(harness), list);
  EXPECT_FALSE(names) << list.substr(0, 200);
  if (names) return {};
  EXPECT_EQ(names.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(names.error().message.find('\n'), std::string::npos);
  return names.error();
}

ExecutedCommand Program(ListedNames argv) { return {std::move(argv), false}; }
ExecutedCommand Script(const std::string& script) { return {{"/bin/sh", "-c", script}, true}; }

ListedNames ToList(std::string_view harness, const ExecutedCommand& command) {
  return ListCommand(Known(harness), command).argv;
}

ListedNames ToRun(std::string_view harness, const ExecutedCommand& command, std::string_view name,
                  const ListedNames& listed = {}) {
  const Harness known = Known(harness);
  return RunCommand(known, WithoutSelection(known, command, listed, "/work"), name, true).argv;
}

const std::string kOwn =
    "input = \"text\"\n[[metric]]\nmatch = '^(?P<name>\\S+): (?P<value>\\S+)'\n";
const std::string kDiscover =
    "[discover]\nlist = \"--list 'all of them'\"\nmatch = '^bench (?P<name>.+)$'\n"
    "run = \"--only '{name}' --tag={name}\"\n";

TEST(DiscoveryTest, NamesTheKnownHarnesses) {
  EXPECT_EQ(HarnessNames(),
            (std::vector<std::string_view>{"google-benchmark", "go", "catch2", "pytest-benchmark",
                                           "jmh", "libtest", "criterion"}));
  for (const std::string_view name : HarnessNames()) EXPECT_EQ(Known(name).name, name);
  EXPECT_EQ(Known("criterion").format, "libtest");
  const auto mistyped = FindHarness("gogle-benchmark");
  ASSERT_FALSE(mistyped);
  EXPECT_WORDING(mistyped.error());
  const auto unknown = FindHarness("hyperfine");
  ASSERT_FALSE(unknown);
  EXPECT_WORDING(unknown.error());
}

TEST(DiscoveryTest, ReadsTheListsThatTheToolsPrint) {
  EXPECT_EQ(NamesIn("google-benchmark", HarnessData("google_benchmark_list.txt")),
            (ListedNames{
                "BM_Sort/n:8", "BM_Sort/n:64", "BM_Sort/n:7", "BM_Fill<std::map<int,std::string>>",
                R"(sort (a+b)*c.d [x] $1 "q" 'p' \ | ^ {2}?/1)", "BM_Sort/1/real_time/threads:2"}));
  EXPECT_EQ(
      NamesIn("catch2", HarnessData("catch2_list.txt")),
      (ListedNames{"Fibonacci", R"(commas, [brackets] and "quotes" \ *star*)",
                   "a rather long name that goes on and on until the console of eighty columns has "
                   "no more room for it"}));
  EXPECT_EQ(NamesIn("libtest", HarnessData("libtest_list.txt")),
            (ListedNames{"words::sort", "words::sort_all"}));
}

TEST(DiscoveryTest, LeavesOutWhatIsNoBenchmark) {
  EXPECT_EQ(NamesIn("libtest", "a: benchmark\n: benchmark\nb: test\n: bench\n"),
            (ListedNames{"a"}));
  EXPECT_EQ(NamesIn("go",
                    "TestParse\nBenchmarkParse\nBenchmark\nBenchmarkÄ\nBenchmarking\n"
                    "ExampleParse\nFuzzParse\nBenchmark of the log\nok  \tx/y\t0.004s\n"),
            (ListedNames{"BenchmarkParse", "Benchmark", "BenchmarkÄ"}));
  EXPECT_EQ(NamesIn("pytest-benchmark",
                    "bench/test_a.py::test_sort[10]\nbench/test_a.py::Group::test_x[a b]\n\n"
                    "= warnings summary =\ntest_a.py::test_old: deprecated\n2 tests collected\n"),
            (ListedNames{"bench/test_a.py::test_sort[10]", "bench/test_a.py::Group::test_x[a b]"}));
  EXPECT_EQ(
      NamesIn("jmh", "WARNING: a.b.Flag\nBenchmarks: \norg.x.Words.upper\norg.x.Words.lower\n"),
      (ListedNames{"org.x.Words.upper", "org.x.Words.lower"}));
  EXPECT_EQ(NamesIn("criterion", "sum/iter/10: bench\nadd: 1+1: benchmark\nx: test\n"),
            (ListedNames{"sum/iter/10", "add: 1+1"}));
}

TEST(DiscoveryTest, TakesEachNameOnceAndIgnoresCarriageReturns) {
  EXPECT_EQ(NamesIn("google-benchmark",
                    "\xEF\xBB\xBF"
                    "BM_a\r\nBM_b\r\nBM_a\r\n"),
            (ListedNames{"BM_a", "BM_b"}));
}

TEST(DiscoveryTest, RefusesAListThatCannotBeUsed) {
  for (const std::string_view harness : HarnessNames()) {
    EXPECT_WORDING(ListError(harness, ""));
  }
  EXPECT_WORDING(
      ListError("google-benchmark", "BM_a\n" + std::string(kMaxInnerNameBytes + 1, 'x') + "\n"));
  EXPECT_WORDING(ListError("google-benchmark", "BM_a\nBM_\x1b[31m\n"));
  EXPECT_WORDING(ListError("google-benchmark", "BM_\xff\n"));
  EXPECT_WORDING(ListError("google-benchmark", std::string(kMaxLineBytes + 1, 'x')));
  std::string many;
  for (std::size_t i = 0; i <= kMaxListed; ++i) many += std::to_string(i) + "\n";
  EXPECT_WORDING(ListError("google-benchmark", many));
}

TEST(DiscoveryTest, AddsWordsThatListToTheEndOfTheCommand) {
  EXPECT_EQ(ToList("google-benchmark", Program({"./b", "--v=1"})),
            (ListedNames{"./b", "--v=1", "--benchmark_list_tests"}));
  EXPECT_EQ(ToList("go", Program({"./x.test"})), (ListedNames{"./x.test", "-test.list", "."}));
  EXPECT_EQ(ToList("catch2", Program({"./c"})),
            (ListedNames{"./c", "[!benchmark]", "--list-tests"}));
  EXPECT_EQ(ToList("pytest-benchmark", Program({"pytest", "-q"})),
            (ListedNames{"pytest", "-q", "--collect-only", "--verbosity=-1"}));
  EXPECT_EQ(ToList("jmh", Program({"java", "-jar", "b.jar"})),
            (ListedNames{"java", "-jar", "b.jar", "-l"}));
  EXPECT_EQ(ToList("criterion", Program({"./c"})), (ListedNames{"./c", "--list", "--bench"}));
}

TEST(DiscoveryTest, QuotesWordsForAScriptWithoutItsLastNewline) {
  EXPECT_EQ(ToList("catch2", Script("cd x && ./c \n"))[2],
            "cd x && ./c '[!benchmark]' --list-tests");
  EXPECT_EQ(ToRun("google-benchmark", Script("./b"), "it's")[2],
            R"(./b --benchmark_format=json '--benchmark_filter=^it'\''s$')");
}

TEST(DiscoveryTest, RunsExactlyOneBenchmark) {
  const ExecutedCommand program = Program({"./b"});
  EXPECT_EQ(ToRun("google-benchmark", program, R"(s (a+b)*c.d [x] $1 \ | ^ {2}?/1)"),
            (ListedNames{"./b", "--benchmark_format=json",
                         R"(--benchmark_filter=^s \(a\+b\)\*c\.d \[x\] \$1 \\ \| \^ \{2\}\?/1$)"}));
  EXPECT_EQ(ToRun("go", program, "BenchmarkA/n=1.5"),
            (ListedNames{"./b", "-test.run", "^$", "-test.bench", R"(^BenchmarkA$/^n=1\.5$)"}));
  EXPECT_EQ(ToRun("catch2", program, "-lead"), (ListedNames{"./b", R"(\-lead)"}));
  EXPECT_EQ(ToRun("catch2", program, "*a"), (ListedNames{"./b", R"(\*a)"}));
  EXPECT_EQ(ToRun("catch2", program, R"(~a, [b] "q" \)"),
            (ListedNames{"./b", R"(\~a\, \[b\] \"q\" \\)"}));
  EXPECT_EQ(ToRun("jmh", program, "a.B.c"),
            (ListedNames{"./b", "-rf", "json", "-rff", "/dev/stdout", "-o", "/dev/null",
                         R"(^a\.B\.c$)"}));
  EXPECT_EQ(ToRun("libtest", program, "a::b"), (ListedNames{"./b", "--bench", "--exact", "a::b"}));
  EXPECT_EQ(ToRun("criterion", program, "sum/10"),
            (ListedNames{"./b", "--output-format", "bencher", "--bench", "^sum/10$"}));
}

TEST(DiscoveryTest, RunsSeveralBenchmarksInOneProcess) {
  const ListedNames names{"a.b", "c,d|e", "~f"};
  const auto together = [&names](std::string_view harness) {
    return RunCommand(Known(harness), Program({"./b"}), names, /*printed=*/false).argv;
  };
  const std::string whole = R"(^(a\.b|c,d\|e|~f)$)";
  EXPECT_EQ(together("google-benchmark"), (ListedNames{"./b", "--benchmark_filter=" + whole}));
  EXPECT_EQ(together("go"), (ListedNames{"./b", "-test.run", "^$", "-test.bench", whole}));
  EXPECT_EQ(together("catch2"), (ListedNames{"./b", R"(a.b,c\,d|e,\~f)"}));
  EXPECT_EQ(together("pytest-benchmark"), (ListedNames{"./b", "a.b", "c,d|e", "~f"}));
  EXPECT_EQ(together("jmh"), (ListedNames{"./b", whole}));
  EXPECT_EQ(together("libtest"), (ListedNames{"./b", "--bench", "--exact", "a.b", "c,d|e", "~f"}));
  EXPECT_EQ(together("criterion"), (ListedNames{"./b", "--bench", whole}));
}

TEST(DiscoveryTest, KnowsWhichBenchmarksCanShareAProcess) {
  for (const std::string_view harness : HarnessNames()) {
    EXPECT_TRUE(CanShare(Known(harness), "BenchmarkA")) << harness;
  }
  EXPECT_TRUE(CanShare(Known("google-benchmark"), "BM_Sort/8"));
  EXPECT_FALSE(CanShare(Known("go"), "BenchmarkA/n=1")) << "a level of its expression each";
  const auto own = FindHarness("adapter", "own.toml", kOwn + kDiscover);
  ASSERT_TRUE(own) << own.error().message;
  EXPECT_FALSE(CanShare(*own, "a"));
}

TEST(DiscoveryTest, LeavesTheOutputAloneIfTheUserNamedItsFormat) {
  const ExecutedCommand run = RunCommand(Known("criterion"), Program({"./b"}), "a", false);
  EXPECT_EQ(run.argv, (ListedNames{"./b", "--bench", "^a$"}));
}

TEST(DiscoveryTest, PassesWordsThroughCargoAndNeverRepeatsBench) {
  EXPECT_EQ(ToList("libtest", Program({"/usr/bin/cargo", "bench", "-q"})),
            (ListedNames{"/usr/bin/cargo", "bench", "-q", "--", "--list"}));
  EXPECT_EQ(ToList("libtest", Program({"taskset", "-c", "1", "cargo", "bench"})).back(), "--list");
  EXPECT_EQ(ToList("libtest", Program({"taskset", "-c", "1", "cargo", "bench"}))[5], "--");
  EXPECT_EQ(ToList("libtest", Program({"./lt", "--data=src/cargo"})),
            (ListedNames{"./lt", "--data=src/cargo", "--list"}))
      << "that is no cargo";
  EXPECT_EQ(ToList("libtest", Script("cd /src/cargo && ./lt"))[2], "cd /src/cargo && ./lt --list");
  EXPECT_EQ(ToRun("libtest", Program({"cargo", "bench", "--", "--color"}), "a"),
            (ListedNames{"cargo", "bench", "--", "--color", "--exact", "a"}));
  EXPECT_EQ(ToRun("libtest", Program({"./b", "--bench"}), "a"),
            (ListedNames{"./b", "--bench", "--exact", "a"}));
  EXPECT_EQ(ToRun("criterion", Script("cd old && cargo bench"), "a b")[2],
            "cd old && cargo bench -- --output-format bencher '^a b$'");
}

TEST(DiscoveryTest, ReplacesWhatACommandOfPytestSelects) {
  const ListedNames listed{"bench/test_a.py::test_x", "bench/test_b.py::test_y[1]"};
  const ListedNames aside{"/bin/sh", "-c", "exec \"$@\" 3>&1 >/dev/null", "sh"};
  ListedNames expected = aside;
  expected.insert(expected.end(), {"pytest", "-x", "--benchmark-json=/dev/fd/3", listed[1]});
  EXPECT_EQ(
      ToRun("pytest-benchmark", Program({"pytest", "-x", "./bench/", "bench/test_b.py::test_y"}),
            listed[1], listed),
      expected);
  for (const char* word : {"bench/.", "/work/bench", "/work/./bench/test_b.py::test_y", "."}) {
    EXPECT_EQ(ToRun("pytest-benchmark", Program({"pytest", "-x", word}), listed[1], listed),
              expected)
        << word;
  }
  EXPECT_EQ(ToRun("pytest-benchmark", Program({"pytest", "-m", "bench", "bench"}), "a", listed),
            (ListedNames{"/bin/sh", "-c", "exec \"$@\" 3>&1 >/dev/null", "sh", "pytest", "-m",
                         "bench", "--benchmark-json=/dev/fd/3", "a"}))
      << "the value of an option selects nothing";
  EXPECT_EQ(
      ToRun("pytest-benchmark", Script("cd x && pytest"), listed[0], listed)[2],
      "{ cd x && pytest --benchmark-json=/dev/fd/3 bench/test_a.py::test_x\n} 3>&1 >/dev/null");
}

TEST(DiscoveryTest, AnAdapterMayDescribeHowItsProgramListsAndRuns) {
  const auto own = FindHarness("adapter", "own.toml", kOwn + kDiscover);
  ASSERT_TRUE(own) << own.error().message;
  EXPECT_EQ(own->format, "own.toml");
  EXPECT_EQ(ListFormatOf(*own), "list:adapter:own.toml");
  EXPECT_EQ(ListFormatOf(Known("go")), "list:go");
  EXPECT_EQ(ListCommand(*own, Program({"./p"})).argv,
            (ListedNames{"./p", "--list", "all of them"}));
  const auto listed = ParseBenchmarkList(*own, "3 found\nbench a b\nbench c\n");
  ASSERT_TRUE(listed) << listed.error().message;
  EXPECT_EQ(*listed, (ListedNames{"a b", "c"}));
  EXPECT_EQ(RunCommand(*own, Program({"./p"}), "a {name}", true).argv,
            (ListedNames{"./p", "--only", "a {name}", "--tag=a {name}"}));
  EXPECT_EQ(RunCommand(*own, Script("./p"), "a b", true).argv[2], "./p --only 'a b' '--tag=a b'");
  const auto none = ParseBenchmarkList(*own, "nothing\n");
  ASSERT_FALSE(none);
  EXPECT_WORDING(none.error());
}

TEST(DiscoveryTest, ADiscoverThatCannotBeUsedIsRefused) {
  const auto refused = [](std::string_view format, const std::string& adapter) {
    const auto harness = FindHarness("adapter", format, adapter);
    EXPECT_FALSE(harness) << adapter;
    return harness ? Error() : harness.error();
  };
  EXPECT_WORDING(refused("", ""));
  EXPECT_WORDING(refused("lines", ""));
  EXPECT_WORDING(refused("own.toml", kOwn));
  EXPECT_WORDING(refused("own.toml", kOwn + "[[discover]]\n"));
  EXPECT_WORDING(refused("own.toml", kOwn + "[discover]\nlist = '-l'\nrun = '{name}'\n"));
  EXPECT_WORDING(refused("own.toml", kOwn + With(kDiscover, "(?P<name>", "(?P<n>")));
  EXPECT_WORDING(refused("own.toml", kOwn + With(kDiscover, "list = ", "lists = ")));
  EXPECT_WORDING(refused("own.toml", kOwn + With(kDiscover, "'all of them'", "'all")));
  EXPECT_WORDING(refused("own.toml", kOwn + "[discover]\nlist = '-l'\nmatch = '(?P<name>.*)'\n"
                                            "run = '--all'\n"));
}

}  // namespace
}  // namespace benchd
