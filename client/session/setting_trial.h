#pragma once

#include <string>
#include <vector>

#include "benchd/v1/session.pb.h"
#include "client/app/command.h"
#include "client/link/daemon_link.h"
#include "client/terminal/interrupts.h"

namespace benchd::client {

/// A setting of the machine that a trial tries: what of the spec of its stretches is its own.
struct TrialSetting {
  std::string name;
  v1::Isolation isolation = v1::ISOLATION_BEST_EFFORT;
  std::string profile;
  std::vector<std::string> settings_off;
};

/// Whether the options of `calibrate` ask for a trial of settings: several kinds of isolation or
/// profiles, or --each.
bool WantsSettingTrial(const ParsedArguments& arguments);

/// The settings of --isolation A,B and --machine-profile A,B, the first of which the others are
/// compared with; without settings of a machine profile (`off`) there is one whatever the profile.
///
/// @errors (exit 2) an unknown kind of isolation, with the nearest one; one that is named twice; a
///         single setting; --each beside several.
Result<std::vector<TrialSetting>> ReadTrialSettings(const ParsedArguments& arguments);

/// How long a trial takes, and what it is made of.
struct TrialPlan {
  std::size_t rounds = 0;  ///< a stretch of each setting in each
  std::size_t blocks = 0;  ///< of a stretch: two runs each
  double seconds = 0;      ///< in all
};

/// @param block_seconds     what a block takes
/// @param overhead_seconds  what a stretch takes besides its blocks
/// @param wanted_seconds    for all; 0: as long as it needs to be
/// @errors (exit 2) ten stretches of each do not fit into that.
Result<TrialPlan> PlanTrial(std::size_t settings, double block_seconds, double overhead_seconds,
                            double wanted_seconds);

/// Runs the trial: one short session after the other, each under one setting, in an order that
/// follows from the seed. What is known by then is printed also when it is interrupted.
///
/// @param settings  ReadTrialSettings()
/// @param spec     of a stretch, but for its setting and its limits
/// @param seconds  how long it may take; 0: as long as it needs to be
Result<ExitCode> RunSettingTrial(const CommandContext& context, DaemonLink& link,
                                 Interrupts& interrupts, v1::SessionSpec spec,
                                 std::vector<TrialSetting> settings, double seconds);

}  // namespace benchd::client
