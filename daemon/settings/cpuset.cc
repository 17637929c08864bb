#include "daemon/settings/cpuset.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <utility>

#include "core/base/cpu_list.h"
#include "core/base/try.h"
#include "daemon/kernel/kernel_paths.h"
#include "daemon/kernel/tree_group.h"

namespace benchd {

/// The arguments of all attempts.
struct Cpuset::Wish {
  SettingsLease& lease;
  const CgroupPlace& place;
  std::vector<int> housekeeping;
  std::vector<int> benchmark;
  std::string why_shared;  ///< ProfileCpus::why

  const KernelFiles& files() const { return lease.settings().files(); }
  std::string GroupFile(std::string_view unit, std::string_view name) const {
    return place.mount + "/" + std::string(unit) + "/" + std::string(name);
  }
  Result<void> Change(const std::vector<SettingChange>& changes) const {
    auto changed = lease.Take(changes);
    return changed ? Result<void>() : std::move(changed).error();
  }
};

namespace {

constexpr std::string_view kOwnUnit = "bench.slice";

/// The values of a profile, in the order of CpusetKind.
constexpr std::string_view kCpusets[] = {"isolated", "root", "shield"};

Error CannotBeHad(std::string why) { return Error{ErrorCode::kFailedPrecondition, std::move(why)}; }

std::vector<int> OnlineOf(const KernelFiles& files, const std::vector<int>& cpus) {
  const auto online = ReadCpus(files, paths::kOnlineCpus);
  return online && !online->empty() ? CpusInBoth(cpus, *online) : cpus;
}

CpusetKind NextBest(CpusetKind kind) { return static_cast<CpusetKind>(static_cast<int>(kind) + 1); }

/// Returns the reason why systemd's units cannot be restricted to CPUs; empty if they can.
std::string WhyNoUnits(const Settings& settings, const CgroupPlace& place) {
  if (!place.version1.empty()) return place.version1;
  if (place.mount.empty()) return "no cgroup version 2 hierarchy is mounted";
  const auto controllers = settings.files().Read(place.mount + "/" + paths::kGroupControllers);
  if (!controllers) return controllers.error().message;
  if (!HasWord(*controllers, "cpuset")) return "cgroup version 2 lacks a cpuset controller here";
  if (place.unit != kOwnUnit) {
    return "benchd-runner does not run in " + std::string(kOwnUnit) +
           ", unlike benchd-runner.service";
  }
  const auto allowed = settings.Read({SettingKind::kAllowedCpus, std::string(kOwnUnit)});
  return allowed ? std::string() : allowed.error().message;
}

bool HasAnyOf(const Result<std::string>& list, const std::vector<int>& cpus) {
  const auto listed = list ? ParseCpuList(*list) : std::vector<int>();
  return listed && !CpusInBoth(*listed, cpus).empty();
}

/// Returns the top-level groups with processes on these CPUs, except for systemd's four units.
std::vector<std::string> GroupsOn(const KernelFiles& files, const std::string& mount,
                                  const std::vector<int>& cpus) {
  std::vector<std::string> names;
  for (const std::string& name : files.List(mount)) {
    const auto* unit = std::find(std::begin(kUnitTargets), std::end(kUnitTargets), name);
    // The group of a helper exists only briefly, and its processes run on the housekeeping CPUs.
    if (unit != std::end(kUnitTargets) || TreeGroup::IsOurs(name)) continue;
    const std::string group = mount + "/" + name + "/";
    const std::string events = files.Text(group + paths::kGroupEvents);
    if (events.find("populated 1") == std::string::npos) continue;
    if (HasAnyOf(files.Read(group + paths::kCpusetEffective), cpus)) names.push_back(name);
  }
  return names;
}

std::string StillThere(const std::vector<std::string>& groups) {
  std::string names;
  for (const std::string& name : groups) AppendItem(names, ", ", Printable(name));
  return names.empty() ? names : "the benchmark CPUs can still be used by " + names;
}

/// Returns the last two components of a path, such as "bench.slice/cpuset.cpus.effective".
std::string_view LastTwo(std::string_view path) {
  const std::size_t last = path.rfind('/');
  const std::size_t before = last == 0 ? last : path.rfind('/', last - 1);
  return before == std::string_view::npos ? path : path.substr(before + 1);
}

}  // namespace

CpusetKind FirstToTry(std::string_view wanted) {
  const auto* const found = std::find(std::begin(kCpusets), std::end(kCpusets), wanted);
  return static_cast<CpusetKind>(found - std::begin(kCpusets));
}

// ---- taking ----

Cpuset Cpuset::Take(SettingsLease& lease, const CgroupPlace& place, const ProfileCpus& cpus,
                    std::string_view wanted) {
  const KernelFiles& files = lease.settings().files();
  const Wish wish{.lease = lease,
                  .place = place,
                  .housekeeping = OnlineOf(files, cpus.housekeeping),
                  .benchmark = OnlineOf(files, cpus.benchmark),
                  .why_shared = cpus.why};
  const std::size_t before = lease.size();
  Cpuset cpuset;
  std::string last_reason;
  CpusetKind kind = FirstToTry(wanted);
  for (; kind != CpusetKind::kAffinity; kind = NextBest(kind)) {
    auto taken = cpuset.Try(wish, kind);
    if (taken) break;
    std::string reason = std::move(taken).error().message;
    for (const std::string& left : lease.Release(before)) reason += "; " + left;
    cpuset.expected_.clear();
    if (reason == last_reason) continue;
    cpuset.why_ += (cpuset.why_.empty() ? "" : "; ") + std::string(NameOf(kind)) + ": " + reason;
    last_reason = std::move(reason);
  }
  cpuset.kind_ = kind;
  if (kind != CpusetKind::kMember) return cpuset;
  const std::string sharing = StillThere(GroupsOn(files, place.mount, wish.benchmark));
  if (!sharing.empty()) cpuset.why_ += (cpuset.why_.empty() ? "" : "; ") + sharing;
  return cpuset;
}

Result<void> Cpuset::Try(const Wish& wish, CpusetKind kind) {
  if (wish.benchmark.empty()) return CannotBeHad("no benchmark CPU is online");
  if (wish.housekeeping.empty() || !CpusInBoth(wish.housekeeping, wish.benchmark).empty()) {
    return CannotBeHad("no CPU is left for housekeeping" +
                       (wish.why_shared.empty() ? "" : ": " + wish.why_shared));
  }
  std::string blocked = WhyNoUnits(wish.lease.settings(), wish.place);
  if (!blocked.empty()) return CannotBeHad(std::move(blocked));
  if (kind == CpusetKind::kMember) return TakeMember(wish);
  return TakePartition(wish, kind == CpusetKind::kIsolated ? "isolated" : "root");
}

/// Sets the CPUs through systemd, because systemd's next reload would undo any other change. Sets
/// the partition type in the kernel's file, which appears when the CPUs are set.
Result<void> Cpuset::TakePartition(const Wish& wish, std::string_view type) {
  const std::string unit(kOwnUnit);
  const std::string list = FormatCpuList(wish.benchmark);
  TRY_VOID(wish.Change({{{SettingKind::kAllowedCpus, unit}, list}}));
  auto seen = Expect(wish, wish.GroupFile(unit, paths::kCpusetCpus), list);
  if (!seen) return seen;
  auto made = wish.Change({{{SettingKind::kCpusetPartition, unit}, std::string(type)}});
  if (!made) return made;
  auto valid = Expect(wish, wish.GroupFile(unit, paths::kCpusetPartition), std::string(type));
  return valid ? Expect(wish, wish.GroupFile(unit, paths::kCpusetEffective), list) : valid;
}

Result<void> Cpuset::TakeMember(const Wish& wish) {
  std::vector<SettingChange> changes;
  for (const std::string_view unit : kUnitTargets) {
    const std::vector<int>& cpus = unit == kOwnUnit ? wish.benchmark : wish.housekeeping;
    changes.push_back({{SettingKind::kAllowedCpus, std::string(unit)}, FormatCpuList(cpus)});
  }
  TRY_VOID(wish.Change(changes));
  for (const SettingChange& change : changes) {
    const std::string& unit = change.key.target;
    // A unit without processes may not have a group.
    if (unit != kOwnUnit && !wish.files().Exists(wish.place.mount + "/" + unit)) continue;
    auto seen = Expect(wish, wish.GroupFile(unit, paths::kCpusetEffective), change.value);
    if (!seen) return seen;
  }
  return {};
}

/// Waits until a file has the expected text, because systemd replies before it has written to the
/// control groups.
Result<void> Cpuset::Expect(const Wish& wish, std::string path, std::string text) {
  constexpr int kTries = 200;
  constexpr useconds_t kPauseUs = 5000;
  auto present = wish.files().Read(path);
  for (int i = 0; i < kTries && (!present || *present != text); ++i) {
    usleep(kPauseUs);
    present = wish.files().Read(path);
  }
  if (!present) return std::move(present).error();
  if (*present != text) {
    return CannotBeHad(wish.files().FullPath(path) + ": the value is '" + Printable(*present) +
                       "' instead of '" + text + "'");
  }
  expected_.push_back({std::move(path), std::move(text)});
  return {};
}

// ---- holding ----

std::string Cpuset::Broken(const KernelFiles& files) const {
  for (const Expected& expected : expected_) {
    const auto present = files.Read(expected.path);
    if (!present) return present.error().message;
    if (*present == expected.text) continue;
    // The partition file contains the reason: "isolated invalid (Cpu list in cpuset.cpus ...)".
    if (expected.path.ends_with(paths::kCpusetPartition)) return Printable(*present);
    return std::string(LastTwo(expected.path)) + ": " + Printable(*present);
  }
  return {};
}

Result<UniqueFd> LimitCStates(const KernelFiles& files, std::int32_t latency_us) {
  const std::string path = files.FullPath(paths::kCpuLatency);
  UniqueFd file(open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
  if (!file) return SystemError(path, errno);
  const ssize_t count = write(file.get(), &latency_us, sizeof(latency_us));
  if (count == static_cast<ssize_t>(sizeof(latency_us))) return file;
  return SystemError(path, count < 0 ? errno : EIO);
}

Result<void> CgroupSeat::StepOut() {
  if (out_ || home_.empty()) return {};
  auto moved = files_.Write(mount_ + "/" + paths::kGroupProcesses, "0");
  out_ = moved.has_value();
  return moved;
}

void CgroupSeat::StepBack() {
  if (!out_) return;
  out_ = !files_.Write(home_ + "/" + paths::kGroupProcesses, "0");
}

}  // namespace benchd
