#include "client/app/arguments.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "client/app/command.h"
#include "client/app/help.h"
#include "client/request/session_options.h"
#include "core/base/text.h"
#include "core/parse/command_line.h"
#include "core/parse/harness_output.h"
#include "tests/client/golden.h"
#include "tests/client/refusals.h"

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

// The next word may be a command, so it is never taken as the value.
TEST(ArgumentsTest, AnOptionalValueOnlyFollowsAnEqualsSign) {
  const std::array options = {
      OptionInfo{.name = "shell", .letter = 'S', .value = "PATH", .optional = true}};
  const auto parse = [&options](std::vector<std::string> words) {
    return ParseArguments(words, options);
  };
  const auto parsed = parse({"--shell", "bash", "--shell=/bin/zsh", "-S", "a"});
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(parsed->options,
            (std::vector<GivenOption>{{"shell", ""}, {"shell", "/bin/zsh"}, {"shell", ""}}));
  EXPECT_EQ(parsed->positionals, (std::vector<std::string>{"bash", "a"}));
  ExpectRefused(parse({"--shell=", "a"}));
  EXPECT_EQ(Placeholder(options[0]), "[=PATH]");
  EXPECT_EQ(Placeholder(kOptions[0]), " NAME");
  EXPECT_EQ(Placeholder(kOptions[2]), "");
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

// Reads the tables themselves, so that new options are covered.
TEST(ArgumentsTest, OfAnOptionThatIsGivenTwiceNoValueIsPickedSilently) {
  int refused = 0;
  for (const Command& command : Commands()) {
    const std::vector<OptionInfo> options = AllOptions(command);
    for (const OptionInfo& option : options) {
      SCOPED_TRACE(std::string(command.name) + " --" + std::string(option.name));
      EXPECT_EQ(option.repeatable, option.help.find("repeatable") != std::string_view::npos);
      const std::vector<std::string_view> fixed = FixedWords(option);
      ParsedArguments twice;
      for (const std::string value : {"1", "2"}) {
        twice.options.push_back(
            {std::string(option.name), fixed.empty() ? value : std::string(fixed.front())});
      }
      const auto once = CheckRepeats(twice, options);
      EXPECT_EQ(once.has_value(), option.repeatable || option.value.empty());
      if (once) continue;
      ++refused;
      EXPECT_TRUE(once.error().message.starts_with("--" + std::string(option.name) + " " +
                                                   twice.options.back().value + ": "))
          << once.error().message;
      EXPECT_EQ(once.error().code, ErrorCode::kInvalidArgument);
      twice.options.pop_back();
      EXPECT_TRUE(CheckRepeats(twice, options));
    }
  }
  EXPECT_GT(refused, 100);
}

TEST(ArgumentsTest, AKeyIsAssignedOnce) {
  const auto check = [](std::string_view command, std::vector<GivenOption> given) {
    const std::span<const Command> all = Commands();
    const auto found = std::ranges::find(all, command, &Command::name);
    return CheckRepeats({std::move(given), {}}, AllOptions(*found));
  };
  for (const std::string name : {"env", "label"}) {
    EXPECT_TRUE(check("compare", {{name, "A=1"}, {name, "B=1"}, {name, "AA=1"}}));
    const auto twice = check("compare", {{name, "A=1"}, {name, "B=1"}, {name, "A=2"}});
    ASSERT_FALSE(twice) << name;
    EXPECT_EQ(twice.error().code, ErrorCode::kInvalidArgument);
  }
  EXPECT_TRUE(check("compare", {{"env", "A=1"}, {"env", "base:A=2"}, {"env", "candidate:A=3"}}));
  EXPECT_FALSE(check("compare", {{"env", "base:A=2"}, {"env", "base:A=3"}}));
}

TEST(ArgumentsTest, SaysWhatIsWrong) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"--nmae", "x"},
                                                {"--git=a..b"},
                                                {"-x"},
                                                {"--marg", "1"},  // abbreviations are not taken
                                                {"--name"},
                                                {"-n"},
                                                {"--json=1"}}) {
    ExpectRefused(Parse(words));
  }
}

TEST(ArgumentsTest, ValuesOfSecretsStayOutOfTheMessageForUnknownOptions) {
  const auto parsed = Parse({"--tokn=secret"});
  ASSERT_FALSE(parsed);
  ExpectRefused(parsed);
  EXPECT_EQ(parsed.error().message.find("secret"), std::string::npos) << parsed.error().message;
  EXPECT_EQ(parsed.error().hint.find("secret"), std::string::npos) << parsed.error().hint;
}

