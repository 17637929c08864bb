#include "daemon/kernel/tree_group.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "core/base/try.h"
#include "daemon/kernel/cgroup.h"
#include "daemon/kernel/kernel_files.h"
#include "daemon/kernel/kernel_paths.h"
#include "daemon/kernel/process_stat.h"

namespace benchd {
namespace {

constexpr std::string_view kNamePrefix = "benchd-run-";
constexpr int kOpenFolder = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

UniqueFd OpenAt(int folder, const char* name, int flags) {
  return UniqueFd(openat(folder, name, flags | O_CLOEXEC));
}

bool Has(int folder, const char* name) { return faccessat(folder, name, F_OK, 0) == 0; }

std::string ReadAt(int folder, const char* name) {
  const UniqueFd file = OpenAt(folder, name, O_RDONLY);
  std::string text;
  char buffer[1024];
  ssize_t count = 0;
  while (file && (count = read(file.get(), buffer, sizeof(buffer))) > 0) {
    text.append(buffer, static_cast<std::size_t>(count));
  }
  return text;
}

bool WriteAt(int folder, const char* name, std::string_view text) {
  const UniqueFd file = OpenAt(folder, name, O_WRONLY);
  return file && write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

/// Freezes a group for its lifetime, so that no process in it can fork.
class Frozen {
 public:
  explicit Frozen(int folder) : folder_(folder) { WriteAt(folder_, paths::kGroupFreeze, "1"); }
  Frozen(const Frozen&) = delete;
  Frozen& operator=(const Frozen&) = delete;
  ~Frozen() { WriteAt(folder_, paths::kGroupFreeze, "0"); }

 private:
  const int folder_;
};

/// Sends SIGKILL to each process in a group. @return the number of processes
int SignalAll(int folder) {
  const std::string pids = ReadAt(folder, paths::kGroupProcesses);
  int count = 0;
  for (std::string_view rest = pids; !rest.empty();) {
    const auto pid = ParseCount(NextLine(rest));
    if (!pid || *pid == 0) continue;
    ::kill(static_cast<pid_t>(*pid), SIGKILL);
    ++count;
  }
  return count;
}

void KillAll(int folder) {
  if (WriteAt(folder, paths::kGroupKill, "1")) return;
  // For kernels before Linux 5.14.
  constexpr int kPasses = 20;
  for (int pass = 0; pass < kPasses; ++pass) {
    const Frozen frozen(folder);
    if (SignalAll(folder) == 0) return;
  }
}

/// Returns the number after the word that begins a line, as in "max 3" or "oom_kill 1"; 0 if the
/// word is missing.
std::uint64_t CountOf(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    std::string_view line = NextLine(text);
    if (NextWord(line) == key) return ParseCount(NextWord(line)).value_or(0);
  }
  return 0;
}

/// Reads a file of counters from its beginning.
std::string_view ReadCounters(int file, char* buffer, std::size_t size) {
  const ssize_t count = file < 0 ? 0 : pread(file, buffer, size, 0);
  return {buffer, count > 0 ? static_cast<std::size_t>(count) : 0};
}

/// Reads a file that contains one number.
std::optional<std::uint64_t> ReadNumber(int file) {
  char buffer[64];
  std::string_view text = ReadCounters(file, buffer, sizeof(buffer));
  return ParseCount(NextLine(text));
}

/// Returns the error for a limit or figure that is unavailable.
/// @param controller  the controller that `what` needs, or empty
Error GroupCannotHold(const std::string& what, std::string_view controller) {
  const std::string why =
      controller.empty() ? std::string() : WhyVersion1(KernelFiles("/"), controller);
  return Error{ErrorCode::kNotFound, why.empty()
                                         ? "no control group can be created here for " + what
                                         : what + " is unavailable: " + why};
}

}  // namespace

bool TreeGroup::IsOurs(std::string_view name) { return name.starts_with(kNamePrefix); }

namespace {

/// The runner that created a group, parsed from the group's name.
struct Maker {
  std::uint64_t pid = 0;
  std::uint64_t started_ticks = 0;  ///< since boot; distinguishes processes that reuse a pid
  std::uint64_t pid_namespace = 0;  ///< in which the pid is valid; 0: unknown
  bool operator==(const Maker&) const = default;
};

/// Returns the start time of a process; empty if it has ended or is a zombie.
std::optional<std::uint64_t> StartOf(const std::string& pid) {
  const auto process = ReadProcessStat(KernelFiles("/"), pid);
  if (!process || process->dead) return std::nullopt;
  return process->started_ticks;
}

Maker Ourselves() {
  struct stat info {};
  const bool known = stat(paths::kOwnPidNamespace, &info) == 0;
  return {static_cast<std::uint64_t>(getpid()), StartOf("self").value_or(0),
          known ? std::uint64_t{info.st_ino} : 0};
}

std::string StemOf(const Maker& maker) {
  return fmt::format("{}{}-{}-{}-", kNamePrefix, maker.pid, maker.started_ticks,
                     maker.pid_namespace);
}

/// Parses a group's name; empty for a name from an older release, which has fewer numbers.
std::optional<Maker> MakerOf(std::string_view name) {
  name.remove_prefix(std::min(name.size(), kNamePrefix.size()));
  std::array<std::uint64_t, 4> numbers{};  // the last one is the number of the folder
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::size_t end = i + 1 < numbers.size() ? name.find('-') : name.size();
    const auto number = ParseCount(name.substr(0, end));
    if (end == std::string_view::npos || !number) return std::nullopt;
    numbers[i] = *number;
    name.remove_prefix(std::min(end + 1, name.size()));
  }
  return Maker{numbers[0], numbers[1], numbers[2]};
}

/// Returns true if the group's runner is dead. Any process that can open the folder can lock it, so
/// the lock is checked only if the name does not identify the runner: for runners in another
/// namespace and for older releases.
bool IsLeft(std::string_view name, const Maker& ourselves, int folder) {
  const auto maker = MakerOf(name);
  if (!maker || maker->pid_namespace == 0 || maker->pid_namespace != ourselves.pid_namespace) {
    return flock(folder, LOCK_EX | LOCK_NB) == 0;
  }
  return maker != ourselves && StartOf(std::to_string(maker->pid)) != maker->started_ticks;
}

}  // namespace

