#include "client/ci/plan.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "client/app/invocation.h"
#include "client/present/text.h"
#include "client/present/units.h"
#include "core/base/shell_words.h"
#include "core/base/text.h"
#include "core/model/labels.h"

namespace benchd::client {

CiFiles::CiFiles(const std::string& in)
    : folder(in),
      session(in + "/session.json"),
      history(in + "/history.json"),
      runs(in + "/runs.csv"),
      junit(in + "/junit.xml"),
      markdown(in + "/verdict.md"),
      report(in + "/report.html"),
      comment(in + "/comment.md"),
      changes(in + "/changes.json"),
      calibration(in + "/calibration.json"),
      dotenv(in + "/benchd.env") {}

std::vector<std::string> CiFiles::All() const {
  return {session, history, runs, junit, markdown, report, comment, changes, calibration, dotenv};
}

ParsedArguments ComparedArguments(const ParsedArguments& arguments, std::span<const OptionInfo> own,
                                  const CiRun& run, const CiFiles& files) {
  ParsedArguments compared;
  compared.positionals = arguments.positionals;
  compared.options.push_back({"git", run.Range()});
  if (!IsGiven(arguments, "file") && !IsGiven(arguments, "name")) {
    compared.options.push_back({"name", "base"});
    compared.options.push_back({"name", "candidate"});
  }
  for (const GivenOption& given : arguments.options) {
    if (std::ranges::find(own, given.name, &OptionInfo::name) == own.end()) {
      compared.options.push_back(given);
    }
  }
  compared.options.push_back({"export-json", files.session});
  compared.options.push_back({"export-csv", files.runs});
  compared.options.push_back({"export-junit", files.junit});
  return compared;
}

std::string ComparedCommand(const ParsedArguments& compared, std::span<const OptionInfo> known) {
  std::string line = "benchctl compare";
  for (const GivenOption& given : compared.options) {
    const auto option = std::ranges::find(known, given.name, &OptionInfo::name);
    if (option != known.end()) line += " " + OptionWords(*option, given);
  }
  if (!compared.positionals.empty()) {
    line += " -- " + Join(compared.positionals, " ", PastedWord);
  }
  return Printable(line);
}

namespace {

// The options of `compare` without effect on a calibration, and max-time, which it replaces.
constexpr std::array<std::string_view, 13> kNotOfCalibrations = {
    "max-time", "runs",    "max-runs",        "at-limit", "rule",    "sided",    "confirm",
    "placebo",  "control", "pass-confidence", "quiet",    "verbose", "time-unit"};

}  // namespace

ParsedArguments CalibratedArguments(const ParsedArguments& compared) {
  ParsedArguments calibrated = compared;
  std::erase_if(calibrated.options,
                [](const GivenOption& given) { return given.name.starts_with("export-"); });
  calibrated.options.push_back({"label", std::string(kCalibrationLabel) + "=base"});
  return calibrated;
}

std::string CalibrationCommand(const ParsedArguments& compared, double seconds,
                               std::span<const OptionInfo> known) {
  ParsedArguments shown = CalibratedArguments(compared);
  std::erase_if(shown.options, [](const GivenOption& given) {
    return std::ranges::find(kNotOfCalibrations, given.name) != kNotOfCalibrations.end();
  });
  shown.options.push_back({"max-time", FormatRoundTrip(seconds) + "s"});
  return ComparedCommand(shown, known);
}

namespace {

std::string BaseText(const CiRun& run) {
  return run.from_merge_base ? "common ancestor of " + run.base.value + " and the head"
                             : run.base.value;
}

std::string FailText(FailOn fail_on) {
  switch (fail_on) {
    case FailOn::kRegression:
      return "0 pass or undecided, 1 regression";
    case FailOn::kUndecided:
      return "0 pass, 1 regression, 3 undecided";
    case FailOn::kNever:
      break;
  }
  return "0 pass, regression or undecided";
}

}  // namespace

std::string RenderCiPlan(const CiPlan& plan) {
  const CiRun& run = plan.run;
  Rows rows = {{"CI", std::string(run.system), ""},
               {"event", run.EventText(), run.event_source},
               {"base", BaseText(run), run.base.source},
               {"head", run.head.value, run.head.source}};
  const auto add = [&rows](const char* name, const std::string& value, const char* source) {
    if (!value.empty()) rows.push_back({name, value, source});
  };
  add("commits", run.commits, "");
  add("job", run.job, "");
  add("summary", plan.summary, "GITHUB_STEP_SUMMARY");
  add("outputs", plan.outputs, "GITHUB_OUTPUT");
  add("files", plan.files.folder, "--results");
  add("comment", CommentMarker(plan.comment_name) + " in " + plan.files.comment, "--comment");
  add("exit code", FailText(plan.fail_on), "--fail-on");
  std::string text;
  for (const std::vector<std::string>& row : rows) {
    text += PadRight(row[0] + ":", 11) + Printable(row[1]) +
            (row[2].empty() ? "" : "  (" + Printable(row[2]) + ")") + "\n";
  }
  if (!plan.calibration.empty()) text += PadRight("calibrate:", 11) + plan.calibration + "\n";
  return text + PadRight("command:", 11) + plan.command + "\n";
}

std::string CiPlanJson(const CiPlan& plan, const google::protobuf::Timestamp& now) {
  const CiRun& run = plan.run;
  Json json = Named("ci", "", now);
  json["system"] = run.system;
  json["trigger"] = run.EventText();
  json["fork"] = run.fork;
  json["base"] = run.base.value;
  json["base_source"] = run.base.source;
  json["from_merge_base"] = run.from_merge_base;
  json["head"] = run.head.value;
  json["head_source"] = run.head.source;
  PutText(json, "pull_request", run.number);
  PutText(json, "commits", run.commits);
  PutText(json, "job", run.job);
  json["command"] = plan.command;
  PutText(json, "calibration", plan.calibration);
  json["fail_on"] = NameOf(plan.fail_on);
  json["files"] = plan.files.folder;
  json["marker"] = CommentMarker(plan.comment_name);
  return Line(json);
}

}  // namespace benchd::client
