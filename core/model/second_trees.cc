#include "core/model/second_trees.h"

#include <cstddef>
#include <map>
#include <string>
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

/// Replaces folders in texts, and records whether any text had one.
class Mover {
 public:
  explicit Mover(const Folders& folders) : folders_(folders) {}

  void Move(std::string& text) {
    for (const auto& [from, to] : folders_) {
      for (std::size_t at = text.find(from); at != std::string::npos;
           at = text.find(from, at + to.size())) {
        text.replace(at, from.size(), to);
        moved_ = true;
      }
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
