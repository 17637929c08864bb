#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/base/cpu_list.h"
#include "daemon/kernel/cgroup.h"
#include "daemon/kernel/kernel_files.h"
#include "daemon/kernel/topology.h"
#include "daemon/observe/doctor.h"
#include "daemon/observe/sample.h"
#include "daemon/settings/plan.h"
#include "daemon/settings/setting.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/sections.h"

namespace benchd::fuzz {
namespace {

/// The texts of an input as kernel files. There are no folders, and nothing is written.
class TextFiles final : public KernelFiles {
 public:
  explicit TextFiles(std::map<std::string, std::string, std::less<>> texts)
      : KernelFiles("/nonexistent/"), texts_(std::move(texts)) {}

  Result<std::string> Read(std::string_view path) const override {
    const auto text = texts_.find(path);
    if (text == texts_.end()) return Error{ErrorCode::kNotFound, std::string(path), {}};
    return text->second.substr(0, text->second.find_last_not_of(" \t\r\n") + 1);
  }
  Result<void> Write(std::string_view path, std::string_view) const override {
    return Error{ErrorCode::kPermissionDenied, std::string(path), {}};
  }

 private:
  std::map<std::string, std::string, std::less<>> texts_;
};

using Texts = std::map<std::string, std::string, std::less<>>;

/// Every online CPU is in one core, and the split assigns every CPU.
void CheckTopology(const Topology& topology) {
  std::vector<int> placed;
  for (const PhysicalCore& core : topology.cores) {
    placed.insert(placed.end(), core.cpus.begin(), core.cpus.end());
  }
  std::sort(placed.begin(), placed.end());
  FUZZ_CHECK(placed == topology.online);
}

/// The CPUs of a profile that requests `wanted`; those of a two-CPU machine if there are none.
ProfileCpus CheckCpus(const KernelFiles& files, const std::string& wanted) {
  ProfileCpus cpus{.housekeeping = {0}, .benchmark = {1}, .used = {1}, .why = {}};
  const auto topology = ReadTopology(files);
  if (!topology) {
    CheckMessage(topology.error().message);
    return cpus;
  }
  CheckTopology(*topology);
  MachineProfile profile;
  profile.benchmark_cpus = wanted;
  for (const char* smt : {"", "idle", "off"}) {
    profile.smt = smt;
    const auto chosen = ChooseProfileCpus(*topology, topology->online, profile);
    if (!chosen) {
      CheckMessage(chosen.error().message);
      continue;
    }
    FUZZ_CHECK(!chosen->housekeeping.empty() && !chosen->used.empty());
    FUZZ_CHECK(CpusWithout(chosen->used, chosen->benchmark).empty());
    FUZZ_CHECK(CpusWithout(chosen->benchmark, topology->online).empty());
    cpus = *chosen;
  }
  return cpus;
}

MachineSample SampleOf(const KernelFiles& files, const Texts& texts, const std::vector<int>& cpus) {
  MachineSample sample = TakeSample(files, cpus);
  sample.own_children_us = 0;
  for (const auto& [path, text] : texts) {
    // "proc/42/stat": the sample itself lists such files in a folder, and there are none here.
    const auto pid = path.starts_with("proc/") && path.ends_with("/stat")
                         ? ParseCount(path.substr(5, path.size() - 10))
                         : std::nullopt;
    const auto process = pid ? ParseProcess(text) : std::nullopt;
    if (process) sample.processes[static_cast<std::int32_t>(*pid & 0xFFFF)] = *process;
  }
  return sample;
}

/// The doctor's report and the end of a session derive from the kernel's texts.
void CheckSamples(const Texts& before_texts, const Texts& after_texts, const ProfileCpus& cpus) {
  const TextFiles before_files(before_texts);
  const TextFiles after_files(after_texts);
  const MachineSample before = SampleOf(before_files, before_texts, cpus.used);
  MachineSample after = SampleOf(after_files, after_texts, cpus.used);
  after.at_ns = before.at_ns + 1'000'000'000;
  for (const Warning& warning : CompareSamples(before, after, cpus.used)) {
    FUZZ_CHECK(!warning.code.empty());
    CheckMessage(warning.message);
  }
  for (const NoiseSource& source : Diagnose(after_files, cpus, {}, before, after)) {
    CheckMessage(source.finding);
    CheckMessage(source.advice);
  }
}

/// Our own values are read back as they were written; any value has one normal form.
void CheckSettings(std::string_view text) {
  for (int kind = 0; kind <= static_cast<int>(kLastSettingKind); ++kind) {
    const SettingKindInfo& info = InfoOf(static_cast<SettingKind>(kind));
    if (!IsValidValue(info, text)) {
      static_cast<void>(NormalFromFile(info, text));
      continue;
    }
    const auto normal = NormalFromFile(info, TextForFile(info, text));
    FUZZ_CHECK(normal == text || text.empty());
  }
}

void CheckPlan(const KernelFiles& files, const ProfileCpus& cpus) {
  UnitProperties units;
  const Settings settings(files, units);
  MachineProfile profile;
  profile.governor = "performance";
  profile.energy_preference = "performance";
  profile.min_frequency_khz = "800000";
  profile.max_frequency_khz = "2400000";
  profile.boost = "off";
  profile.smt = "off";
  for (const PlannedSetting& planned : PlanSettings(profile, cpus, settings)) {
    FUZZ_CHECK(!planned.name.empty());
    for (const SettingChange& change : planned.changes) {
      FUZZ_CHECK(IsValidSetting(change.key, change.value));
    }
    static_cast<void>(PresentValue(planned, settings));
  }
}

void CheckMounts(const Texts& texts) {
  const TextFiles files(texts);
  const std::string mounts = files.Read("proc/self/mountinfo").value_or("");
  static_cast<void>(WhyVersion1(mounts, "cpuset"));
  const auto mount = FindCgroup2Mount(mounts);
  if (!mount) return CheckMessage(mount.error().message);
  const auto folder = OwnCgroupFolder(*mount, files.Read("proc/self/cgroup").value_or(""));
  if (!folder) CheckMessage(folder.error().message);
}

}  // namespace

void FuzzKernelFiles(std::string_view input) {
  constexpr std::string_view kAfter = "after/";
  Texts before;
  Texts changed;
  for (const auto& [name, text] : SectionsOf(input)) {
    const bool later = name.starts_with(kAfter);
    (later ? changed : before)[std::string(later ? name.substr(kAfter.size()) : name)] = text;
  }
  Texts after = before;
  for (auto& [name, text] : changed) after[name] = text;

  const TextFiles files(before);
  const ProfileCpus cpus = CheckCpus(files, files.Read("wanted").value_or(""));
  CheckSamples(before, after, cpus);
  CheckPlan(files, cpus);
  CheckMounts(before);
  CheckSettings(files.Read("setting").value_or(""));
  for (const auto& [name, value] : ReadEnvironment(files).facts) {
    FUZZ_CHECK(!name.empty() && !value.empty());
  }
}

}  // namespace benchd::fuzz
