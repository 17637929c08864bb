#include "core/parse/adapter_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "core/base/file_pattern.h"
#include "core/base/text.h"
#include "core/base/toml.h"
#include "core/base/try.h"
#include "core/parse/adapter_limits.h"
#include "core/parse/command_line.h"

namespace benchd {
namespace {

using namespace std::string_view_literals;

/// The maximum memory of a compiled expression. RE2 keeps its states within it.
constexpr int kExpressionMemory = 512 * 1024;
constexpr std::size_t kReasonBytes = 200;

constexpr std::string_view kTextHint = "text is read by match, a regular expression for each line";
constexpr std::string_view kKeysHint = "docs/adapters.md describes every key";
constexpr std::string_view kDiscover = "discover";
constexpr std::string_view kDiscoverHint =
    "an example: list = \"--list\", match = '^(?P<name>.+)$' and run = \"--only {name}\"";
constexpr std::string_view kExample =
    "docs/adapters.md describes the keys; an example: input = \"text\", and [[metric]] with match "
    "= "
    "'^Requests/sec: +(?P<value>[0-9.]+)', name = \"requests\", unit = \"1/s\" and better = "
    "\"higher\"";

/// Translates groups (?<name>...), which RE2 of Debian 12 does not know, to (?P<name>...).
std::string WithNamedGroups(const std::string& text) {
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\\' && at + 1 < text.size()) {
      result += text.substr(at++, 2);
      continue;
    }
    const bool names = text.compare(at, 3, "(?<") == 0 && at + 3 < text.size() &&
                       (std::isalpha(static_cast<unsigned char>(text[at + 3])) != 0);
    result += names ? "(?P<" : text.substr(at, 1);
    if (names) at += 2;
  }
  return result;
}

}  // namespace

Result<LineExpression> LineExpression::Compile(const std::string& text) {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(kExpressionMemory);
  LineExpression made;
  const auto compiled = std::make_shared<const RE2>(WithNamedGroups(text), options);
  if (!compiled->ok()) {
    return Error{ErrorCode::kInvalidArgument,
                 Quoted(text) + " is not a regular expression: " +
                     OnOneLine(Utf8Lossy(compiled->error().substr(0, kReasonBytes))),
                 "write an expression of RE2 between single quotes: "
                 "'^Requests/sec: +(?P<value>[0-9.]+)'"};
  }
  if (compiled->CapturingGroupNames().size() != compiled->NamedCapturingGroups().size()) {
    return Error{ErrorCode::kInvalidArgument, Quoted(text) + " has two groups with the same name",
                 "write a table for each form of the line"};
  }
  made.expression_ = compiled;
  return made;
}

bool LineExpression::Matches(std::string_view line) const {
  return expression_->Match({line.data(), line.size()}, 0, line.size(), RE2::UNANCHORED, nullptr,
                            0);
}

std::optional<std::string_view> LineExpression::Find(std::string_view line) const {
  re2::StringPiece found;
  if (!expression_->Match({line.data(), line.size()}, 0, line.size(), RE2::UNANCHORED, &found, 1)) {
    return std::nullopt;
  }
  return std::string_view(found.data(), found.size());
}

std::optional<LineExpression::Groups> LineExpression::Match(std::string_view line) const {
  std::vector<re2::StringPiece> found(
      static_cast<std::size_t>(expression_->NumberOfCapturingGroups()) + 1);
  if (!expression_->Match({line.data(), line.size()}, 0, line.size(), RE2::UNANCHORED, found.data(),
                          static_cast<int>(found.size()))) {
    return std::nullopt;
  }
  Groups groups;
  for (const auto& [name, index] : expression_->NamedCapturingGroups()) {
    const re2::StringPiece& group = found[static_cast<std::size_t>(index)];
    if (group.data() != nullptr) {
      groups.emplace(name, std::string_view(group.data(), group.size()));
    }
  }
  return groups;
}

int LineExpression::instructions() const { return expression_->ProgramSize(); }

bool LineExpression::HasGroup(std::string_view name) const {
  return expression_->NamedCapturingGroups().contains(std::string(name));
}

