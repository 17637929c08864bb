#include "core/base/file_pattern.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/wording.h"

namespace benchd {
namespace {

using Kind = FilePattern::Part::Kind;

TEST(FilePatternTest, HasNamesPatternsAndFolders) {
  const auto pattern = FilePattern::Parse("target//criterion/./**/**/new/*.json");
  ASSERT_TRUE(pattern) << pattern.error().message;
  EXPECT_EQ(pattern->parts(), (std::vector<FilePattern::Part>{{Kind::kName, "target"},
                                                              {Kind::kName, "criterion"},
                                                              {Kind::kFolders, "**"},
                                                              {Kind::kName, "new"},
                                                              {Kind::kSome, "*.json"}}));
  EXPECT_TRUE(FilePattern::Parse("[a-z]x*"));
  EXPECT_TRUE(FilePattern::Parse("out/*.json"));
  EXPECT_TRUE(FilePattern::Parse("**/new/*.json"));
  EXPECT_TRUE(FilePattern::Parse("bench-*.json"));
  EXPECT_TRUE(FilePattern::Parse("["));
  EXPECT_TRUE(FilePattern::Parse("out"));
  EXPECT_TRUE(FilePattern::Parse("a b/c\\d"));
}

TEST(FilePatternTest, MatchesNamesLikeAShell) {
  const auto matches = [](const char* pattern, const char* name) {
    return MatchesName({Kind::kSome, pattern}, name);
  };
  EXPECT_TRUE(matches("*.json", "a.json"));
  EXPECT_FALSE(matches("*.json", "a.jsonl"));
  EXPECT_TRUE(matches("run-?.xml", "run-7.xml"));
  EXPECT_FALSE(matches("run-?.xml", "run-10.xml"));
  EXPECT_TRUE(matches("run-[0-9].xml", "run-7.xml"));
  EXPECT_FALSE(matches("*.json", ".hidden.json"));
  EXPECT_TRUE(matches(".h*.json", ".hidden.json"));
  EXPECT_TRUE(matches("a\\*", "a\\b")) << "a backslash is a character";
}

// A pattern is the list of what is removed.
TEST(FilePatternTest, RefusesWhatMatchesTooMuchOrNoFile) {
  for (const std::string& text : {std::string(),
                                  std::string("/"),
                                  std::string("."),
                                  std::string("out/"),
                                  std::string(".."),
                                  std::string("a/.."),
                                  std::string("*"),
                                  std::string("**"),
                                  std::string("out/**"),
                                  std::string("out/*.*"),
                                  std::string("?"),
                                  std::string("out/***.json"),
                                  std::string("a\nb"),
                                  std::string("[a-z]*"),
                                  std::string("*.json"),
                                  std::string("**/*.json"),
                                  std::string("[!x]*"),
                                  std::string("[]a]?"),
                                  std::string("/srv/out.json"),
                                  std::string("../out.json"),
                                  std::string("a/../../b.json"),
                                  std::string("\xff.json"),
                                  std::string("a\0b", 3),
                                  std::string("/dev/stdout"),
                                  std::string("/proc/self/fd/1"),
                                  std::string(kMaxFilePatternBytes + 1, 'a')}) {
    const auto pattern = FilePattern::Parse(text);
    ASSERT_FALSE(pattern) << text;
    EXPECT_EQ(pattern.error().code, ErrorCode::kInvalidArgument) << text;
    EXPECT_FALSE(pattern.error().hint.empty()) << text;
    EXPECT_WORDING(pattern.error());
  }
  std::string deep = "out.json";
  for (int i = 0; i < 64; ++i) deep = "a/" + deep;
  const auto pattern = FilePattern::Parse(deep);
  ASSERT_FALSE(pattern);
  EXPECT_WORDING(pattern.error());
}

}  // namespace
}  // namespace benchd
