#include "client/request/own_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/base/text.h"
#include "core/base/try.h"

namespace benchd::client {
namespace {

constexpr char kEnv[] = "env";

bool NamesArm(std::string_view variable, std::string_view arm) {
  return variable.size() > arm.size() && variable.starts_with(arm) && variable[arm.size()] == ':';
}

// Returns the arm in ARM:NAME=VALUE, or null. Of `a` and `a:b`, it is the longer one.
ArmInput* ArmOfVariable(std::string_view variable, std::vector<ArmInput>* arms) {
  ArmInput* found = nullptr;
  for (ArmInput& arm : *arms) {
    if (!NamesArm(variable, arm.name)) continue;
    if (found == nullptr || arm.name.size() > found->name.size()) found = &arm;
  }
  return found;
}

// Names of variables do not contain a colon, so what precedes one was meant as an arm.
Error NoSuchArm(const OptionValue& value, const std::vector<ArmInput>& arms) {
  const std::string typed = value.text.substr(0, value.text.find(':'));
  std::vector<std::string_view> known;
  for (const ArmInput& arm : arms) known.push_back(arm.name);
  return UsageError(value.origin + ": no arm is called " + Quoted(typed),
                    HintForUnknown(typed, known, "the arms are " + Join(known, ", ")));
}

Result<void> MoveVariables(const std::set<std::string>& elsewhere, std::vector<OptionValue>* values,
                           std::vector<ArmInput>* arms) {
  std::vector<OptionValue> of_all;
  for (OptionValue& value : *values) {
    const std::string_view text = value.text;
    if (ArmInput* const arm = ArmOfVariable(text, arms); arm != nullptr) {
      value.text.erase(0, arm->name.size() + 1);
      arm->options[kEnv].push_back(std::move(value));
    } else if (text.substr(0, text.find('=')).find(':') == std::string_view::npos) {
      of_all.push_back(std::move(value));
    } else if (std::ranges::none_of(
                   elsewhere, [text](const std::string& name) { return NamesArm(text, name); })) {
      return NoSuchArm(value, *arms);
    }
  }
  *values = std::move(of_all);
  return {};
}

Error WrongCount(const std::vector<OptionValue>& values, std::size_t arms) {
  return UsageError(fmt::format("{}: {} values for {}", values.back().origin, values.size(),
                                Counted(arms, "arm")),
                    "give one for all arms, or one per arm, in the order of the commands");
}

}  // namespace

Result<void> MoveOwnValues(const std::set<std::string>& elsewhere, OptionValues* options,
                           std::vector<ArmInput>* arms) {
  for (auto& [name, values] : *options) {
    const SessionOption* const option = FindSessionOption(name);
    if (option == nullptr || !option->per_arm) continue;
    if (name == kEnv) {
      TRY_VOID(MoveVariables(elsewhere, &values, arms));
      continue;
    }
    if (values.size() < 2) continue;
    if (values.size() != arms->size()) return WrongCount(values, arms->size());
    for (std::size_t i = 0; i < arms->size(); ++i) {
      (*arms)[i].options[name] = {std::move(values[i])};
    }
    values.clear();
  }
  return {};
}

std::string FillInArm(std::string text, const ArmInput& arm) {
  const auto replace = [&text](std::string_view mark, const std::string& with) {
    for (std::size_t at = text.find(mark); at != std::string::npos;
         at = text.find(mark, at + with.size())) {
      text.replace(at, mark.size(), with);
    }
  };
  replace("{name}", arm.name);
  replace("{dir}", arm.dir);
  return text;
}

Result<void> ApplyOwnValues(const ArmInput& arm, bool templates, const std::string& cwd,
                            ArmSettings* settings, v1::Arm* to) {
  v1::Benchmark own;  // the parsers store hooks and files in a benchmark
  const OptionTarget target{nullptr, &own, settings, cwd};
  for (const auto& [name, values] : arm.options) {
    const SessionOption& option = *FindSessionOption(name);
    for (const OptionValue& value : values) {
      const std::string text = templates ? FillInArm(value.text, arm) : value.text;
      Result<void> applied = ParseOption(option.field, text, target);
      if (applied && text.empty()) {
        applied = UsageError("empty", "write true if there is nothing to do");
      }
      if (!applied) return std::move(applied).error().Within(value.origin);
    }
  }
  to->set_prepare(own.hooks().prepare());
  to->set_conclude(own.hooks().conclude());
  // An empty input of an arm would mean that of all arms.
  const bool null = arm.options.contains("input") && own.input().empty();
  to->set_input(null ? "/dev/null" : own.input());
  return {};
}

}  // namespace benchd::client
