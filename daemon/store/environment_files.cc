#include "daemon/store/environment_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <utility>

#include "core/base/file.h"
#include "core/base/try.h"
#include "daemon/store/json_codec.h"
#include "daemon/store/state_files.h"

namespace benchd::store {
namespace {

using Variables = std::map<std::string, std::string>;

Variables TakeValues(Variables& variables) {
  Variables taken;
  for (auto& [name, value] : variables) taken.emplace(name, std::exchange(value, {}));
  return taken;
}

void PutValues(const Variables& values, Variables& variables) {
  for (const auto& [name, value] : values) {
    if (const auto found = variables.find(name); found != variables.end()) found->second = value;
  }
}

/// Writes `text` to a new private file and returns the file.
Result<UniqueFd> WriteNew(const std::string& file, std::string_view text) {
  UniqueFd fd(::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!fd) return FileNotKept(file, errno);
  if (!WriteAll(fd.get(), text, file)) return FileNotKept(file, errno);  // of the last write
  return fd;
}

bool HasVariables(const SessionSpec& spec) {
  const auto in_arm = [](const Arm& arm) { return !arm.env.empty(); };
  return !spec.environment.empty() ||
         std::ranges::any_of(spec.benchmarks, [&in_arm](const Benchmark& benchmark) {
           return std::ranges::any_of(benchmark.arms, in_arm);
         });
}

}  // namespace

bool EnvironmentValues::empty() const {
  const auto none = [](const std::vector<Variables>& of_arms) {
    return std::all_of(of_arms.begin(), of_arms.end(),
                       [](const Variables& variables) { return variables.empty(); });
  };
  return session.empty() && std::all_of(arms.begin(), arms.end(), none);
}

EnvironmentValues TakeEnvironment(SessionSpec& spec) {
  EnvironmentValues values{.session = TakeValues(spec.environment), .arms = {}};
  for (Benchmark& benchmark : spec.benchmarks) {
    std::vector<Variables>& of_arms = values.arms.emplace_back();
    for (Arm& arm : benchmark.arms) of_arms.push_back(TakeValues(arm.env));
  }
  return values;
}

Result<EnvironmentFiles> EnvironmentFiles::Open(const std::filesystem::path& state_dir) {
  const std::filesystem::path folder = EnvironmentFolder(state_dir);
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
    return SystemError(folder.string(), errno);
  }
  struct stat status {};
  if (::lstat(folder.c_str(), &status) != 0) return SystemError(folder.string(), errno);
  if (!S_ISDIR(status.st_mode) || status.st_uid != ::geteuid()) {
    return Error{ErrorCode::kPermissionDenied,
                 folder.string() + ": not a folder owned by benchd's user",
                 "move it away; benchd then creates a new folder"};
  }
  if ((status.st_mode & 077) != 0 && ::chmod(folder.c_str(), 0700) != 0) {
    return SystemError(folder.string(), errno);
  }
  return EnvironmentFiles(folder);
}

std::filesystem::path EnvironmentFiles::FileOf(const SessionId& id) const {
  return folder_ / (id.value + ".json");
}

Result<UnsyncedFile> EnvironmentFiles::Write(const SessionId& id,
                                             const EnvironmentValues& values) const {
  const std::string file = FileOf(id).string();
  const std::string unfinished = file + ".tmp";
  Result<UniqueFd> fd = WriteNew(unfinished, ToJsonText(values));
  const Result<void> renamed = fd ? Rename(unfinished, file) : Result<void>(fd.error());
  if (!renamed) {
    ::unlink(unfinished.c_str());
    return renamed.error();
  }
  return UnsyncedFile{std::move(*fd), file};
}

Result<void> EnvironmentFiles::Merge(const SessionId& id, SessionSpec& spec) const {
  const std::string file = FileOf(id).string();
  const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd && errno == ENOENT) {
    if (!HasVariables(spec)) return {};
    return Error{ErrorCode::kInternal,
                 "the values of the session's environment variables are missing: the machine lost "
                 "power before the submission was acknowledged",
                 "submit the session again"};
  }
  if (!fd) return SystemError(file, errno);
  TRY(std::string text, ReadAll(fd.get(), file));
  TRY(EnvironmentValues values, FromJsonText<EnvironmentValues>(text, file));
  PutValues(values.session, spec.environment);
  const std::size_t benchmarks = std::min(values.arms.size(), spec.benchmarks.size());
  for (std::size_t b = 0; b < benchmarks; ++b) {
    std::vector<Arm>& arms = spec.benchmarks[b].arms;
    const std::size_t count = std::min(values.arms[b].size(), arms.size());
    for (std::size_t a = 0; a < count; ++a) PutValues(values.arms[b][a], arms[a].env);
  }
  return {};
}

Result<void> EnvironmentFiles::Remove(const SessionId& id) const {
  const std::string file = FileOf(id).string();
  if (::unlink(file.c_str()) != 0 && errno != ENOENT) return SystemError(file, errno);
  return {};
}

Result<void> EnvironmentFiles::Sweep(const std::set<SessionId>& keep) const {
  std::error_code failed;
  std::filesystem::directory_iterator entries(folder_, failed);
  if (failed) return SystemError(folder_.string(), failed.value());
  // List the folder completely first, because readdir() may skip entries if files are removed
  // meanwhile.
  std::vector<std::filesystem::path> left;
  for (; entries != std::filesystem::directory_iterator(); entries.increment(failed)) {
    if (failed) return SystemError(folder_.string(), failed.value());
    const std::filesystem::path& file = entries->path();
    const bool ours = file.extension() == ".json" || file.extension() == ".tmp";
    const bool wanted =
        file.extension() == ".json" && keep.contains(SessionId{file.stem().string()});
    if (ours && !wanted) left.push_back(file);
  }
  for (const std::filesystem::path& file : left) {
    if (::unlink(file.c_str()) != 0) return SystemError(file.string(), errno);
  }
  return {};
}

}  // namespace benchd::store
