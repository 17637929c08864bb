#include "daemon/runner/runner_config.h"

#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "core/base/file.h"
#include "core/base/try.h"
#include "daemon/kernel/kernel_files.h"
#include "daemon/launch/event_loop.h"
#include "daemon/launch/helper_process.h"
#include "daemon/launch/process_tree.h"

namespace benchd {
namespace {

constexpr const char* kDefaultConfig = "/etc/benchd/benchd.toml";
constexpr std::int64_t kConfigTimeout = 10'000'000'000;

/// Runs one helper to completion in its own event loop.
class HelperOnce : public HelperOwner {
 public:
  Result<std::string> Run(const Host& host, HelperOrder order) {
    ProcessTree tree;
    HelperProcess helper(loop_, host, tree, *this);
    TRY_VOID(helper.Start(std::move(order)));
    loop_.Run();
    return std::move(*answer_);
  }

 private:
  void OnHelperDone(HelperProcess&, Result<std::string> answer) override {
    answer_ = std::move(answer);
    loop_.Stop();
  }

  EventLoop loop_;
  std::optional<Result<std::string>> answer_;
};

Result<void> CheckOwner(const std::string& path, int file) {
  struct stat info {};
  if (fstat(file, &info) != 0) return SystemError(path, errno);
  if (!S_ISREG(info.st_mode)) return InvalidArgument(path, "it is not a regular file");
  if (geteuid() != 0) return {};
  if (info.st_uid == 0 && (info.st_mode & (S_IWGRP | S_IWOTH)) == 0) return {};
  return Error{ErrorCode::kPermissionDenied,
               path + ": users other than root can change it, but benchd-runner runs as root",
               "chown root '" + path + "'; chmod go-w '" + path + "'"};
}

}  // namespace

Result<RunnerConfig> LoadRunnerConfig(const Host& host, const std::string& path) {
  const bool is_default = path.empty();
  if (is_default && geteuid() != 0) return RunnerConfig{};
  const std::string name = is_default ? kDefaultConfig : path;
  UniqueFd file(open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  if (!file && errno == ENOENT && is_default) return RunnerConfig{};
  if (!file) return SystemError(name, errno);
  TRY_VOID(CheckOwner(name, file.get()));
  HelperOrder order;
  order.name = name;
  order.argv = {"config"};
  order.input = std::move(file);
  order.as_caller = false;
  order.timeout_ns = kConfigTimeout;
  TRY(auto answer, HelperOnce().Run(host, std::move(order)));
  auto decoded = wire::DecodeRunnerConfig(answer);
  if (!decoded) return std::move(decoded).error().Within(name);
  if (!*decoded) return std::move(*decoded).error().Within(name);
  return std::move(**decoded);
}

Result<uid_t> UidOf(const std::string& user) {
  constexpr std::uint64_t kMaxUid = UINT32_MAX;
  if (const auto uid = ParseCount(user); uid && *uid <= kMaxUid) return static_cast<uid_t>(*uid);
  const std::unique_ptr<FILE, int (*)(FILE*)> file(fopen("/etc/passwd", "re"), &fclose);
  while (const passwd* entry = file ? fgetpwent(file.get()) : nullptr) {
    if (user == entry->pw_name) return entry->pw_uid;
  }
  return Error{ErrorCode::kNotFound, "[runner] user: '" + user + "' is not in /etc/passwd",
               "create the user (systemd-sysusers), or set another user in the configuration"};
}

}  // namespace benchd
