#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "daemon/system/kernel_files.h"

namespace benchd {

/// One physical core: the CPUs (hardware threads) that share it, ascending.
struct PhysicalCore {
  int package = 0;
  std::vector<int> cpus;
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
/// as a core of its own; a node that cannot be read is left out.
/// @errors when the list of online CPUs cannot be read or is empty.
Result<Topology> ReadTopology(const KernelFiles& files);

/// Who runs where: benchd, its runner and its helpers here, measured children there.
struct CpuSplit {
  std::vector<int> housekeeping;
  std::vector<int> benchmark;
  /// Empty, or why the two lists overlap: then the daemon's work disturbs what it measures.
  std::string why;
  bool operator==(const CpuSplit&) const = default;
};

/// Splits the `usable` CPUs: the first physical core is for housekeeping, all others for
/// benchmarks.
///
/// `wanted` (the configured benchmark CPUs) replaces the second list; empty is the default above.
/// @errors kInvalidArgument when `wanted` holds a CPU that is not usable; kFailedPrecondition when
///         no online CPU is usable.
Result<CpuSplit> SplitCpus(const Topology& topology, const std::vector<int>& usable,
                           const std::vector<int>& wanted);

}  // namespace benchd
