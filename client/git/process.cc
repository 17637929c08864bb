#include "client/git/process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "client/unique_fd.h"

namespace benchd::client {
namespace {

// Files in memory instead of pipes: nobody has to read while the program writes.
UniqueFd MemoryFile(const std::string& content) {
  UniqueFd file(memfd_create("benchctl", MFD_CLOEXEC));
  for (std::size_t at = 0; at < content.size();) {
    const ssize_t written = write(file.get(), content.data() + at, content.size() - at);
    if (written < 0 && errno != EINTR) break;
    if (written > 0) at += static_cast<std::size_t>(written);
  }
  lseek(file.get(), 0, SEEK_SET);
  return file;
}

std::string Content(const UniqueFd& file) {
  std::string text;
  std::array<char, 1 << 16> chunk{};
  for (off_t at = 0;;) {
    const ssize_t got = pread(file.get(), chunk.data(), chunk.size(), at);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    text.append(chunk.data(), static_cast<std::size_t>(got));
    at += got;
  }
}

std::vector<std::string> Environment(const std::map<std::string, std::string>& over) {
  std::vector<std::string> entries;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    if (!over.contains(text.substr(0, text.find('=')))) entries.push_back(text);
  }
  for (const auto& [name, value] : over) entries.push_back(name + "=" + value);
  return entries;
}

std::vector<char*> Pointers(std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (std::string& text : strings) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

int WaitFor(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

Result<ProcessEnd> RunProcess(const ProcessOrder& order) {
  const UniqueFd input = MemoryFile(order.input);
  const UniqueFd out = MemoryFile("");
  const UniqueFd err = MemoryFile("");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (order.input.empty()) {
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  } else {
    posix_spawn_file_actions_adddup2(&actions, input.get(), STDIN_FILENO);
  }
  if (order.keeps_output) {
    posix_spawn_file_actions_adddup2(&actions, out.get(), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, err.get(), STDERR_FILENO);
  }
  if (!order.cwd.empty()) posix_spawn_file_actions_addchdir_np(&actions, order.cwd.c_str());
  std::vector<std::string> words = order.words;
  std::vector<std::string> environment = Environment(order.environment);
  pid_t pid = -1;
  const int error = posix_spawnp(&pid, words.front().c_str(), &actions, nullptr,
                                 Pointers(words).data(), Pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return UsageError(order.words.front() + ": " + std::strerror(error));
  ProcessEnd end;
  end.code = WaitFor(pid);
  if (order.keeps_output) {
    end.out = Content(out);
    end.err = Content(err);
  }
  return end;
}

}  // namespace benchd::client
