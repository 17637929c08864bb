#pragma once

#include <span>
#include <string>
#include <vector>

#include "client/app/arguments.h"
#include "client/ci/ci_run.h"
#include "client/ci/outcome.h"
#include "client/present/json_value.h"

namespace benchd::client {

/// The files that `benchctl ci` writes below its folder.
struct CiFiles {
  explicit CiFiles(const std::string& folder);

  std::string folder;
  std::string session;  ///< the session with its runs, as JSON
  std::string history;  ///< the same without its runs, for `history --exports`
  std::string runs;     ///< CSV
  std::string junit;
  std::string markdown;     ///< what the job's summary gets
  std::string report;       ///< HTML
  std::string comment;      ///< the marker and the text
  std::string changes;      ///< JSON
  std::string calibration;  ///< JSON
  std::string dotenv;

  std::vector<std::string> All() const;
};

/// What `benchctl ci` is going to do.
struct CiPlan {
  CiRun run;
  FailOn fail_on = FailOn::kRegression;
  std::string comment_name;
  CiFiles files;
  std::string summary;           ///< file to which the summary is appended; empty: none
  std::string outputs;           ///< file to which the outputs are appended; empty: none
  ParsedArguments compared;      ///< the arguments of `compare`
  std::string command;           ///< the same as a command line
  double calibrate_seconds = 0;  ///< time of the base against itself; 0: not at all
  std::string calibration;       ///< the command line of that; empty: not at all
};

/// Returns the arguments of `compare`: those of `ci` without the options of its own, the commits,
/// and the exports. Names the arms base and candidate, unless a file or --name does. Pure.
///
/// @param own  the options that `ci` reads itself
ParsedArguments ComparedArguments(const ParsedArguments& arguments, std::span<const OptionInfo> own,
                                  const CiRun& run, const CiFiles& files);

/// Returns the command line for these arguments. Values of --env become references. Pure.
///
/// @param known  the options of `compare`
std::string ComparedCommand(const ParsedArguments& compared, std::span<const OptionInfo> known);

/// Returns the arguments of `compare` for the calibration: those of the comparison without the
/// exports, with the label by which the base is compared with itself. Pure.
///
/// @param compared  ComparedArguments()
ParsedArguments CalibratedArguments(const ParsedArguments& compared);

/// Returns the command line of a calibration of this duration, without the options that have no
/// effect on it. Pure.
///
/// @param known  the options of `compare`
std::string CalibrationCommand(const ParsedArguments& compared, double seconds,
                               std::span<const OptionInfo> known);

/// Renders what is going to happen and where each value comes from, for --dry-run. Pure.
std::string RenderCiPlan(const CiPlan& plan);
/// Renders the same as the JSON line `ci`.
std::string CiPlanJson(const CiPlan& plan, const google::protobuf::Timestamp& now);

}  // namespace benchd::client
