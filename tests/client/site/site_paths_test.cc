#include "client/site/site_paths.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace benchd::client {
namespace {

TEST(SitePathsTest, APlainNameIsTheNameOfItsFile) {
  EXPECT_EQ(FileStem("parse", ""), "parse");
  EXPECT_EQ(FileStem("bm_sort-8.big", ""), "bm_sort-8.big");
  EXPECT_EQ(FileStem("main", "85944171f73967e8"), "main-85944171f73967e8");
  EXPECT_EQ(PagePath("parse"), "benchmark/parse.html");
  EXPECT_EQ(BadgePath("parse"), "badge/parse.svg");
}

TEST(SitePathsTest, AnyNameHasASafeFileOfItsOwn) {
  const std::string hash = "0123456789abcdef01234567";
  const std::string names[] = {"",
                               ".",
                               "..",
                               "../parse",
                               "a/../b",
                               "a/b",
                               "a b",
                               "a-b",
                               "a--b",
                               "parse",
                               "Parse",
                               "PARSE",
                               "parse.",
                               ".parse",
                               "-parse",
                               "<b>x</b>",
                               "解析",
                               "析解",
                               "a\nb",
                               "con",
                               std::string(4096, 'x'),
                               "a\\b",
                               "a%2fb",
                               std::string(4096, 'x') + "y",
                               std::string("a\0b", 3),
                               "\xff",
                               "a-" + hash,
                               FileStem("a b", ""),
                               "main-85944171f73967e8"};
  std::set<std::string> stems;
  for (const std::string& name : names) {
    for (const std::string series : {"", "85944171f73967e8", "85944171f73967e9", "../x", "X"}) {
      const std::string stem = FileStem(name, series);
      EXPECT_TRUE(stems.insert(stem).second) << name << " | " << series << " is " << stem;
      EXPECT_TRUE(IsSitePath(PagePath(stem))) << stem;
      EXPECT_TRUE(IsSitePath(BadgePath(stem))) << stem;
      EXPECT_LE(stem.size() + std::string(".html").size(), 120U);
      EXPECT_EQ(stem, FileStem(name, series));
    }
  }
}

TEST(SitePathsTest, NothingElseIsAFileOfASite) {
  EXPECT_TRUE(IsSitePath("index.html"));
  EXPECT_TRUE(IsSitePath("feed.json"));
  for (const char* const path :
       {"", "/etc/passwd", "../index.html", "benchmark/../x.html", "benchmark/.html",
        "benchmark/a/b.html", "benchmark/.x.html", "benchmark/x.svg", "badge/x.html", "x.html",
        "badge/X.svg", "benchmark/x.html\n", ".benchctl-site"}) {
    EXPECT_FALSE(IsSitePath(path)) << path;
  }
}

}  // namespace
}  // namespace benchd::client
