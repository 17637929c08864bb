#include "core/parse/csv.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "tests/parse/refusal.h"
#include "tests/support/seed.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

using Fields = std::vector<std::string>;

const std::string kByteOrderMark = "\xEF\xBB\xBF";

/// All results of parsing a text: fields with their positions, the error, the end.
struct Reading {
  std::vector<Fields> records;
  std::vector<std::vector<TextPosition>> positions;
  std::string error;
  std::string hint;
  TextPosition end;
  bool operator==(const Reading&) const = default;
};

/// Reads `text` in pieces that end at `cuts`, each in separate memory.
Reading Read(std::string_view text, std::vector<std::size_t> cuts = {}, CsvLimits limits = {}) {
  Reading reading;
  cuts.push_back(text.size());
  std::size_t begin = 0;
  std::vector<char> piece;
  auto cut = cuts.begin();
  const auto read = [&]() -> Result<std::string_view> {
    while (cut != cuts.end() && *cut == begin) ++cut;
    const std::size_t end = cut == cuts.end() ? begin : *cut;
    piece = std::vector<char>(text.begin() + static_cast<std::ptrdiff_t>(begin),
                              text.begin() + static_cast<std::ptrdiff_t>(end));
    begin = end;
    return std::string_view(piece.data(), piece.size());
  };
  const auto take = [&reading](const CsvRecord& found) -> Result<void> {
    reading.records.emplace_back();
    reading.positions.emplace_back();
    for (std::size_t i = 0; i < found.size(); ++i) {
      reading.records.back().emplace_back(found.text(i));
      reading.positions.back().push_back(found.position(i));
    }
    return {};
  };
  const auto end = ReadCsv(read, take, limits);
  if (end) {
    reading.end = *end;
    return reading;
  }
  EXPECT_EQ(end.error().code, ErrorCode::kInvalidArgument);
  EXPECT_FALSE(end.error().hint.empty());
  reading.error = end.error().message;
  reading.hint = end.error().hint;
  return reading;
}

/// The error of a text that must have been refused.
Error CsvErrorOf(const Reading& reading) {
  EXPECT_NE(reading.error, "");
  return {ErrorCode::kInvalidArgument, reading.error, reading.hint};
}

std::vector<Fields> RecordsOf(std::string_view text) {
  const Reading reading = Read(text);
  EXPECT_EQ(reading.error, "");
  return reading.records;
}

TEST(CsvTest, GivesTheFieldsOfEachLine) {
  EXPECT_EQ(RecordsOf("a,b\n1,2\n"), (std::vector<Fields>{{"a", "b"}, {"1", "2"}}));
  EXPECT_EQ(RecordsOf("a,b\n1,2"), (std::vector<Fields>{{"a", "b"}, {"1", "2"}}));
  EXPECT_EQ(RecordsOf("a\n"), (std::vector<Fields>{{"a"}}));
  EXPECT_TRUE(RecordsOf("").empty());
}

TEST(CsvTest, KeepsEmptyFields) {
  EXPECT_EQ(RecordsOf("a,,c\n,\n\"\"\n,"),
            (std::vector<Fields>{{"a", "", "c"}, {"", ""}, {""}, {"", ""}}));
}

TEST(CsvTest, EndsALineWithAnyNewline) {
  const std::vector<Fields> records{{"a", "b"}, {"1", "2"}, {"3", "4"}};
  EXPECT_EQ(RecordsOf("a,b\r\n1,2\r\n3,4\r\n"), records);
  EXPECT_EQ(RecordsOf("a,b\r1,2\r3,4\r"), records);
  EXPECT_EQ(RecordsOf("a,b\n1,2\r\n3,4\r"), records);
}

TEST(CsvTest, PassesOverLinesOfBlanks) {
  EXPECT_EQ(RecordsOf("\n \t\na,b\r\n\r\n\n1,2\n  "),
            (std::vector<Fields>{{"a", "b"}, {"1", "2"}}));
}

