#include <filesystem>
#include <vector>

#include "client/app/command.h"
#include "client/app/completions.h"
#include "client/app/output.h"
#include "core/base/try.h"

namespace benchd::client {
namespace {

Result<ExitCode> WriteFile(const GeneratedFile& file, const std::string& folder) {
  const std::filesystem::path path = std::filesystem::path(folder) / file.name;
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  if (error) {
    return UsageError(path.parent_path().string() + ": " + error.message(),
                      "choose another directory");
  }
  TRY(auto place, NewFile::Prepare(path.string()));
  const auto written = place.Write(file.text);
  return written ? ExitCode::kPass : OutputFailed(written.error());
}

Result<ExitCode> WriteFiles(const CommandContext& context, const char* command,
                            const std::vector<GeneratedFile>& files) {
  const std::vector<std::string>& words = context.arguments.positionals;
  if (words.size() != 1) {
    return UsageError(std::string(command) + ": expected one directory",
                      "write benchctl " + std::string(command) + " DIR");
  }
  for (const GeneratedFile& file : files) {
    auto written = WriteFile(file, words.front());
    if (!written || *written != ExitCode::kPass) return written;
  }
  return ExitCode::kPass;
}

Result<ExitCode> RunGenerateManual(const CommandContext& context) {
  return WriteFiles(context, "generate man", ManualPages());
}

Result<ExitCode> RunGenerateCompletions(const CommandContext& context) {
  return WriteFiles(context, "generate completions", Completions());
}

}  // namespace

Command GenerateManCommand() {
  return {.name = "generate man",
          .usage = "DIR",
          .summary = "write the manual pages",
          .words = Words::kOwn,
          .run = RunGenerateManual,
          .hidden = true};
}

Command GenerateCompletionsCommand() {
  return {.name = "generate completions",
          .usage = "DIR",
          .summary = "write the shell completions",
          .words = Words::kOwn,
          .run = RunGenerateCompletions,
          .hidden = true};
}

}  // namespace benchd::client
