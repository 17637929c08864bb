#include "client/pool/pool_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "client/app/output.h"
#include "client/present/text.h"
#include "client/request/quantity.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/base/try.h"

namespace benchd::client {
namespace {

constexpr std::string_view kClaimPrefix = "machine-";

std::string ReadSmall(const std::string& path) {
  const UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return "";
  return ReadAll(fd.get(), path, std::size_t{1} << 22).value_or("");
}

bool Create(const std::string& path, const std::string& text) {
  const UniqueFd fd(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
  return fd && WriteAll(fd.get(), text, path).has_value();
}

// Returns the names of the files in `folder` that begin with `prefix`, without the prefix.
std::vector<std::string> NamesBehind(const std::string& folder, std::string_view prefix) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(prefix)) names.push_back(name.substr(prefix.size()));
  }
  return names;
}

}  // namespace

std::string PoolFolder::Pattern(const std::string& parent) {
  // If the working directory was deleted, the path stays relative and mkdtemp fails.
  std::error_code error;
  auto folder = std::filesystem::absolute(parent, error);
  if (error) folder = parent;
  return (folder.lexically_normal() / (std::string(kPoolPrefix) + "XXXXXX")).string();
}

Result<PoolFolder> PoolFolder::Make(const std::string& parent) {
  std::string path = Pattern(parent);
  if (mkdtemp(path.data()) == nullptr) {
    return UsageError("--pool-folder " + parent + ": " + std::strerror(errno));
  }
  PoolFolder folder(path);
  if (!Create(path + "/login", "")) return UsageError(path + ": " + std::strerror(errno));
  return folder;
}

bool PoolFolder::IsShared() const { return access((path_ + "/login").c_str(), F_OK) == 0; }

std::string PoolFolder::Name() const {
  std::error_code error;
  return std::filesystem::weakly_canonical(path_, error).filename().string();
}

void PoolFolder::Remove() const {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

bool PoolFolder::AddJob(const std::string& job) const {
  const std::string path = path_ + "/jobs";
  const UniqueFd fd(open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  return fd && WriteAll(fd.get(), job + "\n", path).has_value();
}

std::vector<std::string> PoolFolder::Jobs() const {
  std::vector<std::string> jobs = Lines(ReadSmall(path_ + "/jobs"));
  // Another user may have written the folder: no line may become an option of scancel.
  std::erase_if(jobs, [](const std::string& job) { return !ParseCount(job); });
  return jobs;
}

bool PoolFolder::Claim(const std::string& node, int task) const {
  const std::string ours = std::to_string(task);
  const std::string claim = path_ + "/" + std::string(kClaimPrefix);
  const bool claimed = Create(claim + node, ours) || ReadSmall(claim + node) == ours;
  for (const std::string& other : ClaimedNodes()) {
    if (other != node && ReadSmall(claim + other) == ours) unlink((claim + other).c_str());
  }
  return claimed;
}

std::vector<std::string> PoolFolder::ClaimedNodes() const {
  return NamesBehind(path_, kClaimPrefix);
}

std::string PoolFolder::Of(int task, const char* what) const {
  return fmt::format("{}/task-{}{}", path_, task, what);
}

std::string PoolFolder::NewExport(int task) const { return Of(task, ".json.new"); }
std::string PoolFolder::Export(int task) const { return Of(task, ".json"); }

bool PoolFolder::TakeExport(int task) const {
  return rename(NewExport(task).c_str(), Export(task).c_str()) == 0;
}

bool PoolFolder::HasExport(int task) const { return access(Export(task).c_str(), F_OK) == 0; }

Result<void> PoolFolder::Write(const TaskState& state) const {
  TRY(auto file, NewFile::Prepare(Of(state.task, ".state")));
  return file.Write(TaskStateText(state));
}

std::vector<TaskState> PoolFolder::ReadStates(std::size_t tasks) const {
  std::vector<TaskState> states;
  for (int task = 1; task <= static_cast<int>(tasks); ++task) {
    auto state = ReadTaskState(ReadSmall(Of(task, ".state")));
    if (state && state->task == task) states.push_back(*std::move(state));
  }
  return states;
}

}  // namespace benchd::client
