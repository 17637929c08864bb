#include "daemon/system/setting.h"

#include <unistd.h>

#include <algorithm>

#include "core/base/cpu_list.h"
#include "core/base/result.h"
#include "daemon/system/cgroup.h"
#include "daemon/system/pinned_threads.h"

namespace benchd {
namespace {

constexpr std::size_t kMaxQuotedBytes = 200;

/// The kernel's words in a message: one line, not too long.
std::string FirstLineQuoted(std::string_view text) {
  text = text.substr(0, std::min(text.find('\n'), kMaxQuotedBytes));
  return "'" + std::string(text) + "'";
}

Error NotOurs(const SettingKey& key, std::string_view value) {
  return InvalidArgument(DescribeSetting(key),
                         FirstLineQuoted(value) + " is no value that benchd-runner would write");
}

/// The file of a setting that has one.
Result<std::string> PathOf(const KernelFiles& files, const SettingKey& key) {
  const SettingKindInfo& info = InfoOf(key.kind);
  const std::string path = WithTarget(info.file, key.target);
  if (info.target != SettingTarget::kUnit) return path;
  auto mount = ReadCgroup2Mount(files);
  if (!mount) return std::move(mount).error().Within(DescribeSetting(key));
  return WithoutSlash(mount->point) + path;
}

/// Where a message says that a setting lies.
std::string PlaceOf(const KernelFiles& files, const SettingKey& key) {
  if (!InfoOf(key.kind).file.empty()) {
    if (const auto path = PathOf(files, key)) return files.FullPath(*path);
  }
  return DescribeSetting(key);
}

/// systemd may forget a unit's CPUs and leave them in the unit's control group, so that its
/// processes stay confined: systemd 261 (https://github.com/systemd/systemd/issues/43846), and any
/// on Linux 6.1, which takes no empty list for a group with processes (ENOSPC) as long as another
/// unit has CPUs of its own. Called when systemd says that the unit may use all.
Result<void> ClearGroupCpus(const KernelFiles& files, std::string_view unit) {
  const auto mount = ReadCgroup2Mount(files);
  if (!mount) return {};
  const std::string path = WithoutSlash(mount->point) + "/" + std::string(unit) + "/cpuset.cpus";
  const auto left = files.Read(path);
  if (!left || left->empty()) return {};
  auto cleared = files.Write(path, "\n");
  if (cleared || cleared.error().code == ErrorCode::kNotFound) return {};
  const auto all = files.Read("sys/devices/system/cpu/possible");
  if (!all) return cleared;
  auto widened = files.Write(path, *all);
  return widened || widened.error().code != ErrorCode::kNotFound ? widened : Result<void>();
}

/// How often, and in which steps, a value that takes its time is looked at: for half a second.
constexpr int kLooks = 100;
constexpr useconds_t kBetweenLooksUs = 5000;

bool TakesItsTime(SettingKind kind) {
  return kind == SettingKind::kMinFrequency || kind == SettingKind::kMaxFrequency;
}

}  // namespace

std::string_view SettingKindName(SettingKind kind) { return InfoOf(kind).name; }

std::optional<SettingKind> FindSettingKind(std::string_view name) {
  for (int i = 0; i <= static_cast<int>(kLastSettingKind); ++i) {
    if (SettingKindName(static_cast<SettingKind>(i)) == name) return static_cast<SettingKind>(i);
  }
  return std::nullopt;
}

std::string DescribeSetting(const SettingKey& key) {
  return WithTarget(InfoOf(key.kind).description, key.target);
}

bool IsValidSetting(const SettingKey& key, std::string_view value) {
  const SettingKindInfo& info = InfoOf(key.kind);
  return IsValidTarget(info.target, key.target) && IsValidValue(info, value);
}

std::string NormalValue(SettingKind kind, std::string_view value) {
  const SettingForm form = InfoOf(kind).form;
  if (form == SettingForm::kCpuList || form == SettingForm::kCpusOrAll ||
      form == SettingForm::kCpuMask) {
    if (const auto cpus = ParseCpuList(value)) return FormatCpuList(*cpus);
  }
  return std::string(value);
}

bool SameValue(SettingKind kind, std::string_view present, std::string_view written) {
  if (present == written) return true;
  if (kind != SettingKind::kCpusetPartition || !present.starts_with(written)) return false;
  return present.substr(written.size()).starts_with(" invalid");
}

Result<std::string> Settings::Read(const SettingKey& key) const {
  const SettingKindInfo& info = InfoOf(key.kind);
  if (!IsValidTarget(info.target, key.target)) {
    return InvalidArgument(SettingKindName(key.kind),
                           FirstLineQuoted(key.target) + " is nothing it is of");
  }
  auto text = [&]() -> Result<std::string> {
    if (key.kind == SettingKind::kAllowedCpus) return units_.AllowedCpus(key.target);
    if (key.kind == SettingKind::kThreadCpus) return ReadThreadCpus(files_, key.target);
    auto path = PathOf(files_, key);
    return path ? files_.Read(*path) : std::move(path);
  }();
  if (!text) return text;
  if (auto value = NormalFromFile(info, *text)) return std::move(*value);
  return Error{ErrorCode::kInternal,
               PlaceOf(files_, key) + ": " + FirstLineQuoted(*text) + " is not understood"};
}

Result<void> Settings::Write(const SettingKey& key, std::string_view value) const {
  const std::string wanted = NormalValue(key.kind, value);
  if (!IsValidSetting(key, wanted)) return NotOurs(key, value);
  auto written = [&]() -> Result<void> {
    if (key.kind == SettingKind::kAllowedCpus) return units_.SetAllowedCpus(key.target, wanted);
    if (key.kind == SettingKind::kThreadCpus) return WriteThreadCpus(files_, key.target, wanted);
    const auto path = PathOf(files_, key);
    if (!path) return path.error();
    return files_.Write(*path, TextForFile(InfoOf(key.kind), wanted));
  }();
  if (!written) return written;
  auto actual = Read(key);
  // cpufreq takes a limit at once and shows it when a kernel thread has had its turn.
  for (int look = 0; look < kLooks && actual && *actual != wanted && TakesItsTime(key.kind);
       ++look) {
    usleep(kBetweenLooksUs);
    actual = Read(key);
  }
  if (!actual) return actual.error();
  if (*actual != wanted) {
    return Error{ErrorCode::kFailedPrecondition, PlaceOf(files_, key) + ": '" + wanted +
                                                     "' was taken but reads back as " +
                                                     FirstLineQuoted(*actual)};
  }
  if (key.kind != SettingKind::kAllowedCpus || !wanted.empty()) return {};
  return ClearGroupCpus(files_, key.target);
}

}  // namespace benchd
