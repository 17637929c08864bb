#include "daemon/logging.h"

#include <fcntl.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <memory>
#include <utility>

#include "core/base/file.h"
#include "core/base/result.h"

namespace benchd {
namespace {

/// %* in a pattern: the priority of sd-daemon(3).
class PriorityFlag : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm& /*time*/,
              spdlog::memory_buf_t& to) override {
    const std::string_view prefix = Prefix(message.level);
    to.append(prefix.data(), prefix.data() + prefix.size());
  }
  std::unique_ptr<custom_flag_formatter> clone() const override {
    return std::make_unique<PriorityFlag>();
  }

 private:
  static std::string_view Prefix(spdlog::level::level_enum level) {
    switch (level) {
      case spdlog::level::critical:
        return "<2>";
      case spdlog::level::err:
        return "<3>";
      case spdlog::level::warn:
        return "<4>";
      case spdlog::level::info:
        return "<6>";
      default:
        return "<7>";
    }
  }
};

// spdlog says why it cannot open a file in an exception's text only; asking first gives an errno.
Result<void> CheckWritable(const std::string& file) {
  const UniqueFd fd(::open(file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600));
  if (!fd) return SystemError("log file " + file, errno);
  return {};
}

Result<spdlog::sink_ptr> MakeSink(const std::string& file) {
  if (file.empty()) return spdlog::sink_ptr(std::make_shared<spdlog::sinks::stderr_sink_mt>());
  if (Result<void> ok = CheckWritable(file); !ok) return std::move(ok).error();
  try {
    return spdlog::sink_ptr(std::make_shared<spdlog::sinks::basic_file_sink_mt>(file));
  } catch (const spdlog::spdlog_ex& error) {
    return Error{ErrorCode::kInternal, std::string("log file: ") + error.what(), {}};
  }
}

}  // namespace

bool WantsJournalPriorities(bool system_mode) {
  return std::getenv("JOURNAL_STREAM") != nullptr || (system_mode && ::isatty(STDERR_FILENO) == 0);
}

Result<void> SetUpLogging(const LogOptions& options) {
  Result<spdlog::sink_ptr> sink = MakeSink(options.file);
  if (!sink) return std::move(sink).error();
  auto logger = std::make_shared<spdlog::logger>("benchd", std::move(sink).value());
  auto formatter = std::make_unique<spdlog::pattern_formatter>();
  formatter->add_flag<PriorityFlag>('*');
  const bool priorities = options.journal_priorities && options.file.empty();
  formatter->set_pattern(priorities ? "%*%v" : "%Y-%m-%d %H:%M:%S.%e %l %v");
  logger->set_formatter(std::move(formatter));
  logger->set_level(spdlog::level::from_str(options.level));
  logger->flush_on(spdlog::level::trace);
  spdlog::set_default_logger(std::move(logger));
  return {};
}

}  // namespace benchd
