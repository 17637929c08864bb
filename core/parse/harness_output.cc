#include "core/parse/harness_output.h"

#include <algorithm>
#include <array>

#include "core/base/text.h"
#include "core/base/try.h"

namespace benchd {
namespace {

using Parser = Result<HarnessOutput> (*)(std::string_view);

struct Format {
  std::string_view name;
  Parser parse;
};

// The formats, in the order of the documentation.
constexpr std::array<Format, 8> kFormats{{
    {"lines", &ParseLines},
    {"google-benchmark", &ParseGoogleBenchmark},
    {"hyperfine", &ParseHyperfine},
    {"go", &ParseGoBenchmark},
    {"jmh", &ParseJmh},
    {"pytest-benchmark", &ParsePytestBenchmark},
    {"bmf", &ParseBmf},
    {"mmtests", &ParseMmtests},
}};

const Format* Find(std::string_view name) {
  const auto found = std::find_if(kFormats.begin(), kFormats.end(),
                                  [name](const Format& format) { return format.name == name; });
  return found == kFormats.end() ? nullptr : found;
}

std::string HintForFormat(std::string_view typed) {
  std::vector<std::string_view> names;
  for (const Format& format : kFormats) names.push_back(format.name);
  return HintForUnknown(typed, names,
                        "available: " + Join(names, ", ") + "; lines takes `NAME VALUE [UNIT]`");
}

}  // namespace

Result<void> CheckHarnessFormat(std::string_view format) {
  if (Find(format) == nullptr) {
    return Error{ErrorCode::kInvalidArgument, "parse: unknown format " + Quoted(format),
                 HintForFormat(format)};
  }
  return {};
}

Result<HarnessOutput> ParseHarnessOutput(std::string_view format, std::string_view text) {
  TRY_VOID(CheckHarnessFormat(format));
  return Find(format)->parse(WithoutByteOrderMark(text));
}

}  // namespace benchd
