#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/model/machine_profile.h"
#include "daemon/system/kernel_files.h"

namespace benchd {

/// One physical core: the CPUs (hardware threads) that share it, ascending.
struct PhysicalCore {
  int package = 0;
  std::vector<int> cpus;
  /// Relative speed. Cores that differ in it are of different types (Intel's P and E cores,
  /// big.LITTLE); 0 if all cores are alike.
  int capacity = 0;
  bool operator==(const PhysicalCore&) const = default;
};

/// Memory and the online CPUs that are nearest to it.
struct NumaNode {
  int number = 0;
  std::vector<int> cpus;  ///< ascending; empty for a node with memory only
  bool operator==(const NumaNode&) const = default;
};

/// The machine's online CPUs as the kernel describes them.
struct Topology {
  std::vector<int> online;          ///< ascending
  std::vector<PhysicalCore> cores;  ///< by their first CPU; every online CPU is in exactly one
  std::vector<NumaNode> nodes;      ///< by number; empty if the kernel reports none
  bool operator==(const Topology&) const = default;
};

/// The NUMA nodes that any of `cpus` belongs to, by number.
std::vector<int> NodesOf(const Topology& topology, const std::vector<int>& cpus);

/// Reads sys/devices/system/cpu and sys/devices/system/node. A CPU without a topology folder counts
/// as a core of its own; a node that cannot be read is left out. Core types come from cpu_capacity
/// (Documentation/admin-guide/abi-testing, sys/devices/system/cpu), or on Intel's hybrid processors
/// from the two PMUs cpu_core and cpu_atom.
/// @errors if the list of online CPUs cannot be read or is empty
Result<Topology> ReadTopology(const KernelFiles& files);

/// The CPUs of a profile: benchd, its runner, its helpers and all other processes stay on the
/// housekeeping CPUs; measured children run on the used ones.
struct ProfileCpus {
  std::vector<int> housekeeping;
  std::vector<int> benchmark;  ///< reserved: every thread of the benchmark cores
  std::vector<int> used;       ///< where children run: with smt "idle" or "off" one thread per core
  /// Empty, or why housekeeping and benchmark CPUs overlap or share a core; the daemon's work then
  /// disturbs the measurements.
  std::string why;
  bool operator==(const ProfileCpus&) const = default;
};

/// Splits the `usable` CPUs: the first physical core is for housekeeping, all others are for
/// benchmarks. If cores are of different types, the fastest are for benchmarks and all others for
/// housekeeping. `used` stays empty.
///
/// `wanted` (the configured benchmark CPUs) replaces the default choice unless it is empty.
/// @errors kInvalidArgument if `wanted` has a CPU that is not usable; kFailedPrecondition if no
///         online CPU is usable
Result<ProfileCpus> SplitCpus(const Topology& topology, const std::vector<int>& usable,
                              const std::vector<int>& wanted);

/// Chooses a profile's CPUs among the `usable` ones.
///
/// Reserves whole cores: siblings of the configured benchmark CPUs are included, because work on
/// them slows those down. A core is shared only if nothing would be left for housekeeping. With smt
/// "idle", children run on the first configured thread of each reserved core; with smt "off", on
/// the thread that stays online; otherwise on all configured CPUs, or all reserved ones.
/// @errors those of SplitCpus(), and kInvalidArgument if the text is not a CPU list
Result<ProfileCpus> ChooseProfileCpus(const Topology& topology, const std::vector<int>& usable,
                                      const MachineProfile& profile);

}  // namespace benchd
