#include "core/parse/adapter.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/parse/harness_builder.h"
#include "core/parse/harness_table.h"
#include "tests/parse/harness_data.h"
#include "tests/parse/refusal.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

const std::string kText = "input = \"text\"\n";
const std::string kJson = "input = \"json\"\n";
const std::string kXml = "input = \"xml\"\n";

/// A [[metric]] that reads "NAME: VALUE".
const std::string kPairs =
    "[[metric]]\nmatch = '^(?P<name>[a-z]+): (?P<value>\\S+)(?: (?P<unit>\\S+))?$'\n";

HarnessOutput ReadWith(const std::string& adapter, std::string_view output) {
  const auto read = ParseHarnessOutput("own.toml", output, adapter);
  EXPECT_TRUE(read) << read.error().message;
  return read ? *read : HarnessOutput();
}

Error ReadError(const std::string& adapter, std::string_view output) {
  const auto read = ParseHarnessOutput("own.toml", output, adapter);
  EXPECT_FALSE(read);
  if (read) return {};
  EXPECT_FALSE(read.error().hint.empty()) << read.error().message;
  EXPECT_EQ(read.error().message.find('\n'), std::string::npos);
  return read.error();
}

TEST(AdapterTest, ReadsEachLineThatMatchesWithItsOwnUnit) {
  const auto output =
      ReadWith(kText + kPairs + "better = \"lower\"\n",
               "starting\nparse: 12.5 ms\nparse: 950 us\r\nsize: 1,024 KiB\nrate: 3MB/s\nn: 7\n");
  EXPECT_EQ(KeysOf(output), (std::vector<std::string>{"parse", "size", "rate", "n"}));
  EXPECT_EQ(ValuesOf(output, "parse"), (std::vector<double>{0.0125, 0.00095}));
  EXPECT_EQ(*InfoOf(output, "parse"), (MetricInfo{"parse", "s", Better::kLower, 1e-6}));
  EXPECT_EQ(ValuesOf(output, "size"), (std::vector<double>{1048576}));
  EXPECT_EQ(InfoOf(output, "rate")->unit, "B/s");
  EXPECT_EQ(InfoOf(output, "n")->unit, "");
}

TEST(AdapterTest, AUnitOfItsOwnAndTheMeaningOfPrintedUnits) {
  const auto output =
      ReadWith(kText + kPairs +
                   "unit = \"1/s\"\nunits = { MB = \"MiB\" }\nbetter = \"higher\"\ngate = false\n",
               "a: 2.5k\nb: 2 MB\nc: 3\n");
  EXPECT_EQ(ValuesOf(output, "a"), (std::vector<double>{2500}));
  EXPECT_EQ(ValuesOf(output, "b"), (std::vector<double>{2097152}));
  EXPECT_EQ(InfoOf(output, "b")->unit, "B");
  EXPECT_EQ(*InfoOf(output, "c"), (MetricInfo{"c", "1/s", Better::kHigher, 1, true}));
}

TEST(AdapterTest, UnderIsTheLastLineBeforeThatMatches) {
  const auto output = ReadWith(kText +
                                   "[[metric]]\nunder = '^== (?P<test>.*) ==$'\nmatch = '^ +mean "
                                   "(?P<value>\\d+)(?P<unit>\\w+)'\n"
                                   "name = \"mean\"\nbenchmark = \"{test}\"\n",
                               " mean 1ms\n== a b ==\n mean 2ms\n== c ==\n mean 3ms\n mean 4ms\n");
  EXPECT_EQ(KeysOf(output), (std::vector<std::string>{"a b/mean", "c/mean"}));
  EXPECT_EQ(ValuesOf(output, "c/mean"), (std::vector<double>{0.003, 0.004}));
}

TEST(AdapterTest, WhenAndAbsentLeaveValuesOut) {
  const std::string adapter = kText + kPairs +
                              "absent = [\"-\"]\n[[metric]]\nwhen = '^mode fast'\n" +
                              "match = '^(?P<value>\\d+) fast'\nname = \"fast\"\n";
  EXPECT_EQ(KeysOf(ReadWith(adapter, "5 fast\na: -\nb: 1\n")), (std::vector<std::string>{"b"}));
  EXPECT_EQ(KeysOf(ReadWith(adapter, "5 fast\na: 1\nmode fast\n")),
            (std::vector<std::string>{"fast", "a"}));
}

