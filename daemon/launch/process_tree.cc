#include "daemon/launch/process_tree.h"

#include <dirent.h>
#include <fmt/format.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/file.h"
#include "daemon/kernel/kernel_files.h"
#include "daemon/kernel/kernel_paths.h"
#include "daemon/kernel/process_stat.h"
#include "daemon/kernel/process_status.h"

namespace benchd {
namespace {

void Send(int pidfd, int signal) { syscall(SYS_pidfd_send_signal, pidfd, signal, nullptr, 0); }

/// Calls `see` with "PID/task/TID" for each thread until `see` returns true. Returns false if it
/// never does.
template <typename See>
bool AnyThread(pid_t pid, See see) {
  const std::string process = std::to_string(pid);
  const std::string folder = KernelFiles("/").FullPath(WithTarget(paths::kProcessThreads, process));
  DIR* const listing = opendir(folder.c_str());
  if (listing == nullptr) return false;
  bool seen = false;
  while (const dirent* entry = seen ? nullptr : readdir(listing)) {
    if (ParseCount(entry->d_name)) seen = see(process + "/task/" + entry->d_name);
  }
  closedir(listing);
  return seen;
}

/// Returns true if a thread of the process is alive. A process is dead only when all its threads
/// are dead, and its first thread may end before the others.
bool HasLivingThread(pid_t pid) {
  const KernelFiles files("/");
  return AnyThread(pid, [&files](const std::string& thread) {
    const auto stat = ReadProcessStat(files, thread);
    return stat && !stat->dead;
  });
}

/// Lists the runner's children, including dead ones (proc(5)). A child is removed only when the
/// runner waits for it, and new children are appended. The result is absent if the kernel does not
/// provide the list.
std::optional<std::string> ListChildren() {
  auto list = KernelFiles("/").Read(paths::kOwnChildren);
  if (!list) return std::nullopt;
  return std::move(*list);
}

/// Returns the tracer of the process or of one of its threads; 0 if there is none.
pid_t TracerOf(pid_t pid) {
  pid_t tracer = 0;
  const KernelFiles files("/");
  AnyThread(pid, [&](const std::string& thread) {
    tracer = ReadProcessStatus(files, thread).tracer;
    return tracer != 0;
  });
  return tracer;
}

}  // namespace

Obstacle FindObstacle(pid_t pid) {
  if (const pid_t tracer = TracerOf(pid); tracer != 0) {
    return {fmt::format("process {} is tracing it", tracer),
            fmt::format("stop process {}, or have it detach", tracer)};
  }
  if (kill(pid, 0) != 0 && errno == EPERM) {
    return {"it now belongs to another user",
            "it may be a set-user-ID program; only that user can kill it"};
  }
  return {"it hangs in the kernel", fmt::format("see /proc/{}/stack", pid)};
}

/// Reads /proc/PID/stat. The parent is 0 if the process does not exist.
ProcessTree::Process ProcessTree::ReadProcess(pid_t pid) {
  const auto stat = ReadProcessStat(KernelFiles("/"), std::to_string(pid));
  if (!stat) return {};
  return {.pid = pid,
          .parent = stat->parent,
          .group = stat->group,
          .session = stat->session,
          .dead = stat->dead && !HasLivingThread(pid)};
}

void ProcessTree::Release(pid_t pid) {
  std::erase_if(claims_, [pid](const Claimed& claimed) { return claimed.pid == pid; });
}

const ProcessTree::Claimed* ProcessTree::FindClaim(pid_t pid) const {
  const auto found = std::find_if(claims_.begin(), claims_.end(),
                                  [pid](const Claimed& claimed) { return claimed.pid == pid; });
  return found == claims_.end() ? nullptr : &*found;
}

/// Reaps given-up processes that have died, and removes their claims. A process that never reached
/// execve ends without SIGCHLD, and only a wait with __WALL finds it. If a process was reaped by
/// its own parent, its claim is removed as well, because it would shield the next process with the
/// same pid.
void ProcessTree::ReapGivenUp() {
  std::erase_if(claims_, [](const Claimed& claimed) {
    if (claimed.kind != Kind::kGivenUp) return false;
    siginfo_t info{};
    const auto id = static_cast<id_t>(claimed.pid);
    if (waitid(P_PID, id, &info, WEXITED | WNOHANG | __WALL) == 0) return info.si_pid != 0;
    return ReadProcess(claimed.pid).parent == 0;
  });
}

void ProcessTree::Reap() {
  ReapGivenUp();
  // The loop is bounded, because a process that forks fast could otherwise keep the runner from
  // serving other events.
  constexpr int kMost = 10'000;
  for (int i = 0; i < kMost; ++i) {
    siginfo_t info{};
    if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0) return;
    const Claimed* const claim = FindClaim(info.si_pid);
    // A claimed dead process hides other dead processes until its owner has reaped it.
    if (claim != nullptr && claim->kind != Kind::kGivenUp) return;
    waitid(P_PID, static_cast<id_t>(info.si_pid), &info, WEXITED | WNOHANG);
    if (claim != nullptr) Release(info.si_pid);
  }
}

