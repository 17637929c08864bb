#include "daemon/runner/machine_setup.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <utility>

#include "core/base/cpu_list.h"
#include "core/base/try.h"
#include "daemon/kernel/cgroup.h"
#include "daemon/kernel/kernel_files.h"
#include "daemon/kernel/kernel_paths.h"
#include "daemon/launch/child_limits.h"

namespace benchd {
namespace {

/// The reason why a runner without a journal holds no settings: benchd started it in user mode.
constexpr const char* kUserMode = "user mode does not change machine settings";
constexpr std::string_view kOwnUnit = "bench.slice";
constexpr std::string_view kLeafName = "/runner";

std::unique_ptr<UnitProperties> UnitsOf(const KernelFiles& files) {
  // A root folder for tests does not have its own systemd, and the systemd of this machine must not
  // be used for it.
  if (files.IsReal() && files.Exists("run/systemd/system")) {
    return std::make_unique<SystemctlProperties>();
  }
  return std::make_unique<UnitProperties>();
}

std::string BootId(const KernelFiles& files) { return files.Text(paths::kBootId); }

std::vector<MachineProfile> Profiles(const RunnerConfig& config) {
  std::vector<MachineProfile> profiles{MachineProfile{}, StrictProfile()};
  for (const MachineProfile& profile : config.profiles) {
    const auto known =
        std::find_if(profiles.begin(), profiles.end(),
                     [&profile](const MachineProfile& one) { return one.name == profile.name; });
    if (known != profiles.end()) {
      *known = profile;
    } else {
      profiles.push_back(profile);
    }
  }
  for (MachineProfile& profile : profiles) {
    if (profile.benchmark_cpus.empty()) profile.benchmark_cpus = config.benchmark_cpus;
  }
  return profiles;
}

}  // namespace

Result<std::vector<KnownProfile>> KnowProfiles(const KernelFiles& files,
                                               const std::vector<int>& usable_cpus,
                                               const RunnerConfig& config) {
  TRY(auto topology, ReadTopology(files));
  if (auto list = ParseCpuList(config.benchmark_cpus); !list) {
    return std::move(list).error().Within("[runner] benchmark_cpus");
  }
  std::vector<KnownProfile> known;
  std::vector<int> free_cpus = CpusInBoth(topology.online, usable_cpus);
  for (MachineProfile& profile : Profiles(config)) {
    auto cpus = ChooseProfileCpus(topology, usable_cpus, profile);
    if (!cpus) {
      return std::move(cpus).error().Within("[machine_profile." + profile.name + "]");
    }
    free_cpus = CpusWithout(free_cpus, cpus->benchmark);
    known.push_back({std::move(profile), std::move(*cpus)});
  }
  if (free_cpus.empty()) return known;
  for (KnownProfile& one : known) one.cpus.housekeeping = free_cpus;
  return known;
}

/// Kills the processes that still run in the control groups of a dead runner.
void EndLeftovers() {
  if (auto own = OwnCgroupFolder(KernelFiles("/")))
    TreeGroup::RemoveLeftovers(FolderOfUnit(std::move(*own)));
  const auto top = FindCgroupPlace(KernelFiles("/"));
  if (top && !top->unit.empty()) TreeGroup::RemoveLeftovers("/" + top->mount);
}

Result<std::string> RestoreFromJournal(const RunnerOptions& options) {
  if (options.journal.empty()) return InvalidArgument("--restore", "requires --journal FILE");
  if (KernelFiles(options.sysfs_root).IsReal()) EndLeftovers();
  if (access(options.journal.c_str(), F_OK) != 0 && errno == ENOENT) {
    return std::string("nothing to restore");
  }
  TRY(auto journal, Journal::Open(options.journal));
  const KernelFiles files(options.sysfs_root);
  const std::unique_ptr<UnitProperties> units = UnitsOf(files);
  const Settings settings(files, *units);
  TRY(auto sentences, RestoreFrom(journal, settings, BootId(files)));
  std::string text;
  for (const std::string& sentence : sentences) text += (text.empty() ? "" : "\n") + sentence;
  return text.empty() ? "nothing to restore" : text;
}

MachineSetup::MachineSetup(const RunnerOptions& options)
    : is_system_(!options.journal.empty()),
      files_(options.sysfs_root),
      units_(UnitsOf(files_)),
      settings_(files_, *units_) {}

Result<std::unique_ptr<MachineSetup>> MachineSetup::Open(const RunnerOptions& options) {
  std::unique_ptr<MachineSetup> setup(new MachineSetup(options));
  TRY_VOID(setup->OpenJournal(options.journal));
  if (auto place = FindCgroupPlace(setup->files_)) setup->place_ = std::move(*place);
  if (auto folder = OwnCgroupFolder(KernelFiles("/"))) setup->runs_folder_ = std::move(*folder);
  return setup;
}

Result<void> MachineSetup::OpenJournal(const std::string& path) {
  if (path.empty()) {
    why_nothing_ = kUserMode;
    return {};
  }
  TRY(auto journal, Journal::Open(path));
  auto restored = RestoreFrom(journal, settings_, BootId(files_));
  if (!restored) {
    why_nothing_ = "machine settings are left unchanged: " + restored.error().message;
    Log(LogLevel::kError, why_nothing_ + " (" + restored.error().hint + ")");
    return {};
  }
  for (const std::string& sentence : *restored) Log(LogLevel::kWarning, sentence);
  journal_ = std::move(journal);
  return {};
}

/// Moves the runner into its own subgroup.
/// @return the folder of that group, relative to the root; empty if the runner has not moved.
std::string MachineSetup::SettleIn() {
  if (!journal_ || !files_.IsReal() || place_.unit != kOwnUnit || runs_folder_.empty()) return {};
  const std::string leaf = runs_folder_ + std::string(kLeafName);
  if (mkdir(leaf.c_str(), 0755) != 0 && errno != EEXIST) return {};
  const KernelFiles root("/");
  if (!root.Write(leaf.substr(1) + "/" + paths::kGroupProcesses, "0")) return {};
  // This may fail. OpenRunGroups() then logs the missing limit.
  for (const char* controller : {"+memory", "+pids"}) {
    static_cast<void>(
        root.Write(runs_folder_.substr(1) + "/" + paths::kSubtreeControl, controller).has_value());
  }
  return leaf.substr(1);
}

void MachineSetup::OpenRunGroups(const TreeLimits& limits) {
  std::vector<std::string> missing;
  for (TreeGroup& group : run_groups_) missing = group.Open(runs_folder_, limits);
  for (const std::string& why : missing) Log(LogLevel::kWarning, "[children] " + why);
}

void MachineSetup::Begin(const Host& host, std::vector<KnownProfile> profiles,
                         const ChildLimits& limits, std::string counters) {
  const std::string home = SettleIn();
  if (!home.empty()) {
    helper_groups_ = files_.FullPath(place_.mount);
    TreeGroup::RemoveLeftovers(helper_groups_);
    static_cast<void>(spawner_group_.Open(runs_folder_, {}));
  }
  seat_.emplace(files_, place_.mount, home);
  OpenRunGroups(ChooseTreeLimits(host, limits, is_system_));
  owner_.emplace(MachineOwner::Parts{.settings = settings_,
                                     .place = place_,
                                     .seat = *seat_,
                                     .profiles = std::move(profiles),
                                     .run_groups = {&run_groups_[0], &run_groups_[1]},
                                     .memory_limit_bytes = limits.memory_bytes.value_or(kNoLimit),
                                     .journal = journal_ ? &*journal_ : nullptr,
                                     .why_nothing = why_nothing_,
                                     .user_mode = !is_system_,
                                     .counters = std::move(counters),
                                     .overlap = host.cpus.why,
                                     .own_nice = host.own_nice});
}

}  // namespace benchd
