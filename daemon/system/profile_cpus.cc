#include "daemon/system/profile_cpus.h"

#include <algorithm>
#include <utility>

#include "core/base/cpu_list.h"
#include "core/base/error.h"

namespace benchd {
namespace {

std::string SharedCore(const std::vector<int>& core) {
  return "CPUs " + FormatCpuList(core) +
         " share a core, and one of them is needed for housekeeping: no other core is left";
}

/// No whole core is left: the threads of one core that nobody asked for do the housekeeping.
void ShareACore(const Topology& topology, const std::vector<int>& wanted, ProfileCpus& cpus) {
  for (const PhysicalCore& core : topology.cores) {
    const std::vector<int> threads = CpusInBoth(core.cpus, cpus.benchmark);
    std::vector<int> spare = CpusWithout(threads, wanted);
    if (wanted.empty() && threads.size() > 1) spare = {threads.front()};
    if (spare.empty() || spare.size() == threads.size()) continue;
    cpus.benchmark = CpusWithout(cpus.benchmark, spare);
    cpus.housekeeping = std::move(spare);
    cpus.why = SharedCore(threads);
    return;
  }
}

/// Every usable thread of the cores that hold a wanted CPU.
std::vector<int> WholeCores(const Topology& topology, const std::vector<int>& usable,
                            const std::vector<int>& wanted) {
  std::vector<int> threads;
  for (const PhysicalCore& core : topology.cores) {
    if (CpusInBoth(core.cpus, wanted).empty()) continue;
    const std::vector<int> own = CpusInBoth(core.cpus, usable);
    threads.insert(threads.end(), own.begin(), own.end());
  }
  std::sort(threads.begin(), threads.end());
  return threads;
}

/// Where children run among a core's reserved threads.
int PickThread(const PhysicalCore& core, const std::vector<int>& threads,
               const std::vector<int>& wanted, bool siblings_go) {
  // The kernel keeps the first one.
  if (siblings_go && threads.front() == core.cpus.front()) return threads.front();
  const std::vector<int> asked_for = CpusInBoth(threads, wanted);
  return asked_for.empty() ? threads.front() : asked_for.front();
}

std::vector<int> OneThreadACore(const Topology& topology, const std::vector<int>& benchmark,
                                const std::vector<int>& wanted, bool siblings_go) {
  std::vector<int> used;
  for (const PhysicalCore& core : topology.cores) {
    const std::vector<int> threads = CpusInBoth(core.cpus, benchmark);
    if (!threads.empty()) used.push_back(PickThread(core, threads, wanted, siblings_go));
  }
  std::sort(used.begin(), used.end());
  return used;
}

}  // namespace

Result<ProfileCpus> ChooseProfileCpus(const Topology& topology, const std::vector<int>& usable,
                                      const MachineProfile& profile) {
  const auto wanted = ParseCpuList(profile.benchmark_cpus);
  if (!wanted) {
    return InvalidArgument("benchmark_cpus", wanted.error().message, wanted.error().hint);
  }
  auto split = SplitCpus(topology, usable, *wanted);
  if (!split) return std::move(split).error();
  ProfileCpus cpus{.housekeeping = std::move(split->housekeeping),
                   .benchmark = WholeCores(topology, usable, split->benchmark),
                   .used = {},
                   .why = std::move(split->why)};
  const std::vector<int> rest = CpusWithout(CpusInBoth(topology.online, usable), cpus.benchmark);
  if (!rest.empty()) {
    cpus.housekeeping = rest;
  } else {
    ShareACore(topology, *wanted, cpus);
  }
  const bool siblings_go = profile.smt == "off";
  if (siblings_go || profile.smt == "idle") {
    cpus.used = OneThreadACore(topology, cpus.benchmark, *wanted, siblings_go);
  } else {
    cpus.used = wanted->empty() ? cpus.benchmark : *wanted;
  }
  return cpus;
}

}  // namespace benchd
