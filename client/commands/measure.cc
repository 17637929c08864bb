#include "client/app/command.h"
#include "client/commands/command_options.h"
#include "client/commands/compare.h"

namespace benchd::client {
namespace {

Result<ExitCode> RunMeasure(const CommandContext& context) {
  return SubmitAnd(context, IsGiven(context.arguments, "detach"), Purpose::kMeasure);
}

}  // namespace

Command MeasureCommand() {
  return {
      .name = "measure",
      .usage = "[OPTIONS] COMMAND...",
      .summary = "measure one or more commands, to a precision",
      .words = Words::kOwn,
      .run = RunMeasure,
      .options = MeasureOptions(),
      .description =
          "Runs the commands until the interval of each is narrow enough, and shows the mean with "
          "that interval. The interval holds at the stated confidence although it was watched. "
          "The exit code is 0 if every interval is as narrow as requested, and 3 if a limit was "
          "reached first.\n"
          "Several commands are interleaved in random order. The intervals are about this session: "
          "values of different sessions can differ by more. To find out whether one program is "
          "slower than another, use `benchctl compare`.\n"
          "Each command is one string, which is split and executed as by `benchctl compare`.",
      .examples = {{"How long does gzip take, to within 1 % from end to end?",
                    "benchctl measure 'gzip -k -f data'"},
                   {"Measure two programs, for one minute at most:",
                    "benchctl measure --precision 0.5% --max-time 1m ./small ./large"},
                   {"Measure the median CPU time and the memory of exactly 50 runs:",
                    "benchctl measure -r 50 --estimator median --metric cpu_time --metric max_rss "
                    "./bench"},
                   {"Measure a program with several numbers of threads:",
                    "benchctl measure -L t 1,2,4 --between t './bench -t {t}'"}}};
}

}  // namespace benchd::client
