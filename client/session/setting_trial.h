#pragma once

#include <string>
#include <vector>

#include "benchd/v1/session.pb.h"
#include "client/app/command.h"
#include "client/link/daemon_link.h"
#include "client/terminal/interrupts.h"

namespace benchd::client {

/// A setting of the machine in a trial. It is the part of the spec that differs between settings.
struct TrialSetting {
  std::string name;
  v1::Isolation isolation = v1::ISOLATION_BEST_EFFORT;
  std::string profile;
  std::vector<std::string> settings_off;
};

/// Returns whether the options of `calibrate` request a trial of settings: several kinds of
/// isolation or profiles, or --each.
bool WantsSettingTrial(const ParsedArguments& arguments);

/// Returns the settings of --isolation A,B and --machine-profile A,B. The first one is compared
/// with the others. Isolation `off` does not use a machine profile, so it is one setting for all
/// profiles.
///
/// @errors (exit 2) an unknown kind of isolation, with the nearest known one; a duplicate setting;
///         --each with `off` or with several settings.
Result<std::vector<TrialSetting>> ReadTrialSettings(const ParsedArguments& arguments);

/// The size and the duration of a trial.
struct TrialPlan {
  std::size_t rounds = 0;  ///< each round has one segment per setting
  std::size_t blocks = 0;  ///< blocks per segment, with two runs per block
  double seconds = 0;      ///< duration of the whole trial
};

/// Plans a trial of `settings` settings.
///
/// @param block_seconds     duration of a block
/// @param overhead_seconds  duration of a segment beyond its blocks
/// @param wanted_seconds    limit for the whole trial; 0: as long as necessary
/// @errors (exit 2) ten segments of each setting do not fit into `wanted_seconds`.
Result<TrialPlan> PlanTrial(std::size_t settings, double block_seconds, double overhead_seconds,
                            double wanted_seconds);

/// Runs the trial: short sessions, each under one setting, in an order that follows from the seed.
/// If it is interrupted, prints the results so far.
///
/// @param settings  the result of ReadTrialSettings()
/// @param spec      the spec of a segment, without its setting and limits
/// @param seconds   limit for the trial; 0: as long as necessary
Result<ExitCode> RunSettingTrial(const CommandContext& context, DaemonLink& link,
                                 Interrupts& interrupts, v1::SessionSpec spec,
                                 std::vector<TrialSetting> settings, double seconds);

}  // namespace benchd::client
