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
  /// How fast it is beside the others: cores that differ in it are of different types (Intel's P
  /// and E cores, big.LITTLE); 0 on a machine whose cores are all alike.
  int capacity = 0;
  bool operator==(const PhysicalCore&) const = default;
};

/// Memory and the online CPUs that are nearest to it.
struct NumaNode {
  int number = 0;
  std::vector<int> cpus;  ///< ascending; empty for a node of memory alone
  bool operator==(const NumaNode&) const = default;
};

/// The machine's online CPUs as the kernel describes them.
struct Topology {
  std::vector<int> online;          ///< ascending
  std::vector<PhysicalCore> cores;  ///< by their first CPU; every online CPU is in exactly one
  std::vector<NumaNode> nodes;      ///< by number; none where the kernel knows none
  bool operator==(const Topology&) const = default;
};

/// The NUMA nodes that any of `cpus` belongs to, by number.
std::vector<int> NodesOf(const Topology& topology, const std::vector<int>& cpus);

/// Reads sys/devices/system/cpu and sys/devices/system/node. A CPU without a topology folder counts
/// as a core of its own; a node that cannot be read is left out. Types of cores are told by
/// cpu_capacity (Documentation/admin-guide/abi-testing, sys/devices/system/cpu), on Intel's hybrid
/// processors by the two PMUs cpu_core and cpu_atom.
/// @errors when the list of online CPUs cannot be read or is empty.
Result<Topology> ReadTopology(const KernelFiles& files);

/// Which CPUs a profile means: benchd, its runner, its helpers and all others stay on the first
/// ones, measured children on the last.
struct ProfileCpus {
  std::vector<int> housekeeping;
  std::vector<int> benchmark;  ///< reserved: every thread of the benchmark cores
  std::vector<int> used;       ///< where children run: with smt "idle" or "off" one thread a core
  /// Empty, or why housekeeping and benchmark CPUs overlap or share a core: then the daemon's work
  /// disturbs what it measures.
  std::string why;
  bool operator==(const ProfileCpus&) const = default;
};

/// Splits the `usable` CPUs: the first physical core is for housekeeping, all others for
/// benchmarks, of which none is `used` yet. Where cores are of different types, the fastest ones
/// are for benchmarks, all others for housekeeping.
///
/// `wanted` (the configured benchmark CPUs) replaces the second list; empty is the default above.
/// @errors kInvalidArgument when `wanted` holds a CPU that is not usable; kFailedPrecondition when
///         no online CPU is usable.
Result<ProfileCpus> SplitCpus(const Topology& topology, const std::vector<int>& usable,
                              const std::vector<int>& wanted);

/// Finds a profile's CPUs among the `usable` ones.
///
/// Whole cores are reserved: the siblings of the configured benchmark CPUs belong to them, as what
/// runs there slows them down. Only where that would leave nothing for housekeeping is a core
/// shared. Children run on the first thread of each reserved core that is configured (smt "idle"),
/// or that stays when siblings go offline (smt "off"); else on all that are configured, or on all.
/// @errors those of SplitCpus(), and kInvalidArgument for a text that is no CPU list.
Result<ProfileCpus> ChooseProfileCpus(const Topology& topology, const std::vector<int>& usable,
                                      const MachineProfile& profile);

}  // namespace benchd