bool ProcessTree::AnyLeft() {
  Reap();
  siginfo_t info{};
  if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0) return false;  // ECHILD
  return AnyLivingChild().value_or(claims_.empty() || !Descendants().empty());
}

/// Every descendant has a living ancestor that is a child of the runner, because the kernel
/// reparents the children of a dying process before the process counts as dead. If all listed
/// children are dead and the list has not grown in the meantime, no descendant is alive. A pass
/// over /proc would prove nothing, because it misses processes that fork and end during the pass.
std::optional<bool> ProcessTree::AnyLivingChild() const {
  std::optional<std::string> list;
  for (auto now = ListChildren(); now != list; now = ListChildren()) {
    if (!now) return std::nullopt;
    list = std::move(now);
    std::string_view rest = *list;
    for (auto word = NextWord(rest); !word.empty(); word = NextWord(rest)) {
      const auto pid = static_cast<pid_t>(ParseCount(word).value_or(0));
      if (!IsShielded(pid) && !ReadProcess(pid).dead) return true;
    }
  }
  return list ? std::optional(false) : std::nullopt;
}

bool ProcessTree::IsShielded(pid_t pid) const {
  const Claimed* const claim = FindClaim(pid);
  return claim != nullptr && claim->kind != Kind::kMeasured;
}

std::vector<ProcessTree::Process> ProcessTree::Descendants() const {
  std::vector<Process> all;
  DIR* listing = opendir(KernelFiles("/").FullPath(paths::kProc).c_str());
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
      if (!IsShielded(process->pid)) found.push_back(*process);
    }
  }
  found.erase(found.begin());
  // Dead processes are removed last, because a process that was read before its parent died is
  // found only through the dead parent.
  std::erase_if(found, [](const Process& process) { return process.dead; });
  return found;
}

/// Stops a process, unless its pid has been reused since it was read. Also stops its whole process
/// group at once. Even a group that forks fast cannot escape, because the kernel does not let a
/// fork complete while it signals the group. The process groups of a run's sessions contain only
/// processes of that run.
void ProcessTree::Stop(const Process& process, std::vector<pid_t>& stopped_groups) {
  const UniqueFd pidfd(static_cast<int>(syscall(SYS_pidfd_open, process.pid, 0)));
  if (!pidfd || ReadProcess(process.pid).parent != process.parent) return;
  Send(pidfd.get(), SIGSTOP);
  // A child that has not called setsid() yet is still in the runner's session.
  if (process.group <= 1 || process.session == getsid(0) || process.group == getpgrp()) return;
  const auto place = std::lower_bound(stopped_groups.begin(), stopped_groups.end(), process.group);
  if (place != stopped_groups.end() && *place == process.group) return;
  stopped_groups.insert(place, process.group);
  // While the stopped process exists, the ID of its process group cannot be reused.
  if (ReadProcess(process.pid).group == process.group) kill(-process.group, SIGSTOP);
}

std::size_t ProcessTree::Kill() {
  // If a process was forking when it was stopped, its child appears in the next pass.
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
  std::string list;
  for (const Process& process : Descendants()) {
    claims_.push_back({process.pid, Kind::kGivenUp});
    AppendItem(list, ", ", fmt::format("{}: {}", process.pid, FindObstacle(process.pid).what));
  }
  return list;
}

}  // namespace benchd
