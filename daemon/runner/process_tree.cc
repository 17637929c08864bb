#include "daemon/runner/process_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>

#include "core/base/file.h"
#include "daemon/system/kernel_files.h"

namespace benchd {
namespace {

void Send(int pidfd, int signal) { syscall(SYS_pidfd_send_signal, pidfd, signal, nullptr, 0); }

}  // namespace

/// From /proc/PID/stat, "PID (NAME) STATE PARENT GROUP SESSION ..."; without parent when it is
/// gone.
ProcessTree::Process ProcessTree::ReadProcess(pid_t pid) {
  char path[32];
  snprintf(path, sizeof(path), "/proc/%d/stat", pid);
  const UniqueFd file(open(path, O_RDONLY | O_CLOEXEC));
  char text[256];
  const ssize_t count = file ? read(file.get(), text, sizeof(text)) : -1;
  if (count <= 0) return {};
  std::string_view line(text, static_cast<std::size_t>(count));
  // The name may hold blanks and brackets itself, so the last bracket counts.
  const std::size_t after = line.rfind(") ");
  if (after == std::string_view::npos) return {};
  line.remove_prefix(after + 2);
  NextWord(line);
  const auto next = [&line] { return static_cast<pid_t>(ParseCount(NextWord(line)).value_or(0)); };
  Process process{.pid = pid};
  process.parent = next();
  process.group = next();
  process.session = next();
  return process;
}

void ProcessTree::Release(pid_t pid) {
  std::erase_if(claims_, [pid](const Claimed& claimed) { return claimed.pid == pid; });
}

const ProcessTree::Claimed* ProcessTree::FindClaim(pid_t pid) const {
  const auto found = std::find_if(claims_.begin(), claims_.end(),
                                  [pid](const Claimed& claimed) { return claimed.pid == pid; });
  return found == claims_.end() ? nullptr : &*found;
}

/// One that never became its program is seen by waits with __WALL only, and ends without SIGCHLD.
void ProcessTree::ReapGivenUp() {
  std::erase_if(claims_, [](const Claimed& claimed) {
    siginfo_t info{};
    return claimed.kind == Kind::kGivenUp &&
           waitid(P_PID, static_cast<id_t>(claimed.pid), &info, WEXITED | WNOHANG | __WALL) == 0 &&
           info.si_pid != 0;
  });
}

void ProcessTree::Reap() {
  ReapGivenUp();
  // Others than the dead are waiting, and whoever forks fast enough could keep us here.
  constexpr int kMost = 10'000;
  for (int i = 0; i < kMost; ++i) {
    siginfo_t info{};
    if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0) return;
    const Claimed* const claim = FindClaim(info.si_pid);
    // A claimed one hides those behind it until its owner has reaped it.
    if (claim != nullptr && claim->kind != Kind::kGivenUp) return;
    waitid(P_PID, static_cast<id_t>(info.si_pid), &info, WEXITED | WNOHANG);
    if (claim != nullptr) Release(info.si_pid);
  }
}

bool ProcessTree::AnyLeft() {
  Reap();
  siginfo_t info{};
  if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0) return false;  // ECHILD
  return claims_.empty() || !Descendants().empty();
}

std::vector<ProcessTree::Process> ProcessTree::Descendants() const {
  std::vector<Process> all;
  DIR* listing = opendir("/proc");
  if (listing == nullptr) return all;
  while (const dirent* entry = readdir(listing)) {
    const auto pid = ParseCount(entry->d_name);
    if (!pid) continue;
    if (const Process process = ReadProcess(static_cast<pid_t>(*pid)); process.parent > 0) {
      all.push_back(process);
    }
  }
  closedir(listing);
  const auto by_parent = [](const Process& a, const Process& b) { return a.parent < b.parent; };
  std::sort(all.begin(), all.end(), by_parent);

  std::vector<Process> found{{.pid = getpid()}};
  for (std::size_t next = 0; next < found.size(); ++next) {
    const auto [begin, end] =
        std::equal_range(all.begin(), all.end(), Process{.parent = found[next].pid}, by_parent);
    for (auto process = begin; process != end; ++process) {
      const Claimed* const claim = FindClaim(process->pid);
      if (claim == nullptr || claim->kind == Kind::kMeasured) found.push_back(*process);
    }
  }
  found.erase(found.begin());
  return found;
}

/// Signals a process if it still is what was read: its number may belong to another by now. A whole
/// process group is stopped with it at one stroke, however fast it forks: the kernel lets no fork
/// pass while it signals a group. Groups of a run's sessions have nobody else in them.
void ProcessTree::Stop(const Process& process, std::vector<pid_t>& stopped_groups) {
  const UniqueFd pidfd(static_cast<int>(syscall(SYS_pidfd_open, process.pid, 0)));
  if (!pidfd || ReadProcess(process.pid).parent != process.parent) return;
  Send(pidfd.get(), SIGSTOP);
  // A child that is still on its way to its own session is in ours.
  if (process.group <= 1 || process.session == getsid(0) || process.group == getpgrp()) return;
  const auto place = std::lower_bound(stopped_groups.begin(), stopped_groups.end(), process.group);
  if (place != stopped_groups.end() && *place == process.group) return;
  stopped_groups.insert(place, process.group);
  // Stopped now, it holds its group's number.
  if (ReadProcess(process.pid).group == process.group) kill(-process.group, SIGSTOP);
}

std::size_t ProcessTree::Kill() {
  // A fork that was under way when its process was stopped shows up in the next pass.
  constexpr int kPasses = 10;
  std::vector<pid_t> stopped;
  std::vector<Process> found;
  for (int pass = 0; pass < kPasses; ++pass) {
    found = Descendants();
    std::vector<pid_t> stopped_groups;
    std::vector<pid_t> seen;
    bool any_new = false;
    for (const Process& process : found) {
      seen.push_back(process.pid);
      if (std::binary_search(stopped.begin(), stopped.end(), process.pid)) continue;
      Stop(process, stopped_groups);
      any_new = true;
    }
    if (!any_new) break;
    std::sort(seen.begin(), seen.end());
    stopped = std::move(seen);
  }
  for (const Process& process : found) {
    const UniqueFd pidfd(static_cast<int>(syscall(SYS_pidfd_open, process.pid, 0)));
    if (pidfd && ReadProcess(process.pid).parent == process.parent) Send(pidfd.get(), SIGKILL);
  }
  return found.size();
}

void ProcessTree::GiveUp(pid_t pid) {
  Release(pid);
  Claim(pid, Kind::kGivenUp);
}

std::string ProcessTree::GiveUp() {
  std::string numbers;
  for (const Process& process : Descendants()) {
    claims_.push_back({process.pid, Kind::kGivenUp});
    AppendItem(numbers, ", ", std::to_string(process.pid));
  }
  return numbers;
}

}  // namespace benchd