std::vector<std::string> LineExpression::groups() const {
  std::vector<std::string> names;
  for (const auto& [name, index] : expression_->NamedCapturingGroups()) names.push_back(name);
  return names;
}

Result<NameTemplate> NameTemplate::Parse(std::string_view text) {
  NameTemplate made;
  while (!text.empty()) {
    const std::size_t open = text.find('{');
    if (open != 0) made.pieces_.push_back({.text = std::string(text.substr(0, open))});
    if (open == std::string_view::npos) break;
    const std::size_t close = text.find('}', open);
    if (close == std::string_view::npos || close == open + 1) {
      return Error{ErrorCode::kInvalidArgument, Quoted(text) + " has a brace without a name",
                   "write {name}, or a path such as {params.size}"};
    }
    made.pieces_.push_back(
        {.text = std::string(text.substr(open + 1, close - open - 1)), .reference = true});
    text.remove_prefix(close + 1);
  }
  return made;
}

namespace {

/// Reads the TOML of an adapter.
class RulesReader {
 public:
  Result<AdapterRules> Read(const toml::table& root) && {
    TRY_VOID(CheckKeys(
        root, "",
        {"input", "reads", "file", "columns", "each", "benchmark", "metric", "fail", "discover"}));
    TRY_VOID(ReadInput(root));
    TRY(auto each, OptionalText(root, "", "each"));
    TRY(auto benchmark, OptionalText(root, "", "benchmark"));
    each_ = std::move(each);
    if (each_) {
      each_line_ = root.get("each")->source().begin.line;
      if (IsText()) return Refuse(*root.get("each"), "", "each", NotFor("text"), kTextHint);
    }
    benchmark_ = std::move(benchmark);
    TRY_VOID(ForEachTable(root, "metric", &RulesReader::ReadMetric));
    TRY_VOID(ForEachTable(root, "fail", &RulesReader::ReadFail));
    TRY_VOID(ReadDiscover(root));
    if (rules_.metrics.empty()) {
      return Error{ErrorCode::kInvalidArgument, "the adapter has no [[metric]]",
                   std::string(kExample)};
    }
    return std::move(rules_);
  }

 private:
  using Keys = std::vector<std::string_view>;

  static Error Refuse(const toml::node& at, std::string_view table, std::string_view key,
                      const std::string& why, std::string_view hint = kKeysHint) {
    return RefuseAt(at.source().begin.line, table, key, why, hint);
  }

  static Error RefuseAt(std::size_t line, std::string_view table, std::string_view key,
                        const std::string& why, std::string_view hint) {
    std::string message = fmt::format("line {}: ", line);
    if (table == kDiscover) {
      message.append("[discover] ");
    } else if (!table.empty()) {
      message.append("[[").append(table).append("]] ");
    }
    if (!key.empty()) message.append(key).append(": ");
    return Error{ErrorCode::kInvalidArgument, message + why, std::string(hint)};
  }

  /// Adds the place to an error of an expression, a path or a template.
  static Error Place(const toml::table& table, std::string_view name, std::string_view key,
                     const Error& error) {
    return Refuse(*table.get(key), name, key, error.message,
                  error.hint.empty() ? kKeysHint : std::string_view(error.hint));
  }

  static Result<void> CheckKeys(const toml::table& table, std::string_view name,
                                const Keys& known) {
    for (const auto& [key, node] : table) {
      const std::string_view word = key.str();
      if (std::ranges::count(known, word) > 0) continue;
      return RefuseAt(key.source().begin.line, name, "", "unknown key " + Quoted(word),
                      HintForUnknown(word, known));
    }
    return {};
  }

  static Result<std::optional<std::string>> OptionalText(const toml::table& table,
                                                         std::string_view name,
                                                         std::string_view key) {
    const toml::node* const node = table.get(key);
    if (node == nullptr) return std::optional<std::string>();
    auto text = node->value_exact<std::string>();
    if (!text) {
      return Refuse(*node, name, key, "expected a string",
                    "write it between quotes: " + std::string(key) + " = \"...\"");
    }
    if (text->empty()) return Refuse(*node, name, key, "is empty");
    return text;
  }

