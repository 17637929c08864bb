#pragma once

#include <span>
#include <string>
#include <string_view>

#include "benchd/v1/session.pb.h"

namespace benchd::client {

/// A format in which another program can read a session's runs and results.
///
/// `render` is pure and ends its text with a newline. It accepts any session that has ended. A
/// session without a verdict is never rendered as a pass.
struct ExportFormat {
  std::string_view name;  ///< `--format NAME`, `--export-NAME FILE`
  bool of_runs = false;   ///< whether it needs the runs; other formats need only the result
  std::string (*render)(const v1::Session& session, std::span<const v1::Run> runs);
  /// Renders a comparison that passed without a session because both sides are the same commit;
  /// `sentence` states that. Null for formats that consist of runs.
  std::string (*render_same)(const std::string& sentence) = nullptr;
  /// Shortens the output of `render` to `most` bytes. Null if no part can be omitted.
  std::string (*shorten)(const std::string& text, std::size_t most) = nullptr;
};

/// Returns all formats in the order of the help; docs/exports.md describes them.
std::span<const ExportFormat> ExportFormats();
const ExportFormat* FindExportFormat(std::string_view name);

/// Renders a comment for a pull request in GitHub's Markdown: the sentence of the verdict, a table
/// of the gates, and all other parts folded. Names and messages are escaped, so they cannot add
/// markup, mentions or table rows.
std::string RenderMarkdown(const v1::Session& session);

/// Renders JUnit XML: one test suite per benchmark and one test case per gate. A regression is a
/// failure, an undecided gate is skipped, and a failed or cancelled session is one error. The XML
/// is always well-formed: bytes that XML cannot represent become U+FFFD.
std::string RenderJunit(const v1::Session& session);

/// Renders input for github-action-benchmark (`customSmallerIsBetter`): the mean of each candidate
/// in each gate's metric. A metric for which higher is better is exported as its reciprocal.
/// Without a verdict the list is empty, which the action rejects.
std::string RenderGithub(const v1::Session& session);

/// Renders Bencher Metric Format: the mean of each candidate in every metric, plus and minus one
/// standard deviation. `--parse bmf` reads it back.
std::string RenderBmf(const v1::Session& session);

}  // namespace benchd::client
