#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "client/request/spec_input.h"
#include "core/analysis/control_names.h"
#include "core/base/text.h"
#include "core/base/try.h"

namespace benchd::client {
namespace {

constexpr char kList[] = "parameter-list";
constexpr char kScan[] = "parameter-scan";
constexpr char kOnly[] = "only";
constexpr char kBetween[] = "between";
constexpr char kHarness[] = "harness";
constexpr char kControl[] = "control";

// Ten parameters of two values each already exceed the number of benchmarks of a session.
constexpr std::size_t kMostParameters = 100;

// A parameter with its origin for messages.
struct NamedParameter {
  Parameter parameter;
  std::string origin;
  bool used = false;
};

// The values of one benchmark, as pairs of parameter name and value.
using Values = std::vector<std::pair<std::string, std::string>>;

Result<std::vector<NamedParameter>> ReadParameters(const OptionValues& options) {
  std::vector<NamedParameter> parameters;
  for (const char* kind : {kList, kScan}) {
    const auto given = options.find(kind);
    if (given == options.end()) continue;
    for (const OptionValue& value : given->second) {
      auto parameter =
          kind == kList ? ParseParameterList(value.text) : ParseParameterScan(value.text);
      if (!parameter) return std::move(parameter).error().Within(value.origin);
      const bool twin = std::ranges::any_of(parameters, [&parameter](const NamedParameter& other) {
        return other.parameter.name == parameter->name;
      });
      if (parameters.size() == kMostParameters) {
        return UsageError(
            fmt::format("{}: more than {} parameters", value.origin, kMostParameters));
      }
      if (twin) {
        return UsageError(value.origin + ": duplicate parameter " + Quoted(parameter->name),
                          "put all its values into one list");
      }
      parameters.push_back({*std::move(parameter), value.origin});
    }
  }
  return parameters;
}

// Replaces every {NAME} of `values` in one pass; inserted values are not expanded again.
std::string FillInValues(const std::string& text, const Values& values) {
  std::string filled;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t end = text[i] == '{' ? text.find('}', i) : std::string::npos;
    const auto value = end == std::string::npos
                           ? values.end()
                           : std::ranges::find(values, text.substr(i + 1, end - i - 1),
                                               &std::pair<std::string, std::string>::first);
    if (value == values.end()) {
      filled += text[i];
    } else {
      filled += value->second;
      i = end;
    }
  }
  return filled;
}

// All texts that may contain a parameter of a benchmark: those of the benchmark, of its arms and of
// the session.
class Texts {
 public:
  Texts(const SpecInput& input, const BenchmarkInput& benchmark)
      : input_(input), benchmark_(benchmark) {}

  bool Have(const std::string& name) const {
    const std::string mark = "{" + name + "}";
    const auto has = [&mark](const std::string& text) {
      return text.find(mark) != std::string::npos;
    };
    const auto options_have = [&has](const OptionValues& options) {
      return std::ranges::any_of(options, [&has](const auto& option) {
        return IsFilled(option.first) &&
               std::ranges::any_of(option.second, has, &OptionValue::text);
      });
    };
    const auto arm_has = [&](const ArmInput& arm) {
      return has(arm.command) || options_have(arm.options);
    };
    return has(benchmark_.command) || std::ranges::any_of(Arms(), arm_has) ||
           options_have(Options()) || has(input_.build);
  }

  BenchmarkInput Filled(const Values& values) const {
    BenchmarkInput filled = benchmark_;
    filled.command = FillInValues(filled.command, values);
    const OptionValues own = std::exchange(filled.options, {});
    for (const auto& [name, given] : Options()) {
      const std::vector<OptionValue> list = FilledList(name, given, values);
      // An option of the session without a parameter stays with the session.
      const bool is_own = own.contains(name);
      if (is_own || list != given) filled.options[name] = list;
    }
    std::vector<ArmInput> arms = Arms();
    for (ArmInput& arm : arms) {
      arm.command = FillInValues(arm.command, values);
      arm.name = FillInValues(arm.name, values);
      for (auto& [name, own_values] : arm.options)
        own_values = FilledList(name, own_values, values);
    }
    if (arms != Arms()) filled.arms = std::move(arms);
    for (const auto& [name, value] : values) {
      filled.name += (filled.name.empty() ? "" : "/") + name + "=" + value;
    }
    filled.family = benchmark_.name;
    return filled;
  }