TEST(AdapterTest, EachElementIsABenchmark) {
  const std::string text =
      R"(note before the document
{"suite": "s", "groups": [
  {"title": "g", "tests": [{"name": "x", "ms": 1.5, "ok": true}, {"name": "y", "ms": "2,000"},
                           {"name": "z", "ms": null}]},
  {"title": "h", "tests": [{"name": "x", "ms": 4, "samples": [1, 2]}]}]})";
  const std::string adapter = kJson + R"(each = "$.groups[*].tests[*]"
benchmark = "{$.suite}/{^.title}/{name}"
[[metric]]
path = "$.groups[*].tests[*].ms"
name = "time"
unit = "ms"
better = "lower"
[[metric]]
path = "@.samples[*]"
name = "sample {key}"
)";
  const auto output = ReadWith(adapter, text);
  EXPECT_EQ(KeysOf(output),
            (std::vector<std::string>{"s/g/x/time", "s/g/y/time", "s/h/x/time", "s/h/x/sample 0"}));
  EXPECT_EQ(ValuesOf(output, "s/g/y/time"), (std::vector<double>{2}));
  EXPECT_EQ(ValuesOf(output, "s/h/x/sample 0"), (std::vector<double>{1, 2}));
}

TEST(AdapterTest, ReadsDocumentsByLineAndRowsByColumn) {
  const std::string metric =
      "benchmark = \"{name}\"\n[[metric]]\npath = \"t\"\nname = \"time\"\n"
      "unit = \"{u}\"\nwhen = \"@.skip != 1\"\n[[metric]]\n"
      "path = \"$.t\"\nname = \"all\"\nunit = \"us\"\n";
  const auto lines = ReadWith("input = \"jsonl\"\n" + metric,
                              "log\n{\"name\": \"a\", \"t\": 5, \"u\": \"ns\", \"skip\": 0}\n\n"
                              "  {\"name\": \"b\", \"t\": 6, \"u\": \"ns\"}\n");
  EXPECT_EQ(ValuesOf(lines, "a/time"), (std::vector<double>{5e-9}));
  EXPECT_EQ(ValuesOf(lines, "b/all"), (std::vector<double>{6e-6}));
  const auto rows =
      ReadWith("input = \"csv\"\n" + metric,
               "# comment\nname,t,u,skip\n\"a, b\",5,ns,0\n# again\nc,6,ns,\nd,,ns,0\n");
  EXPECT_EQ(KeysOf(rows), (std::vector<std::string>{"a, b/time", "a, b/all", "c/time", "c/all"}));
  const auto named = ReadWith(
      "input = \"csv\"\ncolumns = [\"name\", \"t\"]\n[[metric]]\npath = \"t\"\n"
      "name = \"{name}\"\n",
      "x,5,ignored\ny,7\n");
  EXPECT_EQ(KeysOf(named), (std::vector<std::string>{"x", "y"}));
}

TEST(AdapterTest, ReadsXmlByXPath) {
  const std::string adapter = kXml + R"toml(each = "//test"
benchmark = "{/suite/@name}/{name}"
[[metric]]
path = "@ms"
name = "time"
unit = "ms"
better = "lower"
when = "not(@ok = 'no')"
absent = ["-"]
[[metric]]
path = "sample"
name = "sample of {../name}"
unit = "{@unit}"
[[metric]]
path = "sum(sample) div count(sample)"
name = "mean"
when = "sample"
[[fail]]
path = "//error"
[[fail]]
path = "count(//test) = 0"
)toml";
  const auto output = ReadWith(adapter, R"(note before the document
<?xml version="1.0"?>
<suite name="s"><name>g</name>
  <test name="x" ms="1.5" ok="yes"/><test name="y" ms=" 2,000 "/><test name="z" ms=""/>
  <test name="u" ms="-"/><test name="v" ms="7" ok="no"/>
  <test unit="KiB"><name>w</name><sample>1</sample><sample>
    2 <!-- with a comment --> </sample></test>
</suite>)");
  EXPECT_EQ(KeysOf(output),
            (std::vector<std::string>{"s/x/time", "s/y/time", "s/w/sample of g", "s/w/mean"}));
  EXPECT_EQ(*InfoOf(output, "s/x/time"), (MetricInfo{"s/x/time", "s", Better::kLower, 1e-4}));
  EXPECT_EQ(ValuesOf(output, "s/y/time"), (std::vector<double>{2}));
  EXPECT_EQ(ValuesOf(output, "s/w/sample of g"), (std::vector<double>{1024, 2048}));
  EXPECT_EQ(ValuesOf(output, "s/w/mean"), (std::vector<double>{1.5}));

  const auto failed = Adapter::Parse(adapter)->Read("<a>\n<error\n n='5'/><error>x</error></a>");
  ASSERT_TRUE(failed) << failed.error().message;
  EXPECT_EQ(failed->failures,
            (std::vector<AdapterFailure>{
                {2, "<error"}, {3, "<error>x</error></a>"}, {1, "count(//test) = 0"}}));
}

