#include "daemon/runner/runner_config.h"

#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <memory>
#include <optional>

#include "core/base/error.h"
#include "daemon/runner/event_loop.h"
#include "daemon/runner/helper_process.h"
#include "daemon/runner/process_tree.h"

namespace benchd {
namespace {

constexpr const char* kDefaultConfig = "/etc/benchd/benchd.toml";
constexpr std::int64_t kConfigTimeout = 10'000'000'000;

/// Runs one helper to its end in a loop of its own.
class HelperOnce : public HelperOwner {
 public:
  Result<std::string> Run(const Host& host, HelperOrder order) {
    ProcessTree tree;
    HelperProcess helper(loop_, host, tree, *this);
    if (auto started = helper.Start(std::move(order)); !started) return std::move(started).error();
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
  if (!S_ISREG(info.st_mode)) return InvalidArgument(path, "it is no regular file");
  if (geteuid() != 0) return {};
  if (info.st_uid == 0 && (info.st_mode & (S_IWGRP | S_IWOTH)) == 0) return {};
  return Error{ErrorCode::kPermissionDenied,
               path + ": somebody other than root may change it, and benchd-runner is root",
               "chown root '" + path + "'; chmod go-w '" + path + "'"};
}

}  // namespace

Result<wire::RunnerConfig> LoadRunnerConfig(const Host& host, const std::string& path) {
  const bool is_default = path.empty();
  if (is_default && geteuid() != 0) return wire::RunnerConfig{};
  const std::string name = is_default ? kDefaultConfig : path;
  UniqueFd file(open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  if (!file && errno == ENOENT && is_default) return wire::RunnerConfig{};
  if (!file) return SystemError(name, errno);
  if (auto checked = CheckOwner(name, file.get()); !checked) return std::move(checked).error();
  HelperOrder order;
  order.name = name;
  order.argv = {"config"};
  order.input = std::move(file);
  order.as_caller = false;
  order.timeout_ns = kConfigTimeout;
  auto answer = HelperOnce().Run(host, std::move(order));
  if (!answer) return std::move(answer).error();
  auto decoded = wire::DecodeRunnerConfig(*answer);
  if (!decoded) return std::move(decoded).error().Within(name);
  if (!*decoded) return std::move(*decoded).error().Within(name);
  return std::move(**decoded);
}

Result<uid_t> FindUser(const std::string& user) {
  uid_t uid = 0;
  const char* end = user.data() + user.size();
  const auto parsed = std::from_chars(user.data(), end, uid);
  if (parsed.ec == std::errc() && parsed.ptr == end) return uid;
  const std::unique_ptr<FILE, int (*)(FILE*)> file(fopen("/etc/passwd", "re"), &fclose);
  while (const passwd* entry = file ? fgetpwent(file.get()) : nullptr) {
    if (user == entry->pw_name) return entry->pw_uid;
  }
  return Error{ErrorCode::kNotFound, "[runner] user: '" + user + "' is not in /etc/passwd",
               "create the user (systemd-sysusers), or name another in the configuration"};
}

}  // namespace benchd
