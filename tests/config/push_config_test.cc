#include <gtest/gtest.h>

#include <string>

#include "daemon/config/config.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

TEST(PushConfigTest, SendsNothingThatWasNotNamed) {
  const auto nothing = ParsePushConfig("[log]\nlevel = 'info'", "f");
  ASSERT_TRUE(nothing);
  EXPECT_EQ(*nothing, PushConfig{});
  const auto config = ParsePushConfig(
      "[push]\nurl = 'postgresql://a@b/c'\nlabels = true\nbenchmarks = ['parse*', 'x']", "f");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->url, "postgresql://a@b/c");
  EXPECT_TRUE(config->labels);
  EXPECT_FALSE(config->commands);
  EXPECT_TRUE(config->Sends("parse/json"));
  EXPECT_FALSE(config->Sends("y"));
  EXPECT_TRUE(nothing->Sends("y"));
}

TEST(PushConfigTest, SaysWhatIsWrong) {
  const auto refused = [](const char* text, const std::string& field) {
    const auto config = ParsePushConfig(text, "f");
    ASSERT_FALSE(config) << text;
    EXPECT_EQ(config.error().code, ErrorCode::kInvalidArgument);
    EXPECT_TRUE(config.error().message.starts_with("f:2: [push] " + field))
        << config.error().message;
    EXPECT_WORDING(config.error()) << text;
  };
  refused("[push]\nurl = 1", "url");
  refused("[push]\ncommands = 'yes'", "commands");
  refused("[push]\nbenchmarks = [1]", "benchmarks");
  refused("[push]\nuri = ''", "uri");
  EXPECT_FALSE(ParsePushConfig("[push", "f"));
}

}  // namespace
}  // namespace benchd