TEST(CsvTest, DropsBlanksAroundAFieldAndKeepsThoseInside) {
  EXPECT_EQ(RecordsOf("  a b\t,\t c \n \"x\" , \" y \" \n"),
            (std::vector<Fields>{{"a b", "c"}, {"x", " y "}}));
}

// RFC 4180 section 2, rules 5 to 7.
TEST(CsvTest, ReadsQuotedFieldsWithCommasQuotesAndNewlinesInside) {
  EXPECT_EQ(RecordsOf("\"a,b\",\"say \"\"hi\"\"\",\"\"\"\"\n\"1\r\n2\n\n3\",x\n"),
            (std::vector<Fields>{{"a,b", "say \"hi\"", "\""}, {"1\r\n2\n\n3", "x"}}));
}

TEST(CsvTest, SkipsAByteOrderMark) {
  EXPECT_EQ(RecordsOf(kByteOrderMark + "a,b\n"), (std::vector<Fields>{{"a", "b"}}));
  EXPECT_EQ(RecordsOf("\xEF\xBB\xBF\"a\",b"), (std::vector<Fields>{{"a", "b"}}));
  EXPECT_TRUE(RecordsOf("\xEF\xBB\xBF").empty());
}

TEST(CsvTest, KeepsWhatOnlyBeginsLikeAByteOrderMark) {
  EXPECT_EQ(RecordsOf("\xEF\xBBx,b"), (std::vector<Fields>{{"\xEF\xBBx", "b"}}));
  EXPECT_EQ(RecordsOf("\xEF,b"), (std::vector<Fields>{{"\xEF", "b"}}));
  EXPECT_EQ(RecordsOf("\xEF\xBB"), (std::vector<Fields>{{"\xEF\xBB"}}));
  EXPECT_EQ(RecordsOf("a\n\xEF\xBB\xBF"
                      "b"),
            (std::vector<Fields>{{"a"}, {kByteOrderMark + "b"}}));
}

// Lines and columns as an editor shows them for the same text.
TEST(CsvTest, SaysWhereEachFieldStandsInCharacters) {
  const Reading reading = Read(kByteOrderMark + "Größe,  b,\n\"x\ny\r\nzä\", \"\" ,c\r\n\r\nd\r\n");
  EXPECT_EQ(reading.positions,
            (std::vector<std::vector<TextPosition>>{
                {{1, 1}, {1, 9}, {1, 11}}, {{2, 1}, {4, 6}, {4, 10}}, {{6, 1}}}));
  EXPECT_EQ(reading.end, (TextPosition{7, 1}));
}

TEST(CsvTest, NamesTheFirstQuoteThatMayNotStandThere) {
  for (const std::string text :
       {"a,b\"c\n", "a\n\"b\" \"c\"", "\"b\"c", "\"b\" \xC3\xA4", "a, \"b\n\n\n", "ä,\"b\"\""}) {
    EXPECT_WORDING(RefusalOf(text, CsvErrorOf(Read(text))));
  }
}

TEST(CsvTest, HoldsItsLimits) {
  const CsvLimits limits{.field_bytes = 4, .columns = 3, .record_bytes = 12};
  for (const std::string text :
       {"abcd,abcd,ab\nabcd,abcd,ab", " \n       \n     \r\nabcd,abcd,ab", "\"ab,\n\""}) {
    EXPECT_EQ(Read(text, {}, limits).error, "") << text;
  }
  for (const std::string text :
       {"a\na,abcde", "a\n\"abcd\"\"\"", "a,b,c,d", "a,b,c,", "abcd,abcd,abc", "a            ,",
        "             a", "a,           b"}) {
    EXPECT_WORDING(RefusalOf(text, CsvErrorOf(Read(text, {}, limits))));
  }
}

