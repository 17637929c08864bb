#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "core/parse/harness_builder.h"
#include "core/parse/harness_output.h"
#include "core/parse/number.h"

namespace benchd {
namespace {

constexpr std::string_view kGoHint =
    "print what go test -bench prints; let the benchmarks themselves log to stderr";
constexpr std::string_view kUnitHint = "write for example: Unit reqs/s better=higher";

/// Without a hint it has that of the format.
Error RefuseGo(std::string why, std::string_view hint = {}) {
  return Error{ErrorCode::kInvalidArgument, std::move(why), std::string(hint)};
}

// Where Go has no unit line: golang.org/x/perf/benchfmt, UnitMetadataMap.GetBetter.
std::optional<Better> GoDirection(std::string_view name) {
  if (name == "sec/op" || name == "B/op" || name == "allocs/op") return Better::kLower;
  if (name == "B/s") return Better::kHigher;
  return std::nullopt;
}

std::string GoSiUnit(std::string_view name) {
  if (name == "allocs/op") return "1";
  if (name == "B/op") return "B";
  if (name == "sec" || name == "sec/op") return "s";
  if (name.starts_with("sec/")) return "s" + std::string(name.substr(3));
  return std::string(name);
}

/// Units of Go: golang.org/x/perf/benchunit has "ns" become "sec" and "MB" become "B" in the
/// numerator. `name` is what Go's tools call the metric then ("sec/op"), `unit` is SI ("s").
struct GoUnit {
  std::string name;
  HarnessUnit unit;
};

GoUnit TidyGoUnit(std::string_view unit) {
  GoUnit tidy;
  UnitScale scale;
  // Words of the numerator; behind the first slash nothing is changed.
  const std::string_view numerator = unit.substr(0, unit.find('/'));
  std::size_t at = 0;
  while (at <= numerator.size()) {
    const std::size_t end = std::min(numerator.find_first_of("-*", at), numerator.size());
    const std::string_view word = numerator.substr(at, end - at);
    if (word == "ns") {
      tidy.name += "sec";
      scale.over *= 1e9;
    } else if (word == "MB") {
      tidy.name += "B";
      scale.times *= 1e6;
    } else {
      tidy.name += word;
    }
    if (end < numerator.size()) tidy.name += numerator[end];
    at = end + 1;
  }
  tidy.name += unit.substr(numerator.size());
  tidy.unit = {GoSiUnit(tidy.name), scale, GoDirection(tidy.name)};
  return tidy;
}

/// "BenchmarkX", but not "Benchmarking".
bool IsBenchmarkName(std::string_view word) {
  constexpr std::string_view kPrefix = "Benchmark";
  if (!word.starts_with(kPrefix)) return false;
  return word.size() == kPrefix.size() || word[kPrefix.size()] < 'a' || word[kPrefix.size()] > 'z';
}

class GoReader {
 public:
  Result<HarnessOutput> Read(std::string_view text) {
    // Unit lines may stand behind the results that they speak of.
    const auto scan = [this](std::string_view line) { return Scan(line); };
    if (auto read = ForEachLine(text, kGoHint, scan); !read) return std::move(read).error();
    const auto take = [this](std::string_view line) {
      ++line_;
      return Take(line);
    };
    if (auto read = ForEachLine(text, kGoHint, take); !read) return std::move(read).error();
    return std::move(builder_).Finish("at least one line BenchmarkNAME ITERATIONS VALUE UNIT");
  }

 private:
  Result<void> Scan(std::string_view line) {
    if (line.starts_with("pkg:")) packages_.insert(std::string(line));
    if (!line.starts_with("Unit ") && !line.starts_with("Unit\t")) return {};
    const std::vector<std::string_view> words = WordsOf(line);
    if (words.size() < 2) return RefuseGo("expected a unit after Unit", kUnitHint);
    for (std::size_t i = 2; i < words.size(); ++i) {
      if (auto taken = TakeSetting(words[1], words[i]); !taken) return taken;
    }
    return {};
  }

  Result<void> TakeSetting(std::string_view unit, std::string_view setting) {
    const auto equals = setting.find('=');
    if (equals == 0 || equals == std::string_view::npos) {
      return RefuseGo("expected KEY=VALUE after the unit, found " + Quoted(setting), kUnitHint);
    }
    if (setting.substr(0, equals) != "better") return {};
    const std::string_view value = setting.substr(equals + 1);
    const std::optional<Better> better = ValueOf<Better>(value);
    if (!better) {
      return RefuseGo("expected lower or higher after better=, found " + Quoted(value), kUnitHint);
    }
    const auto [known, is_new] = directions_.try_emplace(TidyGoUnit(unit).name, *better);
    if (is_new || known->second == *better) return {};
    return RefuseGo(Quoted(unit) + " has conflicting directions", kUnitHint);
  }

  Result<void> Take(std::string_view line) {
    if (line.starts_with("pkg:")) package_ = WordsOf(line).back();
    constexpr std::string_view kFailed = "--- FAIL: ";
    if (line.starts_with(kFailed) && IsBenchmarkName(line.substr(kFailed.size()))) {
      return RefuseGo(Quoted(WordsOf(line.substr(kFailed.size())).front()) + " failed",
                      "run it by itself to see why: go test -bench NAME");
    }
    if (!line.starts_with("Benchmark")) return {};
    const std::vector<std::string_view> words = WordsOf(line);
    // A name alone is what -v prints when a benchmark begins.
    if (!IsBenchmarkName(words.front()) || words.size() == 1) return {};
    return TakeResult(words);
  }

  Result<void> TakeResult(const std::vector<std::string_view>& words) {
    const std::string name = Quoted(words.front());
    if (!IsWholeNumber(words[1])) {
      return RefuseGo("expected the number of iterations of " + name + ", found " +
                      Quoted(words[1]));
    }
    if (words.size() == 2) return RefuseGo(name + " has no value");
    std::string inner(words.front());
    if (packages_.size() > 1) inner = std::string(package_) + "." + inner;
    std::set<std::string> units;
    for (std::size_t i = 2; i < words.size(); i += 2) {
      auto number = ParseNumber(words[i]);
      if (!number) {
        return RefuseGo("expected a value of " + name + ": " + std::move(number).error().message);
      }
      if (i + 1 == words.size()) return RefuseGo("expected the unit of " + Quoted(words[i]));
      const GoUnit unit = TidyGoUnit(words[i + 1]);
      if (!units.insert(unit.name).second) {
        return RefuseGo(Quoted(words[i + 1]) + " twice for " + name);
      }
      const auto known = directions_.find(unit.name);
      const HarnessMetric metric{inner, unit.name, unit.unit.unit,
                                 known == directions_.end() ? unit.unit.better : known->second};
      const PrintedNumber scaled = Scaled(*number, unit.unit.scale);
      if (auto added = builder_.Add(metric, scaled, line_); !added) return added;
    }
    return {};
  }

  std::size_t line_ = 0;
  std::string_view package_;
  std::set<std::string> packages_;
  std::map<std::string, Better> directions_;  // by tidied unit
  HarnessBuilder builder_{kGoHint};
};

}  // namespace

Result<HarnessOutput> ParseGoBenchmark(std::string_view text) { return GoReader().Read(text); }

}  // namespace benchd