TEST(ArgumentsTest, SuggestsLettersNamesAndFixedWords) {
  constexpr std::array kSome = {
      OptionInfo{"warmup", 'w', "N", "", ""}, OptionInfo{"sided", 0, "two|one", "", ""},
      OptionInfo{.name = "method", .value = "M", .choices = "paired|welch"},
      OptionInfo{.name = "output", .value = "null|log|FILE"}};
  const auto parse = [&kSome](const std::vector<std::string>& words) {
    return ParseArguments(words, kSome);
  };
  for (const std::vector<std::string>& words : {std::vector<std::string>{"-W", "3"},
                                                {"-method", "welch"},
                                                {"--method", "piared"},
                                                {"--sided=three"}}) {
    ExpectRefused(parse(words));
  }
  EXPECT_TRUE(parse({"-warmpu", "3"})) << "a letter and its value";
  EXPECT_TRUE(parse({"--output", "nul"})) << "a file may have any name";
  EXPECT_EQ(FixedWords(kSome[3]), (std::vector<std::string_view>{"null", "log"}));
}

TEST(ArgumentsTest, ACommandIsNotTakenForTheNumberThatWasLeftOut) {
  constexpr std::array kScan = {OptionInfo{
      .name = "scan", .letter = 'P', .value = "NAME MIN MAX STEP", .words = 4, .numbers = 3}};
  const auto parsed =
      ParseArguments(std::vector<std::string>{"-P", "n", "1", "3", "sleep {n}", "b"}, kScan);
  ExpectRefused(parsed);
  const auto whole =
      ParseArguments(std::vector<std::string>{"-P", "n", "-1", "+3", ".5", "b"}, kScan);
  ASSERT_TRUE(whole) << whole.error().message;
  EXPECT_EQ(*LastValue(*whole, "scan"), "n -1 +3 .5");
}

TEST(ArgumentsTest, LeadingOptionsEndAtTheFirstOtherWord) {
  const std::vector<std::string> words = {"--json", "-n", "x", "list", "--json"};
  const auto leading = ParseLeadingOptions(words, kOptions);
  ASSERT_TRUE(leading) << leading.error().message;
  EXPECT_EQ(leading->options, (std::vector<GivenOption>{{"json", ""}, {"name", "x"}}));
  EXPECT_EQ(leading->words, 3U);
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

// benchctl accepts every line of the examples, split as by a shell.
TEST(HelpTest, EveryCommandHasExamplesThatItUnderstands) {
  for (const Command& command : Commands()) {
    if (command.hidden) continue;
    EXPECT_FALSE(command.description.empty()) << command.name;
    EXPECT_FALSE(command.examples.empty()) << command.name;
    for (const Example& example : command.examples) {
      std::string line(example.line);
      if (const auto bar = line.find(" | "); bar != std::string::npos) line.erase(0, bar + 3);
      if (const auto to = line.find(" > "); to != std::string::npos) line.erase(to);
      std::ranges::replace(line, '*', 'x');  // a shell would expand it to files
      auto words = SplitCommandLine(line);
      ASSERT_TRUE(words) << line;
      ASSERT_EQ(words->front(), "benchctl") << line;
      const std::size_t name = 1 + WordsOf(command.name).size();
      ASSERT_LE(name, words->size()) << line;
      EXPECT_EQ(
          Join(std::vector(words->begin() + 1, words->begin() + static_cast<long>(name)), " "),
          command.name);
      const auto parsed = ParseArguments(std::span(*words).subspan(name), AllOptions(command));
      ASSERT_TRUE(parsed) << line << ": " << parsed.error().message;
      EXPECT_TRUE(ReadWord(command, parsed->positionals)) << line;
    }
  }
}

// The fields accept the values that --help lists for an option.
TEST(HelpTest, TheFixedWordsOfOptionsAreTheWordsThatAreTaken) {
  v1::SessionSpec session;
  v1::Benchmark benchmark;
  ArmSettings arms;
  const OptionTarget target{&session, &benchmark, &arms, "/"};
  for (const SessionOption& option : SessionOptions()) {
    const auto words = FixedWords(option.info);
    for (const std::string_view word : words) {
      const auto taken = ParseOption(option.field, std::string(word), target);
      EXPECT_TRUE(taken) << option.info.name << " " << word;
    }
    if (option.info.choices.empty()) continue;
    for (const std::string_view word : words) {
      EXPECT_NE(option.info.help.find(word), std::string_view::npos) << option.info.name;
    }
  }
  for (const std::string_view format : FixedWords(FindSessionOption("parse")->info)) {
    EXPECT_TRUE(CheckHarnessFormat(format)) << format;
  }
}

TEST(HelpTest, WhatIsNotForUsersIsNotOffered) {
  EXPECT_TRUE(FindCommand("build-worktrees")->hidden);
  EXPECT_EQ(RenderHelp().find("build-worktrees"), std::string::npos) << "benchctl's own";
}

}  // namespace
}  // namespace benchd::client
