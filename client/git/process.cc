#include "client/git/process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "core/base/file.h"

namespace benchd::client {
namespace {

// Returns a file in memory. Unlike a pipe, it need not be read while the program writes.
UniqueFd MemoryFile(const std::string& content) {
  UniqueFd file(memfd_create("benchctl", MFD_CLOEXEC));
  // After a failed write the input is incomplete, and the program reports that itself.
  static_cast<void>(WriteAll(file.get(), content, "memory"));
  lseek(file.get(), 0, SEEK_SET);
  return file;
}

std::string Content(const UniqueFd& file) {
  lseek(file.get(), 0, SEEK_SET);
  return ReadAll(file.get(), "memory").value_or("");
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

}  // namespace

bool IsExecutable(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0;
}

std::optional<std::string> ProgramBeside(const std::string& name) {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return std::nullopt;
  std::string path = (self.parent_path() / name).string();
  if (!IsExecutable(path)) return std::nullopt;
  return path;
}

int WaitFor(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

std::vector<char*> ArgumentPointers(std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (std::string& text : strings) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

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
  const int error =
      posix_spawnp(&pid, words.front().c_str(), &actions, nullptr, ArgumentPointers(words).data(),
                   ArgumentPointers(environment).data());
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
