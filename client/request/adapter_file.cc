#include "client/request/adapter_file.h"

#include <fcntl.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "client/app/exit_code.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "core/parse/adapter.h"
#include "core/parse/harness_output.h"

namespace benchd::client {

Result<ParseChoice> ReadParseChoice(const std::string& value) {
  ParseChoice choice{.format = value, .adapter = {}};
  if (!NamesAdapterFile(value)) {
    TRY_VOID(CheckHarnessFormat(value));
    return choice;
  }
  std::error_code error;
  if (std::filesystem::is_directory(value, error)) return UsageError(value + ": is a directory");
  const UniqueFd file(open(value.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) {
    return UsageError(value + ": " + std::strerror(errno),
                      "name a file with an adapter, or a format; docs/adapters.md describes both");
  }
  auto text = ReadAll(file.get(), value, kMaxAdapterBytes);
  if (!text) return UsageError(text.error().message);
  if (FirstInvalidUtf8(*text)) {
    return UsageError(value + ": not valid UTF-8", "write the adapter in UTF-8");
  }
  if (text->find_first_not_of(" \t\r\n") == std::string::npos) {
    return UsageError(value + ": is empty", "docs/adapters.md describes how to write an adapter");
  }
  if (const auto checked = CheckHarnessFormat(value, *text); !checked) {
    return UsageError(checked.error().message, checked.error().hint);
  }
  choice.format = std::filesystem::absolute(value, error).lexically_normal().string();
  choice.adapter = *std::move(text);
  return choice;
}

Result<void> AttachAdapters(v1::SessionSpec* spec) {
  for (v1::Benchmark& benchmark : *spec->mutable_benchmarks()) {
    if (benchmark.parse().empty()) continue;
    TRY(auto choice, ReadParseChoice(benchmark.parse()));
    benchmark.set_parse(std::move(choice.format));
    benchmark.set_adapter(std::move(choice.adapter));
  }
  return {};
}

}  // namespace benchd::client
