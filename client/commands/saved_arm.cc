#include "client/commands/saved_arm.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <iostream>
#include <optional>
#include <utility>

#include "client/git/repository.h"
#include "client/link/host.h"
#include "client/present/json.h"
#include "client/present/text.h"
#include "client/present/words.h"
#include "client/request/quantity.h"
#include "client/request/spec_input.h"
#include "client/request/stored_arms.h"
#include "core/base/time.h"
#include "core/base/try.h"
#include "core/parse/command_line.h"

namespace benchd::client {
namespace {

std::string ShortDigest(const StoredArm& arm) { return arm.sha256.substr(0, 12); }

// Adds the state of the repository that contains the working directory, if there is one.
void AddCommit(StoredArm* arm) {
  auto repository = Repository::Open(arm->cwd);
  if (!repository) return;
  auto head = repository->Resolve("HEAD");
  if (!head) return;
  arm->commit = CommitInput{std::move(head->id), std::move(head->description)};
  arm->modified = repository->HasChanges();
}

Result<StoredArm> Keep(const SaveOrder& order) {
  auto words = SplitCommandLine(order.command);
  if (!words) return UsageError(words.error().message);
  if (!IsSendableText(order.command)) return UsageError("the command is not valid UTF-8");
  TRY(auto program, FindExecutable(words->front(), order.path, order.cwd));
  StoredArm arm{.name = order.name, .command = order.command, .cwd = order.cwd};
  arm.saved_at = FormatRfc3339(std::chrono::system_clock::now());
  arm.commit = order.commit;
  if (!arm.commit) AddCommit(&arm);
  auto saved = StoredArms(ArmsFolder()).Save(std::move(arm), program);
  if (saved && words->size() > 1 && RunsItsArguments(saved->program)) {
    std::cerr << "warning: --save " << order.name << ": only " << Printable(saved->program)
              << " itself is kept, not the files that its arguments name\n";
  }
  return saved;
}

std::string SavedSentence(const StoredArm& arm) {
  return "saved " + Printable(arm.program) + " (SHA-256 " + ShortDigest(arm) + "...) as " +
         arm.name + "; compare with it: benchctl compare --against " + arm.name + "\n";
}

Result<void> CheckAlone(const ParsedArguments& arguments, const std::string& option,
                        std::initializer_list<std::string_view> others) {
  for (const std::string_view other : others) {
    if (!IsGiven(arguments, other)) continue;
    return UsageError("--" + option + ": cannot be combined with --" + std::string(other),
                      "leave one of them out");
  }
  return {};
}

std::string PathOf(const v1::SessionSpec& spec, const v1::Arm& arm) {
  for (const auto* variables : {&arm.env(), &spec.environment()}) {
    if (const auto path = variables->find("PATH"); path != variables->end()) return path->second;
  }
  return "";
}

}  // namespace

std::string ArmsFolder() { return StateHome() + "/benchctl/arms"; }

std::string ArmLine(const StoredArm& arm) {
  Json json = Named("arm", "", Now());
  json["name"] = arm.name;
  json["command"] = arm.command;
  json["cwd"] = arm.cwd;
  json["run"] = StoredArms(ArmsFolder()).CommandOf(arm);
  json["sha256"] = arm.sha256;
  json["saved_at"] = arm.saved_at;
  if (arm.commit) {
    json["commit"] = {{"id", arm.commit->id}};
    PutText(json["commit"], "description", arm.commit->description);
    json["modified"] = arm.modified;
  }
  return Line(json);
}

Result<std::optional<SaveOrder>> ReadSaveOrder(const ParsedArguments& arguments,
                                               const v1::SessionSpec& spec) {
  const std::string* name = LastValue(arguments, "save");
  if (name == nullptr) return std::optional<SaveOrder>();
  if (auto named = CheckArmName(*name); !named) return std::move(named).error().Within("--save");
  TRY_VOID(CheckAlone(arguments, "save", {"file", "between", "bisect", "shell"}));
  const v1::Arm* candidate = nullptr;
  for (const v1::Arm& arm : spec.benchmarks(0).arms()) {
    if (arm.role() == v1::ARM_ROLE_REFERENCE) continue;
    if (candidate != nullptr || spec.benchmarks_size() > 1) {
      return UsageError("--save " + *name + ": there are several candidates",
                        "save one on its own: benchctl compare --save " + *name + " COMMAND");
    }
    candidate = &arm;
  }
  SaveOrder order{*name, candidate->command(), candidate->cwd(), PathOf(spec, *candidate), {}};
  if (candidate->has_commit()) {
    order.commit = CommitInput{candidate->commit().id(), candidate->commit().description()};
  }
  return std::optional(std::move(order));
}

bool OnlySaves(const ParsedArguments& arguments) {
  return IsGiven(arguments, "save") && arguments.positionals.size() == 1 &&
         std::ranges::none_of(arguments.options, [](const GivenOption& given) {
           return given.name == "against" || given.name == "reference" || given.name == "git" ||
                  given.name == "between" || given.name == "file";
         });
}

Result<ExitCode> SaveCommand(const ParsedArguments& arguments, bool json) {
  TRY_VOID(CheckAlone(arguments, "save", {"shell", "bisect", "detach"}));
  std::error_code error;
  const std::filesystem::path here = std::filesystem::current_path(error);
  if (error) return UsageError("the working directory: " + error.message());
  const std::string* cwd = LastValue(arguments, "cwd");
  auto saved = Keep({*LastValue(arguments, "save"),
                     arguments.positionals.front(),
                     cwd != nullptr ? Absolute(*cwd, here.string()) : here.string(),
                     Variable("PATH"),
                     {}});
  if (!saved) return std::move(saved).error().Within("--save");
  std::cout << (json ? ArmLine(*saved) + "\n" : SavedSentence(*saved));
  return ExitCode::kPass;
}

Result<void> SaveProgram(const SaveOrder& order) {
  auto saved = Keep(order);
  if (!saved) return std::move(saved).error().Within("--save");
  std::cerr << "benchctl: " << SavedSentence(*saved);
  return {};
}

Result<SpecInput> InputWithStoredArm(ParsedArguments arguments) {
  const std::string* name = LastValue(arguments, "against");
  if (name == nullptr) return InputFromCommandLine(arguments);
  const std::string origin = "--against " + *name;
  TRY_VOID(CheckAlone(arguments, "against", {"git", "between", "reference"}));
  const StoredArms arms(ArmsFolder());
  auto arm = arms.Read(*name);
  if (!arm) return std::move(arm).error().Within("--against");
  if (auto same = arms.Verify(*arm); !same) return std::move(same).error().Within("--against");
  std::error_code error;
  if (!IsGiven(arguments, "cwd") && !std::filesystem::is_directory(arm->cwd, error)) {
    return UsageError(origin + ": its directory " + arm->cwd + " no longer exists",
                      "choose another directory: --cwd DIR");
  }
  arguments.options.push_back({"reference", arm->name + "=" + arms.CommandOf(*arm)});
  const bool same_command = arguments.positionals.empty();
  if (same_command) arguments.positionals.push_back(arm->command);
  auto input = InputFromCommandLine(arguments);
  if (!input) return input;
  input->arms[0].origin = origin;
  input->arms[0].cwd = arm->cwd;
  if (same_command) input->arms[1].cwd = arm->cwd;
  return input;
}

}  // namespace benchd::client
