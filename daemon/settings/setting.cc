#include "daemon/settings/setting.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <iterator>

#include "core/base/cpu_list.h"
#include "core/base/try.h"
#include "daemon/kernel/cgroup.h"
#include "daemon/kernel/kernel_paths.h"
#include "daemon/settings/thread_cpus.h"

namespace benchd {
namespace {

using Form = SettingForm;
using Target = SettingTarget;

constexpr std::uint32_t kMaxIrq = 999'999;
/// The maximum length of a CPU list. The longest list in normal form, every second CPU of kMaxCpus,
/// has half of this length.
constexpr std::size_t kMaxCpuListBytes = 4096;

/// Returns true for a number in normal form, without a sign and leading zeros.
bool IsNumber(std::string_view text, std::uint32_t least, std::uint32_t most) {
  std::uint32_t number = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  if (parsed.ec != std::errc() || parsed.ptr != end) return false;
  if (text.size() > 1 && text.front() == '0') return false;
  return number >= least && number <= most;
}

bool IsName(std::string_view text) {
  return !text.empty() && text.size() <= kMaxSettingNameBytes &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
         });
}

bool HasNoControls(std::string_view text) {
  return std::none_of(text.begin(), text.end(),
                      [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; });
}

/// Returns true for a list in the format of FormatCpuList().
bool IsCpuList(std::string_view text) {
  if (text.empty() || text.size() > kMaxCpuListBytes) return false;
  const auto cpus = ParseCpuList(text);
  return cpus && FormatCpuList(*cpus) == text;
}

/// Returns the word in brackets: "madvise" for "always [madvise] never". A text without brackets is
/// returned unchanged if it is a single word.
std::optional<std::string> ChosenWord(std::string_view text) {
  const std::size_t open = text.find('[');
  if (open == std::string_view::npos) {
    return IsName(text) ? std::optional<std::string>(text) : std::nullopt;
  }
  const std::string_view inside = text.substr(open + 1);
  const std::string_view word = inside.substr(0, inside.find(']'));
  return word.size() < inside.size() && IsName(word) ? std::optional<std::string>(word)
                                                     : std::nullopt;
}

std::optional<std::string> NormalCpus(Result<std::vector<int>> cpus) {
  return cpus ? std::optional<std::string>(FormatCpuList(*cpus)) : std::nullopt;
}

}  // namespace

bool IsValidTarget(SettingTarget kind, std::string_view target) {
  switch (kind) {
    case Target::kMachine:
      return target.empty();
    case Target::kIrq:
      return IsNumber(target, 0, kMaxIrq);
    case Target::kCpu:
      return IsNumber(target, 0, kMaxCpus - 1);
    case Target::kUnit:
      return std::find(std::begin(kUnitTargets), std::end(kUnitTargets), target) !=
             std::end(kUnitTargets);
    case Target::kThread:
      return ParseThreadTarget(target).has_value();
  }
  return false;
}

bool IsValidValue(const SettingKindInfo& info, std::string_view value) {
  switch (info.form) {
    case Form::kCpuList:
    case Form::kCpuMask:
      return IsCpuList(value);
    case Form::kCpusOrAll:
      return value.empty() || IsCpuList(value);
    case Form::kNumber:
      return IsNumber(value, info.least, info.most);
    case Form::kWord:
    case Form::kChoice:
      return !value.empty() && HasWord(info.words, value);
    case Form::kName:
      return IsName(value);
  }
  return false;
}

std::optional<std::string> NormalFromFile(const SettingKindInfo& info, std::string_view text) {
  switch (info.form) {
    case Form::kCpuList:
    case Form::kCpusOrAll:
      return NormalCpus(ParseCpuList(text));
    case Form::kCpuMask:
      return NormalCpus(ParseCpuMask(text));
    case Form::kChoice:
      return ChosenWord(text);
    case Form::kName:
      return IsName(text) ? std::optional<std::string>(text) : std::nullopt;
    case Form::kNumber:
      return IsNumber(text, 0, std::uint32_t(-1)) ? std::optional<std::string>(text) : std::nullopt;
    case Form::kWord:
      // Accepts any text, because a state such as "isolated invalid (...)" is shown to users.
      return !text.empty() && HasNoControls(text) ? std::optional<std::string>(text) : std::nullopt;
  }
  return std::nullopt;
}

std::string TextForFile(const SettingKindInfo& info, std::string_view value) {
  if (info.form == Form::kCpuMask) {
    const auto cpus = ParseCpuList(value);
    return cpus ? FormatCpuMask(*cpus) : std::string();
  }
  return std::string(value);
}

namespace {

constexpr int kGroupBits = 32;
constexpr std::size_t kGroupDigits = 8;

Error NoMask(std::string_view group) {
  return InvalidArgument("CPU mask", "'" + Printable(group) + "' is not a group of 32 CPUs");
}

}  // namespace

Result<std::vector<int>> ParseCpuMask(std::string_view text) {
  std::vector<int> cpus;
  int first = 0;  // CPU of the group's lowest bit
  for (;;) {
    const std::size_t comma = text.rfind(',');
    const std::string_view group = comma == std::string_view::npos ? text : text.substr(comma + 1);
    std::uint32_t bits = 0;
    const char* end = group.data() + group.size();
    const auto parsed = std::from_chars(group.data(), end, bits, 16);
    if (parsed.ec != std::errc() || parsed.ptr != end || group.size() > kGroupDigits) {
      return NoMask(group.substr(0, 40));
    }
    // The kernel always prints all groups that it was built for; the upper ones may be zero.
    if (first >= kMaxCpus && bits != 0) {
      return InvalidArgument("CPU mask", fmt::format("contains CPUs above {}", kMaxCpus - 1));
    }
    for (int bit = 0; bit < kGroupBits; ++bit) {
      if ((bits >> bit & 1) != 0) cpus.push_back(first + bit);
    }
    if (comma == std::string_view::npos) break;
    text = text.substr(0, comma);
    first = std::min(first + kGroupBits, kMaxCpus);
  }
  return cpus;
}

