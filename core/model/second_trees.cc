#include "core/model/second_trees.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace benchd {
namespace {

using Folders = std::vector<std::pair<std::string, std::string>>;  // of the first and second phase

Folders FoldersOf(const SessionSpec& spec) {
  Folders folders;
  for (const Benchmark& benchmark : spec.benchmarks) {
    if (!benchmark.hooks.build_plan) continue;
    const BuildPlan& plan = *benchmark.hooks.build_plan;
    const std::size_t arms =
        benchmark.arms.size() - ArmsWithRole(benchmark, ArmRole::kPlacebo).size();
    if (plan.trees.size() != 2 * arms) continue;
    for (std::size_t arm = 0; arm < arms; ++arm) {
      folders.emplace_back(plan.root + "/" + plan.trees[arm].key + "/",
                           plan.root + "/" + plan.trees[arms + arm].key + "/");
    }
  }
  return folders;
}

/// Returns whether an absolute path begins at a slash of a command or another text: at its start,
/// after a character that ends a word or a part of it, or after the letters of an option such as
/// -I. Elsewhere the slash is inside of a longer path, such as /backup/trees or ./trees.
bool BeginsPath(std::string_view text, std::size_t slash) {
  constexpr std::string_view kEnds = " \t\n'\"=:,;|&<>()`@";
  const std::size_t end = text.substr(0, slash).find_last_of(kEnds);
  const std::size_t begin = end == std::string_view::npos ? 0 : end + 1;
  const std::string_view before = text.substr(begin, slash - begin);
  return before.empty() || (before.front() == '-' && before.find('/') == std::string_view::npos);
}

/// Replaces folders in texts, and records whether any text had one.
class Mover {
 public:
  explicit Mover(const Folders& folders) : folders_(folders) {}

  void Move(std::string& text) {
    for (std::size_t at = text.find('/'); at != std::string::npos; at = text.find('/', at + 1)) {
      const auto named = std::ranges::find_if(folders_, [&text, at](const auto& folder) {
        return text.compare(at, folder.first.size(), folder.first) == 0;
      });
      if (named == folders_.end() || !BeginsPath(text, at)) continue;
      text.replace(at, named->first.size(), named->second);
      at += named->second.size() - 1;
      moved_ = true;
    }
  }
  void Move(std::vector<std::string>& texts) {
    for (std::string& text : texts) Move(text);
  }
  void Move(Hook& hook) {
    Move(hook.command);
    Move(hook.argv);
  }
  bool moved() const { return moved_; }

 private:
  const Folders& folders_;
  bool moved_ = false;
};

}  // namespace

void UseSecondTrees(SessionSpec& spec) {
  const Folders folders = FoldersOf(spec);
  if (folders.empty()) return;
  for (Benchmark& benchmark : spec.benchmarks) {
    Mover(folders).Move(benchmark.input);
    for (Arm& arm : benchmark.arms) {
      Mover mover(folders);
      mover.Move(arm.command);
      mover.Move(arm.argv);
      mover.Move(arm.cwd);
      mover.Move(arm.input);
      mover.Move(arm.prepare);
      mover.Move(arm.conclude);
      for (auto& [name, value] : arm.env) mover.Move(value);
      if (mover.moved()) arm.program.reset();
    }
  }
}

}  // namespace benchd
