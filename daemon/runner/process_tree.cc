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
#include <charconv>
#include <cstring>
#include <string_view>

#include "daemon/base/unique_fd.h"

namespace benchd {
namespace {

/// The parent of `pid` from /proc/PID/stat ("PID (NAME) STATE PARENT ..."), 0 when it is gone.
pid_t ParentOf(pid_t pid) {
  char path[32];
  snprintf(path, sizeof(path), "/proc/%d/stat", pid);
  UniqueFd file(open(path, O_RDONLY | O_CLOEXEC));
  char text[256];
  const ssize_t count = file ? read(file.get(), text, sizeof(text)) : -1;
  if (count <= 0) return 0;
  const std::string_view line(text, static_cast<std::size_t>(count));
  // The name may hold blanks and brackets itself, so the last bracket counts.
  const std::size_t after = line.rfind(") ");
  if (after == std::string_view::npos || after + 4 > line.size()) return 0;
  pid_t parent = 0;
  std::from_chars(line.data() + after + 4, line.data() + line.size(), parent);
  return parent;
}

/// Signals `pid` if it still is a child of `parent`: the number may belong to another by now.
void Signal(pid_t pid, pid_t parent, int signal) {
  UniqueFd process(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  if (!process || ParentOf(pid) != parent) return;
  syscall(SYS_pidfd_send_signal, process.get(), signal, nullptr, 0);
}

}  // namespace

void ProcessTree::Release(pid_t pid) {
  std::erase_if(claims_, [pid](const Claimed& claimed) { return claimed.pid == pid; });
}

bool ProcessTree::IsClaimed(pid_t pid) const {
  return std::any_of(claims_.begin(), claims_.end(),
                     [pid](const Claimed& claimed) { return claimed.pid == pid; });
}

void ProcessTree::Reap() {
  for (;;) {
    siginfo_t info{};
    if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0) return;
    // A claimed one hides those behind it until its owner has reaped it.
    if (info.si_pid == 0 || IsClaimed(info.si_pid)) return;
    waitid(P_PID, static_cast<id_t>(info.si_pid), &info, WEXITED | WNOHANG);
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
    pid_t pid = 0;
    const char* end = entry->d_name + std::strlen(entry->d_name);
    if (std::from_chars(entry->d_name, end, pid).ptr != end) continue;
    if (const pid_t parent = ParentOf(pid); parent > 0) all.push_back({pid, parent});
  }
  closedir(listing);

  std::vector<Process> found{{getpid(), 0}};
  for (std::size_t next = 0; next < found.size(); ++next) {
    for (const Process& process : all) {
      if (process.parent != found[next].pid) continue;
      const bool shielded =
          std::any_of(claims_.begin(), claims_.end(), [&process](const Claimed& claimed) {
            return claimed.pid == process.pid && claimed.kind == Kind::kHelper;
          });
      if (!shielded) found.push_back(process);
    }
  }
  found.erase(found.begin());
  return found;
}

void ProcessTree::Kill() {
  // A fork that was under way when its process was stopped shows up in the next pass.
  constexpr int kPasses = 10;
  std::vector<pid_t> stopped;
  std::vector<Process> found;
  for (int pass = 0; pass < kPasses; ++pass) {
    found = Descendants();
    bool any_new = false;
    for (const Process& process : found) {
      if (std::find(stopped.begin(), stopped.end(), process.pid) != stopped.end()) continue;
      Signal(process.pid, process.parent, SIGSTOP);
      stopped.push_back(process.pid);
      any_new = true;
    }
    if (!any_new) break;
  }
  for (const Process& process : found) Signal(process.pid, process.parent, SIGKILL);
}

}  // namespace benchd
