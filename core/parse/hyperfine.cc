#include "core/parse/hyperfine.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/parse/harness_builder.h"
#include "core/parse/json_records.h"
#include "core/parse/text.h"

namespace benchd {
namespace {

constexpr std::string_view kHyperfineHint =
    "let hyperfine print JSON and nothing else to stdout: --style none --export-json /dev/stdout";

/// What one command came to.
struct Timing {
  std::string command;
  std::size_t line = 0;
  std::vector<PrintedNumber> times;
  std::vector<PrintedNumber> memory;
  PrintedNumber user;
  PrintedNumber system;
};

class HyperfineReader {
 public:
  Result<HarnessOutput> Read(std::string_view text) {
    const JsonLayout layout{JsonRecords::kNamedArray, "results", kHyperfineHint};
    const auto take = [this](const std::string&, const JsonValue& result) { return Take(result); };
    if (auto read = ReadJsonRecords(text, layout, take); !read) return std::move(read).error();
    HarnessBuilder builder(kHyperfineHint);
    for (const Timing& timing : timings_) {
      const std::string_view inner = timings_.size() == 1 ? std::string_view() : timing.command;
      if (auto added = Add(timing, inner, builder); !added) {
        return JsonError(timing.line, added.error().message, added.error().hint);
      }
    }
    return std::move(builder).Finish("at least one command");
  }

 private:
  Result<void> Take(const JsonValue& result) {
    auto command = RequiredText(result, "command", kHyperfineHint);
    if (!command) return std::move(command).error();
    Timing timing{std::move(*command), result.line, {}, {}, {}, {}};
    if (!seen_.insert(timing.command).second) {
      return JsonError(result.line, Quoted(timing.command) + " twice",
                       "give each command its own name: hyperfine -n NAME COMMAND");
    }
    if (result.Find("times") == nullptr) {
      return JsonError(result.line, "expected the list 'times', there is none", kHyperfineHint);
    }
    if (auto read = ReadList(result, "times", timing.times); !read) return read;
    if (auto read = ReadList(result, "memory_usage_byte", timing.memory); !read) return read;
    for (const auto& [key, to] :
         {std::pair("user", &timing.user), std::pair("system", &timing.system)}) {
      auto number = RequiredNumber(result, key, kHyperfineHint);
      if (!number) return std::move(number).error();
      *to = *number;
    }
    if (timing.times.empty()) {
      return JsonError(result.line, Quoted(timing.command) + " has no time", kHyperfineHint);
    }
    timings_.push_back(std::move(timing));
    return {};
  }

  static Result<void> ReadList(const JsonValue& result, std::string_view key,
                               std::vector<PrintedNumber>& to) {
    const JsonValue* list = result.Find(key);
    if (list == nullptr) return {};
    if (list->kind != JsonValue::Kind::kArray) {
      return JsonError(list->line, Quoted(key) + " is no list", kHyperfineHint);
    }
    for (const JsonValue& item : list->items) {
      auto number = AsNumber(item, "a value of " + Quoted(key), kHyperfineHint);
      if (!number) return std::move(number).error();
      to.push_back(*number);
    }
    return {};
  }

  static Result<void> Add(const Timing& timing, std::string_view inner, HarnessBuilder& builder) {
    const auto add = [&](std::string_view name, std::string_view unit,
                         const PrintedNumber& number) {
      return builder.Add({inner, name, unit, Better::kLower}, number, timing.line);
    };
    for (const PrintedNumber& time : timing.times) {
      if (auto added = add("time", "s", time); !added) return added;
    }
    if (auto added = add("user", "s", timing.user); !added) return added;
    if (auto added = add("system", "s", timing.system); !added) return added;
    for (const PrintedNumber& bytes : timing.memory) {
      if (auto added = add("memory_usage", "B", bytes); !added) return added;
    }
    return {};
  }

  std::vector<Timing> timings_;
  std::set<std::string> seen_;
};

}  // namespace

Result<HarnessOutput> ParseHyperfine(std::string_view text) { return HyperfineReader().Read(text); }

}  // namespace benchd