 private:
  static bool IsFilled(const std::string& option) {
    const SessionOption* known = FindSessionOption(option);
    return known != nullptr && known->per_benchmark && option != kList && option != kScan;
  }
  static std::vector<OptionValue> FilledList(const std::string& option,
                                             std::vector<OptionValue> list, const Values& values) {
    for (OptionValue& value : list) {
      if (IsFilled(option)) value.text = FillInValues(value.text, values);
    }
    return list;
  }
  const std::vector<ArmInput>& Arms() const {
    return benchmark_.arms.empty() ? input_.arms : benchmark_.arms;
  }
  OptionValues Options() const { return Overlay(input_.options, benchmark_.options); }

  const SpecInput& input_;
  const BenchmarkInput& benchmark_;
};

Error Unused(const NamedParameter& parameter) {
  const std::string mark = "{" + parameter.parameter.name + "}";
  return UsageError(parameter.origin + ": no command uses " + mark,
                    "write " + mark + " where its value belongs");
}

// Returns the number of combinations; kMostBenchmarks + 1 means any larger number.
std::size_t Combinations(const std::vector<const Parameter*>& parameters) {
  std::size_t count = 1;
  for (const Parameter* parameter : parameters) {
    count *= parameter->values.size();
    if (count > kMostBenchmarks) return kMostBenchmarks + 1;
  }
  return count;
}

// Turns the values of one parameter into arms, if `between` is given.
class ValuesAsArms {
 public:
  explicit ValuesAsArms(SpecInput* input) : input_(*input) {}

  Result<void> Make() {
    const auto between = input_.options.find(kBetween);
    if (between == input_.options.end()) return {};
    const OptionValue wanted = between->second.front();
    input_.options.erase(between);
    TRY(auto parameter, Take(wanted));
    if (parameter.values.size() < 2) {
      return UsageError(wanted.origin + ": only 1 value; at least 2 are needed",
                        "give two values: --parameter-list " + parameter.name + " 1,2");
    }
    for (BenchmarkInput& benchmark : input_.benchmarks) {
      TRY_VOID(MakeArms(parameter, wanted, &benchmark));
    }
    input_.arms.clear();
    return {};
  }

 private:
  // Removes the parameter from the options, so that benchmarks do not use it.
  Result<Parameter> Take(const OptionValue& wanted) {
    for (const char* kind : {kList, kScan}) {
      const auto given = input_.options.find(kind);
      if (given == input_.options.end()) continue;
      for (auto value = given->second.begin(); value != given->second.end(); ++value) {
        auto parameter =
            kind == kList ? ParseParameterList(value->text) : ParseParameterScan(value->text);
        if (!parameter) return std::move(parameter).error().Within(value->origin);
        if (parameter->name != wanted.text) continue;
        given->second.erase(value);
        return parameter;
      }
    }
    return UsageError(wanted.origin + ": no such parameter",
                      "give its values: --parameter-list " + wanted.text + " 1,2,4");
  }

  Result<void> MakeArms(const Parameter& parameter, const OptionValue& wanted,
                        BenchmarkInput* benchmark) {
    const std::string mark = "{" + parameter.name + "}";
    const bool own_command = !benchmark->command.empty();
    if (input_.arms.size() + benchmark->arms.size() > (own_command ? 0 : 1)) {
      return UsageError(wanted.origin + ": the values are the arms, but there are others",
                        "remove the other arms");
    }
    const std::string command =
        own_command || input_.arms.empty() ? benchmark->command : input_.arms.front().command;
    if (command.find(mark) == std::string::npos) {
      return Unused({parameter, wanted.origin});
    }
    for (const auto& [name, values] : Overlay(input_.options, benchmark->options)) {
      for (const OptionValue& value : values) {
        if (value.text.find(mark) == std::string::npos) continue;
        return UsageError(
            value.origin + ": " + mark + " differs between the arms, but they share this option",
            "prepare and conclude can read their arm from the variable BENCHD_ARM");
      }
    }
    for (const std::string& value : parameter.values) {
      ArmInput arm;
      arm.name = parameter.name + "=" + value;
      arm.command = FillInValues(command, {{parameter.name, value}});
      arm.origin = wanted.origin;
      benchmark->arms.push_back(std::move(arm));
    }
    benchmark->command.clear();
    return {};
  }

