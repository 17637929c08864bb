#include <unistd.h>

#include <iostream>
#include <utility>

#include "client/app/command.h"
#include "client/commands/saved_arm.h"
#include "client/present/json.h"
#include "client/present/text.h"
#include "client/present/words.h"
#include "client/request/stored_arms.h"
#include "client/terminal/terminal.h"
#include "core/base/try.h"
#include "core/model/commit_id.h"

namespace benchd::client {
namespace {

std::string CommitText(const StoredArm& arm) {
  if (!arm.commit) return "";
  const std::string& text = arm.commit->description;
  return (text.empty() ? ShortId(arm.commit->id) : text) + (arm.modified ? ", modified" : "");
}

Result<ExitCode> RunArmList(const CommandContext& context) {
  const StoredArms arms(ArmsFolder());
  Rows rows = {{"NAME", "SAVED", "COMMIT", "COMMAND"}};
  for (const std::string& name : arms.Names()) {
    auto arm = arms.Read(name);
    if (!arm) {
      std::cerr << "warning: " << OneLine(arm.error().message) << "\n";
    } else if (context.json) {
      std::cout << ArmLine(*arm) << "\n";
    } else {
      rows.push_back({arm->name, arm->saved_at.substr(0, 10), Printable(CommitText(*arm)),
                      Printable(arm->command)});
    }
  }
  if (context.json) return ExitCode::kPass;
  if (rows.size() == 1) {
    std::cerr << "no stored arms; store one: benchctl compare --save NAME COMMAND\n";
  } else {
    std::cout << AlignAndWrap(rows, StyleOf(STDOUT_FILENO).width);
  }
  return ExitCode::kPass;
}

Result<ExitCode> RunArmRemove(const CommandContext& context) {
  TRY_VOID(StoredArms(ArmsFolder()).Remove(context.word));
  if (context.json) {
    Json json = Named("arm_removed", "", Now());
    json["name"] = context.word;
    std::cout << Line(json) << "\n";
  } else {
    std::cout << context.word << ": removed\n";
  }
  return ExitCode::kPass;
}

}  // namespace

Command ArmListCommand() {
  return {.name = "arm list",
          .usage = "[OPTIONS]",
          .summary = "list the programs kept by compare --save",
          .run = RunArmList,
          .description =
              "A stored arm is a copy of a program with its SHA-256, its command and its working "
              "directory. `compare --against NAME` runs it again, interleaved with the candidate.",
          .examples = {{"Which programs are stored?", "benchctl arm list"}}};
}

Command ArmRemoveCommand() {
  return {.name = "arm remove",
          .usage = "[OPTIONS] NAME",
          .summary = "remove a program kept by compare --save",
          .words = Words::kArm,
          .run = RunArmRemove,
          .description = "Removes the stored copy of the program.",
          .examples = {{"Remove the stored arm `main`:", "benchctl arm remove main"}}};
}

}  // namespace benchd::client