TEST(AdapterTest, WithoutEachAnXPathBeginsAtTheDocument) {
  const auto output = ReadWith(kXml +
                                   "[[metric]]\npath = \"//test/@t\"\nname = \"t\"\n"
                                   "benchmark = \"{/suite/@name}\"\n",
                               "<suite name='s'><test t='1'/><test t='2'/></suite>");
  EXPECT_EQ(ValuesOf(output, "s/t"), (std::vector<double>{1, 2}));
}

TEST(AdapterTest, KeepsReadingAfterFailuresAndTellsThemAll) {
  const auto adapter = Adapter::Parse(kText + kPairs + "[[fail]]\nmatch = '^ERROR'\n");
  ASSERT_TRUE(adapter) << adapter.error().message;
  const auto reading = adapter->Read("ERROR 1\na: 5\nERROR 2\n");
  ASSERT_TRUE(reading) << reading.error().message;
  EXPECT_EQ(reading->failures, (std::vector<AdapterFailure>{{1, "ERROR 1"}, {3, "ERROR 2"}}));
  EXPECT_EQ(KeysOf(reading->output), (std::vector<std::string>{"a"}));
  const auto nothing = adapter->Read("");
  ASSERT_TRUE(nothing);
  EXPECT_TRUE(nothing->output.samples.empty());
}

TEST(AdapterTest, UnitsOfRatesAndDurations) {
  const auto output =
      ReadWith(kText + kPairs + "units = { MB = \"MiB\" }\n[[metric]]\nname = \"go\"\n" +
                   "match = '^took (?P<value>[\\d.]+)(?P<unit>\\S+)'\n",
               "rate: 2 MB/s\nspan: 1m2.5s\ntook 1m2.033s\ntook 3ms\n");
  EXPECT_EQ(ValuesOf(output, "rate"), (std::vector<double>{2097152}));
  EXPECT_EQ(InfoOf(output, "rate")->unit, "B/s");
  EXPECT_EQ(ValuesOf(output, "span"), (std::vector<double>{62.5}));
  EXPECT_EQ(ValuesOf(output, "go"), (std::vector<double>{62.033, 0.003}));
}

TEST(AdapterTest, ASuffixOfTheNumberBesideAUnit) {
  const auto rates = ReadWith(
      kText + "[[metric]]\nname = \"rate\"\nmatch = '^(?P<value>[\\d.]+[kM]?) (?P<unit>\\S+)'\n",
      "980 req/s\n1.2k req/s\n");
  EXPECT_EQ(ValuesOf(rates, "rate"), (std::vector<double>{980, 1200}));
}

TEST(AdapterTest, AHeadingIsNoValueAndLinesMayEndWithCarriageReturns) {
  const std::string metric = "match = '(?P<value>[\\d.]+) (?P<unit>\\w+)'\nname = \"t\"\n";
  EXPECT_EQ(ValuesOf(ReadWith(kText + "[[metric]]\nunder = '^== \\d+ elements'\n" + metric,
                              "== 1000 elements ==\n12.5 elements\n"),
                     "t"),
            (std::vector<double>{12.5}));
  EXPECT_EQ(ValuesOf(ReadWith(kText + "[[metric]]\nwhen = '^mode: fast$'\n" + metric,
                              "mode: fast\r\n3 ms\r\n"),
                     "t"),
            (std::vector<double>{0.003}));
}