  SpecInput& input_;
};

class Expansion {
 public:
  explicit Expansion(SpecInput input) : input_(std::move(input)) {}

  Result<SpecInput> Run() {
    TRY_VOID(ValuesAsArms(&input_).Make());
    TRY(auto session_parameters, ReadParameters(input_.options));
    for (const BenchmarkInput& benchmark : input_.benchmarks) {
      TRY_VOID(Expand(benchmark, &session_parameters));
    }
    for (const NamedParameter& parameter : session_parameters) {
      if (!parameter.used) return Unused(parameter);
    }
    input_.benchmarks = std::move(expanded_);
    ShareControls();
    TRY_VOID(Select());
    for (const char* name : {kList, kScan, kOnly}) input_.options.erase(name);
    return std::move(input_);
  }

 private:
  Result<void> Expand(const BenchmarkInput& benchmark, std::vector<NamedParameter>* of_session) {
    TRY(auto own, ReadParameters(benchmark.options));
    const Texts texts(input_, benchmark);
    std::vector<const Parameter*> parameters;
    for (NamedParameter& parameter : own) {
      if (!texts.Have(parameter.parameter.name)) return Unused(parameter);
      parameters.push_back(&parameter.parameter);
    }
    for (NamedParameter& parameter : *of_session) {
      const std::string& name = parameter.parameter.name;
      // The values of a benchmark replace those of the session.
      const bool replaced = std::ranges::any_of(
          own, [&name](const NamedParameter& other) { return other.parameter.name == name; });
      if (replaced) parameter.used = true;
      if (replaced || !texts.Have(name)) continue;
      parameter.used = true;
      parameters.push_back(&parameter.parameter);
    }
    if (Combinations(parameters) > kMostBenchmarks - std::min(kMostBenchmarks, expanded_.size())) {
      return UsageError(
          fmt::format("{}more than {} benchmarks",
                      benchmark.origin.empty() ? "" : benchmark.origin + ": ", kMostBenchmarks),
          "use fewer values, or several sessions");
    }
    Values values;
    AddCombinations(texts, parameters, &values);
    return {};
  }

  // The last parameter varies fastest.
  void AddCombinations(const Texts& texts, const std::vector<const Parameter*>& parameters,
                       Values* values) {
    if (values->size() == parameters.size()) {
      BenchmarkInput filled = texts.Filled(*values);
      for (const char* name : {kList, kScan}) filled.options.erase(name);
      expanded_.push_back(std::move(filled));
      return;
    }
    const Parameter& parameter = *parameters[values->size()];
    for (const std::string& value : parameter.values) {
      values->emplace_back(parameter.name, value);
      AddCombinations(texts, parameters, values);
      values->pop_back();
    }
  }

  static std::string NameOf(const BenchmarkInput& benchmark) {
    return benchmark.name.empty() ? "main" : benchmark.name;
  }

  // Returns whether the pattern matches the full name or the name without the values of parameters.
  static bool Matches(const BenchmarkInput& benchmark, const std::string& pattern) {
    return fnmatch(pattern.c_str(), NameOf(benchmark).c_str(), 0) == 0 ||
           (!benchmark.family.empty() &&
            fnmatch(pattern.c_str(), benchmark.family.c_str(), 0) == 0);
  }

  // Returns whether the benchmark consists of those that its program lists.
  bool HasHarness(const BenchmarkInput& benchmark) const {
    const auto own = benchmark.options.find(kHarness);
    const auto shared = input_.options.find(kHarness);
    const bool is_own = own != benchmark.options.end();
    if (!is_own && shared == input_.options.end()) return false;
    return !(is_own ? own : shared)->second.back().text.empty();
  }

  // Returns whether a pattern names the benchmark. An unnamed one with a harness is not named
  // "main": what matters are the names inside its program.
  bool IsNamed(const BenchmarkInput& benchmark, const OptionValue& pattern) const {
    if (HasHarness(benchmark) && benchmark.name.empty()) return false;
    return Matches(benchmark, pattern.text);
  }

  // Adds the controls that the session names to those of each benchmark that has its own.
  void ShareControls() {
    const auto shared = input_.options.find(kControl);
    if (shared == input_.options.end()) return;
    for (BenchmarkInput& benchmark : input_.benchmarks) {
      const auto own = benchmark.options.find(kControl);
      if (own == benchmark.options.end()) continue;
      own->second.insert(own->second.end(), shared->second.begin(), shared->second.end());
    }
  }

