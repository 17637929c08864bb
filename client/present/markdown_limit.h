#pragma once

#include <cstddef>
#include <string>

namespace benchd::client {

/// As much as a comment on GitHub may have (65,536 characters), less what is written around it.
inline constexpr std::size_t kCommentBytes = 60'000;
/// As much as the summary of a job's step may have.
inline constexpr std::size_t kSummaryBytes = std::size_t{1024} * 1024;

/// Markdown of at most `most` bytes. What is left out is counted where it stood, as "37 more".
///
/// First go the rows of folded tables, then those of gates that passed, then lines of code, the
/// other rows, and last the points of lists, among which warnings are; in each kind the last ones
/// first. Headings, prose and what folds always stay, so that very little room may not suffice.
/// Pure.
std::string ShortenMarkdown(const std::string& text, std::size_t most);

}  // namespace benchd::client