TEST(AdapterTest, ConditionsOfATableMayBeTrueOrFalse) {
  const std::string adapter =
      "input = \"csv\"\n[[metric]]\npath = \"t\"\nname = \"{name}\"\nwhen = \"skipped != "
      "true\"\n[[fail]]\npath = \"failed == true\"\n";
  EXPECT_EQ(KeysOf(ReadWith(adapter, "name,t,skipped,failed\na,1,false,False\nb,2,True,false\n")),
            (std::vector<std::string>{"a"}));
  EXPECT_EQ(ReadError(adapter, "name,t,skipped,failed\na,1,false,TRUE\n").message,
            "line 2: the output reports a failure: 'failed: TRUE'");
}

TEST(AdapterTest, NamesTheToolOnlyIfNothingIsRead) {
  const std::string adapter = kJson +
                              "each = \"$.results[*]\"\nbenchmark = "
                              "\"{command}\"\n[[metric]]\npath = \"@.ms\"\nname = \"t\"\n";
  const std::string_view wrong = R"({"results": [{"command": "a", "ms": "n/a"}]})";
  EXPECT_EQ(ReadError(adapter, wrong).hint,
            "correct the [[metric]] at line 4 of the adapter: if this text means that there is no "
            "value, list it in absent");
  const std::string_view nothing = R"({"results": [{"command": "a", "mean": 1}]})";
  EXPECT_NE(ReadError(adapter, nothing).hint.find("hyperfine"), std::string::npos);
}

TEST(AdapterTest, SkipsLinesInBracketsBeforeAndBetweenDocuments) {
  const std::string metric = "[[metric]]\npath = \"a\"\nname = \"a\"\n";
  EXPECT_EQ(ValuesOf(ReadWith(kJson + metric, "[INFO] up\n[2026-11-29 10:00] {\n{\"a\": 1}"), "a"),
            (std::vector<double>{1}));
  EXPECT_EQ(ValuesOf(ReadWith("input = \"jsonl\"\n" + metric, "{broken\n[x]\n{\"a\": 2}\n"), "a"),
            (std::vector<double>{2}));
  EXPECT_EQ(
      ValuesOf(ReadWith(kJson + "[[metric]]\npath = \"$[*]\"\nname = \"a\"\n", "[\n1, 2.5]"), "a"),
      (std::vector<double>{1, 2.5}));
}

TEST(AdapterTest, TellsWhyAMetricReadNothing) {
  const auto why = [](const std::string& adapter, std::string_view output) {
    const auto parsed = Adapter::Parse(adapter);
    EXPECT_TRUE(parsed) << parsed.error().message;
    const auto reading = parsed->Read(output);
    EXPECT_TRUE(reading) << reading.error().message;
    std::vector<std::string> reasons;
    for (const UnreadMetric& unread : reading->unread) reasons.push_back(unread.why);
    return Join(reasons, "; ");
  };
  const std::string pair = kText + kPairs;
  EXPECT_EQ(why(pair, "a: 1\n"), "");
  EXPECT_WORDING(why(pair, "nothing\n"));
  EXPECT_WORDING(why(pair + "when = 'fast'\n", "a: 1\n"));
  EXPECT_WORDING(why(pair + "under = '^=='\n", "a: 1\n"));
  EXPECT_WORDING(why(pair + "under = '^=='\n", "a: 1\n==\n"));
  EXPECT_WORDING(why(pair + "absent = [\"1\"]\n", "a: 1\nb: 1\n"));
  const auto json = [&](const std::string& path, const std::string& more, std::string_view output) {
    return why(kJson + "[[metric]]\nname = \"t\"\npath = '" + path + "'\n" + more, output);
  };
  const std::string each = "each = \"$.cases[*]\"\nbenchmark = \"{name}\"\n";
  const std::string_view cases = R"({"cases": [{"name": "a", "mean": 1}], "n": null, "l": [1]})";
  EXPECT_WORDING(json("$.men", "", cases));
  EXPECT_WORDING(json("$.n", "", cases));
  EXPECT_WORDING(json("$.cases.mean", "", cases));
  EXPECT_WORDING(json("$.l[5]", "", cases));
  EXPECT_WORDING(json("$.l[0].a", "", cases));
  EXPECT_WORDING(json("@.men", each, cases));
  EXPECT_WORDING(json("@.mean", each + "when = \"fast\"\n", cases));
  EXPECT_WORDING(json("$.case[*].mean", "each = \"$.case[*]\"\nbenchmark = \"b\"\n", cases));
  EXPECT_WORDING(why(kXml + "[[metric]]\npath = \"//t\"\nname = \"t\"\n", "<a/>"));
}

