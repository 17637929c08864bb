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
#include <string_view>

#include "core/base/result.h"
#include "daemon/runner/event_loop.h"
#include "daemon/runner/helper_process.h"
#include "daemon/runner/process_tree.h"
#include "daemon/system/kernel_files.h"

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
  constexpr std::uint64_t kMaxUid = UINT32_MAX;
  if (const auto uid = ParseCount(user); uid && *uid <= kMaxUid) return static_cast<uid_t>(*uid);
  const std::unique_ptr<FILE, int (*)(FILE*)> file(fopen("/etc/passwd", "re"), &fclose);
  while (const passwd* entry = file ? fgetpwent(file.get()) : nullptr) {
    if (user == entry->pw_name) return entry->pw_uid;
  }
  return Error{ErrorCode::kNotFound, "[runner] user: '" + user + "' is not in /etc/passwd",
               "create the user (systemd-sysusers), or name another in the configuration"};
}

const char kRunnerHelp[] =
    "benchd-runner: starts, measures and kills the programs that benchd compares.\n"
    "Not started by hand: systemd does it (system mode), or benchd (user mode).\n"
    "\n"
    "  --socket PATH|fd:N  listen there, or serve the inherited SOCK_SEQPACKET descriptor N;\n"
    "                      not needed when systemd hands over the socket\n"
    "  --config FILE       its sections [runner] and [machine_profile.*]\n"
    "                      (default /etc/benchd/benchd.toml for root, if there)\n"
    "  --journal FILE      journal of machine settings, locked while this runner lives;\n"
    "                      without one no setting is changed\n"
    "  --restore           put back what the journal holds, and exit\n"
    "  --sysfs-root DIR    the machine's settings lie below DIR (tests)\n"
    "  --version, --help\n";

Result<RunnerOptions> ParseRunnerOptions(int argc, char** argv) {
  RunnerOptions options;
  for (int i = 1; i < argc; ++i) {
    std::string_view name = argv[i];
    const std::size_t equals = name.find('=');
    const bool has_value = name.starts_with("--") && equals != std::string_view::npos;
    const std::string_view attached = has_value ? name.substr(equals + 1) : std::string_view();
    if (has_value) name = name.substr(0, equals);

    std::string* text = nullptr;
    bool* flag = nullptr;
    if (name == "--config") text = &options.config;
    if (name == "--socket") text = &options.socket;
    if (name == "--journal") text = &options.journal;
    if (name == "--sysfs-root") text = &options.sysfs_root;
    if (name == "--restore") flag = &options.restore;
    if (name == "--version") flag = &options.version;
    if (name == "--help" || name == "-h") flag = &options.help;
    if (text != nullptr) {
      if (!has_value && i + 1 >= argc) return InvalidArgument(name, "a value is missing");
      *text = has_value ? std::string(attached) : std::string(argv[++i]);
    } else if (flag != nullptr && !has_value) {
      *flag = true;
    } else {
      return InvalidArgument(argv[i], "unknown option", "see benchd-runner --help");
    }
  }
  return options;
}

}  // namespace benchd
