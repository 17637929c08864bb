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

/// The input of a check.
struct Patient {
  const KernelFiles& files;
  const ProfileCpus& cpus;
  const std::vector<SettingState>& settings;
  const MachineSample& before;
  const MachineSample& after;
};

/// Advice for a finding.
struct Remedy {
  std::string advice;
  bool by_session = false;  ///< the next session takes the setting itself
};

struct Symptom {
  std::string finding;
  Remedy remedy;
  double effect = 0;  ///< share of the benchmark CPUs' time that it took; 0 if it was not measured
};
using Check = std::optional<Symptom>(const Patient&);

/// A setting that would help.
struct Cure {
  std::string_view setting;  ///< its name in the profile and in MachineStatus::settings
  std::string_view line;     ///< the profile's line: `boost = "off"`
  std::string by_hand;       ///< how to set it without benchd
  /// The value that helps, if a profile may also want another; empty: any.
  std::string_view value = {};
  /// Advice if benchd holds the setting but the symptom is present anyway.
  std::string_view when_held = "another program has changed it since benchd set it: find out which";
};
/// Advice for a setting that does not have the recommended value.
Remedy RemedyFor(const Patient& patient, const Cure& cure);

/// The state of a setting; nullptr when the profile does not want it.
const SettingState* FindState(const Patient& patient, std::string_view setting);
bool IsHeld(const Patient& patient, std::string_view setting);

/// Advice for machines that are shared. Source of its numbers: with a slowdown of 1 % on a machine
/// of two CPUs under a load of 2.5, paired CPU time found it in 12 of 12 trials, paired wall time
/// in 4.
inline constexpr const char* kGateOnCpuTime =
    "if the machine must be shared, gate on cpu_time (--metric cpu_time): on a loaded machine it "
    "showed a slowdown of 1 % in 12 of 12 trials, wall time in 4";

// doctor.cc: effects measured between the samples
Check OtherLoad, Steal, Interrupts, Throttling;
// doctor_settings.cc: settings that a profile can change
Check NoSettings, NoIsolation, SharedSmt, Turbo, Governor, CStates;
// doctor_machine.cc: properties of the machine
Check SharedCpus, MixedCores, ForeignScheduler, OneCpu, PiledThreads, VirtualMachine, Swap,
    Clocksource, CompetingDaemons, AptTimers, AslrOff;

}  // namespace benchd::doctor
