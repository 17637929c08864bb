#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "core/parse/harness_builder.h"
#include "core/parse/harness_output.h"
#include "core/parse/json_records.h"

namespace benchd {
namespace {

constexpr std::string_view kGoogleHint =
    "let the benchmark print JSON and nothing else to stdout: --benchmark_format=json";

// Numbers of an entry that measure nothing.
constexpr std::array<std::string_view, 6> kBookkeeping{"family_index", "per_family_instance_index",
                                                       "repetitions",  "repetition_index",
                                                       "threads",      "iterations"};

bool IsTrue(const JsonValue& entry, std::string_view key) {
  const JsonValue* found = entry.Find(key);
  return found != nullptr && found->boolean;
}

std::string TextOf(const JsonValue& entry, std::string_view key) {
  const JsonValue* found = entry.Find(key);
  return found == nullptr ? "" : found->text;
}

class GoogleBenchmarkReader {
 public:
  Result<HarnessOutput> Read(std::string_view text) {
    const JsonLayout layout{JsonRecords::kNamedArray, "benchmarks", kGoogleHint};
    const auto take = [this](const std::string&, const JsonValue& entry) { return Take(entry); };
    if (auto read = ReadJsonRecords(text, layout, take); !read) return std::move(read).error();
    if (first_aggregate_ && !has_samples_) {
      return JsonError(*first_aggregate_,
                       "nothing but aggregates: expected the repetitions themselves",
                       "run it without --benchmark_report_aggregates_only and "
                       "--benchmark_display_aggregates_only");
    }
    return std::move(builder_).Finish("at least one benchmark");
  }

 private:
  Result<void> Take(const JsonValue& entry) {
    auto name = RequiredText(entry, "name", kGoogleHint);
    if (!name) return std::move(name).error();
    if (IsTrue(entry, "error_occurred")) {
      return JsonError(
          entry.line,
          Quoted(*name) + " failed: " + OnOneLine(TextOf(entry, "error_message")).substr(0, 200),
          "run it by itself: --benchmark_filter");
    }
    if (TextOf(entry, "run_type") == "aggregate") {
      if (!first_aggregate_) first_aggregate_ = entry.line;
      return {};
    }
    if (IsTrue(entry, "skipped")) return {};
    has_samples_ = true;
    // Without the "/repeats:3" that only the name of an aggregate lacks.
    const std::string run_name = TextOf(entry, "run_name");
    const std::string inner = run_name.empty() ? *name : run_name;
    if (auto checked = CheckOnce(entry, inner); !checked) return checked;
    return TakeNumbers(entry, inner);
  }

  Result<void> CheckOnce(const JsonValue& entry, const std::string& inner) {
    const JsonValue* repetition = entry.Find("repetition_index");
    const double index = repetition == nullptr ? 0 : repetition->number.value;
    if (seen_.emplace(inner, index).second) return {};
    return JsonError(entry.line, Quoted(inner) + " twice with the same repetition_index",
                     "give every benchmark its own name");
  }

  Result<void> TakeNumbers(const JsonValue& entry, const std::string& inner) {
    auto unit = RequiredText(entry, "time_unit", kGoogleHint);
    if (!unit) return std::move(unit).error();
    const auto scale = SecondsIn(*unit);
    if (!scale) {
      return JsonError(entry.Find("time_unit")->line,
                       "time_unit is " + Quoted(*unit) + ", expected ns, us, ms or s", kGoogleHint);
    }
    for (const std::string_view time : {"real_time", "cpu_time"}) {
      auto number = RequiredNumber(entry, time, kGoogleHint);
      if (!number) return std::move(number).error();
      const HarnessMetric metric{inner, time, "s", Better::kLower};
      if (auto added = Add(metric, Scaled(*number, *scale), entry); !added) return added;
    }
    for (std::size_t i = 0; i < entry.keys.size(); ++i) {
      if (auto added = TakeCounter(entry, entry.keys[i], entry.items[i], inner); !added) {
        return added;
      }
    }
    return {};
  }

  Result<void> TakeCounter(const JsonValue& entry, const std::string& key, const JsonValue& value,
                           const std::string& inner) {
    const bool known =
        std::find(kBookkeeping.begin(), kBookkeeping.end(), key) != kBookkeeping.end() ||
        key == "real_time" || key == "cpu_time";
    if (known) return {};
    HarnessMetric metric{inner, key, {}, {}};
    if (key == "items_per_second") metric = {inner, key, "1/s", Better::kHigher};
    if (key == "bytes_per_second") metric = {inner, key, "B/s", Better::kHigher};
    if (metric.better && value.kind != JsonValue::Kind::kNumber) {
      return AsNumber(value, Quoted(key), kGoogleHint).error();
    }
    if (value.kind != JsonValue::Kind::kNumber) return {};
    return Add(metric, value.number, entry);
  }

  Result<void> Add(const HarnessMetric& metric, const PrintedNumber& number,
                   const JsonValue& entry) {
    auto added = builder_.Add(metric, number, entry.line);
    if (!added) return JsonError(entry.line, added.error().message, added.error().hint);
    return {};
  }

  std::optional<std::size_t> first_aggregate_;
  bool has_samples_ = false;
  std::set<std::pair<std::string, double>> seen_;
  HarnessBuilder builder_{kGoogleHint};
};

}  // namespace

Result<HarnessOutput> ParseGoogleBenchmark(std::string_view text) {
  return GoogleBenchmarkReader().Read(text);
}

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

namespace {

constexpr std::string_view kBmfHint =
    "print Bencher Metric Format: {\"BENCHMARK\": {\"MEASURE\": {\"value\": 88.0}}}";

// https://bencher.dev/docs/how-to/track-custom-benchmarks: what every project has by default.
HarnessUnit UnitOf(std::string_view measure) {
  if (measure == "latency") return {"s", {1, 1e9}, Better::kLower};
  if (measure == "throughput") return {"1/s", {}, Better::kHigher};
  return {};
}

Result<void> TakeMeasure(const std::string& inner, const std::string& name,
                         const JsonValue& measure, HarnessBuilder& builder) {
  auto value = RequiredNumber(measure, "value", kBmfHint);
  if (!value) return std::move(value).error();
  const HarnessUnit unit = UnitOf(name);
  auto added =
      builder.Add({inner, name, unit.unit, unit.better}, Scaled(*value, unit.scale), measure.line);
  if (!added) return JsonError(measure.line, added.error().message, added.error().hint);
  return {};
}

}  // namespace

Result<HarnessOutput> ParseBmf(std::string_view text) {
  HarnessBuilder builder(kBmfHint);
  const JsonLayout layout{.records = JsonRecords::kTopMembers, .hint = kBmfHint};
  const auto take = [&builder](const std::string& name, const JsonValue& measures) -> Result<void> {
    if (measures.kind != JsonValue::Kind::kObject) {
      return JsonError(measures.line, "expected an object of measures for " + Quoted(name),
                       kBmfHint);
    }
    for (std::size_t i = 0; i < measures.keys.size(); ++i) {
      auto taken = TakeMeasure(name, measures.keys[i], measures.items[i], builder);
      if (!taken) return taken;
    }
    return {};
  };
  if (auto read = ReadJsonRecords(text, layout, take); !read) return std::move(read).error();
  return std::move(builder).Finish("at least one benchmark with a measure");
}

}  // namespace benchd
