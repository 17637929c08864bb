#include "daemon/parse/harness_output.h"

#include <algorithm>
#include <array>
#include <string>

#include "daemon/parse/lines.h"
#include "daemon/parse/text.h"

namespace benchd {
namespace {

using Parser = Result<HarnessOutput> (*)(std::string_view);

struct Format {
  std::string_view name;
  Parser parse;  // nullptr: named by the contract, not offered yet
};

// In the order of the contract.
constexpr std::array<Format, 8> kFormats{{
    {"lines", &ParseLines},
    {"google-benchmark", nullptr},
    {"hyperfine", nullptr},
    {"go", nullptr},
    {"jmh", nullptr},
    {"pytest-benchmark", nullptr},
    {"bmf", nullptr},
    {"mmtests", nullptr},
}};

const Format* Find(std::string_view name) {
  const auto found = std::find_if(kFormats.begin(), kFormats.end(),
                                  [name](const Format& format) { return format.name == name; });
  return found == kFormats.end() ? nullptr : found;
}

std::string OfferedFormats() {
  std::string names;
  for (const Format& format : kFormats) {
    if (format.parse == nullptr) continue;
    names.append(names.empty() ? "" : ", ").append(format.name);
  }
  return names;
}

}  // namespace

Result<void> CheckHarnessFormat(std::string_view format) {
  const Format* found = Find(format);
  if (found == nullptr) {
    return Error{ErrorCode::kInvalidArgument,
                 "parse: " + Quoted(format) + " is not a known format; known: " + OfferedFormats(),
                 "let the program print `NAME VALUE [UNIT]` lines and use --parse lines"};
  }
  if (found->parse == nullptr) {
    return Error{ErrorCode::kUnimplemented, "parse: " + std::string(format) + " is not offered yet",
                 "offered: " + OfferedFormats()};
  }
  return {};
}

Result<HarnessOutput> ParseHarnessOutput(std::string_view format, std::string_view text) {
  if (auto checked = CheckHarnessFormat(format); !checked) return std::move(checked).error();
  return Find(format)->parse(text);
}

}  // namespace benchd
