#include "client/request/session_options.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <string>
#include <vector>

#include "client/app/command.h"
#include "client/commands/command_options.h"
#include "client/present/report.h"
#include "client/request/replay.h"
#include "client/request/spec_input.h"
#include "core/model/session_spec.h"
#include "core/parse/command_line.h"
#include "proto/convert/convert.h"
#include "tests/support/seed.h"

namespace benchd::client {
namespace {

// Makes random sessions as benchd records them, with one benchmark and any value of each option.
class RandomSession {
 public:
  explicit RandomSession(std::uint64_t seed) : random_(seed) {}

  v1::SessionSpec Make() {
    v1::SessionSpec spec;
    convert::ToProto(SessionSpec(), &spec);
    FillStatistics(&spec);
    FillLimits(spec.mutable_limits());
    if (Coin()) spec.set_warmup(Upto(5));
    spec.set_seed(random_());
    spec.set_isolation(static_cast<v1::Isolation>(1 + Upto(2)));
    if (Coin()) spec.set_cpus("2-3,6");
    if (Coin()) spec.set_machine_profile(Text());
    if (Coin()) spec.set_priority(static_cast<std::int32_t>(Upto(20)) - 10);
    for (std::uint64_t n = Upto(2); n > 0; --n) {
      (*spec.mutable_labels())[std::string(1, static_cast<char>('a' + n))] = Text();
    }
    FillBenchmark(spec.add_benchmarks());
    return spec;
  }

 private:
  std::uint64_t Upto(std::uint64_t most) {
    return std::uniform_int_distribution<std::uint64_t>(0, most)(random_);
  }
  bool Coin() { return Upto(1) == 1; }
  double Fraction() { return std::uniform_real_distribution<>(1e-6, 0.999)(random_); }
  // Positive or negative.
  double Margin() { return (Coin() ? 1 : -1) * Fraction(); }
  // Whole nanoseconds, the finest unit of durations.
  double Seconds() { return static_cast<double>(1 + Upto(3'600'000'000'000)) / 1e9; }

  // Free text with characters that are special in a shell, a list or an assignment. Control
  // characters, which need the quoting of bash, are covered by foreign_text_test.
  std::string Text() {
    static const std::vector<std::string> kPieces = {
        "a",  "B",  " ",  "=",      ",",     ":",      "'", "\"", "\\", "$x", "*",
        "%s", "-n", "--", "{name}", "{dir}", "\u00e9", "#", "~",  ";",  "|"};
    std::string text = "x";
    for (std::uint64_t n = Upto(6); n > 0; --n) text += kPieces[Upto(kPieces.size() - 1)];
    return text;
  }

  std::string Interpreter() { return Coin() ? "/" + Text() : Text(); }

  void FillStatistics(v1::SessionSpec* spec) {
    if (Coin()) spec->set_margin(Margin());
    if (Coin()) spec->set_alpha(Fraction());
    if (Coin()) spec->set_pass_confidence(Fraction());
    spec->set_sided(static_cast<v1::Sided>(1 + Upto(1)));
    spec->set_error_rate(static_cast<v1::ErrorRate>(Upto(1)));
    spec->set_method(static_cast<v1::Method>(1 + Upto(3)));
    spec->set_schedule(static_cast<v1::ScheduleKind>(1 + Upto(1)));
    if (spec->schedule() == v1::SCHEDULE_KIND_COIN) spec->set_method(v1::METHOD_WELCH);
    spec->mutable_estimator()->set_kind(static_cast<v1::EstimatorKind>(1 + Upto(5)));
    if (spec->estimator().kind() == v1::ESTIMATOR_KIND_QUANTILE) {
      spec->mutable_estimator()->set_quantile(Fraction());
    }
    if (Coin()) spec->mutable_rule()->set_precision_width(Fraction());
    spec->set_placebo(Coin());
    spec->set_confirm(Coin());
    spec->set_keep_all(Coin());
    spec->set_early_looks(Coin());
  }

  void FillLimits(v1::Limits* limits) {
    if (Coin()) limits->set_min_runs(2 + Upto(50));
    if (Coin()) limits->set_max_runs(60 + Upto(1000));
    if (Coin()) limits->set_runs(2 + Upto(100));
    if (Coin()) limits->set_max_time_seconds(Seconds());
    if (Coin()) limits->set_timeout_seconds(Seconds());
    limits->set_at_limit(static_cast<v1::AtLimit>(1 + Upto(1)));
    limits->set_fail_fast(Coin());
  }

