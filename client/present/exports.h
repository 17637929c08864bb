#pragma once

#include <span>
#include <string>
#include <string_view>

#include "benchd/v1/session.pb.h"

namespace benchd::client {

/// One way to write down what a session measured and found, for another program to read.
///
/// `render` is pure and ends its text with a newline. It takes any session that has ended; what
/// has no verdict is told as such, never as a pass.
struct ExportFormat {
  std::string_view name;  ///< `--format NAME`, `--export-NAME FILE`
  bool of_runs = false;   ///< made of the runs; the others of the result alone
  std::string (*render)(const v1::Session& session, std::span<const v1::Run> runs);
  /// The same of a comparison that was passed without a session, since both sides are one commit;
  /// `sentence` says so. Null where that would be a file about runs without any.
  std::string (*render_same)(const std::string& sentence) = nullptr;
  /// Makes a text of `render` fit into `most` bytes; null where every part of it is needed.
  std::string (*shorten)(const std::string& text, std::size_t most) = nullptr;
};

/// All formats, in the order of the help; docs/exports.md describes each.
std::span<const ExportFormat> ExportFormats();
const ExportFormat* FindExportFormat(std::string_view name);

/// A comment for a pull request, in GitHub's Markdown: the verdict's sentence, a table of the
/// gates, and everything else folded away. Names and messages are escaped, so that they stay what
/// they are: no markup, no mention of anybody, no second row.
std::string RenderMarkdown(const v1::Session& session);

/// JUnit's XML: a test suite a benchmark, a test case a gate. A regression is a failure, an
/// undecided gate skipped, a session that failed or was cancelled one error. Well-formed whatever
/// bytes are in a name: what XML cannot have becomes U+FFFD.
std::string RenderJunit(const v1::Session& session);

/// What github-action-benchmark reads as `customSmallerIsBetter`: the mean of each candidate in
/// each gate's metric. One where higher is better stands there by its reciprocal, whose ratio from
/// one commit to the next is the same. An empty list without a verdict: the action refuses that.
std::string RenderGithub(const v1::Session& session);

/// Bencher Metric Format: the mean of each candidate in every metric, with one standard deviation
/// to both sides. `--parse bmf` reads it back.
std::string RenderBmf(const v1::Session& session);

}  // namespace benchd::client
