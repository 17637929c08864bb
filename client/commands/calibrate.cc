#include <unistd.h>

#include <iostream>

#include "client/app/command.h"
#include "client/commands/command_options.h"
#include "client/present/calibration.h"
#include "client/present/findings.h"
#include "client/present/words.h"
#include "client/request/quantity.h"
#include "client/request/self_comparison.h"
#include "client/request/spec_input.h"
#include "client/session/follow.h"
#include "client/session/setting_trial.h"
#include "client/session/submission.h"
#include "client/terminal/interrupts.h"
#include "client/terminal/terminal.h"
#include "core/base/try.h"

namespace benchd::client {
namespace {

/// A command that computes for about 10 ms on one CPU, without files and with hardly any memory.
constexpr char kCountingShell[] = "sh -c 'i=0; while [ $i -lt 12000 ]; do i=$((i+1)); done'";
constexpr double kDefaultSeconds = 60;

/// Returns the seconds of --for, or 0 if it was not given.
Result<double> ReadMaxTime(const ParsedArguments& arguments) {
  const std::string* text = LastValue(arguments, "for");
  if (text == nullptr) return 0.0;
  auto seconds = ParseDuration(*text);
  if (!seconds) return std::move(seconds).error().Within("--for " + *text);
  return seconds;
}

/// Builds a session that compares the command with itself, gated on wall time and CPU time.
Result<v1::SessionSpec> ReadCalibrationSpec(const CommandContext& context, double seconds,
                                            std::unique_ptr<DaemonLink>* link) {
  const ParsedArguments& arguments = context.arguments;
  const std::vector<std::string>& words = arguments.positionals;
  if (words.size() > 1) {
    return UsageError(words[1] + ": only one command is allowed",
                      "quote the command as one string: benchctl calibrate 'sleep 0.01'");
  }
  TRY(auto caller, CaptureCaller(context.link, link));
  const std::string command = words.empty() ? kCountingShell : words.front();
  SpecInput input;
  input.options = CollectSessionOptions(arguments);
  if (WantsSettingTrial(arguments)) {
    // Here these options are lists, of which each session gets one value.
    input.options.erase("isolation");
    input.options.erase("machine-profile");
  }
  input.options["metric"] = {{"wall_time", "wall_time"}, {"cpu_time", "cpu_time"}};
  input.arms = {{.name = "first", .role = "reference", .command = command, .origin = "COMMAND"},
                {.name = "second", .role = "candidate", .command = command, .origin = "COMMAND"}};
  input.benchmarks.push_back({});
  auto spec = BuildCallersSpec(input, caller, *link != nullptr);
  if (!spec) return spec;
  spec->mutable_rule()->set_precision_width(kUnreachableWidth);
  spec->mutable_limits()->set_max_time_seconds(seconds > 0 ? seconds : kDefaultSeconds);
  return spec;
}

void PrintCalibration(const v1::Session& session, bool json) {
  const Calibration calibration = CalibrationOf(session.report());
  const Style style = StyleOf(STDOUT_FILENO);
  std::cout << (json ? CalibrationJson(calibration, session.session(), Now()) + "\n"
                     : RenderCalibration(calibration, style) +
                           RenderWarnings(session.report(), WarningsShown::kAll, style));
}

Result<ExitCode> RunCalibrate(const CommandContext& context) {
  TRY(auto seconds, ReadMaxTime(context.arguments));
  std::vector<TrialSetting> settings;
  if (WantsSettingTrial(context.arguments)) {
    TRY(auto read, ReadTrialSettings(context.arguments));
    settings = std::move(read);
  }
  // Created before the threads of gRPC, which inherit its signal mask.
  Interrupts interrupts;
  std::unique_ptr<DaemonLink> link;
  TRY(auto spec, ReadCalibrationSpec(context, seconds, &link));
  TRY_VOID(OpenOnce(context.link, &link));
  if (!settings.empty()) {
    return RunSettingTrial(context, *link, interrupts, std::move(spec), std::move(settings),
                           seconds);
  }
  v1::Session session = SessionToFollow(spec);
  interrupts.Defer();
  TRY(auto submitted, SubmitSession(*link, std::move(spec), {.follows = true}));
  session.set_session(submitted.session());
  const Following following{.progress = context.json ? Progress::kJson : Progress::kTold,
                            .may_detach = false};
  TRY(auto followed, FollowSession(*link, session, following, interrupts));
  const bool measured = followed.session.state() == v1::SESSION_STATE_DONE && !followed.interrupted;
  if (!measured) return ReportEnd(followed, context.json);
  PrintCalibration(followed.session, context.json);
  return ExitCode::kPass;
}

}  // namespace

Command CalibrateCommand() {
  return {
      .name = "calibrate",
      .usage = "[OPTIONS] [COMMAND]",
      .summary = "measure the smallest change this machine can detect",
      .words = Words::kOwn,
      .run = RunCalibrate,
      .options = CalibrateOptions(),
      .description =
          "Compares a program with itself. COMMAND is one string, as in `compare`; the default is "
          "a shell loop of about 10 ms.\n"
          "With several kinds of isolation, several machine profiles or --each, it compares these "
          "settings: it runs at least ten short sessions under each, in random order, compares the "
          "spread of their runs and recommends a default. The machine is restored after each "
          "session.",
      .examples = {{"How small a change can be detected in a minute?", "benchctl calibrate"},
                   {"Does isolation help on this machine?",
                    "benchctl calibrate --isolation off,best-effort,strict"},
                   {"Which individual settings help?", "benchctl calibrate --each"},
                   {"Measure your own program for five minutes:",
                    "benchctl calibrate --for 5m './bench --filter parse'"}}};
}

}  // namespace benchd::client