void TreeGroup::RemoveLeftovers(const std::string& parent) {
  DIR* listing = opendir(parent.c_str());
  if (listing == nullptr) return;
  std::vector<std::string> names;
  while (const dirent* entry = readdir(listing)) {
    if (IsOurs(entry->d_name)) names.emplace_back(entry->d_name);
  }
  closedir(listing);
  if (names.empty()) return;
  const Maker ourselves = Ourselves();
  for (const std::string& name : names) {
    const std::string path = parent + "/" + name;
    UniqueFd folder(open(path.c_str(), kOpenFolder));
    if (!folder || !IsLeft(name, ourselves, folder.get())) continue;
    KillAll(folder.get());
    // Fails with EBUSY while processes are still exiting; the next runner then removes the folder.
    rmdir(path.c_str());
  }
}

Result<TreeGroup> TreeGroup::CreateIn(const std::string& parent) {
  TreeGroup group;
  TRY_VOID(group.Make(parent));
  return group;
}

Result<void> TreeGroup::Make(const std::string& parent) {
  if (parent.empty()) {
    return Error{ErrorCode::kNotFound, "cgroup: this process is not in a version 2 group"};
  }
  RemoveLeftovers(parent);
  parent_ = parent;
  stem_ = StemOf(Ourselves());
  auto made = MakeFolder();
  if (!made) parent_.clear();
  return made;
}

std::vector<std::string> TreeGroup::Open(const std::string& parent, const TreeLimits& limits) {
  base_ = limits;
  // A failure is not an error: without a group, a tree is found through the parents of its
  // processes.
  static_cast<void>(Make(parent));
  std::vector<std::string> missing;
  for (const Result<void>& limited : {LimitMemory(kNoLimit), LimitProcesses(kNoLimit)}) {
    if (!limited) missing.push_back(limited.error().message);
  }
  return missing;
}

