#include <set>
#include <string>
#include <string_view>

#include "core/base/text.h"
#include "core/base/try.h"
#include "core/parse/harness_builder.h"
#include "core/parse/harness_output.h"
#include "core/parse/json_records.h"
#include "core/parse/printed_value.h"

namespace benchd {
namespace {

constexpr std::string_view kGithubHint =
    "print a list such as [{\"name\": \"sort\", \"unit\": \"ms\", \"value\": 12.5}]";

Result<HarnessOutput> ParseGithub(std::string_view text, Better better) {
  HarnessBuilder builder(kGithubHint);
  std::set<std::string> seen;
  const JsonLayout layout{.records = JsonRecords::kTopArray, .hint = kGithubHint};
  const auto take = [&](const std::string&, const JsonValue& entry) -> Result<void> {
    TRY(const auto name, RequiredText(entry, "name"));
    TRY(const auto printed_unit, RequiredText(entry, "unit"));
    TRY(const auto value, RequiredNumber(entry, "value"));
    if (!seen.insert(name).second) {
      return JsonError(entry.line, Quoted(name) + " occurs twice", "give every entry its own name");
    }
    const HarnessUnit unit = SiUnitOf(printed_unit);
    return builder.AddAt(entry.line, {{}, name, unit.unit, better}, Scaled(value, unit.scale));
  };
  TRY_VOID(ReadJsonRecords(text, layout, take));
  return std::move(builder).Finish("at least one entry");
}

}  // namespace

Result<HarnessOutput> ParseGithubSmaller(std::string_view text) {
  return ParseGithub(text, Better::kLower);
}

Result<HarnessOutput> ParseGithubBigger(std::string_view text) {
  return ParseGithub(text, Better::kHigher);
}

}  // namespace benchd
