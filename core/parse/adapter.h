#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/parse/adapter_limits.h"
#include "core/parse/harness_output.h"

namespace benchd {

struct AdapterRules;

/// A place in an output that, by a [[fail]] of the adapter, means that the run failed.
struct AdapterFailure {
  std::size_t line = 0;  ///< of the output, from 1
  std::string text;      ///< the line, or the path and its value; not escaped
  bool operator==(const AdapterFailure&) const = default;
};

/// A [[metric]] of the adapter that read no value from an output.
struct UnreadMetric {
  std::size_t line = 0;  ///< of the adapter, from 1
  std::string why;       ///< "match matches no line"; not escaped
  bool operator==(const UnreadMetric&) const = default;
};

/// What an adapter makes of one output.
struct AdapterReading {
  HarnessOutput output;                  ///< no samples if nothing was found
  std::vector<AdapterFailure> failures;  ///< in order of appearance
  std::vector<UnreadMetric> unread;      ///< in the order of the adapter
};

/// The hint of errors about an output that an adapter cannot read.
inline constexpr std::string_view kAdapterReadHint =
    "`benchctl parse ADAPTER FILE` shows what an adapter reads from an output";

/// Describes how to read the output of a program, as a TOML text. docs/adapters.md documents every
/// key.
///
/// The expressions are those of RE2, which takes time linear in the output. Pure and thread-safe.
class Adapter {
 public:
  /// Reads the text of an adapter and compiles its expressions.
  ///
  /// @errors kInvalidArgument "line 3: metric: match: ..." for text that is not TOML, an unknown
  ///         key, a value of another type, an expression or a path that is not valid, a missing
  ///         key, or a limit that is exceeded.
  static Result<Adapter> Parse(std::string_view text);

  /// Whether the values are on stderr instead of stdout.
  bool reads_stderr() const;

  /// The pattern of the files that have the values instead of a stream (base/file_pattern.h); empty
  /// if there are none.
  const std::string& file() const;

  /// Reads an output. The values are in SI units where possible.
  ///
  /// @errors kInvalidArgument "line 3: ..." (a line of the output) for a value that is not a finite
  ///         number, a name that is too long, a metric in two units, JSON or CSV that is not valid,
  ///         or more values than a run may have.
  Result<AdapterReading> Read(std::string_view output) const;

 private:
  explicit Adapter(std::shared_ptr<const AdapterRules> rules) : rules_(std::move(rules)) {}
  std::shared_ptr<const AdapterRules> rules_;
};

/// Converts an output to the samples of one run.
///
/// @errors those of Adapter::Read(); kInvalidArgument "line 3: the output reports a failure: ..."
///         and "no value: ..." for an output without values.
Result<HarnessOutput> ParseWithAdapter(const Adapter& adapter, std::string_view output);

/// Returns the samples that an adapter read in a run.
///
/// @errors kInvalidArgument for a failure and for no values, as ParseWithAdapter().
Result<HarnessOutput> OutputOf(AdapterReading reading);

/// An adapter that is part of benchd, from adapters/NAME.toml.
struct ShippedAdapter {
  std::string_view name;
  std::string_view text;
};

/// Returns all shipped adapters, by name.
const std::vector<ShippedAdapter>& ShippedAdapters();
/// Returns the shipped adapter with this name, or nullptr.
const ShippedAdapter* FindShippedAdapter(std::string_view name);

/// Returns whether the value of --parse names a file, and not a format or a shipped adapter: it
/// ends in .toml or contains a slash.
bool NamesAdapterFile(std::string_view name);

/// Returns the format or the adapter for the tool that printed this output, as far as its first
/// lines show; empty if they do not.
std::string_view ToolThatPrinted(std::string_view output);

}  // namespace benchd
