#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "benchd/v1/session.pb.h"

namespace benchd::client {

/// The pages to which the text for a pull request links. Each may be empty: nothing is then linked.
struct MarkdownLinks {
  std::string commits;  ///< address of a commit without its ID: "https://host/team/project/commit/"
  std::string job;      ///< page of the job that measured
};

/// The largest number of gates that are shown before the fold.
inline constexpr std::size_t kMostShownGates = 10;

/// Renders a comment for a pull request in GitHub's Markdown, for a session that has ended.
///
/// The verdict comes first, then the commits and the machine, then the gates that changed, worst
/// first and at most kMostShownGates, then the warnings that weaken the verdict. A session with so
/// few gates shows them all. Everything else is folded: the other gates, other metrics that
/// changed, notes, and the command that repeats the session. Names and messages are escaped, so
/// that they cannot add markup, mentions or table rows. Pure.
std::string RenderMarkdown(const v1::Session& session, const MarkdownLinks& links);

/// Renders `text` as part of a line of Markdown. Nothing in it is markup, a mention or a reference.
std::string MarkdownText(std::string_view text);

}  // namespace benchd::client