  static Result<std::vector<std::string>> TextsOf(const toml::table& table, std::string_view name,
                                                  std::string_view key) {
    std::vector<std::string> texts;
    const toml::node* const node = table.get(key);
    if (node == nullptr) return texts;
    const toml::array* const list = node->as_array();
    const std::string shape = "write " + std::string(key) + " = [\"...\", \"...\"]";
    if (list == nullptr) return Refuse(*node, name, key, "expected a list of strings", shape);
    for (const toml::node& item : *list) {
      auto text = item.value_exact<std::string>();
      if (!text) return Refuse(item, name, key, "expected a list of strings", shape);
      texts.push_back(*std::move(text));
    }
    return texts;
  }

  bool IsText() const { return rules_.input == AdapterInput::kText; }
  bool IsXml() const { return rules_.input == AdapterInput::kXml; }

  Result<void> ReadInput(const toml::table& root) {
    TRY(const auto input, OptionalText(root, "", "input"));
    if (!input) {
      return Error{ErrorCode::kInvalidArgument, "input: missing",
                   "write input = \"text\", \"json\", \"jsonl\" (one JSON document per line), "
                   "\"csv\" or \"xml\" as the first line"};
    }
    const auto known = ValueOf<AdapterInput>(*input);
    if (!known) {
      return Refuse(*root.get("input"), "", "input", "unknown input " + Quoted(*input),
                    "write text, json, jsonl, csv or xml");
    }
    rules_.input = *known;
    TRY(const auto reads, OptionalText(root, "", "reads"));
    if (reads && *reads != "stdout" && *reads != "stderr") {
      return Refuse(*root.get("reads"), "", "reads", "unknown stream " + Quoted(*reads),
                    "write stdout or stderr");
    }
    rules_.reads_stderr = reads == "stderr";
    TRY_VOID(ReadFile(root));
    TRY(auto columns, TextsOf(root, "", "columns"));
    if (root.contains("columns") && rules_.input != AdapterInput::kCsv) {
      return Refuse(*root.get("columns"), "", "columns", "needs input = \"csv\"");
    }
    rules_.columns = std::move(columns);
    return {};
  }

  Result<void> ReadFile(const toml::table& root) {
    TRY(auto file, OptionalText(root, "", "file"));
    if (!file) return {};
    if (root.contains("reads")) {
      return Refuse(*root.get("file"), "", "file", "excludes reads",
                    "omit reads; the values are either in files or on a stream");
    }
    if (const auto pattern = FilePattern::Parse(*file); !pattern) {
      return Place(root, "", "file", pattern.error());
    }
    rules_.file = *std::move(file);
    return {};
  }

  using ReadTable = Result<void> (RulesReader::*)(const toml::table&);

  Result<void> ForEachTable(const toml::table& root, std::string_view name, ReadTable read) {
    const toml::node* const node = root.get(name);
    if (node == nullptr) return {};
    const toml::array* const list = node->as_array();
    const std::string shape = "write [[" + std::string(name) + "]] with two brackets";
    if (list == nullptr) return Refuse(*node, "", name, "is not a list of tables", shape);
    for (const toml::node& item : *list) {
      const toml::table* const table = item.as_table();
      if (table == nullptr) return Refuse(item, "", name, "is not a list of tables", shape);
      if (rules_.metrics.size() + rules_.fails.size() == kMaxAdapterRules) {
        return Refuse(item, "", name,
                      fmt::format("the adapter has more than {} tables", kMaxAdapterRules),
                      "use a group (?P<name>...) or a template instead of a table per name");
      }
      TRY_VOID((this->*read)(*table));
    }
    return {};
  }

  static std::string NotFor(std::string_view input) {
    return "does not apply to input = " + Quoted(input);
  }

