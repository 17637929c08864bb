#include "client/git/revision_range.h"

namespace benchd::client {
namespace {

constexpr char kWorktree[] = "WORKTREE";

}  // namespace

Outcome<RevisionRange> ParseRange(const std::string& text) {
  const std::size_t dots = text.find("..");
  if (text.empty()) return UsageError("it names no commits", "write BASE..CANDIDATE");
  if (dots == std::string::npos) {
    return UsageError("two commits are expected", "write " + text + "..HEAD, or " + text +
                                                      "..WORKTREE for what is not committed");
  }
  RevisionRange range;
  range.from_merge_base = text.compare(dots, 3, "...") == 0;
  range.base = text.substr(0, dots);
  range.candidate = text.substr(dots + (range.from_merge_base ? 3 : 2));
  if (range.base.empty() && range.candidate.empty()) {
    return UsageError("the range is empty", "write BASE..CANDIDATE");
  }
  if (range.candidate.find("..") != std::string::npos || range.candidate.starts_with('.')) {
    return UsageError("more than one range", "write BASE..CANDIDATE");
  }
  if (range.base == kWorktree) {
    return UsageError("WORKTREE is the candidate, never the base", "write BASE..WORKTREE");
  }
  range.worktree = range.candidate == kWorktree;
  if (range.base.empty()) range.base = "HEAD";
  if (range.candidate.empty() || range.worktree) range.candidate = "HEAD";
  return range;
}

}  // namespace benchd::client
