#include "core/parse/command_line.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/parse/refusal.h"
#include "tests/support/seed.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

using Words = std::vector<std::string>;

// Expected words: the output of `printf '[%s]\n' COMMAND` in dash, except that nothing is expanded.
TEST(SplitCommandLineTest, FollowsTheQuotingRulesOfAShell) {
  const std::vector<std::pair<std::string, Words>> cases{
      {"gzip -9 file", {"gzip", "-9", "file"}},
      {"  a\t b \r c  ", {"a", "b", "c"}},
      {"\n a b \n\n", {"a", "b"}},
      {"a 'b\nc' \"d\ne\"", {"a", "b\nc", "d\ne"}},
      {"a 'b  c' \"d  e\"", {"a", "b  c", "d  e"}},
      {"a'b'\"c\"d", {"abcd"}},
      {"a '' \"\"", {"a", "", ""}},
      {R"(a\ b c\'d \\)", {"a b", "c'd", "\\"}},
      {R"('a\b"c')", {"a\\b\"c"}},
      {R"(x "\"\\\$\`\n")", {"x", "\"\\$`\\n"}},
      {"a b\\\nc \"d\\\ne\"", {"a", "bc", "de"}},
      {R"(echo '$HOME' '*' "~" \# "&" \~/x)", {"echo", "$HOME", "*", "~", "#", "&", "~/x"}},
      {R"(awk '$1 > 2' '>' "|" \; '&&' a';'b)", {"awk", "$1 > 2", ">", "|", ";", "&&", "a;b"}},
      {"größe \xF0\x9F\x90\xA2", {"größe", "\xF0\x9F\x90\xA2"}},
  };
  for (const auto& [command, words] : cases) {
    const auto split = SplitCommandLine(command);
    ASSERT_TRUE(split) << command << ": " << split.error().message;
    EXPECT_EQ(*split, words) << command;
  }
}

// Each has another meaning in dash or bash, where `printf '[%s]\n' WORD` prints other words, does
// something else, or prints nothing.
const std::vector<std::string> kShellSyntax{
    "<s30k", "<",       ">f",     ">>f",   "2>f",     "&>f",    "2>&1", "<<x",    "a>f",
    "a<f",   "a;",      ";",      "a;b",   "a|cat",   "a|",     "a||b", "a&&b",   "a&",
    "&",     "$HOME",   "$1",     "$?",    "$$",      "$#",     "${x}", "$(ls)",  "$((1+2))",
    "a$x",   "`ls`",    "a`b`",   "*",     "*.txt",   "a*b",    "a?",   "[ab].c", "x[0-9]",
    "~",     "~/x",     "~root",  "{a,b}", "x{a,b}y", "{1..3}", "(a)",  "a()",    "#",
    "#a",    "$'a\\n'", "$\"a\"", "'a'>f", "\"a\";b", "a\\ b*", "''$x"};

TEST(SplitCommandLineTest, RefusesWhatAShellWouldTakeForSomethingElse) {
  for (const std::string& word : kShellSyntax) {
    for (const std::string before : {"program ", "program a 'b c' ", "program --flag="}) {
      // A leading ~ or # is plain text in the middle of a word.
      const bool glued = before.ends_with('=');
      if (glued && (word.starts_with('~') || word.starts_with('#'))) continue;
      const auto split = SplitCommandLine(before + word + " d");
      ASSERT_FALSE(split) << before << word;
      EXPECT_EQ(split.error().code, ErrorCode::kInvalidArgument);
      EXPECT_NE(split.error().message.find(word), std::string::npos) << split.error().message;
      EXPECT_NE(split.error().hint.find("--shell"), std::string::npos) << split.error().hint;
    }
    // Also as the program itself.
    EXPECT_FALSE(SplitCommandLine(word)) << word;
    // Quoted, it is plain text, whatever the kind of quoting.
    if (word.find_first_of("'\"\\") != std::string::npos) continue;
    std::string escaped;
    for (const char c : word) escaped += std::string("\\") + c;
    std::string in_double_quotes;
    for (const char c : word) in_double_quotes += (c == '`' ? "\\" : "") + std::string(1, c);
    for (const std::string& quoted :
         {"'" + word + "'", "\"" + in_double_quotes + "\"", escaped, "''" + escaped}) {
      const auto split = SplitCommandLine("program " + quoted);
      ASSERT_TRUE(split) << quoted << ": " << split.error().message;
      EXPECT_EQ(*split, (Words{"program", word})) << quoted;
    }
  }
}

// To a shell, a newline ends one command and begins the next, as `;` does.
TEST(SplitCommandLineTest, RefusesASecondLine) {
  for (const std::string command :
       {"./dl\n./dh", "./dl \n ./dh", "./dl\r\n'./dh'", "./dl\n\n./dh"}) {
    const auto split = SplitCommandLine(command);
    ASSERT_FALSE(split) << command;
    EXPECT_EQ(split.error().code, ErrorCode::kInvalidArgument);
    EXPECT_WORDING(RefusalOf(command, split.error()));
  }
  EXPECT_NE(SplitCommandLine("./dl\n./dh").error().message.find("column 5 "), std::string::npos);
}

