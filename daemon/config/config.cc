#include "daemon/config/config.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "daemon/config/reader.h"

namespace benchd {
namespace {

constexpr std::size_t kMaxConfigBytes = 1024 * 1024;

Result<void> CheckOwner(int fd, const std::string& name) {
  struct stat info {};
  if (::fstat(fd, &info) != 0) return SystemError(name, errno);
  const char* why = nullptr;
  if (info.st_uid != 0) why = "does not belong to root";
  if ((info.st_mode & (S_IWGRP | S_IWOTH)) != 0) why = "is writable by users other than root";
  if (why == nullptr) return {};
  return Error{ErrorCode::kPermissionDenied, name + ": " + why,
               "chown root:root " + name + " && chmod 644 " + name};
}

/// Returns one part of the values that the programs read.
template <typename Part>
Result<Part> PartOf(std::string_view text, std::string_view name, unsigned readers) {
  TRY(auto values, ReadConfig(text, name, readers));
  return std::get<Part>(std::move(values));
}

}  // namespace

Result<ConfigValues> ReadConfig(std::string_view text, std::string_view name, unsigned readers) {
  const toml::parse_result parsed = toml::parse(text);
  const ConfigReader reader(name, readers);
  if (parsed) return reader.Read(parsed.table());
  return reader.At(parsed.error().source(), OnOneLine(parsed.error().description()));
}

Result<Config> ParseConfig(std::string_view text, std::string_view name) {
  return PartOf<Config>(text, name, kForBenchd);
}

Result<PushConfig> ParsePushConfig(std::string_view text, std::string_view name) {
  return PartOf<PushConfig>(text, name, kForPush);
}

Result<RunnerConfig> ParseRunnerConfig(std::string_view text) {
  return PartOf<RunnerConfig>(text, "", kForRunner);
}

Result<Config> LoadConfig(const std::filesystem::path& file, const ConfigRules& rules) {
  const std::string name = file.string();
  const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) {
    if (errno == ENOENT && !rules.required) return Config{};
    return SystemError(name, errno);
  }
  if (rules.system_mode) {
    TRY_VOID(CheckOwner(fd.get(), name));
  }
  TRY(std::string text, ReadAll(fd.get(), name, kMaxConfigBytes));
  if (text.size() > kMaxConfigBytes) return InvalidArgument(name, "is larger than 1 MiB");
  return PartOf<Config>(text, name, kForBenchd | (rules.runner_parts ? kForRunner : 0));
}

}  // namespace benchd