TEST(AdapterTest, QuotesTheFailureWithThePartThatMatches) {
  const auto adapter = Adapter::Parse(kText + kPairs + "[[fail]]\nmatch = '[1-9]\\d* failed'\n");
  ASSERT_TRUE(adapter) << adapter.error().message;
  const auto reading = adapter->Read(
      "requests: 10000 total, 10000 started, 10000 done, 9988 succeeded, 12 failed\n");
  ASSERT_TRUE(reading);
  EXPECT_EQ(reading->failures,
            (std::vector<AdapterFailure>{{1, "...ne, 9988 succeeded, 12 failed"}}));
}

TEST(AdapterTest, RefusesWhatCannotBeReadWithTheLine) {
  const std::string json = kJson +
                           "each = \"$[*]\"\nbenchmark = \"{name}\"\n[[metric]]\npath = "
                           "\"@.t\"\nname = \"t\"\n";
  const std::string xml = kXml +
                          "each = \"//a\"\nbenchmark = \"{n}\"\n[[metric]]\npath = "
                          "\"@t\"\nname = \"t\"\n[[fail]]\npath = \"//failed\"\n";
  const std::pair<std::string, std::string> cases[] = {
      {kText + kPairs, "nothing"},
      {kText + kPairs, ""},
      {kText + kPairs, "a: 1\nb: 1.2.3\n"},
      {kText + kPairs, "a: 12abc\n"},
      {kText + kPairs, "a: nan\n"},
      {kText + kPairs, "a: 1 ms\na: 2 B\n"},
      {kText + kPairs, "\xff\n"},
      {kText + kPairs, "wall: 1/3\n"},
      {kText + "[[metric]]\nmatch = '(?P<value>\\S+) (?P<unit>\\w+)$'\nname = \"t\"\n", "12ms s\n"},
      {"input = \"jsonl\"\n[[metric]]\npath = \"t\"\nname = \"{n}\"\nbenchmark = \"{b}\"\n",
       "{\"b\": \"a\", \"n\": \"b/c\", \"t\": 1}\n{\"b\": \"a/b\", \"n\": \"c\", \"t\": 9}\n"},
      {kText + "[[metric]]\nmatch = '(?P<name>\\w+) (?P<value>\\d+)'\n", "wall_time 1\n"},
      {kText + "[[metric]]\nmatch = '(?P<value>\\d+)(?P<n>x)?'\nname = \"{n}\"\n", "1\n"},
      {json, "[{\"name\": \"a\", \"t\": 1},\n {\"name\": \"b\", \"t\": [1]}]"},
      {json, "[{\"t\": 1}]"},
      {json, "[{\"name\": \"a\", \"t\": \"fast\"}]"},
      {json, "[1, 2"},
      {json, "no document\nat all\n"},
      {json, ""},
      {"input = \"jsonl\"\n[[metric]]\npath = \"t\"\nname = \"t\"\n", "log\n{\"t\": }\n"},
      {"input = \"csv\"\n[[metric]]\npath = \"t\"\nname = \"t\"\n", "t,t\n1,2\n"},
      {"input = \"csv\"\n[[metric]]\npath = \"t\"\nname = \"t\"\n", "t\n1\nx\n"},
      {"input = \"csv\"\n[[metric]]\npath = \"t\"\nname = \"t\"\n", "a,t\nx,1\nx\n"},
      {"input = \"csv\"\n[[metric]]\npath = \"t\"\nname = \"{a}\"\n", "a,t\n,1\n"},
      {"input = \"csv\"\n[[metric]]\npath = \"$\"\nname = \"t\"\n", "t\n1\n"},
      {kJson + "[[metric]]\npath = \"l.*\"\nname = \"{key}\"\n", "{\"l\": {\"a\": 1}}"},
      {xml, "<b>\n<a n='x' t='fast'/></b>"},
      {xml, "<b>\n<a t='1'/></b>"},
      {xml, "<b>\n<a n='x' t='1'/><failed>no server</failed></b>"},
      {xml, "<b/>"},
      {xml, "<b>\n<a n='x' t='1'>"},
      {xml, "a 1\n"},
      {kXml + "[[metric]]\npath = \"sum(//t) div count(//t)\"\nname = \"t\"\n", "<a/>"},
  };
  for (const auto& [adapter, output] : cases) {
    const Error error = ReadError(adapter, output);
    EXPECT_EQ(error.code, ErrorCode::kInvalidArgument) << Shown(output);
    EXPECT_WORDING(RefusalOf(output, error));
  }
}

