#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/session.h"
#include "daemon/kernel/kernel_files.h"
#include "daemon/kernel/topology.h"
#include "daemon/observe/sample.h"

/// The checks of Diagnose(), one function per source of noise. Internal to the doctor*.cc files.
namespace benchd::doctor {

/// The input of the checks.
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
  bool by_session = false;  ///< the next session applies the setting by itself
};

/// The result of a check that found noise.
struct Symptom {
  std::string finding;
  Remedy remedy;
  double effect = 0;  ///< lost share of the benchmark CPUs' time; 0 if it was not measured
};
using Check = std::optional<Symptom>(const Patient&);

/// A setting that fixes a symptom.
struct Cure {
  std::string_view setting;  ///< its name in the profile and in MachineStatus::settings
  std::string_view line;     ///< the profile's line: `boost = "off"`
  std::string by_hand;       ///< how to set it without benchd
  /// The value that helps; empty if any value does.
  std::string_view value = {};
  /// Advice if benchd holds the setting, but the symptom is present anyway.
  std::string_view when_held = "another program has changed it since benchd set it: find out which";
};
/// Returns advice for a setting that does not have the recommended value.
Remedy RemedyFor(const Patient& patient, const Cure& cure);

/// Returns the state of a setting; nullptr if it is not in the profile.
const SettingState* FindState(const Patient& patient, std::string_view setting);
bool IsHeld(const Patient& patient, std::string_view setting);

/// Advice for shared machines. The numbers come from a slowdown of 1 % on a machine with two CPUs
/// under a load of 2.5: paired CPU time detected it in 12 of 12 trials, paired wall time in 4.
inline constexpr const char* kGateOnCpuTime =
    "if the machine must be shared, gate on cpu_time (--metric cpu_time): on a loaded machine it "
    "detected a slowdown of 1 % in 12 of 12 trials, wall time only in 4";

// doctor.cc: effects measured between the samples
Check OtherLoad, Steal, Interrupts, Throttling;
// doctor_settings.cc: settings that a profile can change
Check NoSettings, NoIsolation, SharedSmt, Turbo, Governor, CStates;
// doctor_machine.cc: properties of the machine
Check SharedCpus, MixedCores, ForeignScheduler, OneCpu, PiledThreads, VirtualMachine, Swap,
    Clocksource, CompetingDaemons, AptTimers, AslrOff;

}  // namespace benchd::doctor
