#pragma once

#include <re2/re2.h>

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/model/metric.h"
#include "core/parse/json_path.h"
#include "core/parse/xml_path.h"

// The parts of an adapter, as adapter_rules.cc reads them from TOML and adapter.cc applies them.

namespace benchd {

/// A regular expression and the names of its groups.
class LineExpression {
 public:
  /// The groups of a line that matched, by name; views into the line. A group that took no part in
  /// the match is missing.
  using Groups = std::map<std::string_view, std::string_view>;

  /// @errors kInvalidArgument with RE2's reason, without a hint.
  static Result<LineExpression> Compile(const std::string& text);

  bool Matches(std::string_view line) const;
  /// Returns the part of the line that matches.
  std::optional<std::string_view> Find(std::string_view line) const;
  /// Returns std::nullopt if no part of the line matches.
  std::optional<Groups> Match(std::string_view line) const;
  bool HasGroup(std::string_view name) const;
  /// Returns the size of the compiled expression. The time to compile it grows with this number.
  int instructions() const;
  std::vector<std::string> groups() const;

 private:
  std::shared_ptr<const RE2> expression_;
};

/// A text with references in braces: "{jobname}/read".
class NameTemplate {
 public:
  struct Piece {
    std::string text;  ///< as it is, or the reference
    bool reference = false;
    std::optional<JsonPath> path = {};     ///< of a reference; absent for groups and for {key}
    std::optional<XmlReference> xml = {};  ///< of a reference, for xml
  };

  /// @errors kInvalidArgument for a brace that is not closed or an empty reference.
  static Result<NameTemplate> Parse(std::string_view text);

  std::vector<Piece>& pieces() { return pieces_; }
  const std::vector<Piece>& pieces() const { return pieces_; }
  bool empty() const { return pieces_.empty(); }

 private:
  std::vector<Piece> pieces_;
};

/// One [[metric]].
struct MetricRule {
  std::size_t line = 0;  ///< in the adapter
  // For text.
  std::optional<LineExpression> match;
  std::optional<LineExpression> under;
  std::optional<LineExpression> when_line;
  // For xml.
  std::optional<XmlPath> xml_path;
  std::optional<XmlPath> xml_each;
  std::optional<XmlPath> xml_when;
  // For all other inputs.
  std::optional<JsonPath> path;
  std::optional<JsonPath> each;
  std::optional<JsonCondition> when;
  // For all inputs.
  NameTemplate name;
  NameTemplate benchmark;
  NameTemplate unit;
  std::map<std::string, std::string, std::less<>> units;  ///< printed unit: what it means
  std::vector<std::string> absent;                        ///< texts that are not a value
  std::optional<Better> better;
  bool gate = true;
};

/// One [[fail]].
struct FailRule {
  std::optional<LineExpression> match;
  std::optional<XmlPath> xml_path;
  std::optional<JsonCondition> path;
};

/// The [discover] of an adapter: how the program lists its benchmarks and runs a single one
/// (discovery.h).
struct DiscoverRule {
  std::vector<std::string> list;  ///< words that make the program list them
  LineExpression match;           ///< for a line of the list; has the group `name`
  std::vector<std::string> run;   ///< words that run one; {name} stands for its name
};

enum class AdapterInput { kText, kJson, kJsonLines, kCsv, kXml };
BENCHD_NAMES(AdapterInput, "text", "json", "jsonl", "csv", "xml")

struct AdapterRules {
  AdapterInput input = AdapterInput::kText;
  bool reads_stderr = false;
  std::string file;  ///< pattern of the files with the values; empty: they are in the output
  std::vector<std::string> columns;  ///< names of the columns of a CSV without a header
  std::vector<MetricRule> metrics;
  std::vector<FailRule> fails;
  std::optional<DiscoverRule> discover;
};

/// Reads the text of an adapter.
///
/// @errors those of Adapter::Parse() (adapter.h).
Result<AdapterRules> ParseAdapterRules(std::string_view text);

}  // namespace benchd