/// Creates a folder that only we can open until it is locked, because any process that can open it
/// can lock it.
Result<UniqueFd> TreeGroup::MakeLocked(std::string& path) {
  // A runner has several groups, so each folder gets the next free number.
  constexpr unsigned kTries = 1000;
  for (unsigned i = 0; i < kTries; ++i) {
    path = parent_ + "/" + stem_ + std::to_string(number_++);
    if (mkdir(path.c_str(), 0700) != 0) {
      if (errno == EEXIST) continue;
      return SystemError(path, errno);
    }
    UniqueFd folder(open(path.c_str(), kOpenFolder));
    if (folder && flock(folder.get(), LOCK_EX | LOCK_NB) == 0) {
      // Not passed to mkdir(), which applies our umask. Language runtimes read their limits here as
      // the user.
      fchmod(folder.get(), 0755);
      return folder;
    }
    const int error = errno;
    rmdir(path.c_str());
    // A runner that looks for leftovers holds the lock for a moment.
    if (error != EWOULDBLOCK) return SystemError(path, error);
  }
  return SystemError(path, EEXIST);
}

Result<void> TreeGroup::MakeFolder() {
  std::string path;
  TRY(auto made, MakeLocked(path));
  UniqueFd folder = std::move(made);
  path_ = path;
  folder_ = std::move(folder);
  const int at = folder_.get();
  memory_events_ = OpenAt(at, paths::kMemoryEvents, O_RDONLY);
  process_events_ = OpenAt(at, paths::kPidsEvents, O_RDONLY);
  cpu_time_ = OpenAt(at, paths::kCpuStat, O_RDONLY);
  memory_peak_ = OpenAt(at, paths::kMemoryPeak, O_RDONLY);
  memory_now_ = OpenAt(at, paths::kMemoryCurrent, O_RDONLY);
  spent_ = false;
  seen_ = {};
  auto limited = Apply();
  if (!limited) RemoveFolder();
  return limited;
}

void TreeGroup::RemoveFolder() {
  if (!folder_) return;
  Kill();
  // Killed processes leave the group only when they have exited. Polling is enough, because it
  // takes at most 100 ms, and only if processes were left.
  constexpr int kTries = 100;
  for (int i = 0; i < kTries && rmdir(path_.c_str()) != 0 && errno == EBUSY; ++i) usleep(1000);
  folder_.Reset();
}

int TreeGroup::fd() {
  if (spent_) {
    RemoveFolder();
    // If this fails, the next call tries again.
    if (!MakeFolder()) spent_ = true;
  }
  return folder_.get();
}

void TreeGroup::Kill() {
  if (!folder_) return;
  spent_ = true;
  KillAll(folder_.get());
}

// ---- limits ----

bool TreeGroup::CanLimitMemory() const { return Has(folder_.get(), paths::kMemoryMax); }

bool TreeGroup::CanLimitProcesses() const { return Has(folder_.get(), paths::kPidsMax); }

Result<void> TreeGroup::WriteValue(const char* name, std::uint64_t value) const {
  const std::string text = value == kNoLimit ? "max" : std::to_string(value);
  if (WriteAt(folder_.get(), name, text)) return {};
  return SystemError(path_ + "/" + name, errno);
}

Result<void> TreeGroup::WriteMemoryLimit() {
  auto written = WriteValue(paths::kMemoryMax, held_.memory_bytes);
  if (!written) return written;
  const int at = folder_.get();
  const bool is_limited = held_.memory_bytes != kNoLimit;
  // A machine without swap does not have this file.
  WriteAt(at, paths::kMemorySwapMax, is_limited ? "0" : "max");
  WriteAt(at, paths::kMemoryOomGroup, is_limited ? "1" : "0");
  return {};
}

Result<void> TreeGroup::Apply() {
  if (held_.memory_bytes != kNoLimit) {
    TRY_VOID(WriteMemoryLimit());
  }
  if (held_.processes == kNoLimit) return {};
  return WriteValue(paths::kPidsMax, held_.processes);
}

Result<void> TreeGroup::LimitMemory(std::uint64_t bytes) {
  const std::uint64_t wanted = std::min(bytes, base_.memory_bytes);
  if (wanted == held_.memory_bytes) return {};
  if (!CanLimitMemory()) return GroupCannotHold("a memory limit", "memory");
  held_.memory_bytes = wanted;
  auto limited = WriteMemoryLimit();
  if (!limited) held_.memory_bytes = kNoLimit;
  return limited;
}