  void FillBenchmark(v1::Benchmark* benchmark) {
    const std::uint64_t references = 1 + Upto(1);
    const std::uint64_t arms = references + 1 + Upto(2);
    const std::string cwd = "/" + Text();
    const bool shell = Coin();
    const std::string interpreter = Coin() ? "" : Interpreter();
    const bool own_shells = Upto(3) == 0;
    const bool own_inputs = Coin();
    for (std::uint64_t i = 0; i < arms; ++i) {
      v1::Arm* arm = benchmark->add_arms();
      arm->set_name(std::to_string(i) + Text());
      arm->set_role(i < references ? v1::ARM_ROLE_REFERENCE : v1::ARM_ROLE_CANDIDATE);
      arm->set_command("c " + Text());
      arm->set_shell(own_shells ? Coin() : shell);
      if (arm->shell()) arm->set_interpreter(own_shells && Coin() ? Interpreter() : interpreter);
      arm->set_cwd(Upto(9) == 0 ? "/elsewhere" : cwd);
      if (own_inputs) arm->set_input("/" + Text());
    }
    v1::Hooks* hooks = benchmark->mutable_hooks();
    SetShell(ShellForHooks(*benchmark), hooks);
    if (Coin()) hooks->set_setup(Text());
    const bool own_prepare = Coin();
    const bool own_conclude = Coin();
    for (v1::Arm& arm : *benchmark->mutable_arms()) {
      if (own_prepare) arm.set_prepare(Text());
      if (own_conclude) arm.set_conclude(Text());
    }
    if (!own_prepare && Coin()) hooks->set_prepare(Text());
    if (!own_conclude && Coin()) hooks->set_conclude(Text());
    if (Coin()) hooks->set_cleanup(Text());
    benchmark->set_output(static_cast<v1::OutputKind>(1 + Upto(3)));
    benchmark->set_check_output(Coin());
    if (benchmark->output() == v1::OUTPUT_KIND_FILE) benchmark->set_output_path("/" + Text());
    if (!own_inputs && Coin()) benchmark->set_input("/" + Text());
    benchmark->set_ignore_failure(Coin());
    benchmark->set_allow_missing(Coin());
    if (Coin()) {
      benchmark->add_accept_exit(0);
      benchmark->add_accept_exit(1 + static_cast<std::int32_t>(Upto(254)));
    }
    benchmark->set_parse("lines");
    if (Coin()) {
      benchmark->set_harness("go");
      benchmark->set_no_groups(Coin());
      for (std::uint64_t n = Upto(2); n > 0; --n) benchmark->add_only(Text() + "*");
    }
    for (std::uint64_t n = Upto(2); n > 0; --n) benchmark->add_controls("c" + Text());
    if (Coin()) benchmark->set_parse_file(Text());
    for (std::uint64_t n = Upto(2); n > 0; --n) {
      v1::Gate* gate = benchmark->add_gates();
      gate->set_metric("m" + std::to_string(n));
      if (Coin()) gate->set_better(static_cast<v1::Better>(1 + Upto(1)));
      switch (Upto(3)) {
        case 0:
          gate->set_ratio(Margin());
          break;
        case 1:
          gate->set_absolute(Margin());
          break;
        case 2:
          gate->set_exact(true);
          break;
        default:  // no margin
          break;
      }
      if (gate->has_absolute() && Coin()) gate->set_unit(Coin() ? "s" : "B");
    }
  }

  std::mt19937_64 random_;
};

// The form in which benchd stores it: defaults for unset fields, durations in whole nanoseconds.
SessionSpec Understood(const v1::SessionSpec& spec) {
  Result<SessionSpec> read = convert::FromProto(spec);
  EXPECT_TRUE(read) << (read ? "" : read.error().message);
  if (!read) return {};
  read->environment.clear();
  if (!read->early_looks) read->early_looks = EarlyLooksByDefault(*read);
  return *std::move(read);
}

Result<v1::SessionSpec> SpecAsked(const std::string& command) {
  const Result<std::vector<std::string>> line = SplitCommandLine(command);
  EXPECT_TRUE(line) << command;
  const std::vector<std::string> words(line->begin() + 2, line->end());  // benchctl compare
  auto arguments = ParseArguments(words, AllOptions(*FindCommand("compare")));
  if (!arguments) return std::move(arguments).error();
  auto input = InputFromCommandLine(*arguments);
  if (!input) return std::move(input).error();
  return BuildSpec(*input, {"/caller", {}});
}

TEST(SessionOptionsTest, TheCommandThatAsksAgainAsksForTheSame) {
  std::mt19937_64 seeds(test::Seed());
  int said = 0;
  for (int i = 0; i < 2000; ++i) {
    const v1::SessionSpec spec = RandomSession(seeds()).Make();
    const std::string command = ReplayCommand(spec, spec.seed());
    if (command.ends_with(" -f FILE")) continue;
    ++said;
    const auto again = SpecAsked(command);
    ASSERT_TRUE(again) << again.error().message << "\n" << command;
    ASSERT_EQ(Understood(*again), Understood(spec)) << command << "\n"
                                                    << again->DebugString() << "\n"
                                                    << spec.DebugString();
  }
  EXPECT_GT(said, 500) << "else hardly anything was looked at";
}

TEST(SessionOptionsTest, EveryOptionOfASessionIsReadAndSaidAgain) {
  for (const SessionOption& option : SessionOptions()) {
    if (option.field.part == OptionField::Part::kElsewhere) continue;
    EXPECT_TRUE(option.field.parse != nullptr || option.field.field != 0) << option.info.name;
    EXPECT_TRUE(option.field.format != nullptr || option.field.field != 0) << option.info.name;
  }
}

TEST(SessionOptionsTest, EarlyLooksAreSaidWhereTheyAreNotTheDefault) {
  const auto said = [](std::size_t candidates, std::optional<bool> on, bool placebo = false) {
    v1::SessionSpec spec;
    v1::Benchmark* const benchmark = spec.add_benchmarks();
    for (std::size_t i = 0; i <= candidates; ++i) benchmark->add_arms()->set_command("x");
    if (placebo) benchmark->add_arms()->set_role(v1::ARM_ROLE_PLACEBO);
    if (on) spec.set_early_looks(*on);
    return FormatOption(FindSessionOption("early-looks")->field, {spec, *benchmark});
  };
  using Texts = std::vector<std::string>;
  EXPECT_EQ(said(1, true), Texts{"on"});
  EXPECT_EQ(said(1, false), Texts());
  EXPECT_EQ(said(2, true), Texts());
  EXPECT_EQ(said(2, false, true), Texts{"off"});
  EXPECT_EQ(said(1, false, true), Texts()) << "a placebo is no candidate";
  EXPECT_EQ(said(2, std::nullopt), Texts{"off"}) << "a session of an earlier release";
}

}  // namespace
}  // namespace benchd::client