  /// Refuses the keys of other kinds of input.
  Result<void> CheckKind(const toml::table& table, std::string_view name) const {
    const Keys wrong = IsText() ? Keys{"path", "each"} : Keys{"match", "under"};
    for (const std::string_view key : wrong) {
      const toml::node* const node = table.get(key);
      if (node == nullptr) continue;
      return Refuse(*node, name, key, NotFor(NameOf(rules_.input)),
                    IsText()  ? kTextHint
                    : IsXml() ? "xml is read by path, an XPath expression such as @time"
                              : "json, jsonl and csv are read by path, such as $.summary.mean"sv);
    }
    return {};
  }

  Result<std::optional<LineExpression>> ExpressionOf(const toml::table& table,
                                                     std::string_view name, std::string_view key) {
    TRY(const auto text, OptionalText(table, name, key));
    if (!text) return std::optional<LineExpression>();
    auto compiled = LineExpression::Compile(*text);
    if (!compiled) return Place(table, name, key, compiled.error());
    instructions_ += compiled->instructions();
    if (instructions_ > kMaxAdapterInstructions) {
      return Place(
          table, name, key,
          {ErrorCode::kInvalidArgument, "the expressions of the adapter are too large together",
           "write fewer repetitions, such as + instead of {1,900}"});
    }
    return std::optional(*std::move(compiled));
  }

  static Result<std::optional<JsonCondition>> ConditionOf(const toml::table& table,
                                                          std::string_view name,
                                                          std::string_view key) {
    TRY(const auto text, OptionalText(table, name, key));
    if (!text) return std::optional<JsonCondition>();
    auto parsed = JsonCondition::Parse(*text);
    if (!parsed) return Place(table, name, key, parsed.error());
    return std::optional(*std::move(parsed));
  }

  /// Returns the path at `key`, or the default that the adapter gives for all metrics.
  Result<std::optional<JsonPath>> PathOf(const toml::table& table, std::string_view key,
                                         const std::optional<std::string>& otherwise = {}) const {
    TRY(auto text, OptionalText(table, "metric", key));
    if (!text) text = otherwise;
    if (!text) return std::optional<JsonPath>();
    auto parsed = JsonPath::Parse(*text);
    if (!parsed) {
      return RefuseAt(
          LineOf(table, key), "metric", key, parsed.error().message,
          parsed.error().hint.empty()
              ? "write a path such as $.jobs[*].read.iops, or [\"a name\"] for other names"
              : std::string_view(parsed.error().hint));
    }
    return std::optional(*std::move(parsed));
  }

  /// Returns the XPath expression at `key`, or the default that the adapter gives for all metrics.
  Result<std::optional<XmlPath>> XPathOf(const toml::table& table, std::string_view name,
                                         std::string_view key,
                                         const std::optional<std::string>& otherwise = {}) const {
    TRY(auto text, OptionalText(table, name, key));
    if (!text) text = otherwise;
    if (!text) return std::optional<XmlPath>();
    auto parsed = XmlPath::Parse(*text);
    if (!parsed) {
      return RefuseAt(LineOf(table, key), name, key, parsed.error().message, parsed.error().hint);
    }
    return std::optional(*std::move(parsed));
  }

  /// Returns the line of a key of a table, or of the adapter's `each`, which is its default.
  std::size_t LineOf(const toml::table& table, std::string_view key) const {
    const toml::node* const node = table.get(key);
    return node == nullptr ? each_line_ : node->source().begin.line;
  }