  // Returns whether the benchmark is a control as a whole.
  bool IsControl(const BenchmarkInput& benchmark) const {
    const OptionValues options = Overlay(input_.options, benchmark.options);
    const auto given = options.find(kControl);
    if (given == options.end()) return false;
    return std::ranges::any_of(given->second, [&benchmark](const OptionValue& value) {
      return value.text == "true" || NamesControl(value.text, NameOf(benchmark));
    });
  }

  // Selects benchmarks by their names. A control accompanies those that are selected. Patterns that
  // name none of them select among the benchmarks inside programs, which the daemon does when it
  // knows them.
  Result<void> Select() {
    const auto only = input_.options.find(kOnly);
    if (only == input_.options.end()) return {};
    const std::vector<OptionValue> patterns = only->second;
    const auto has_harness = [this](const BenchmarkInput& one) { return HasHarness(one); };
    const bool inside = std::ranges::any_of(input_.benchmarks, has_harness);
    std::vector<OptionValue> inner;
    for (const OptionValue& pattern : patterns) {
      const auto is_named = [&](const BenchmarkInput& one) { return IsNamed(one, pattern); };
      if (std::ranges::any_of(input_.benchmarks, is_named)) continue;
      if (!inside) return NoMatch(pattern);
      inner.push_back(pattern);
    }
    const auto is_kept = [&](const BenchmarkInput& one) {
      const auto names_it = [&](const OptionValue& pattern) { return IsNamed(one, pattern); };
      return one.options.contains(kOnly) || IsControl(one) ||
             std::ranges::any_of(patterns, names_it);
    };
    for (BenchmarkInput& one : input_.benchmarks) {
      if (!inner.empty() && HasHarness(one) && !is_kept(one)) one.options[kOnly] = inner;
    }
    std::erase_if(input_.benchmarks, std::not_fn(is_kept));
    return {};
  }

  Error NoMatch(const OptionValue& value) const {
    std::vector<std::string> names;
    for (const BenchmarkInput& benchmark : input_.benchmarks) names.push_back(NameOf(benchmark));
    std::vector<std::string_view> known(names.begin(), names.end());
    for (const BenchmarkInput& benchmark : input_.benchmarks) {
      if (!benchmark.family.empty()) known.push_back(benchmark.family);
    }
    std::string typed = value.text;
    std::erase_if(typed, [](char c) { return c == '*' || c == '?'; });
    constexpr std::size_t kMostNames = 5;
    const std::size_t shown = std::min(names.size(), kMostNames);
    std::string list = "available: " + Join(std::span(names).first(shown), ", ");
    if (names.size() > shown) list += fmt::format(" and {} more", names.size() - shown);
    return UsageError(value.origin + ": no benchmark matches", HintForUnknown(typed, known, list));
  }

  SpecInput input_;
  std::vector<BenchmarkInput> expanded_;
};

}  // namespace

std::vector<std::string> NotesOnParameters(const SpecInput& input) {
  std::vector<std::string> notes;
  for (const BenchmarkInput& benchmark : input.benchmarks) {
    if (!benchmark.command.empty()) continue;
    const auto parameters = ReadParameters(Overlay(input.options, benchmark.options));
    if (!parameters) continue;  // ExpandSuite() reports the error
    const std::vector<ArmInput>& arms = benchmark.arms.empty() ? input.arms : benchmark.arms;
    for (const NamedParameter& parameter : *parameters) {
      const std::string mark = "{" + parameter.parameter.name + "}";
      const auto without = std::ranges::find_if(arms, [&mark](const ArmInput& arm) {
        return arm.command.find(mark) == std::string::npos;
      });
      const auto with = std::ranges::find_if(arms, [&mark](const ArmInput& arm) {
        return arm.command.find(mark) != std::string::npos;
      });
      if (without == arms.end() || with == arms.end()) continue;
      notes.push_back(parameter.origin + ": " + Quoted(without->command) + " does not use " + mark +
                      ", so it is the same for every value");
    }
  }
  return notes;
}

Result<SpecInput> ExpandSuite(SpecInput input) { return Expansion(std::move(input)).Run(); }

}  // namespace benchd::client
