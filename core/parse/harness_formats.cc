#include <algorithm>
#include <array>

#include "core/base/text.h"
#include "core/base/try.h"
#include "core/parse/adapter.h"
#include "core/parse/harness_output.h"

namespace benchd {
namespace {

using Parser = Result<HarnessOutput> (*)(std::string_view);

struct Format {
  std::string_view name;
  Parser parse;
};

// The formats, in the order of the documentation.
constexpr std::array<Format, 19> kFormats{{
    {"lines", &ParseLines},
    {"google-benchmark", &ParseGoogleBenchmark},
    {"hyperfine", &ParseHyperfine},
    {"go", &ParseGoBenchmark},
    {"jmh", &ParseJmh},
    {"pytest-benchmark", &ParsePytestBenchmark},
    {"bmf", &ParseBmf},
    {"mmtests", &ParseMmtests},
    {"libtest", &ParseLibtest},
    {"criterion", &ParseCriterion},
    {"catch2", &ParseCatch2},
    {"nanobench", &ParseNanobench},
    {"vitest", &ParseVitest},
    {"tinybench", &ParseTinybench},
    {"mitata", &ParseMitata},
    {"benchmarkdotnet", &ParseBenchmarkDotNet},
    {"pyperf", &ParsePyperf},
    {"github-smaller", &ParseGithubSmaller},
    {"github-bigger", &ParseGithubBigger},
}};

const Format* Find(std::string_view name) {
  const auto found = std::find_if(kFormats.begin(), kFormats.end(),
                                  [name](const Format& format) { return format.name == name; });
  return found == kFormats.end() ? nullptr : found;
}

std::string HintForFormat(std::string_view typed) {
  std::vector<std::string_view> formats;
  for (const Format& format : kFormats) formats.push_back(format.name);
  std::vector<std::string_view> adapters;
  for (const ShippedAdapter& adapter : ShippedAdapters()) adapters.push_back(adapter.name);
  std::vector<std::string_view> names = formats;
  names.insert(names.end(), adapters.begin(), adapters.end());
  return HintForUnknown(typed, names,
                        "available: " + Join(formats, ", ") +
                            "; lines takes `NAME VALUE [UNIT]`; adapters: " + Join(adapters, ", ") +
                            "; or an adapter of your own: FILE.toml");
}

/// Returns the text of an adapter, or std::nullopt for a format of the table.
std::optional<std::string_view> AdapterText(std::string_view format, std::string_view adapter) {
  if (!adapter.empty()) return adapter;
  const ShippedAdapter* const shipped = FindShippedAdapter(format);
  return shipped == nullptr ? std::nullopt : std::optional(shipped->text);
}

/// Adds to an error that the output is that of another tool.
Error WithTool(Error error, std::string_view format, std::string_view text) {
  const std::string_view tool = ToolThatPrinted(text);
  if (tool.empty() || tool == format) return error;
  error.hint =
      "this looks like the output of " + std::string(tool) + ": write --parse " + std::string(tool);
  return error;
}

Result<HarnessOutput> ParseFormat(std::string_view format, std::string_view text) {
  if (const ShippedAdapter* const shipped = FindShippedAdapter(format)) {
    TRY(const auto compiled, Adapter::Parse(shipped->text));
    return ParseWithAdapter(compiled, text);
  }
  TRY_VOID(CheckHarnessFormat(format));
  return Find(format)->parse(text);
}

}  // namespace

Result<HarnessSource> CheckHarnessFormat(std::string_view format, std::string_view adapter) {
  if (const auto text = AdapterText(format, adapter)) {
    auto parsed = Adapter::Parse(*text);
    if (!parsed) return std::move(parsed).error().Within(format);
    return HarnessSource{parsed->reads_stderr() ? OutputStream::kStderr : OutputStream::kStdout,
                         parsed->file()};
  }
  if (Find(format) != nullptr) return HarnessSource();
  return Error{ErrorCode::kInvalidArgument, "parse: unknown format " + Quoted(format),
               HintForFormat(format)};
}

Result<HarnessOutput> ParseHarnessOutput(std::string_view format, std::string_view text,
                                         std::string_view adapter) {
  text = WithoutByteOrderMark(text);
  if (!adapter.empty()) {
    TRY(const auto compiled, Adapter::Parse(adapter));
    TRY(auto reading, compiled.Read(text));
    const bool nothing = reading.failures.empty() && reading.output.samples.empty();
    auto output = OutputOf(std::move(reading));
    return nothing ? WithTool(std::move(output).error(), format, text) : output;
  }
  auto output = ParseFormat(format, text);
  if (!output) return WithTool(std::move(output).error(), format, text);
  return output;
}

}  // namespace benchd
