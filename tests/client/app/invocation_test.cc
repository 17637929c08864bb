#include "client/app/invocation.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "client/app/command.h"
#include "core/parse/command_line.h"

namespace benchd::client {
namespace {

ParsedArguments Parsed(const std::vector<std::string>& words) {
  auto parsed = ParseArguments(words, AllOptions(*FindCommand("compare")));
  EXPECT_TRUE(parsed) << parsed.error().message;
  return parsed ? *parsed : ParsedArguments();
}

std::string InvocationAsked(const std::vector<std::string>& words) {
  return InvocationOf(Parsed(words));
}

TEST(InvocationTest, NamesTheFileAndWhatShapesTheSession) {
  EXPECT_EQ(
      InvocationAsked({"-f", "my suite.toml", "--only", "par*", "--margin", "5%", "--seed", "7",
                       "--json", "--quiet", "--export-markdown", "out.md", "--socket", "/s"}),
      "--file 'my suite.toml' --only 'par*' --margin 5%");
}

TEST(InvocationTest, AsksForTheSameAgain) {
  const std::vector<std::string> words = {
      "-n",        "old one", "--parameter-scan", "size",          "1",
      "8",         "1",       "--parameter-list", "mode",          "a b,c",
      "--placebo", "--",      "./old {size}",     "./new '{mode}'"};
  const auto again = SplitCommandLine(InvocationAsked(words));
  ASSERT_TRUE(again);
  EXPECT_EQ(Parsed(*again), Parsed(words));
}

TEST(InvocationTest, ValuesOfVariablesAreNotKept) {
  EXPECT_EQ(InvocationAsked({"--env", "TOKEN=s3cret", "--env", "a b=s3cret", "a", "b"}),
            "--env TOKEN=\"$TOKEN\" --env 'a b=...' -- a b");
  EXPECT_EQ(InvocationAsked({"--env", "base:TOKEN=s3cret", "a", "b"}),
            "--env base:TOKEN=... -- a b");
}

TEST(InvocationTest, CommitsAreNamedByWhatLasts) {
  const ParsedArguments arguments = Parsed({"--git", "main..HEAD", "-f", "suite.toml"});
  EXPECT_EQ(InvocationOf(arguments, "1111..2222"), "--git 1111..2222 --file suite.toml");
  EXPECT_EQ(InvocationOf(Parsed({"-f", "suite.toml"}), "1111..2222"),
            "--git 1111..2222 --file suite.toml")
      << "the file names the commits";
}

TEST(InvocationTest, AnOptionalValueStaysInItsWord) {
  EXPECT_EQ(InvocationAsked({"--shell", "--shell=/opt/my sh", "a", "b"}),
            "--shell --shell='/opt/my sh' -- a b");
}

TEST(InvocationTest, WhatIsNoLineIsLeftOut) {
  EXPECT_EQ(InvocationAsked({"a\nb", "c"}), "");
  EXPECT_EQ(InvocationAsked({std::string(10000, 'x'), "c"}), "");
}

}  // namespace
}  // namespace benchd::client