  Result<void> ReadMetric(const toml::table& table) {
    TRY_VOID(CheckKeys(table, "metric",
                       {"match", "under", "path", "each", "name", "benchmark", "unit", "units",
                        "better", "when", "absent", "gate"}));
    TRY_VOID(CheckKind(table, "metric"));
    MetricRule rule;
    rule.line = table.source().begin.line;
    TRY_VOID(IsText()  ? ReadTextRule(table, rule)
             : IsXml() ? ReadXmlRule(table, rule)
                       : ReadPathRule(table, rule));
    TRY_VOID(ReadTemplate(table, "name", {}, rule, rule.name));
    TRY_VOID(ReadTemplate(table, "benchmark", benchmark_, rule, rule.benchmark));
    TRY_VOID(ReadTemplate(table, "unit", {}, rule, rule.unit));
    if (rule.name.empty() && rule.match &&
        (rule.match->HasGroup("name") || (rule.under && rule.under->HasGroup("name")))) {
      rule.name.pieces().push_back({.text = "name", .reference = true});
    }
    if (rule.name.empty()) {
      return RefuseAt(rule.line, "metric", "name", "missing",
                      "write name = \"latency\", the name of the metric");
    }
    TRY_VOID(CheckFixedName(table, rule));
    if ((rule.each || rule.xml_each) && rule.benchmark.empty()) {
      return RefuseAt(rule.line, "metric", "benchmark", "missing, because each has several",
                      "write the name of each benchmark as a template, such as benchmark = " +
                          std::string(IsXml() ? "\"{name}\"" : "\"{name}\" or \"{key}\""));
    }
    TRY_VOID(ReadUnits(table, rule));
    TRY_VOID(ReadDirection(table, rule));
    rules_.metrics.push_back(std::move(rule));
    return {};
  }

  /// Refuses the name of a metric that benchd measures itself, if it does not depend on the output.
  static Result<void> CheckFixedName(const toml::table& table, const MetricRule& rule) {
    const auto& pieces = rule.name.pieces();
    const bool fixed = pieces.size() == 1 && !pieces[0].reference && rule.benchmark.empty();
    if (!fixed || FindBuiltinMetric(pieces[0].text) == nullptr) return {};
    return Refuse(*table.get("name"), "metric", "name",
                  Quoted(pieces[0].text) + " is a metric that benchd measures itself",
                  "write another name, such as total_time");
  }

  Result<void> ReadTextRule(const toml::table& table, MetricRule& rule) {
    TRY(auto match, ExpressionOf(table, "metric", "match"));
    TRY(auto under, ExpressionOf(table, "metric", "under"));
    TRY(auto when, ExpressionOf(table, "metric", "when"));
    if (!match) {
      return RefuseAt(rule.line, "metric", "match", "missing",
                      "write a regular expression with a group for the value: match = '^Time: "
                      "(?P<value>[0-9.]+)'");
    }
    if (!match->HasGroup("value")) {
      return Refuse(*table.get("match"), "metric", "match", "has no group for the value",
                    "put the number into a group: (?P<value>[0-9.]+)");
    }
    rule.match = std::move(match);
    rule.under = std::move(under);
    rule.when_line = std::move(when);
    return {};
  }

  Result<void> ReadPathRule(const toml::table& table, MetricRule& rule) const {
    TRY(auto path, PathOf(table, "path"));
    TRY(auto each, PathOf(table, "each", each_));
    TRY(auto when, ConditionOf(table, "metric", "when"));
    if (!path) {
      return RefuseAt(rule.line, "metric", "path", "missing",
                      "write where the value is: path = \"$.summary.mean\"");
    }
    if (each && !each->from_document()) {
      return RefuseAt(LineOf(table, "each"), "metric", "each",
                      Quoted(each->text()) + " does not begin with $",
                      rules_.input == AdapterInput::kCsv
                          ? "omit it, because a row is already the element"
                          : "write a path from the document: each = \"$.jobs[*]\"");
    }
    if (each) {
      rule.path = path->Within(*each);
      if (rule.path->from_document()) {
        return Refuse(*table.get("path"), "metric", "path",
                      Quoted(path->text()) + " is not within each = " + Quoted(each->text()),
                      "begin it with @, which is the element, or with the text of each");
      }
      if (when) when = when->Within(*each);
    } else {
      rule.path = std::move(path);
    }
    rule.each = std::move(each);
    rule.when = std::move(when);
    return {};
  }

