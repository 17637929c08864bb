#include "client/ci/outcome.h"

#include <gtest/gtest.h>

#include "tests/client/samples.h"
#include "tests/support/wording.h"

namespace benchd::client {
namespace {

TEST(CiOutcomeTest, FailOnDecidesWhichVerdictsFailTheJob) {
  const auto codes = [](const char* word) {
    std::vector<int> all;
    for (const ExitCode code : {ExitCode::kPass, ExitCode::kRegression, ExitCode::kUndecided}) {
      all.push_back(static_cast<int>(ExitForJob(code, ReadFailOn(word))));
    }
    return all;
  };
  EXPECT_EQ(codes("regression"), (std::vector{0, 1, 0}));
  EXPECT_EQ(codes("undecided"), (std::vector{0, 1, 3}));
  EXPECT_EQ(codes("never"), (std::vector{0, 0, 0}));
  for (const ExitCode code : {ExitCode::kUsage, ExitCode::kFailed, ExitCode::kRefused,
                              ExitCode::kCancelled, ExitCode::kOutput, ExitCode::kInterrupted}) {
    EXPECT_EQ(ExitForJob(code, FailOn::kNever), code) << "no verdict";
    EXPECT_EQ(VerdictFor(code), "none");
  }
}

TEST(CiOutcomeTest, ChangesAreTheGatesThatDidNotSimplyPassWorstFirst) {
  const Json changes = ChangesOf(SuiteSession().report());
  ASSERT_EQ(changes.size(), 2U) << changes;
  EXPECT_EQ(changes[0]["metric"], "max_rss");
  EXPECT_EQ(changes[0]["verdict"], "regression");
  EXPECT_EQ(changes[0]["unit"], "B");
  EXPECT_EQ(changes[1]["benchmark"], "render a page");
  EXPECT_EQ(changes[1]["verdict"], "undecided");
  EXPECT_EQ(changes[1]["change"]["estimate"], 0.012);
}

CiOutputs HostileOutputs(int changes) {
  CiOutputs outputs{.verdict = "regression",
                    .session = "k3x9m2pq",
                    .number = "17",
                    .fork = true,
                    .comment = "out/comment.md",
                    .changes = Json::array()};
  for (int i = 0; i < changes; ++i) {
    outputs.changes.push_back({{"benchmark", "a b\nverdict=pass"}, {"metric", "wall_time"}});
  }
  return outputs;
}

TEST(CiOutcomeTest, EachOutputIsOneLine) {
  EXPECT_EQ(GithubOutputs(HostileOutputs(1)),
            "verdict=regression\nsession=k3x9m2pq\npull-request=17\nfork=true\n"
            "comment=out/comment.md\n"
            "changes=[{\"benchmark\":\"a b\\nverdict=pass\",\"metric\":\"wall_time\"}]\n");
}

TEST(CiOutcomeTest, ADotenvReportHasNoSpacesAndStaysBelowGitlabsLimit) {
  const std::string few = DotenvOutputs(HostileOutputs(1));
  EXPECT_EQ(few.find(' '), std::string::npos) << few;
  EXPECT_NE(few.find("\nBENCHD_CHANGES_LEFT_OUT=0\n"), std::string::npos) << few;
  const std::string text = DotenvOutputs(HostileOutputs(1000));
  EXPECT_LT(text.size(), 5000U);
  const std::size_t begin = text.find("BENCHD_CHANGES=") + 15;
  const Json changes = Json::parse(text.substr(begin, text.find('\n', begin) - begin));
  EXPECT_EQ(changes[0]["benchmark"], "a b\nverdict=pass");
  EXPECT_GT(changes.size(), 40U);
  EXPECT_NE(text.find("BENCHD_CHANGES_LEFT_OUT=" + std::to_string(1000 - changes.size())),
            std::string::npos)
      << text;
}

TEST(CiOutcomeTest, ACommentBeginsWithItsMarkerAndFits) {
  EXPECT_EQ(CommentOf("benchd", "text\n"), "<!-- benchd: benchd -->\ntext\n");
  std::string rows = "| a |\n| --- |\n";
  for (int i = 0; i < 20'000; ++i) rows += "| ✅ pass |\n";
  const std::string comment = CommentOf("a/b", rows);
  EXPECT_LE(comment.size(), 60'000U);
  EXPECT_NE(comment.find(" more that passed |\n"), std::string::npos);
}

TEST(CiOutcomeTest, ANameCannotEndTheMarker) {
  for (const char* good : {"benchd", "linux/x86_64", "a.b-c"}) EXPECT_TRUE(CheckCommentName(good));
  for (const char* bad : {"", "-->", "a--b", "a b", "a\nb", "ä"}) {
    EXPECT_FALSE(CheckCommentName(bad)) << bad;
  }
  EXPECT_FALSE(CheckCommentName(std::string(61, 'a')));
  EXPECT_WORDING(CheckCommentName("a b").error().message);
}

TEST(CiOutcomeTest, AComparisonThatDidNotBeginSaysWhy) {
  const std::string text =
      NoVerdictMarkdown({ErrorCode::kInvalidArgument, "a @team\n| b", "do it"});
  EXPECT_WORDING(text);
  EXPECT_EQ(text.find("@team"), std::string::npos) << text;
}

}  // namespace
}  // namespace benchd::client