Result<void> TreeGroup::LimitProcesses(std::uint64_t count) {
  const std::uint64_t wanted = std::min(count, base_.processes);
  if (wanted == held_.processes) return {};
  if (!CanLimitProcesses()) return GroupCannotHold("a process limit", "pids");
  auto limited = WriteValue(paths::kPidsMax, wanted);
  held_.processes = limited ? wanted : kNoLimit;
  return limited;
}

TreeGroup::Counts TreeGroup::ReadCounts() const {
  char buffer[512];
  Counts counts;
  const std::string_view memory = ReadCounters(memory_events_.get(), buffer, sizeof(buffer));
  counts.memory_kills = CountOf(memory, "oom_kill");
  counts.memory_limit = CountOf(memory, "oom");
  const std::string_view forks = ReadCounters(process_events_.get(), buffer, sizeof(buffer));
  counts.refused_forks = CountOf(forks, "max");
  return counts;
}

// ---- figures ----

std::optional<std::uint64_t> TreeGroup::CpuTimeUs() const {
  char buffer[512];
  const std::string_view text = ReadCounters(cpu_time_.get(), buffer, sizeof(buffer));
  if (!text.starts_with("usage_usec ")) return {};
  return CountOf(text, "usage_usec");
}

std::optional<std::uint64_t> TreeGroup::MemoryPeakBytes() const {
  return ReadNumber(memory_peak_.get());
}

Result<void> TreeGroup::BeginRun(const TreeFigureNeeds& needs) {
  counts_memory_peak_ = needs.memory_peak && MemoryPeakBytes();
  if (counts_memory_peak_) spent_ = true;
  // If the folder is not new, earlier CPU time must not count.
  cpu_time_before_us_ = fd() >= 0 ? CpuTimeUs() : std::nullopt;
  if (needs.memory_peak && !counts_memory_peak_) {
    if (CanLimitMemory()) {
      return Error{ErrorCode::kUnimplemented,
                   "this kernel does not have memory.peak (added in Linux 5.19)"};
    }
    return GroupCannotHold("a memory peak", "memory").Within("no control group counts it");
  }
  if (needs.cpu_time && !cpu_time_before_us_) {
    return GroupCannotHold("CPU time", "").Within("no control group counts it");
  }
  return {};
}

TreeFigures TreeGroup::ReadFigures() const {
  TreeFigures figures;
  if (cpu_time_before_us_) {
    if (const auto us = CpuTimeUs(); us && *us >= *cpu_time_before_us_) {
      figures.cpu_time_us = static_cast<std::int64_t>(*us - *cpu_time_before_us_);
    }
  }
  if (counts_memory_peak_) {
    if (const auto bytes = MemoryPeakBytes()) {
      figures.memory_peak_bytes = static_cast<std::int64_t>(*bytes);
    }
  }
  return figures;
}

void TreeGroup::LeaveCharges() {
  // Every group keeps such charges for a while: the kernel reserves 256 KiB for each CPU that
  // charged memory (MEMCG_CHARGE_BATCH), and keeps names and inodes of files.
  constexpr std::uint64_t kNothing = std::uint64_t{4} * 1024 * 1024;
  if (held_.memory_bytes == kNoLimit) return;
  if (ReadNumber(memory_now_.get()).value_or(0) > kNothing) Renew();
}

void TreeGroup::Renew() {
  if (!exists()) return;
  spent_ = true;
  // Creates the folder now, because the next child is created while another run is measured.
  static_cast<void>(fd());
}

// ---- events ----

std::string TreeGroup::TakeHits() {
  if (!folder_) return {};
  const Counts before = std::exchange(seen_, ReadCounts());
  std::string text;
  if (seen_.memory_kills > before.memory_kills) {
    text = seen_.memory_limit > before.memory_limit
               ? "exceeded its memory limit of " + BytesText(held_.memory_bytes)
               : "used up the memory of this machine";
  }
  if (seen_.refused_forks > before.refused_forks) {
    text.append(text.empty() ? "" : " and ")
        .append(fmt::format("reached its limit of {} processes", held_.processes));
  }
  return text;
}

}  // namespace benchd
