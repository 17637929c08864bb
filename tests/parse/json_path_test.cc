#include "core/parse/json_path.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/wording.h"

namespace benchd {
namespace {

JsonValue DocumentOf(std::string_view text) {
  JsonValue document;
  const auto read = ReadJsonRecords(text, {.records = JsonRecords::kWhole, .hint = "hint"},
                                    [&document](const std::string&, const JsonValue& value) {
                                      document = value;
                                      return Result<void>();
                                    });
  EXPECT_TRUE(read) << read.error().message;
  return document;
}

constexpr std::string_view kDocument =
    R"({"jobs": [{"name": "a", "read": {"clat ns": [1, 2], "iops": 5}, "state": "done", "n": 0},
                 {"name": "b", "read": {"clat ns": [3], "iops": 6}, "state": "failed", "n": 2}],
        "sum": 11, "note": "", "x.y": 7})";

/// The numbers to which a path leads, with their keys.
std::string Found(std::string_view path_text) {
  const JsonValue document = DocumentOf(kDocument);
  const auto path = JsonPath::Parse(path_text);
  EXPECT_TRUE(path) << path.error().message;
  std::string found;
  const auto walked = path->ForEach(document, {.value = &document}, [&](const JsonElement& at) {
    found += at.key + "=" + TextOfJson(*at.value).value_or("?") + " ";
    return Result<void>();
  });
  EXPECT_TRUE(walked);
  return found;
}

TEST(JsonPathTest, LeadsToMembersItemsAndAllOfThem) {
  EXPECT_EQ(Found("$.sum"), "sum=11 ");
  EXPECT_EQ(Found("sum"), "sum=11 ");
  EXPECT_EQ(Found("@.sum"), "sum=11 ");
  EXPECT_EQ(Found("$[\"x.y\"]"), "x.y=7 ");
  EXPECT_EQ(Found("$['x.y']"), "x.y=7 ");
  EXPECT_EQ(Found("$.jobs[*].name"), "name=a name=b ");
  EXPECT_EQ(Found("$.jobs[-1].read[\"clat ns\"][0]"), "0=3 ");
  EXPECT_EQ(Found("$.jobs[0].read.clat ns[*]"), "0=1 1=2 ");
  EXPECT_EQ(Found("$.jobs.*.read.*"), "clat ns=? iops=5 clat ns=? iops=6 ");
  EXPECT_EQ(Found("$.jobs[*].*n*"), "name=a n=0 name=b n=2 ")
      << "a pattern takes the members whose names match it";
  EXPECT_EQ(Found("$.su?"), "sum=11 ");
  EXPECT_EQ(Found("$[\"*\"]"), "");
  EXPECT_EQ(Found("$.jobs.n*"), "") << "items have no names";
  EXPECT_EQ(Found("$"), "=? ");
  for (const std::string_view none : {"$.nosuch", "$.jobs.name", "$.jobs[7]", "$.sum.x", "^.sum"}) {
    EXPECT_EQ(Found(none), "") << none;
  }
}

TEST(JsonPathTest, ClimbsToTheObjectsAroundAnElement) {
  const JsonValue document = DocumentOf(kDocument);
  const auto each = JsonPath::Parse("$.jobs[*].read");
  ASSERT_TRUE(each);
  std::vector<std::string> names;
  ASSERT_TRUE(each->ForEach(document, {.value = &document}, [&](const JsonElement& read) {
    const JsonValue* const name = JsonPath::Parse("^.name")->First(document, read);
    const JsonValue* const sum = JsonPath::Parse("^.^.sum")->First(document, read);
    names.push_back(name->text + TextOfJson(*sum).value_or("?"));
    return Result<void>();
  }));
  EXPECT_EQ(names, (std::vector<std::string>{"a11", "b11"}));
}

TEST(JsonPathTest, IsTakenWithinItsElementIfItBeginsLikeIt) {
  const auto each = JsonPath::Parse("$.jobs[*]");
  ASSERT_TRUE(each);
  EXPECT_FALSE(JsonPath::Parse("$.jobs[*].name")->Within(*each).from_document());
  EXPECT_TRUE(JsonPath::Parse("$.jobs[0].name")->Within(*each).from_document());
  EXPECT_TRUE(JsonPath::Parse("$.sum")->Within(*each).from_document());
  EXPECT_FALSE(JsonPath::Parse("name")->Within(*each).from_document());
}

TEST(JsonPathTest, RefusesOtherSyntax) {
  for (const std::string_view wrong :
       {"", "$.", "$.a[", "$.a[x]", "$.a[\"b]", "$.a..b", "$a", "$.a[]", "$.a]b[0]c"}) {
    const auto path = JsonPath::Parse(wrong);
    ASSERT_FALSE(path) << wrong;
    EXPECT_EQ(path.error().code, ErrorCode::kInvalidArgument);
    EXPECT_WORDING(path.error());
  }
}

TEST(JsonConditionTest, HoldsForValuesThatExistOrEqual) {
  const JsonValue document = DocumentOf(kDocument);
  const auto holds = [&document](std::string_view text) {
    const auto condition = JsonCondition::Parse(text);
    EXPECT_TRUE(condition) << condition.error().message;
    return condition && condition->FindWhere(document, {.value = &document}).value != nullptr;
  };
  for (const std::string_view yes :
       {"$.sum", "$.jobs", "$.jobs[*].n", "$.sum == 11", "$.jobs[0].state == \"done\"",
        "$.jobs[*].state == 'failed'", "$.sum != 12", "$.sum != \"11\"", "$.sum==11", "$.sum !=12",
        "$.jobs[0].state== \"done\"", "$.sum != \"a == b\""}) {
    EXPECT_TRUE(holds(yes)) << yes;
  }
  for (const std::string_view no : {"$.nosuch", "$.note", "$.jobs[0].n", "$.sum == 12",
                                    "$.nosuch != 1", "$.jobs[*].state != \"failed\""}) {
    EXPECT_FALSE(holds(no)) << no;
  }
  const auto wrong = JsonCondition::Parse("$.a == b");
  ASSERT_FALSE(wrong);
  EXPECT_WORDING(wrong.error());
}

}  // namespace
}  // namespace benchd