std::string FormatCpuMask(const std::vector<int>& cpus) {
  const int groups = cpus.empty() ? 1 : cpus.back() / kGroupBits + 1;
  std::vector<std::uint32_t> bits(static_cast<std::size_t>(groups));
  for (int cpu : cpus) {
    bits[static_cast<std::size_t>(cpu / kGroupBits)] |= std::uint32_t{1} << (cpu % kGroupBits);
  }
  std::string text;
  for (std::size_t i = bits.size(); i-- > 0;) {
    char digits[kGroupDigits];
    const auto end = std::to_chars(digits, digits + sizeof(digits), bits[i], 16).ptr;
    const auto count = static_cast<std::size_t>(end - digits);
    if (!text.empty()) text.append(",").append(kGroupDigits - count, '0');
    text.append(digits, count);
  }
  return text;
}

namespace {

constexpr std::size_t kMaxQuotedBytes = 200;

/// Quotes the first line of the kernel's text for a message, with limited length.
std::string FirstLineQuoted(std::string_view text) {
  text = text.substr(0, std::min(text.find('\n'), kMaxQuotedBytes));
  return "'" + std::string(text) + "'";
}

Error NotOurs(const SettingKey& key, std::string_view value) {
  return InvalidArgument(DescribeSetting(key), FirstLineQuoted(value) + " is not a valid value");
}

/// Returns the path of a setting's file. The setting must have a file.
Result<std::string> PathOf(const KernelFiles& files, const SettingKey& key) {
  const SettingKindInfo& info = InfoOf(key.kind);
  const std::string path = WithTarget(info.file, key.target);
  if (info.target != SettingTarget::kUnit) return path;
  auto mount = ReadCgroup2Mount(files);
  if (!mount) return std::move(mount).error().Within(DescribeSetting(key));
  return WithoutSlash(mount->point) + path;
}

/// Returns the location of a setting for messages: its file, or else its description.
std::string PlaceOf(const KernelFiles& files, const SettingKey& key) {
  if (!InfoOf(key.kind).file.empty()) {
    if (const auto path = PathOf(files, key)) return files.FullPath(*path);
  }
  return DescribeSetting(key);
}

/// Empties the unit's cpuset.cpus. Called when systemd reports that the unit may use all CPUs.
///
/// systemd may remove a unit's CPU list but leave it in the control group, so that the unit's
/// processes stay confined. systemd 261 does this on all kernels
/// (https://github.com/systemd/systemd/issues/43846). All versions do it on Linux 6.1, which
/// rejects an empty list for a group with processes (ENOSPC) while another unit has a list.
Result<void> ClearGroupCpus(const KernelFiles& files, std::string_view unit) {
  const auto mount = ReadCgroup2Mount(files);
  if (!mount) return {};
  const std::string path =
      WithoutSlash(mount->point) + "/" + std::string(unit) + "/" + paths::kCpusetCpus;
  const auto left = files.Read(path);
  if (!left || left->empty()) return {};
  auto cleared = files.Write(path, "\n");
  if (cleared || cleared.error().code == ErrorCode::kNotFound) return {};
  const auto all = files.Read(paths::kPossibleCpus);
  if (!all) return cleared;
  auto widened = files.Write(path, *all);
  return widened || widened.error().code != ErrorCode::kNotFound ? widened : Result<void>();
}

/// Polling of values that take effect late: half a second in total.
constexpr int kLooks = 100;
constexpr useconds_t kBetweenLooksUs = 5000;

bool TakesItsTime(SettingKind kind) {
  return kind == SettingKind::kMinFrequency || kind == SettingKind::kMaxFrequency;
}

}  // namespace

std::string_view SettingKindName(SettingKind kind) { return InfoOf(kind).name; }

std::optional<SettingKind> FindSettingKind(std::string_view name) {
  for (const SettingKindInfo& info : kSettingKinds) {
    if (info.name == name) return info.kind;
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
                           FirstLineQuoted(key.target) + " is not a valid target");
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
               PlaceOf(files_, key) + ": " + FirstLineQuoted(*text) + " is not a valid value"};
}

Result<void> Settings::Write(const SettingKey& key, std::string_view value) const {
  const std::string wanted = NormalValue(key.kind, value);
  if (!IsValidSetting(key, wanted)) return NotOurs(key, value);
  auto written = [&]() -> Result<void> {
    if (key.kind == SettingKind::kAllowedCpus) return units_.SetAllowedCpus(key.target, wanted);
    if (key.kind == SettingKind::kThreadCpus) return WriteThreadCpus(files_, key.target, wanted);
    TRY(const auto path, PathOf(files_, key));
    return files_.Write(path, TextForFile(InfoOf(key.kind), wanted));
  }();
  if (!written) return written;
  auto actual = Read(key);
  // cpufreq accepts a limit at once, but shows it only after a kernel thread has run.
  for (int look = 0; look < kLooks && actual && *actual != wanted && TakesItsTime(key.kind);
       ++look) {
    usleep(kBetweenLooksUs);
    actual = Read(key);
  }
  if (!actual) return actual.error();
  if (*actual != wanted) {
    return Error{ErrorCode::kFailedPrecondition, PlaceOf(files_, key) + ": '" + wanted +
                                                     "' was accepted, but reads back as " +
                                                     FirstLineQuoted(*actual)};
  }
  if (key.kind != SettingKind::kAllowedCpus || !wanted.empty()) return {};
  return ClearGroupCpus(files_, key.target);
}

}  // namespace benchd
