#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "core/base/try.h"
#include "core/parse/harness_builder.h"
#include "core/parse/harness_output.h"
#include "core/parse/json_records.h"
#include "core/parse/number.h"

namespace benchd {
namespace {

constexpr std::string_view kGoHint =
    "print the output of go test -bench, and make the benchmarks log to stderr";
constexpr std::string_view kFailureHint =
    "see the lines around it for the cause; -bench can exclude failing benchmarks";
constexpr std::string_view kNoResultHint =
    "the benchmark did not finish, or its output was truncated; run it alone: go test -bench NAME";
constexpr std::string_view kUnitHint = "write, for example: Unit reqs/s better=higher";

// Returns the direction of a unit without a `Unit` line, as UnitMetadataMap.GetBetter in
// golang.org/x/perf/benchfmt does.
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

/// A unit as Go's tools write it and in SI. In the numerator, golang.org/x/perf/benchunit replaces
/// "ns" by "sec" and "MB" by "B". `name` is the resulting metric name ("sec/op"), `unit` is in SI
/// ("s").
struct GoUnit {
  std::string name;
  HarnessUnit unit;
};

GoUnit TidyGoUnit(std::string_view unit) {
  GoUnit tidy;
  UnitScale scale;
  // Converts the words of the numerator. The text after the first slash stays unchanged.
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

/// Returns whether the words form a result: "17 0.5 ns/op 3 B/op", the number of iterations, then a
/// number before each unit.
bool IsResult(std::span<const std::string_view> words) {
  if (words.size() < 3 || words.size() % 2 == 0 || !IsWholeNumber(words[0])) return false;
  for (std::size_t i = 1; i < words.size(); i += 2) {
    if (!LooksLikeNumber(words[i]) || LooksLikeNumber(words[i + 1])) return false;
  }
  return true;
}

/// Returns whether the line is the rest of a result whose benchmark printed log output: the number
/// of iterations, then a tab.
bool IsRest(std::string_view line, std::span<const std::string_view> words) {
  if (!IsResult(words)) return false;
  const std::size_t behind = line.find(words[0]) + words[0].size();
  return behind < line.size() && line[behind] == '\t';
}

/// Returns whether go test would run a benchmark of this name: "BenchmarkX", but not
/// "Benchmarking".
bool IsBenchmarkName(std::string_view word) {
  constexpr std::string_view kPrefix = "Benchmark";
  if (!word.starts_with(kPrefix)) return false;
  return word.size() == kPrefix.size() || word[kPrefix.size()] < 'a' || word[kPrefix.size()] > 'z';
}

/// The Go runtime's names of signals that end a program. It prints them as whole lines.
/// Source: runtime/sigtab_linux_generic.go.
constexpr std::string_view kFatalSignals[] = {"SIGABRT: abort",
                                              "SIGBUS: bus error",
                                              "SIGFPE: floating-point exception",
                                              "SIGILL: illegal instruction",
                                              "SIGQUIT: quit",
                                              "SIGSEGV: segmentation violation",
                                              "SIGSTKFLT: stack fault",
                                              "SIGSYS: bad system call",
                                              "SIGTRAP: trace trap"};

/// The names that os.ProcessState uses for signals that end a process. Source:
/// syscall/zerrors_linux_amd64.go, zerrors_darwin_arm64.go.
constexpr std::string_view kEndingSignals[] = {"abort trap",
                                               "aborted",
                                               "alarm clock",
                                               "bad system call",
                                               "broken pipe",
                                               "bus error",
                                               "CPU time limit exceeded",
                                               "cputime limit exceeded",
                                               "file size limit exceeded",
                                               "filesize limit exceeded",
                                               "floating point exception",
                                               "hangup",
                                               "illegal instruction",
                                               "interrupt",
                                               "killed",
                                               "quit",
                                               "segmentation fault",
                                               "stack fault",
                                               "terminated",
                                               "trace/BPT trap",
                                               "trace/breakpoint trap",
                                               "user defined signal 1",
                                               "user defined signal 2"};

template <std::size_t N>
bool IsOneOf(std::string_view text, const std::string_view (&list)[N]) {
  return std::find(std::begin(list), std::end(list), text) != std::end(list);
}

/// Removes the prefix from `text`. Returns false if `text` does not begin with it.
bool TakePrefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

/// Returns whether go test reports an abnormal end of the test program: "exit status 2", "signal:
/// killed". This line is checked because the FAIL line after it may be missing, if the output was
/// filtered or truncated. The text must be the whole line, because a log may contain it within a
/// line.
bool SaysHowItEnded(std::string_view line) {
  constexpr std::string_view kCore = " (core dumped)";
  if (TakePrefix(line, "exit status ")) return IsWholeNumber(line);
  if (!TakePrefix(line, "signal: ")) return false;
  if (line.ends_with(kCore)) line.remove_suffix(kCore.size());
  return IsOneOf(line, kEndingSignals);
}

/// Returns whether the line reports a failed build, such as "example.com/words [build failed]",
/// without the FAIL that go test prints before it.
bool SaysNotBuilt(std::string_view line) {
  if (!line.ends_with(" [build failed]") && !line.ends_with(" [setup failed]")) return false;
  return line.front() != ' ' && WordsOf(line).size() == 3;
}

/// Returns whether the line reports a failed package (as Go's test2json recognises it), or a
/// program that the Go runtime ended.
bool SaysFailure(std::string_view line) {
  line = WithoutReturn(line);
  return line == "FAIL" || line.starts_with("FAIL\t") || line.starts_with("panic: ") ||
         line.starts_with("fatal error: ") || line.starts_with("*** Test killed") ||
         line.starts_with("*** Test I/O incomplete") || IsOneOf(line, kFatalSignals) ||
         SaysHowItEnded(line) || SaysNotBuilt(line);
}

/// One line of go test's output.
struct GoLine {
  std::size_t number = 0;  ///< line number in the text, from 1
  std::string text;
};

/// The output of `go test -json`. Each line is an object with a fragment of a package's output. The
/// fragments of a package are joined to lines; fragments of other packages may come in between.
class GoEvents {
 public:
  Result<void> Take(std::size_t number, std::string_view line) {
    // Ignores compiler output, which appears between the objects as plain text.
    if (!line.starts_with('{')) return {};
    std::map<std::string, std::string> members;
    const JsonLayout layout{.records = JsonRecords::kTopMembers, .hint = kGoHint};
    const auto take = [&members](const std::string& name, const JsonValue& value) -> Result<void> {
      members[name] = value.text;
      return {};
    };
    if (!ReadJsonRecords(line, layout, take)) return RefuseText("not an event of go test -json");
    const std::string& action = members["Action"];
    if (action == "output") Append(number, members["Package"], members["Output"]);
    if (action == "fail") AppendFailure(number, members["Package"]);
    if (action == "build-fail") AppendFailure(number, members["ImportPath"]);
    return {};
  }

  std::vector<GoLine> Lines() && {
    std::vector<GoLine> lines;
    for (const std::string& package : packages_) {
      std::move(lines_[package].begin(), lines_[package].end(), std::back_inserter(lines));
    }
    return lines;
  }

 private:
  void Append(std::size_t number, const std::string& package, std::string_view output) {
    const auto [place, is_new] = lines_.try_emplace(package);
    if (is_new) packages_.push_back(package);
    std::vector<GoLine>& lines = place->second;
    // The JSON reader truncates a long text, so the end of its line is lost.
    const bool cut = output.size() >= kJsonTextBytes;
    while (!output.empty()) {
      if (lines.empty() || ended_[package]) lines.push_back({number, {}});
      const std::size_t end = output.find('\n');
      ended_[package] = end != std::string_view::npos || cut;
      lines.back().text += output.substr(0, end);
      output.remove_prefix(std::min(end, output.size() - 1) + 1);
    }
  }

  // Adds the line that go test prints for a failure, because some versions report it only by the
  // event.
  void AppendFailure(std::size_t number, const std::string& package) {
    ended_[package] = true;
    Append(number, package, "FAIL\t" + package + "\n");
  }

  std::vector<std::string> packages_;  // in order of appearance
  std::map<std::string, std::vector<GoLine>> lines_;
  std::map<std::string, bool> ended_;  // whether the last line is complete
};

Result<std::vector<GoLine>> GoLinesOf(std::string_view text) {
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  const bool events = start != std::string_view::npos && text[start] == '{';
  std::vector<GoLine> lines;
  GoEvents of_events;
  std::size_t number = 0;
  const auto take = [&](std::string_view line) -> Result<void> {
    ++number;
    if (events) return of_events.Take(number, line);
    lines.push_back({number, std::string(line)});
    return {};
  };
  TRY_VOID(ForEachLine(text, kGoHint, take));
  return events ? std::move(of_events).Lines() : std::move(lines);
}

class GoReader {
 public:
  Result<HarnessOutput> Read(std::string_view text) {
    TRY(auto lines, GoLinesOf(text));
    // Unit lines may follow the results that they describe.
    for (const GoLine& line : lines) {
      if (auto scanned = Scan(line.text); !scanned) return At(line, std::move(scanned).error());
    }
    for (const GoLine& line : lines) {
      line_ = line.number;
      if (auto taken = Take(line.text); !taken) return At(line, std::move(taken).error());
    }
    if (auto lost = DropBegun(); !lost) return At(lines.back(), std::move(lost).error());
    return std::move(builder_).Finish("at least one line BenchmarkNAME ITERATIONS VALUE UNIT");
  }

 private:
  static Error At(const GoLine& line, Error error) {
    if (error.hint.empty()) error.hint = kGoHint;
    return std::move(error).Within(fmt::format("line {}", line.number));
  }

  Result<void> Scan(std::string_view line) {
    if (line.starts_with("pkg:")) packages_.insert(std::string(line));
    if (!line.starts_with("Unit ") && !line.starts_with("Unit\t")) return {};
    const std::vector<std::string_view> words = WordsOf(line);
    if (words.size() < 2) return RefuseText("expected a unit after Unit", kUnitHint);
    for (std::size_t i = 2; i < words.size(); ++i) {
      TRY_VOID(TakeSetting(words[1], words[i]));
    }
    return {};
  }

  Result<void> TakeSetting(std::string_view unit, std::string_view setting) {
    const auto equals = setting.find('=');
    if (equals == 0 || equals == std::string_view::npos) {
      return RefuseText("expected KEY=VALUE after the unit, found " + Quoted(setting), kUnitHint);
    }
    if (setting.substr(0, equals) != "better") return {};
    const std::string_view value = setting.substr(equals + 1);
    const std::optional<Better> better = ValueOf<Better>(value);
    if (!better) {
      return RefuseText("expected lower or higher after better=, found " + Quoted(value),
                        kUnitHint);
    }
    const auto [known, is_new] = directions_.try_emplace(TidyGoUnit(unit).name, *better);
    if (is_new || known->second == *better) return {};
    return RefuseText(Quoted(unit) + " has conflicting directions", kUnitHint);
  }

  Result<void> Take(std::string_view line) {
    if (line.starts_with("pkg:")) package_ = WordsOf(line).back();
    TRY_VOID(CheckFailure(line));
    const std::vector<std::string_view> words = WordsOf(line);
    if (!line.starts_with("Benchmark"))
      return IsRest(line, words) ? TakeBegun(words) : Result<void>();
    const std::span<const std::string_view> rest(words.begin() + 1, words.end());
    const bool named = IsBenchmarkName(words.front());
    // A renamed benchmark ("Benchmarkuber_zap") counts if the rest of the line is a result.
    if (!named && !IsResult(rest)) return {};
    if (named && !rest.empty() && !IsWholeNumber(rest.front())) return Begin(words);
    TRY_VOID(DropBegun());
    if (rest.empty()) {
      begun_ = {std::string(words.front()), line_, {}, line.find('\t') != std::string_view::npos};
      return {};
    }
    return TakeResult(words.front(), rest);
  }

  /// Returns an error if the line reports a failure: results before it belong to a run that did not
  /// complete. The exit code does not suffice, because a pipe may lose it.
  Result<void> CheckFailure(std::string_view line) {
    constexpr std::string_view kFailed = "--- FAIL: ";
    // Failures within a test or benchmark are indented.
    const std::string_view text = line.substr(std::min(line.find_first_not_of(' '), line.size()));
    if (text.starts_with(kFailed)) return RefuseFailed(WordsOf(text.substr(kFailed.size())));
    if (!SaysFailure(line)) return {};
    // First reports an interrupted benchmark, because an error with its name is more helpful.
    TRY_VOID(DropBegun());
    return RefuseText("go test failed: " + Quoted(Join(WordsOf(line), " ")), kFailureHint);
  }

  /// @param words  after "--- FAIL: "
  static Result<void> RefuseFailed(const std::vector<std::string_view>& words) {
    if (words.empty()) return {};
    return RefuseText(Quoted(words.front()) + " failed",
                      IsBenchmarkName(words.front())
                          ? "run it by itself to see why: go test -bench NAME"
                          : "run it by itself to see why: go test -run NAME");
  }

  /// A benchmark whose result has not been read yet. go test first prints its name and a tab, and
  /// prints the rest when the benchmark is done; the benchmark's log comes in between. With -v, a
  /// line with only the name comes first. A benchmark that only has sub-benchmarks has no result.
  struct Begun {
    std::string name;
    std::size_t line = 0;
    std::string log;       ///< the log output found in place of the iterations
    bool awaited = false;  ///< a result must follow
  };

  Result<void> Begin(const std::vector<std::string_view>& words) {
    TRY_VOID(DropBegun());
    begun_ = {std::string(words[0]), line_, std::string(words[1]), true};
    return {};
  }

  Result<void> TakeBegun(const std::vector<std::string_view>& words) {
    if (begun_.name.empty()) return {};
    const std::string name = std::exchange(begun_, {}).name;
    return TakeResult(name, words);
  }

  /// Drops a name that needs no result. Returns an error for a benchmark whose result is missing.
  Result<void> DropBegun() {
    const Begun begun = std::exchange(begun_, {});
    if (!begun.awaited) return {};
    const std::string missing = fmt::format(
        "the result of {} (line {}) is missing: expected the number of its iterations, found ",
        Quoted(begun.name), begun.line);
    if (begun.log.empty()) return RefuseText(missing + "nothing", kNoResultHint);
    return RefuseText(missing + Quoted(begun.log));
  }

  /// @param words  after the name
  Result<void> TakeResult(std::string_view benchmark, std::span<const std::string_view> words) {
    const std::string name = Quoted(benchmark);
    if (words.size() == 1) return RefuseText(name + " has no value");
    std::string inner(benchmark);
    if (packages_.size() > 1) inner = package_ + "." + inner;
    std::set<std::string> units;
    for (std::size_t i = 1; i < words.size(); i += 2) {
      auto number = ParseNumber(words[i]);
      if (!number) {
        return RefuseText("expected a value of " + name + ": " + std::move(number).error().message);
      }
      if (i + 1 == words.size()) return RefuseText("expected the unit of " + Quoted(words[i]));
      const GoUnit unit = TidyGoUnit(words[i + 1]);
      if (!units.insert(unit.name).second) {
        return RefuseText(Quoted(words[i + 1]) + " occurs twice for " + name);
      }
      const auto known = directions_.find(unit.name);
      const HarnessMetric metric{inner, unit.name, unit.unit.unit,
                                 known == directions_.end() ? unit.unit.better : known->second,
                                 unit.name == "B/s" && HasTime(words)};
      const PrintedNumber scaled = Scaled(*number, unit.unit.scale);
      TRY_VOID(builder_.Add(metric, scaled, line_));
    }
    return {};
  }

  /// Returns whether the line has a time. Bytes per second then only repeat it, with three digits.
  static bool HasTime(std::span<const std::string_view> words) {
    return std::find(words.begin(), words.end(), "ns/op") != words.end();
  }

  std::size_t line_ = 0;
  Begun begun_;
  std::string package_;
  std::set<std::string> packages_;
  std::map<std::string, Better> directions_;  // by converted unit
  HarnessBuilder builder_{kGoHint};
};

}  // namespace

Result<HarnessOutput> ParseGoBenchmark(std::string_view text) { return GoReader().Read(text); }

}  // namespace benchd