TEST(AdapterTest, RefusesAnAdapterThatIsWrongWithTheLineAndTheKey) {
  const std::string json = kJson + "[[metric]]\npath = \"$.t\"\nname = \"t\"\n";
  const std::string xml = kXml + "[[metric]]\npath = \"/a/@t\"\nname = \"t\"\n";
  for (const std::string& wrong : {
           std::string(),
           std::string("input = "),
           kText,
           std::string("input = \"yaml\"\n"),
           std::string("input = 5\n"),
           "reads = \"stdlog\"\n" + kText + kPairs,
           "reads = \"stdout\"\nfile = \"out.txt\"\n" + kText + kPairs,
           kText + "file = \"*\"\n" + kPairs,
           kText + "file = 1\n" + kPairs,
           "inputs = 1\n" + kText + kPairs,
           "columns = [\"a\"]\n" + kText + kPairs,
           kText + kPairs + "beter = \"lower\"\n",
           kText + kPairs + "better = \"down\"\n",
           kText + kPairs + "gate = 1\n",
           kText + kPairs + "units = \"MB\"\n",
           kText + kPairs + "absent = \"-\"\n",
           kText + kPairs + "path = \"$.a\"\n",
           kText + kPairs + "benchmark = \"{nosuch}\"\n",
           kText + kPairs + "name = \"{name\"\n",
           kText + kPairs + "name = \"\"\n",
           kText + "[metric]\nmatch = 'x'\n",
           kText + "metric = [1]\n",
           kText + "[[metric]]\nname = \"t\"\n",
           kText + "[[metric]]\nmatch = '\\d+'\nname = \"t\"\n",
           kText + "[[metric]]\nmatch = '(?P<value>\\d+)'\n",
           kText + "[[metric]]\nmatch = '(?P<value>'\nname = \"t\"\n",
           kText + "[[metric]]\nmatch = '(?P<value>(x{1000}){1000})'\nname = \"t\"\n",
           kText + "[[metric]]\nmatch = '(?P<value>\\p{L}{900})'\nname = \"t\"\n",
           kText + "[[metric]]\nmatch = 'a (?P<value>\\d+)|b (?P<value>\\d+)'\nname = \"t\"\n",
           kText + "[[metric]]\nmatch = \"\\d\"\n",
           kText + "[[metric]]\nmatch = '(?P<value>\\d+)'\nname = \"wall_time\"\n",
           "each = \"$.a\"\n" + kText + kPairs,
           std::string("input = \"csv\"\neach = \"@\"\n[[metric]]\npath = \"t\"\nname = \"t\"\n"),
           kText + kPairs + "[[fail]]\n",
           kText + kPairs + "[[fail]]\npath = \"$.error\"\n",
           json + "match = 'x'\n",
           json + "each = \"jobs[*]\"\nbenchmark = \"{name}\"\n",
           json + "each = \"$.jobs[*]\"\nbenchmark = \"{name}\"\n",
           json + "each = \"$.jobs[*]\"\n",
           json + "when = \"$.a == b\"\n",
           json + "when = \"$.a > 0\"\n",
           json + "when = \"$.a || $.b\"\n",
           json + "when = \"$.a = 5\"\n",
           json + "when = \"not $.a\"\n",
           json + "when = \"!$.a\"\n",
           json + "[[fail]]\npath = '$.errors >= 1'\n",
           kJson + "[[metric]]\nname = \"t\"\npath = \"/cases/0/mean\"\n",
           kJson + "[[metric]]\nname = \"t\"\npath = \"$.cases.length()\"\n",
           kJson + "[[metric]]\npath = \"$.a[\"\nname = \"t\"\n",
           kJson + "[[metric]]\nname = \"t\"\n",
           json + "[[fail]]\n",
           kXml + "[[metric]]\nname = \"t\"\n",
           xml + "match = 'x'\n",
           kXml + "[[metric]]\npath = \"//a[\"\nname = \"t\"\n",
           kXml + "[[metric]]\npath = \"$.a.b\"\nname = \"t\"\n",
           kXml + "[[metric]]\npath = \"@t = 1\"\nname = \"t\"\n",
           xml + "when = \"a ==\"\n",
           xml + "unit = \"{@u[}\"\n",
           xml + "each = \"//a\"\nbenchmark = \"{name}\"\n",
           xml + "each = \"count(//a)\"\nbenchmark = \"{name}\"\n",
           "each = \"//[\"\n" + xml + "benchmark = \"{name}\"\n",
           kXml + "each = \"//a\"\n[[metric]]\npath = \"@t\"\nname = \"t\"\n",
           xml + "[[fail]]\n",
           xml + "[[fail]]\npath = \"nosuch(1)\"\n",
       }) {
    const auto adapter = Adapter::Parse(wrong);
    ASSERT_FALSE(adapter) << wrong;
    EXPECT_EQ(adapter.error().code, ErrorCode::kInvalidArgument) << wrong;
    EXPECT_FALSE(adapter.error().hint.empty()) << wrong;
    EXPECT_WORDING(RefusalOf(wrong, adapter.error()));
  }
}

