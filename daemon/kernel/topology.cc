#include "daemon/kernel/topology.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <map>
#include <utility>

#include "core/base/cpu_list.h"
#include "core/base/try.h"
#include "daemon/kernel/kernel_paths.h"

namespace benchd {
namespace {

/// The capacity of the fastest CPU: SCHED_CAPACITY_SCALE, include/linux/sched.h.
constexpr std::uint64_t kMostCapacity = 1024;

/// Returns the online CPUs on the same core as `cpu`, including `cpu`.
std::vector<int> Siblings(const KernelFiles& files, int cpu, const std::vector<int>& online) {
  for (const char* name : {paths::kSiblings, paths::kOldSiblings}) {
    const auto listed = ReadCpus(files, CpuFile(cpu, name));
    if (!listed) continue;
    std::vector<int> siblings = CpusInBoth(*listed, online);
    if (std::binary_search(siblings.begin(), siblings.end(), cpu)) return siblings;
  }
  return {cpu};
}

int Package(const KernelFiles& files, int cpu) {
  const std::string text = files.Read(CpuFile(cpu, paths::kPackage)).value_or("0");
  int package = 0;
  std::from_chars(text.data(), text.data() + text.size(), package);
  return package;
}

/// Returns the capacity of each CPU; empty if all are equal.
std::map<int, int> ReadCapacities(const KernelFiles& files, const std::vector<int>& online) {
  std::map<int, int> capacities;
  const auto atom = ReadCpus(files, paths::kAtomCpus);
  const auto core = ReadCpus(files, paths::kCoreCpus);
  for (const int cpu : online) {
    constexpr int kFast = 2;
    constexpr int kSlow = 1;
    const auto told = ParseCount(files.Text(CpuFile(cpu, paths::kCapacity)));
    if (told && *told <= kMostCapacity) capacities[cpu] = static_cast<int>(*told);
    if (core && std::binary_search(core->begin(), core->end(), cpu)) capacities[cpu] = kFast;
    if (atom && std::binary_search(atom->begin(), atom->end(), cpu)) capacities[cpu] = kSlow;
  }
  const auto differs = [&capacities](const auto& one) {
    return one.second != capacities.begin()->second;
  };
  if (std::none_of(capacities.begin(), capacities.end(), differs)) capacities.clear();
  return capacities;
}

std::vector<NumaNode> ReadNodes(const KernelFiles& files, const std::vector<int>& online) {
  constexpr std::string_view kPrefix = "node";
  constexpr std::uint64_t kMaxNode = std::numeric_limits<int>::max();
  std::vector<NumaNode> nodes;
  for (const std::string& name : files.List(paths::kNumaNodes)) {
    if (!name.starts_with(kPrefix)) continue;
    const auto number = ParseCount(std::string_view(name).substr(kPrefix.size()));
    if (!number || *number > kMaxNode) continue;
    const auto cpus = ReadCpus(files, WithTarget(paths::kNumaNodeCpus, name));
    if (!cpus) continue;
    nodes.push_back({static_cast<int>(*number), CpusInBoth(*cpus, online)});
  }
  std::sort(nodes.begin(), nodes.end(),
            [](const NumaNode& a, const NumaNode& b) { return a.number < b.number; });
  return nodes;
}

}  // namespace

std::vector<int> NodesOf(const Topology& topology, const std::vector<int>& cpus) {
  std::vector<int> numbers;
  for (const NumaNode& node : topology.nodes) {
    if (!CpusInBoth(node.cpus, cpus).empty()) numbers.push_back(node.number);
  }
  return numbers;
}

Result<Topology> ReadTopology(const KernelFiles& files) {
  auto online = ReadCpus(files, paths::kOnlineCpus);
  if (!online) return std::move(online).error().Within("reading the online CPUs");
  if (online->empty()) {
    return Error{ErrorCode::kInternal, "reading the online CPUs: the list is empty"};
  }
  Topology topology{.online = *online, .cores = {}, .nodes = ReadNodes(files, *online)};
  std::map<int, int> capacities = ReadCapacities(files, *online);
  std::vector<int> placed;
  for (int cpu : topology.online) {
    if (std::find(placed.begin(), placed.end(), cpu) != placed.end()) continue;
    PhysicalCore core{.package = Package(files, cpu), .cpus = {}, .capacity = capacities[cpu]};
    for (int sibling : Siblings(files, cpu, topology.online)) {
      if (std::find(placed.begin(), placed.end(), sibling) != placed.end()) continue;
      core.cpus.push_back(sibling);
      placed.push_back(sibling);
    }
    topology.cores.push_back(std::move(core));
  }
  return topology;
}

namespace {

/// Returns the usable CPUs of the fastest cores; empty if all cores are of the same type.
std::vector<int> FastestCpus(const Topology& topology, const std::vector<int>& usable) {
  std::map<int, std::vector<int>> by_capacity;
  for (const PhysicalCore& core : topology.cores) {
    for (const int cpu : CpusInBoth(core.cpus, usable)) by_capacity[core.capacity].push_back(cpu);
  }
  if (by_capacity.size() < 2) return {};
  std::vector<int> fastest = std::move(by_capacity.rbegin()->second);
  std::sort(fastest.begin(), fastest.end());
  return fastest;
}

}  // namespace

Result<ProfileCpus> SplitCpus(const Topology& topology, const std::vector<int>& usable,
                              const std::vector<int>& wanted) {
  const std::vector<int> cpus = CpusInBoth(topology.online, usable);
  if (cpus.empty()) {
    return Error{ErrorCode::kFailedPrecondition, "CPUs: no usable CPU is online"};
  }
  if (const std::vector<int> missing = CpusWithout(wanted, cpus); !missing.empty()) {
    return InvalidArgument("benchmark_cpus", FormatCpuList(missing) + " cannot be used here",
                           "choose among " + FormatCpuList(cpus));
  }
  const auto first_core = std::find_if(
      topology.cores.begin(), topology.cores.end(),
      [&cpus](const PhysicalCore& core) { return !CpusInBoth(core.cpus, cpus).empty(); });
  ProfileCpus split;
  split.housekeeping = CpusInBoth(first_core->cpus, cpus);
  split.benchmark = CpusWithout(cpus, split.housekeeping);
  if (const auto& chosen = wanted.empty() ? FastestCpus(topology, cpus) : wanted; !chosen.empty()) {
    split.benchmark = chosen;
    if (auto rest = CpusWithout(cpus, chosen); !rest.empty()) split.housekeeping = std::move(rest);
  }
  if (split.benchmark.empty()) split.benchmark = split.housekeeping;
  if (!CpusInBoth(split.benchmark, split.housekeeping).empty()) {
    split.why = wanted.empty() ? "there is only one physical core"
                               : "benchmark_cpus leaves no CPU for benchd";
  }
  return split;
}

namespace {

std::string SharedCore(const std::vector<int>& core) {
  return "CPUs " + FormatCpuList(core) +
         " share a core, but one of them is needed for housekeeping because no other core is left";
}

/// Uses the threads of a benchmark core that were not requested for housekeeping, because no other
/// core is left.
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

/// Returns all usable threads of the cores that contain a wanted CPU.
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

/// Chooses the thread for children among the reserved threads of a core.
int PickThread(const PhysicalCore& core, const std::vector<int>& threads,
               const std::vector<int>& wanted, bool siblings_go) {
  // The kernel keeps the first thread online.
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
  TRY(auto split, SplitCpus(topology, usable, *wanted));
  ProfileCpus cpus = std::move(split);
  cpus.benchmark = WholeCores(topology, usable, cpus.benchmark);
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
