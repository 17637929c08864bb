#include "core/parse/pytest_benchmark.h"

#include <set>
#include <string>
#include <utility>

#include "core/parse/harness_builder.h"
#include "core/parse/json_records.h"
#include "core/parse/text.h"

namespace benchd {
namespace {

constexpr std::string_view kPytestHint =
    "let pytest write its JSON, and nothing else, to stdout: "
    "pytest --benchmark-json=/dev/fd/3 3>&1 >/dev/null, with --shell";

class PytestReader {
 public:
  Result<HarnessOutput> Read(std::string_view text) {
    const JsonLayout layout{JsonRecords::kNamedArray, "benchmarks", kPytestHint};
    const auto take = [this](const std::string&, const JsonValue& test) { return Take(test); };
    if (auto read = ReadJsonRecords(text, layout, take); !read) return std::move(read).error();
    return std::move(builder_).Finish("at least one benchmark");
  }

 private:
  Result<void> Take(const JsonValue& test) {
    auto name = RequiredText(test, "fullname", kPytestHint);
    if (!name) return std::move(name).error();
    if (!seen_.insert(*name).second) {
      return JsonError(test.line, Quoted(*name) + " twice", "run every test once");
    }
    const JsonValue* stats = test.Find("stats");
    if (stats == nullptr || stats->kind != JsonValue::Kind::kObject) {
      return JsonError(test.line, "expected the object 'stats' of " + Quoted(*name), kPytestHint);
    }
    const JsonValue* rounds = stats->Find("data");
    if (rounds != nullptr && !rounds->items.empty()) {
      for (const JsonValue& round : rounds->items) {
        auto number = AsNumber(round, "a round of " + Quoted(*name), kPytestHint);
        if (!number) return std::move(number).error();
        if (auto added = Add(*name, *number, round.line); !added) return added;
      }
      return {};
    }
    auto mean = RequiredNumber(*stats, "mean", kPytestHint);
    if (!mean) return std::move(mean).error();
    return Add(*name, *mean, stats->line);
  }

  Result<void> Add(const std::string& inner, const PrintedNumber& number, std::size_t line) {
    auto added = builder_.Add({inner, "time", "s", Better::kLower}, number, line);
    if (!added) return JsonError(line, added.error().message, added.error().hint);
    return {};
  }

  std::set<std::string> seen_;
  HarnessBuilder builder_{kPytestHint};
};

}  // namespace

Result<HarnessOutput> ParsePytestBenchmark(std::string_view text) {
  return PytestReader().Read(text);
}

}  // namespace benchd