TEST(CsvTest, EndsWithTheErrorOfWhoTakesARecord) {
  int taken = 0;
  const auto end = ReadCsv(WholeText("a\nb\nc\n"), [&taken](const CsvRecord&) -> Result<void> {
    if (++taken == 2) return Error{ErrorCode::kNotFound, "enough", {}};
    return {};
  });
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error(), (Error{ErrorCode::kNotFound, "enough", {}}));
  EXPECT_EQ(taken, 2);
}

TEST(CsvTest, GivesTheRecordsBeforeAnError) {
  const Reading reading = Read("a,b\n1,2\n3,x\"\n");
  EXPECT_EQ(reading.records, (std::vector<Fields>{{"a", "b"}, {"1", "2"}}));
  EXPECT_WORDING(CsvErrorOf(reading));
}

TEST(CsvTest, ReadsTheSameWhereverOneOrTwoCutsFall) {
  const std::vector<std::string> texts{
      kByteOrderMark + "arm , \"m \"\"1\"\"\"\r\n\r\nbäse,1.5\r\"x\r\ny\", \n,\n",
      "\xEF\xBBq,\"a\"\"",
      "a,b\n\"c\" d",
      "abcde,1\n",
      " \"a\" \t, b\r\n  \r\n\"c\",\r",
  };
  for (const std::string& text : texts) {
    for (const CsvLimits limits : {CsvLimits(), CsvLimits{4, 2, 9}}) {
      const Reading whole = Read(text, {}, limits);
      for (std::size_t first = 0; first <= text.size(); ++first) {
        for (std::size_t second = first; second <= text.size(); ++second) {
          EXPECT_EQ(Read(text, {first, second}, limits), whole) << text << first << " " << second;
        }
      }
    }
  }
}

TEST(CsvTest, ReadsTheSameByteByByte) {
  const std::uint32_t seed = test::Seed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const std::string pieces = "ab1 \t,,\"\"\r\n\n\xC3\xA4\xEF\xBB\xBF";
  std::size_t sound = 0;
  for (int round = 0; round < 5000; ++round) {
    std::string text;
    for (auto left = random() % 30; left > 0; --left) text += pieces[random() % pieces.size()];
    std::vector<std::size_t> cuts(text.size());
    for (std::size_t i = 0; i < cuts.size(); ++i) cuts[i] = i;
    const CsvLimits limits = round % 2 == 0 ? CsvLimits() : CsvLimits{5, 4, 16};
    const Reading whole = Read(text, {}, limits);
    EXPECT_EQ(Read(text, cuts, limits), whole) << text;
    if (whole.error.empty()) ++sound;
  }
  EXPECT_GT(sound, 100U);
  EXPECT_LT(sound, 4900U);
}

std::string Written(const Fields& fields, std::mt19937& random) {
  std::string line;
  for (const std::string& field : fields) {
    const bool plain = !field.empty() && field.find_first_of(",\"\r\n \t") == std::string::npos;
    std::string text = field;
    if (!plain || random() % 2 == 0) {
      text = "\"";
      for (const char c : field) text.append(c == '"' ? 2 : 1, c);
      text += '"';
    }
    const std::string blanks(random() % 3, ' ');
    line += (line.empty() ? "" : ",") + blanks + text + blanks;
  }
  return line;
}

TEST(CsvTest, ReadsBackAnyFieldsThatWereWritten) {
  const std::uint32_t seed = test::Seed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const std::string pieces = "ab1. \t,\"\r\n\xC3\xA4";
  for (int round = 0; round < 2000; ++round) {
    std::vector<Fields> records(1 + random() % 4);
    std::string text;
    const std::string newline = random() % 2 == 0 ? "\n" : "\r\n";
    for (Fields& fields : records) {
      fields.resize(1 + random() % 4);
      for (std::string& field : fields) {
        for (auto left = random() % 8; left > 0; --left) field += pieces[random() % pieces.size()];
      }
      text += Written(fields, random) + newline;
    }
    EXPECT_EQ(RecordsOf(text), records) << text;
  }
}

}  // namespace
}  // namespace benchd
