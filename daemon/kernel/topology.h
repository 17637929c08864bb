#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/model/machine_profile.h"
#include "daemon/kernel/kernel_files.h"

namespace benchd {

/// A physical core and the CPUs (hardware threads) that share it, in ascending order.
struct PhysicalCore {
  int package = 0;
  std::vector<int> cpus;
  /// Relative speed. It differs between cores of different types (Intel's P and E cores,
  /// big.LITTLE); 0 if all cores are of the same type.
  int capacity = 0;
  bool operator==(const PhysicalCore&) const = default;
};

/// A NUMA node and its online CPUs.
struct NumaNode {
  int number = 0;
  std::vector<int> cpus;  ///< ascending; empty for a node that has only memory
  bool operator==(const NumaNode&) const = default;
};

/// The machine's online CPUs as the kernel describes them.
struct Topology {
  std::vector<int> online;          ///< ascending
  std::vector<PhysicalCore> cores;  ///< by first CPU; every online CPU belongs to exactly one core
  std::vector<NumaNode> nodes;      ///< by number; empty if the kernel does not report nodes
  bool operator==(const Topology&) const = default;
};

/// Returns the numbers of the NUMA nodes that `cpus` belong to, in ascending order.
std::vector<int> NodesOf(const Topology& topology, const std::vector<int>& cpus);

/// Reads sys/devices/system/cpu and sys/devices/system/node. A CPU without a topology folder counts
/// as a separate core; a node that cannot be read is left out. Core types are read from
/// cpu_capacity (Documentation/admin-guide/abi-testing, sys/devices/system/cpu) or, on Intel's
/// hybrid processors, from the PMUs cpu_core and cpu_atom.
/// @errors if the list of online CPUs cannot be read or is empty
Result<Topology> ReadTopology(const KernelFiles& files);

/// The CPUs of a profile. benchd, its runner, its helpers and all other processes stay on the
/// housekeeping CPUs; measured children run on the used CPUs.
struct ProfileCpus {
  std::vector<int> housekeeping;
  std::vector<int> benchmark;  ///< reserved: every thread of the benchmark cores
  std::vector<int> used;       ///< for children; with smt "idle" or "off" one thread per core
  /// The reason why housekeeping and benchmark CPUs overlap or share a core, so that the daemon's
  /// work disturbs the measurements; empty if they do not.
  std::string why;
  bool operator==(const ProfileCpus&) const = default;
};

/// Divides the `usable` CPUs. By default, the first physical core is for housekeeping, and all
/// others are for benchmarks. If cores are of different types, the fastest are for benchmarks and
/// all others for housekeeping. `wanted` (the configured benchmark CPUs) replaces this choice
/// unless it is empty. `used` stays empty.
///
/// @errors kInvalidArgument if `wanted` has a CPU that is not usable; kFailedPrecondition if no
///         usable CPU is online
Result<ProfileCpus> SplitCpus(const Topology& topology, const std::vector<int>& usable,
                              const std::vector<int>& wanted);

/// Chooses a profile's CPUs among the `usable` CPUs.
///
/// Reserves whole cores: the benchmark CPUs include the siblings of the configured ones, because
/// work on a sibling slows a CPU down. A core is divided only if no CPU would otherwise be left for
/// housekeeping. With smt "idle", children run on the first configured thread of each reserved
/// core; with smt "off", on the thread that stays online; otherwise on all configured CPUs, or on
/// all reserved CPUs if none are configured.
/// @errors those of SplitCpus(), and kInvalidArgument if the text is not a CPU list
Result<ProfileCpus> ChooseProfileCpus(const Topology& topology, const std::vector<int>& usable,
                                      const MachineProfile& profile);

}  // namespace benchd
