#pragma once

#include <cstddef>
#include <string>

namespace benchd::client {

/// GitHub's limit for a comment (65,536 characters), minus the text around it.
inline constexpr std::size_t kCommentBytes = 60'000;
/// GitHub's limit for the summary of a job's step.
inline constexpr std::size_t kSummaryBytes = std::size_t{1024} * 1024;

/// Shortens Markdown to at most `most` bytes. Each gap is replaced by a count, such as "37 more".
///
/// Omits rows of folded tables first, then rows of gates that passed, then lines of code, then
/// other rows, and finally list items, which include warnings. Within each kind, the last lines are
/// omitted first. Headings, prose and fold markers always stay, so a very small limit may be
/// exceeded. Pure.
std::string ShortenMarkdown(const std::string& text, std::size_t most);

}  // namespace benchd::client