// benchd compiles an adapter on its loop, where nobody may hold up the others.
TEST(AdapterTest, BoundsTheSizeOfAllExpressionsTogether) {
  const auto with = [](int metrics) {
    std::string text = "input = \"text\"\n";
    for (int i = 0; i < metrics; ++i) {
      text += "[[metric]]\nmatch = '(?P<value>\\d+)(\\w|\\d|\\s){900}'\nname = \"m" +
              std::to_string(i) + "\"\nbetter = \"lower\"\n";
    }
    return Adapter::Parse(text);
  };
  EXPECT_TRUE(with(1));
  const auto many = with(64);
  ASSERT_FALSE(many);
  EXPECT_EQ(many.error().code, ErrorCode::kInvalidArgument);
}

TEST(AdapterTest, MayNameTheFilesWithTheValues) {
  EXPECT_EQ(Adapter::Parse(kText + kPairs)->file(), "");
  EXPECT_EQ(Adapter::Parse(kText + "file = \"out/**/*.txt\"\n" + kPairs)->file(), "out/**/*.txt");
  EXPECT_EQ(*CheckHarnessFormat("own.toml", kText + "file = \"a\"\n" + kPairs),
            (HarnessSource{OutputStream::kStdout, "a"}));
}

TEST(AdapterTest, HasLimits) {
  std::string many = kText;
  for (std::size_t i = 0; i <= kMaxAdapterRules; ++i) many += kPairs;
  const auto rules = Adapter::Parse(many);
  ASSERT_FALSE(rules);
  EXPECT_WORDING(rules.error());
  const auto large = Adapter::Parse(kText + std::string(kMaxAdapterBytes, '#'));
  ASSERT_FALSE(large);
  EXPECT_EQ(large.error().code, ErrorCode::kResourceExhausted);
  EXPECT_WORDING(large.error());
  std::string values;
  for (std::size_t i = 0; i <= kMaxSamples; ++i) values += "a: 1\n";
  EXPECT_WORDING(ReadError(kText + kPairs, values));
  EXPECT_WORDING(ReadError(kText + kPairs, std::string(100'000, 'x')));
  EXPECT_WORDING(
      ReadError(kJson + "[[metric]]\npath = \"$.t\"\nname = \"t\"\n", std::string(1000, '[')));
  std::string elements = "<a>";
  for (std::size_t i = 0; i <= kMaxSamples; ++i) elements += "<t>1</t>";
  EXPECT_WORDING(ReadError(kXml + "[[metric]]\npath = \"//t\"\nname = \"t\"\n", elements + "</a>"));
}

TEST(AdapterTest, TakesTimeLinearInTheOutput) {
  const std::string adapter = kText + "[[metric]]\nmatch = '^(?P<value>(a*)*)*b'\nname = \"t\"\n";
  EXPECT_FALSE(ParseHarnessOutput("own.toml", std::string(60'000, 'a'), adapter));
}

TEST(AdapterTest, GroupsInTheNotationOfPerlAndPythonAreTheSame) {
  const auto output = ReadWith(
      kText + "[[metric]]\nmatch = '^\\(?(?<name>[a-z]+)= (?<value>\\d+)'\n", "(time= 5\n");
  EXPECT_EQ(ValuesOf(output, "time"), (std::vector<double>{5}));
}

TEST(AdapterTest, MakesATableLikeEveryFormat) {
  const std::vector<HarnessFile> files{{"a", "old", "t: 5 ms\n"}, {"b", "new", "t: 6 ms\n"}};
  const auto table = ReadHarnessTable("own.toml", files, kText + kPairs);
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_EQ(table->arms, (std::vector<std::string>{"old", "new"}));
  EXPECT_EQ(table->values[0], (std::vector<double>{0.005, 0.006}));
}

TEST(AdapterTest, AFileIsTomlOrHasASlash) {
  EXPECT_TRUE(NamesAdapterFile("own.toml"));
  EXPECT_TRUE(NamesAdapterFile("./own"));
  EXPECT_FALSE(NamesAdapterFile("wrk"));
}

TEST(ToolThatPrintedTest, KnowsTheToolsByTheirFirstLines) {
  const std::pair<std::string_view, std::string_view> known[] = {
      {"wrk.txt", "wrk"},
      {"ab.txt", "ab"},
      {"fio.json", "fio"},
      {"sysbench_cpu.txt", "sysbench"},
      {"pgbench.txt", "pgbench"},
      {"redis_benchmark.csv", "redis-benchmark"},
      {"iperf3.json", "iperf3"},
      {"perf_stat_j.txt", "perf-stat-j"},
      {"time_v.txt", "time-v"},
      {"callgrind.txt", "callgrind"},
      {"perf_bench_sched_pipe.txt", "perf-bench-pipe"},
      {"google_benchmark_repetitions.json", "google-benchmark"},
      {"hyperfine_2.json", "hyperfine"},
      {"jmh_two_modes.json", "jmh"},
      {"pytest_benchmark.json", "pytest-benchmark"},
      {"go_count.txt", "go"},
      {"libtest.txt", "libtest"},
      {"libtest_json.txt", "libtest"},
      {"libtest_criterion.txt", "libtest"},
      {"cargo_criterion.json", "criterion"},
      {"criterion_sample.json", "criterion"},
      {"catch2.txt", "catch2"},
      {"nanobench.json", "nanobench"},
      {"nanobench.txt", "nanobench"},
      {"vitest.json", "vitest"},
      {"tinybench.json", "tinybench"},
      {"mitata.json", "mitata"},
      {"benchmarkdotnet.json", "benchmarkdotnet"},
      {"pyperf.json", "pyperf"},
      {"junit.xml", "junit"},
      {"catch2.xml", "catch2-xml"},
  };
  for (const auto& [file, tool] : known) {
    EXPECT_EQ(ToolThatPrinted(HarnessData(std::string(file))), tool) << file;
  }
  EXPECT_EQ(ToolThatPrinted("t 5 ms\n"), "");
  EXPECT_WORDING(HarnessError("lines", HarnessData("wrk.txt")));
  EXPECT_WORDING(HarnessError("fio", HarnessData("iperf3.json")));
  // A wrong output of the tool itself is no other tool.
  EXPECT_WORDING(HarnessError("wrk", "Running 1s test @ http://x/\nunable to connect\n"));
}

}  // namespace
}  // namespace benchd