TEST(SplitCommandLineTest, LeavesAloneWhatIsTextToAShellAsWell) {
  for (const std::string word :
       {"HEAD~1",    "a#b", "{}", "{size}", "--x={name}", "{a", "a}",   "a,b",  "a=1",
        "--env=A=1", "[",   "]",  "x[1",    "a$",         "$",  "$.",   "%s",   "@file",
        "a:b",       "+x",  "!",  "a!b",    "^x",         "-",  "1..3", "größe"}) {
    const auto split = SplitCommandLine("program " + word);
    ASSERT_TRUE(split) << word << ": " << split.error().message;
    EXPECT_EQ(*split, (Words{"program", word}));
  }
}

TEST(SplitCommandLineTest, AnAssignmentBeforeTheProgramIsForEnv) {
  for (const std::string word : {"FOO=1", "_x=", "A1=b", "PATH+=:/x", "FOO='a b'"}) {
    const auto split = SplitCommandLine(word + " ./x");
    ASSERT_FALSE(split) << word;
    EXPECT_EQ(split.error().code, ErrorCode::kInvalidArgument);
    EXPECT_NE(split.error().hint.find("--env " + word), std::string::npos) << split.error().hint;
    EXPECT_WORDING(RefusalOf(word + " ./x", split.error()));
  }
  for (const std::string word : {"'FOO=1'", "F\\OO=1", "1=2", "./a=b", "=x"}) {
    EXPECT_TRUE(SplitCommandLine(word + " ./x")) << word;
  }
  EXPECT_TRUE(SplitCommandLine("env FOO=1 ./x"));
}

TEST(SplitCommandLineTest, SaysWhatIsWrongAndWhere) {
  const std::vector<std::string> commands{"",
                                          " \t\n ",
                                          "\\\n",
                                          "''",
                                          "\"\" a",
                                          "a 'b",
                                          "'",
                                          "a \"b",
                                          "a \"b\\\"",
                                          "a \"b\\",
                                          "größe 'b",
                                          "it's",
                                          "cat f > /dev/null",
                                          "a >> b",
                                          "a < b",
                                          "größe | b",
                                          "a &&",
                                          "a 'b' || c",
                                          "a ; b",
                                          "a 2>&1",
                                          "a \\",
                                          std::string("a\0b", 3),
                                          std::string("'\0'", 3)};
  for (const std::string& command : commands) {
    const auto split = SplitCommandLine(command);
    ASSERT_FALSE(split) << command;
    EXPECT_EQ(split.error().code, ErrorCode::kInvalidArgument);
    EXPECT_FALSE(split.error().hint.empty()) << command;
    EXPECT_WORDING(RefusalOf(command, split.error()));
  }
}

TEST(SplitCommandLineTest, TakesTheLongestCommandAndRefusesOneByteMore) {
  const auto longest = SplitCommandLine(std::string(131071, 'a'));
  ASSERT_TRUE(longest) << longest.error().message;
  EXPECT_EQ(longest->front().size(), 131071U);
  const auto longer = SplitCommandLine(std::string(131072, 'a'));
  ASSERT_FALSE(longer);
  EXPECT_EQ(longer.error().code, ErrorCode::kInvalidArgument);
  EXPECT_WORDING(longer.error());
}

TEST(SplitCommandLineTest, GivesBackWhatWasQuotedForIt) {
  const std::uint32_t seed = test::Seed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const std::string alphabet = "ab '\"\\$`\n\t#*\xC3\xA9";
  for (int round = 0; round < 2000; ++round) {
    Words words{"program"};
    std::string command = "program";
    for (auto left = random() % 4; left > 0; --left) {
      std::string word;
      std::string quoted = "'";
      for (auto bytes = random() % 8; bytes > 0; --bytes) {
        const char c = alphabet[random() % alphabet.size()];
        word.push_back(c);
        quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
      }
      words.push_back(word);
      command += " " + quoted + "'";
    }
    const auto split = SplitCommandLine(command);
    ASSERT_TRUE(split) << command << ": " << split.error().message;
    EXPECT_EQ(*split, words) << command;
  }
}

TEST(SplitCommandLineTest, SurvivesRandomBytes) {
  const std::uint32_t seed = test::Seed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int round = 0; round < 20000; ++round) {
    std::string command(random() % 24, '\0');
    for (char& c : command) c = static_cast<char>(random() % 256);
    const auto split = SplitCommandLine(command);
    if (split) {
      EXPECT_FALSE(split->empty());
    } else {
      EXPECT_EQ(split.error().message.rfind("command: ", 0), 0U);
    }
  }
}

TEST(SplitCommandLineTest, ARefusalIsOneLineWhateverTheWordIs) {
  const auto refused = SplitCommandLine("make`\\\n x");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message.find('\n'), std::string::npos) << refused.error().message;
  EXPECT_EQ(refused.error().hint.find('\n'), std::string::npos) << refused.error().hint;
}

}  // namespace
}  // namespace benchd