  Result<void> ReadXmlRule(const toml::table& table, MetricRule& rule) const {
    TRY(rule.xml_path, XPathOf(table, "metric", "path"));
    TRY(rule.xml_each, XPathOf(table, "metric", "each", each_));
    TRY(rule.xml_when, XPathOf(table, "metric", "when"));
    if (!rule.xml_path) {
      return RefuseAt(rule.line, "metric", "path", "missing",
                      "write where the value is: path = \"@time\"");
    }
    const std::string& path = rule.xml_path->text();
    if (rule.xml_path->IsCondition()) {
      return Refuse(*table.get("path"), "metric", "path",
                    Quoted(path) + " is a condition and not a value",
                    "conditions belong into when");
    }
    if (!rule.xml_each) return {};
    const std::string& each = rule.xml_each->text();
    if (!rule.xml_each->LeadsToNodes()) {
      return RefuseAt(LineOf(table, "each"), "metric", "each",
                      Quoted(each) + " does not lead to elements",
                      "write an expression such as each = \"//testcase\"");
    }
    // Otherwise each element would have the values of all elements.
    if (path.starts_with('/')) {
      return Refuse(*table.get("path"), "metric", "path",
                    Quoted(path) + " is not within each = " + Quoted(each),
                    "begin it at the element, without a slash: @time or mean/@value");
    }
    return {};
  }

  /// Reads a template and checks its references: groups in text, else paths.
  Result<void> ReadTemplate(const toml::table& table, std::string_view key,
                            const std::optional<std::string>& otherwise, const MetricRule& rule,
                            NameTemplate& into) const {
    TRY(auto text, OptionalText(table, "metric", key));
    if (!text) text = otherwise;
    if (!text) return {};
    const toml::node* const node = table.get(key);
    const std::size_t line = node == nullptr ? rule.line : node->source().begin.line;
    auto made = NameTemplate::Parse(*text);
    if (!made) return RefuseAt(line, "metric", key, made.error().message, made.error().hint);
    for (NameTemplate::Piece& piece : made->pieces()) {
      if (!piece.reference) continue;
      if (IsText()) {
        const bool known =
            rule.match->HasGroup(piece.text) || (rule.under && rule.under->HasGroup(piece.text));
        if (known) continue;
        const std::vector<std::string> groups = rule.match->groups();
        return RefuseAt(line, "metric", key,
                        Quoted("{" + piece.text + "}") + " is not a group of match or under",
                        (groups.size() == 1 ? "match has the group " : "match has the groups ") +
                            Join(groups, ", "));
      }
      if (IsXml()) {
        auto reference = XmlReference::Parse(piece.text);
        if (!reference) {
          return RefuseAt(line, "metric", key, reference.error().message, reference.error().hint);
        }
        piece.xml = *std::move(reference);
        continue;
      }
      if (piece.text == "key" && rule.each) continue;
      auto path = JsonPath::Parse(piece.text);
      if (!path) return RefuseAt(line, "metric", key, path.error().message, kKeysHint);
      piece.path = rule.each ? path->Within(*rule.each) : *path;
    }
    into = *std::move(made);
    return {};
  }

  static Result<void> ReadUnits(const toml::table& table, MetricRule& rule) {
    TRY(auto absent, TextsOf(table, "metric", "absent"));
    rule.absent = std::move(absent);
    const toml::node* const node = table.get("units");
    if (node == nullptr) return {};
    const toml::table* const units = node->as_table();
    if (units == nullptr) {
      return Refuse(*node, "metric", "units", "expected a table", "write units = { MB = \"MiB\" }");
    }
    for (const auto& [printed, meant] : *units) {
      const auto unit = meant.value_exact<std::string>();
      if (!unit) {
        return Refuse(meant, "metric", "units", "expected strings",
                      "write units = { MB = \"MiB\" }");
      }
      rule.units.emplace(printed.str(), *unit);
    }
    return {};
  }

  static Result<void> ReadDirection(const toml::table& table, MetricRule& rule) {
    TRY(const auto better, OptionalText(table, "metric", "better"));
    if (better) {
      rule.better = ValueOf<Better>(*better);
      if (!rule.better) {
        return Refuse(*table.get("better"), "metric", "better",
                      "unknown direction " + Quoted(*better), "write lower or higher");
      }
    }
    const toml::node* const gate = table.get("gate");
    if (gate == nullptr) return {};
    const auto value = gate->value_exact<bool>();
    if (!value)
      return Refuse(*gate, "metric", "gate", "expected true or false",
                    "write gate = false, without quotes");
    rule.gate = *value;
    return {};
  }

