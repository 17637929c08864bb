#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/session.h"
#include "daemon/system/kernel_files.h"
#include "daemon/system/machine_sample.h"
#include "daemon/system/topology.h"

/// The checks behind Diagnose(), one function each; for doctor.cc only.
namespace benchd::doctor {

/// What a check looks at.
struct Patient {
  const KernelFiles& files;
  const ProfileCpus& cpus;
  const std::vector<SettingState>& settings;
  const MachineSample& before;
  const MachineSample& after;
};

/// What to do about what was found.
struct Remedy {
  std::string advice;
  bool by_session = false;  ///< the next session takes the setting by itself
};

struct Symptom {
  std::string finding;
  Remedy remedy;
  double effect = 0;  ///< share of the benchmark CPUs' time that it took; 0: nobody has measured it
};
using Check = std::optional<Symptom>(const Patient&);

/// A setting that would help.
struct Cure {
  std::string_view setting;  ///< its name in the profile and in MachineStatus::settings
  std::string_view line;     ///< what the profile has to say: `boost = "off"`
  std::string by_hand;       ///< what to do without benchd
  /// The value that helps, where a profile may also want another; empty = any.
  std::string_view value = {};
  /// What to do where benchd holds the setting and the symptom is there all the same.
  std::string_view when_held = "somebody has changed it since benchd set it: find out who";
};
/// What to do about a setting that is not as it should be.
Remedy RemedyFor(const Patient& patient, const Cure& cure);

/// The state of a setting; nullptr when the profile does not want it.
const SettingState* FindState(const Patient& patient, std::string_view setting);
bool IsHeld(const Patient& patient, std::string_view setting);

/// Where a machine cannot be had alone. Its figures: with a slowdown of 1 % on a machine of two
/// CPUs under a load of 2.5, paired CPU time found it in 12 of 12 trials, paired wall time in 4.
inline constexpr const char* kGateOnCpuTime =
    "where the machine cannot be had alone, gate on cpu_time (--metric cpu_time): on a loaded "
    "machine it showed a slowdown of 1 % in 12 of 12 trials, wall time in 4";

// doctor.cc: what was measured between the samples
Check OtherLoad, Steal, Interrupts, Throttling;
// doctor_settings.cc: what a profile can set
Check NoSettings, NoIsolation, SharedSmt, Turbo, Governor, CStates;
// doctor_machine.cc: how the machine is
Check SharedCpus, MixedCores, ForeignScheduler, OneCpu, PiledThreads, VirtualMachine, Swap,
    Clocksource, CompetingDaemons, AptTimers, AslrOff;

}  // namespace benchd::doctor
