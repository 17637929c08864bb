#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "benchd/v1/session.pb.h"

namespace benchd::client {

/// A format in which another program can read a session's runs and results. Each is defined in the
/// file exports/NAME.cc. The options `--format` and `--export-NAME`, their help and their
/// completions are made from these rows.
///
/// `render` is pure and ends its text with a newline. It accepts any session that has ended. A
/// session without a verdict is never rendered as a pass.
struct ExportFormat {
  std::string_view name;             ///< `--format NAME`, `--export-NAME FILE`
  std::string_view summary;          ///< help of `--format`: what the output consists of
  std::string_view help;             ///< help of `--export-NAME`
  std::string_view table_help = {};  ///< the same in `analyze`; empty if `help` also holds there
  bool of_runs = false;  ///< whether it needs the runs; other formats need only the result
  /// Whether it needs the sampled stacks of the runs. Only `export` writes it, and only for sampled
  /// sessions (SessionSpec.profile).
  bool of_stacks = false;
  std::string (*render)(const v1::Session& session, std::span<const v1::Run> runs);
  /// Renders a comparison that passed without a session because both sides are the same commit;
  /// `sentence` states that. Null for formats that consist of runs.
  std::string (*render_same)(const std::string& sentence) = nullptr;
  /// Shortens the output of `render` to `most` bytes. Null if no part can be omitted; the output is
  /// then never appended to a file.
  std::string (*shorten)(const std::string& text, std::size_t most) = nullptr;
};

/// Returns all formats in the order of the help; docs/exports.md describes them.
std::span<const ExportFormat> ExportFormats();
const ExportFormat* FindExportFormat(std::string_view name);

}  // namespace benchd::client
