#include "daemon/system/cgroup.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <charconv>
#include <vector>

#include "daemon/base/error.h"
#include "daemon/system/kernel_files.h"

namespace benchd {
namespace {

constexpr std::string_view kNamePrefix = "benchd-run-";
constexpr int kOpenFolder = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

/// The next word of a line whose words are separated by single blanks.
std::string_view TakeWord(std::string_view& line) {
  const std::string_view word = line.substr(0, line.find(' '));
  line.remove_prefix(std::min(line.size(), word.size() + 1));
  return word;
}

std::string_view TakeLine(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(text.size(), line.size() + 1));
  return line;
}

/// mountinfo writes blank, tab, newline and backslash as three octal digits.
std::string Unescape(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size()) {
      int code = 0;
      std::from_chars(&text[i + 1], &text[i + 1] + 3, code, 8);
      plain += static_cast<char>(code);
      i += 3;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

std::string ReadAt(int folder, const char* name) {
  UniqueFd file(openat(folder, name, O_RDONLY | O_CLOEXEC));
  std::string text;
  char buffer[1024];
  ssize_t count = 0;
  while (file && (count = read(file.get(), buffer, sizeof(buffer))) > 0) {
    text.append(buffer, static_cast<std::size_t>(count));
  }
  return text;
}

void KillAll(int folder) {
  UniqueFd kill_file(openat(folder, "cgroup.kill", O_WRONLY | O_CLOEXEC));
  if (kill_file && write(kill_file.get(), "1", 1) == 1) return;
  // Before Linux 5.14. A process that forks meanwhile is met by the next pass or the next call.
  constexpr int kPasses = 20;
  for (int pass = 0; pass < kPasses; ++pass) {
    const std::string pids = ReadAt(folder, "cgroup.procs");
    if (pids.empty()) return;
    std::string_view rest = pids;
    while (!rest.empty()) {
      const std::string_view line = TakeLine(rest);
      pid_t pid = 0;
      std::from_chars(line.data(), line.data() + line.size(), pid);
      if (pid > 0) ::kill(pid, SIGKILL);
    }
  }
}

/// Removes the groups of runners that are gone: those whose lock nobody holds.
void RemoveLeftovers(const std::string& parent) {
  DIR* listing = opendir(parent.c_str());
  if (listing == nullptr) return;
  std::vector<std::string> names;
  while (const dirent* entry = readdir(listing)) {
    if (std::string_view(entry->d_name).starts_with(kNamePrefix)) names.emplace_back(entry->d_name);
  }
  closedir(listing);
  for (const std::string& name : names) {
    const std::string path = parent + "/" + name;
    UniqueFd folder(open(path.c_str(), kOpenFolder));
    if (!folder || flock(folder.get(), LOCK_EX | LOCK_NB) != 0) continue;
    KillAll(folder.get());
    // EBUSY while its processes are still dying: then the next runner finds it again.
    rmdir(path.c_str());
  }
}

}  // namespace

Result<CgroupMount> FindCgroup2Mount(std::string_view mountinfo) {
  while (!mountinfo.empty()) {
    std::string_view line = TakeLine(mountinfo);
    const std::size_t separator = line.find(" - ");
    if (separator == std::string_view::npos) continue;
    std::string_view after = line.substr(separator + 3);
    if (TakeWord(after) != "cgroup2") continue;
    for (int skipped = 0; skipped < 3; ++skipped) TakeWord(line);
    CgroupMount mount;
    mount.root = Unescape(TakeWord(line));
    mount.point = Unescape(TakeWord(line));
    return mount;
  }
  return Error{ErrorCode::kNotFound, "cgroup: no version 2 hierarchy is mounted", {}};
}

Result<CgroupMount> FindV1CpusetMount(std::string_view mountinfo) {
  while (!mountinfo.empty()) {
    std::string_view line = TakeLine(mountinfo);
    const std::size_t separator = line.find(" - ");
    if (separator == std::string_view::npos) continue;
    std::string_view after = line.substr(separator + 3);
    if (TakeWord(after) != "cgroup") continue;
    TakeWord(after);  // the source
    // The controllers stand among the file system's options: "rw,cpuset,clone_children".
    const std::string options = "," + std::string(TakeWord(after)) + ",";
    if (options.find(",cpuset,") == std::string::npos) continue;
    for (int skipped = 0; skipped < 3; ++skipped) TakeWord(line);
    CgroupMount mount;
    mount.root = Unescape(TakeWord(line));
    mount.point = Unescape(TakeWord(line));
    if (mount.root == "/") return mount;
  }
  return Error{ErrorCode::kNotFound, "cgroup: no version 1 cpuset hierarchy is mounted", {}};
}

Result<std::string> OwnCgroupFolder(const CgroupMount& mount, std::string_view cgroup) {
  while (!cgroup.empty()) {
    std::string_view group = TakeLine(cgroup);
    if (!group.starts_with("0::/")) continue;
    group.remove_prefix(3);
    if (mount.root != "/") {
      if (!group.starts_with(mount.root)) break;
      group.remove_prefix(mount.root.size());
      if (!group.empty() && group.front() != '/') break;
    }
    std::string folder = mount.point + std::string(group);
    if (folder.back() == '/') folder.pop_back();
    return folder;
  }
  return Error{ErrorCode::kNotFound, "cgroup: the own group is not visible here", {}};
}

Result<std::string> RunCgroup::OwnFolder() {
  const KernelFiles files("/");
  auto mountinfo = files.Read("proc/self/mountinfo");
  if (!mountinfo) return std::move(mountinfo).error();
  auto mount = FindCgroup2Mount(*mountinfo);
  if (!mount) return std::move(mount).error();
  auto own = files.Read("proc/self/cgroup");
  if (!own) return std::move(own).error();
  return OwnCgroupFolder(*mount, *own);
}

Result<RunCgroup> RunCgroup::CreateIn(const std::string& parent) {
  if (parent.empty()) {
    return Error{ErrorCode::kNotFound, "cgroup: there is no own group of version 2", {}};
  }
  RemoveLeftovers(parent);
  RunCgroup group(parent);
  if (auto made = group.MakeFolder(); !made) return std::move(made).error();
  return group;
}

RunCgroup::~RunCgroup() { RemoveFolder(); }

Result<void> RunCgroup::MakeFolder() {
  const std::string number = number_ == 0 ? "" : "-" + std::to_string(number_);
  ++number_;
  const std::string path =
      parent_ + "/" + std::string(kNamePrefix) + std::to_string(getpid()) + number;
  if (mkdir(path.c_str(), 0755) != 0) return SystemError(path, errno);
  // Whatever our umask: runtimes read their limits there, as the user.
  chmod(path.c_str(), 0755);
  UniqueFd folder(open(path.c_str(), kOpenFolder));
  if (!folder || flock(folder.get(), LOCK_EX | LOCK_NB) != 0) {
    Error error = SystemError(path, errno);
    rmdir(path.c_str());
    return error;
  }
  path_ = path;
  folder_ = std::move(folder);
  killed_ = false;
  if (memory_limit_bytes_ > 0) return LimitMemory(memory_limit_bytes_);
  return {};
}

Result<void> RunCgroup::LimitMemory(std::uint64_t bytes) {
  memory_limit_bytes_ = bytes;
  const std::string limit = bytes == 0 ? "max" : std::to_string(bytes);
  const UniqueFd file(openat(folder_.get(), "memory.max", O_WRONLY | O_CLOEXEC));
  const ssize_t size = static_cast<ssize_t>(limit.size());
  if (file && write(file.get(), limit.data(), limit.size()) == size) return {};
  memory_limit_bytes_ = 0;
  if (!file && bytes == 0) return {};
  return SystemError(path_ + "/memory.max", errno);
}

void RunCgroup::RemoveFolder() {
  if (!folder_) return;
  Kill();
  // What was killed leaves the group only when it has died; nothing tells when without a watch on
  // cgroup.events, which is not worth it here: at most 100 ms, and only when something was left.
  constexpr int kTries = 100;
  for (int i = 0; i < kTries && rmdir(path_.c_str()) != 0 && errno == EBUSY; ++i) usleep(1000);
  folder_.Reset();
}

int RunCgroup::fd() {
  if (killed_) {
    RemoveFolder();
    // Refused now, it is tried again for the next child.
    if (!MakeFolder()) killed_ = true;
  }
  return folder_.get();
}

void RunCgroup::Kill() {
  if (!folder_) return;
  killed_ = true;
  KillAll(folder_.get());
}

}  // namespace benchd