  Result<void> ReadFail(const toml::table& table) {
    TRY_VOID(CheckKeys(table, "fail", {"match", "path"}));
    TRY_VOID(CheckKind(table, "fail"));
    FailRule rule;
    TRY(auto match, ExpressionOf(table, "fail", "match"));
    if (IsXml()) {
      TRY(rule.xml_path, XPathOf(table, "fail", "path"));
    } else {
      TRY(rule.path, ConditionOf(table, "fail", "path"));
    }
    if (!match && !rule.path && !rule.xml_path) {
      return RefuseAt(table.source().begin.line, "fail", IsText() ? "match" : "path", "missing",
                      IsText()  ? "write a regular expression for the line of a failure"
                      : IsXml() ? "write an XPath expression for the elements of a failure"
                                : "write a path that exists, or is not 0, if the run failed");
    }
    rule.match = std::move(match);
    rules_.fails.push_back(std::move(rule));
    return {};
  }

  /// Reads words that are added to a command.
  static Result<std::vector<std::string>> WordsOf(const toml::table& table, std::string_view key) {
    TRY(const auto text, OptionalText(table, kDiscover, key));
    if (!text) {
      return RefuseAt(table.source().begin.line, kDiscover, key, "missing", kDiscoverHint);
    }
    auto words = SplitCommandLine(*text);
    if (!words) return Place(table, kDiscover, key, words.error());
    return words;
  }

  Result<void> ReadDiscover(const toml::table& root) {
    const toml::node* const node = root.get(kDiscover);
    if (node == nullptr) return {};
    const toml::table* const table = node->as_table();
    if (table == nullptr) {
      return Refuse(*node, "", kDiscover, "is not a table", "write [discover] with one bracket");
    }
    TRY_VOID(CheckKeys(*table, kDiscover, {"list", "match", "run"}));
    TRY(auto list, WordsOf(*table, "list"));
    TRY(auto run, WordsOf(*table, "run"));
    TRY(auto match, ExpressionOf(*table, kDiscover, "match"));
    const std::size_t line = table->source().begin.line;
    if (!match || !match->HasGroup("name")) {
      return RefuseAt(line, kDiscover, "match", "needs a group (?P<name>...)", kDiscoverHint);
    }
    const auto names = [](const std::string& word) { return word.find("{name}") != word.npos; };
    if (std::ranges::none_of(run, names)) {
      return RefuseAt(line, kDiscover, "run", "does not contain {name}", kDiscoverHint);
    }
    rules_.discover = DiscoverRule{std::move(list), *std::move(match), std::move(run)};
    return {};
  }

  AdapterRules rules_;
  int instructions_ = 0;  ///< of all expressions so far
  std::optional<std::string> each_;
  std::size_t each_line_ = 0;
  std::optional<std::string> benchmark_;
};

}  // namespace

Result<AdapterRules> ParseAdapterRules(std::string_view text) {
  if (text.size() > kMaxAdapterBytes) {
    return Error{
        ErrorCode::kResourceExhausted,
        fmt::format("the adapter has {} bytes; the limit is {}", text.size(), kMaxAdapterBytes),
        "remove what is not needed"};
  }
  if (text.find('\0') != std::string_view::npos) {
    return Error{ErrorCode::kInvalidArgument, "the adapter contains a NUL byte",
                 "write a text file in UTF-8"};
  }
  const toml::parse_result parsed = toml::parse(text);
  if (!parsed) {
    const std::string why = OnOneLine(Utf8Lossy(parsed.error().description()));
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("line {}: not TOML: {}", parsed.error().source().begin.line, why),
                 why.find("escape sequence") != why.npos
                     ? "write an expression between single quotes: match = '^n = (?P<value>\\d+)'"
                     : std::string(kExample)};
  }
  return RulesReader().Read(parsed.table());
}

}  // namespace benchd
