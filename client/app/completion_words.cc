#include <algorithm>
#include <array>

#include "client/app/completions.h"
#include "core/base/text.h"

namespace benchd::client {
namespace {

std::string_view SummaryOfGroup(std::string_view group) {
  if (group == "machine") return "show and change machine settings";
  return group == "arm" ? "list and remove programs kept by compare --save" : "more commands";
}

}  // namespace

Kind KindOfValue(const OptionInfo& option) {
  const auto mentions = [&option](std::string_view what) {
    return option.value.find(what) != std::string_view::npos;
  };
  if (option.name == "against" || option.name == "save") return Kind::kArm;
  if (mentions("DIR")) return Kind::kFolder;
  return mentions("FILE") || mentions("PATH") ? Kind::kFile : Kind::kText;
}

Kind KindOfWords(const Command& command) {
  switch (command.words) {
    case Words::kSession:
      return Kind::kLiveSession;
    case Words::kSessionOrNewest:
      return command.name == "watch" ? Kind::kLiveSession : Kind::kSession;
    case Words::kArm:
      return Kind::kArm;
    case Words::kFile:
    case Words::kOwn:
      return Kind::kFile;
    case Words::kNone:
    case Words::kProfile:
    case Words::kBenchmark:
      break;
  }
  return Kind::kText;
}

std::vector<Choice> NextWords(std::string_view before) {
  std::vector<Choice> words;
  for (const Command& command : Commands()) {
    if (command.hidden) continue;
    const std::string_view group = GroupOf(command);
    if (!before.empty()) {
      if (group != before) continue;
      words.push_back({std::string(command.name.substr(group.size() + 1)), command.summary});
    } else if (group.empty()) {
      words.push_back({std::string(command.name), command.summary});
    } else if (std::ranges::find(words, group, &Choice::name) == words.end()) {
      words.push_back({std::string(group), SummaryOfGroup(group), /*is_group=*/true});
    }
  }
  return words;
}

std::string NamesOf(const std::vector<Choice>& words) { return Join(words, " ", &Choice::name); }

std::vector<std::string> Groups() {
  std::vector<std::string> groups;
  for (const Choice& word : NextWords("")) {
    if (word.is_group) groups.push_back(word.name);
  }
  return groups;
}

std::span<const Lister> Listers() {
  static constexpr auto kListers = std::to_array<Lister>(
      {{Kind::kLiveSession, "live"}, {Kind::kSession, "sessions"}, {Kind::kArm, "arms"}});
  return kListers;
}

const Lister* ListerOf(Kind kind) {
  const auto found = std::ranges::find(Listers(), kind, &Lister::kind);
  return found == Listers().end() ? nullptr : &*found;
}

std::string ListedBy(std::string_view program, const Lister& lister) {
  const std::string start = "BENCHD_HOST= timeout 2 " + std::string(program) + " ";
  std::string lists = start + "arm list; ";
  if (lister.kind != Kind::kArm) lists = start + "--no-autostart list; ";
  // The newest twenty sessions in each state are enough.
  for (const char* state : {"done", "failed"}) {
    if (lister.kind == Kind::kSession)
      lists += start + "--no-autostart list --state " + state + "; ";
  }
  // awk removes the heading lines.
  return "{ " + lists + "} 2>/dev/null </dev/null | awk '$1 !~ /^(ID|NAME)$/ { print $1 }'";
}

}  // namespace benchd::client
