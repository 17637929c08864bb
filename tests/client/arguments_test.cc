#include "client/arguments.h"

#include <gtest/gtest.h>

#include <array>

#include "client/commands.h"
#include "tests/client/golden.h"

namespace benchd::client {
namespace {

constexpr std::array kOptions = {OptionInfo{"name", 'n', "NAME", "", ""},
                                 OptionInfo{"margin", 0, "P", "", ""},
                                 OptionInfo{"json", 'j', "", "", ""}};

Result<ParsedArguments> Parse(std::vector<std::string> words) {
  return ParseArguments(words, kOptions);
}

TEST(ArgumentsTest, TakesAllSpellingsAndKeepsTheOrder) {
  const auto parsed =
      Parse({"a", "-n", "x", "-ny", "--name=z=1", "--json", "b", "-jn", "w", "--margin="});
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(parsed->positionals, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(parsed->options, (std::vector<GivenOption>{{"name", "x"},
                                                       {"name", "y"},
                                                       {"name", "z=1"},
                                                       {"json", ""},
                                                       {"json", ""},
                                                       {"name", "w"},
                                                       {"margin", ""}}));
}

TEST(ArgumentsTest, TakesCommandsAsTheyAre) {
  const auto parsed = Parse({"[ -f x,y ]", "{}", "-", "", "--", "--json", "-n"});
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(parsed->positionals,
            (std::vector<std::string>{"[ -f x,y ]", "{}", "-", "", "--json", "-n"}));
}

TEST(ArgumentsTest, TakesTheNextWordAsValueWhateverItLooksLike) {
  const auto parsed = Parse({"--margin", "-1", "--name", "--json"});
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(*LastValue(*parsed, "margin"), "-1");
  EXPECT_EQ(*LastValue(*parsed, "name"), "--json");
  EXPECT_FALSE(IsGiven(*parsed, "json"));
}

TEST(ArgumentsTest, SaysWhatIsWrong) {
  const auto said = [](std::vector<std::string> words) {
    const auto parsed = Parse(std::move(words));
    return parsed ? "no error" : parsed.error().message + " | " + parsed.error().hint;
  };
  EXPECT_EQ(said({"--nmae", "x"}), "--nmae: unknown option | did you mean --name?");
  EXPECT_EQ(said({"--git=a..b"}), "--git: unknown option | --help lists the options");
  EXPECT_EQ(said({"-x"}), "-x: unknown option | --help lists the options");
  EXPECT_EQ(said({"--marg", "1"}), "--marg: unknown option | did you mean --margin?")
      << "abbreviations are not taken";
  EXPECT_EQ(said({"--name"}), "--name: a value is missing | write --name NAME");
  EXPECT_EQ(said({"-n"}), "-n: a value is missing | write -n NAME");
  EXPECT_EQ(said({"--json=1"}), "--json: it takes no value | ");
}

TEST(ArgumentsTest, ValuesOfSecretsStayOutOfTheMessageForUnknownOptions) {
  EXPECT_EQ(Parse({"--tokn=secret"}).error().message, "--tokn: unknown option");
}

TEST(SuggestTest, FindsTheNearNameOnly) {
  constexpr std::array<std::string_view, 3> kNames = {"margin", "method", "max-runs"};
  EXPECT_EQ(Nearest("marign", kNames), "margin");
  EXPECT_EQ(Nearest("metod", kNames), "method");
  EXPECT_EQ(Nearest("git", kNames), "");
  EXPECT_EQ(Nearest("", kNames), "");
  EXPECT_EQ(Nearest("x", kNames), "");
}

TEST(HelpTest, ShowsEveryCommandAndOption) {
  std::string text = RenderHelp();
  for (const char* name : {"compare", "list", "move", "export", "analyze", "calibrate",
                           "machine status", "machine reserve"}) {
    text += "\n" + RenderHelp(*FindCommand(name));
  }
  text += "\n" + RenderGroupHelp("machine");
  ExpectGolden("help.txt", text);
}

TEST(HelpTest, WhatComesLaterOrIsNotForUsersIsNotOffered) {
  for (const char* name : {"report", "top"}) {
    EXPECT_EQ(FindCommand(name), nullptr) << name;
  }
  EXPECT_TRUE(FindCommand("build-worktrees")->hidden);
  EXPECT_EQ(RenderHelp().find("build-worktrees"), std::string::npos) << "benchctl's own";
}

}  // namespace
}  // namespace benchd::client
