#include "core/parse/adapter.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <set>
#include <utility>

#include "core/base/text.h"
#include "core/base/try.h"
#include "core/parse/adapter_rules.h"
#include "core/parse/adapter_use.h"
#include "core/parse/csv.h"
#include "core/parse/harness_builder.h"
#include "core/parse/json_records.h"
#include "core/parse/number.h"
#include "core/parse/printed_value.h"
#include "core/parse/xml_document.h"

namespace benchd {
namespace {

constexpr std::string_view kReadHint = kAdapterReadHint;
constexpr std::size_t kFailureBytes = 300;

Result<void> AtOutputLine(std::size_t line, Result<void> added) {
  if (added) return added;
  return std::move(added).error().Within(fmt::format("line {}", line));
}

/// Resolves a reference of a template, or says why it leads to no text here.
using Resolve = std::function<Result<std::string>(const NameTemplate::Piece&)>;

Error NoText(std::string why) { return {ErrorCode::kInvalidArgument, std::move(why), {}}; }

/// Fills in a template.
/// @param what  "name", for the error
Result<std::string> Fill(const NameTemplate& of, std::string_view what, const Resolve& resolve) {
  std::string text;
  for (const NameTemplate::Piece& piece : of.pieces()) {
    if (!piece.reference) {
      text += piece.text;
      continue;
    }
    const auto found = resolve(piece);
    if (!found) {
      return NoText(fmt::format("{}: {} leads to no text: {}", what, Quoted("{" + piece.text + "}"),
                                found.error().message));
    }
    text += *found;
  }
  const auto begin = text.find_first_not_of(" \t\r");
  if (begin == std::string::npos) return std::string();
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

/// Returns a line as far as a message shows it, with the part that matched.
std::string Around(std::string_view line, std::string_view match) {
  constexpr std::size_t kBefore = 20;
  constexpr std::size_t kShown = 50;
  const auto at = static_cast<std::size_t>(match.data() - line.data());
  if (at + match.size() <= kShown) return std::string(line);
  std::size_t begin = at - std::min(at, kBefore);
  while (begin > 0 && (static_cast<unsigned char>(line[begin]) & 0xC0U) == 0x80U) --begin;
  return "..." + std::string(line.substr(begin));
}

/// Returns whether a line begins with a JSON object or array, unlike "[INFO] started".
bool BeginsJson(std::string_view line) {
  line = WithoutBlanks(line);
  if (line.empty() || (line[0] != '{' && line[0] != '[')) return false;
  const bool object = line[0] == '{';
  const std::string_view rest = WithoutBlanks(line.substr(1));
  if (rest.empty() || rest[0] == '"' || rest[0] == (object ? '}' : ']')) return true;
  if (object) return false;
  if (rest[0] == '{' || rest[0] == '[') return true;
  const std::string_view word = WithoutBlanks(rest.substr(0, rest.find_first_of(",]")));
  return word == "true" || word == "false" || word == "null" || LooksLikeNumber(word);
}

/// Applies the rules of an adapter to one output.
class AdapterReader {
 public:
  explicit AdapterReader(const AdapterRules& rules) : rules_(rules), uses_(rules.metrics.size()) {}

  Result<AdapterReading> Read(std::string_view output) && {
    TRY_VOID(ReadInput(output));
    AdapterReading reading{std::move(builder_).Take(), std::move(failures_), {}};
    for (std::size_t i = 0; i < uses_.size(); ++i) {
      const MetricRule& rule = rules_.metrics[i];
      if (uses_[i].values > 0) continue;
      reading.unread.push_back({rule.line, WhyUnread(rules_.input, rule, uses_[i])});
    }
    return reading;
  }

 private:
  using Groups = LineExpression::Groups;

  Result<void> ReadInput(std::string_view output) {
    switch (rules_.input) {
      case AdapterInput::kText:
        return ReadText(output);
      case AdapterInput::kJson:
        return ReadJson(output);
      case AdapterInput::kJsonLines:
        return ReadJsonLines(output);
      case AdapterInput::kXml:
        return ReadXml(output);
      case AdapterInput::kCsv:
        break;
    }
    return ReadRows(output);
  }

  void Fail(std::size_t line, std::string text) {
    if (failures_.size() == kMaxAdapterFailures) return;
    text.resize(std::min(text.size(), kFailureBytes));
    failures_.push_back({line, std::move(text)});
  }

  MetricRuleUse& UseOf(const MetricRule& rule) {
    return uses_[static_cast<std::size_t>(&rule - rules_.metrics.data())];
  }

  static Error Refuse(const MetricRule& rule, std::string_view why, std::string_view advice) {
    return Error{
        ErrorCode::kInvalidArgument, std::string(why),
        fmt::format("correct the [[metric]] at line {} of the adapter: {}", rule.line, advice)};
  }

  /// Returns what a printed unit means by the key `units`, which may name the upper part of a rate.
  static std::string MeaningOf(const MetricRule& rule, const std::string& printed) {
    if (const auto whole = rule.units.find(printed); whole != rule.units.end()) {
      return whole->second;
    }
    const std::size_t slash = printed.find('/');
    if (slash == std::string::npos) return printed;
    const auto top = rule.units.find(printed.substr(0, slash));
    return top == rule.units.end() ? printed : top->second + printed.substr(slash);
  }

  /// Adds one value of a rule. Errors do not include the line.
  /// @param unit  printed beside the value; empty if there is none
  Result<void> Add(const MetricRule& rule, const PrintedValue& value, std::string_view unit,
                   std::size_t line, const Resolve& resolve) {
    auto name = Fill(rule.name, "name", resolve);
    auto benchmark = Fill(rule.benchmark, "benchmark", resolve);
    auto usual = Fill(rule.unit, "unit", resolve);
    for (const auto* const filled : {&name, &benchmark, &usual}) {
      if (!*filled) {
        return Refuse(rule, filled->error().message,
                      "exclude such values by when, or refer to something else");
      }
    }
    std::string printed(unit.empty() ? std::string_view(value.unit) : unit);
    PrintedNumber number = value.number;
    if (!rule.units.contains(printed) && SuffixFactor(printed) != 0) {
      number = Scaled(number, {SuffixFactor(printed), 1});
      printed.clear();
    }
    if (printed.empty()) printed = *usual;
    const HarnessUnit si = SiUnitOf(MeaningOf(rule, printed));
    const HarnessMetric metric{*benchmark, *name, si.unit, rule.better, !rule.gate};
    ++UseOf(rule).values;
    const bool full = builder_.IsFull();
    auto added = builder_.Add(metric, Scaled(number, si.scale), line);
    if (added || full) return added;
    return Refuse(rule, added.error().message, "its name, benchmark, unit or better");
  }

  Result<void> AddText(const MetricRule& rule, std::string_view text, std::string_view unit,
                       std::size_t line, const Resolve& resolve) {
    if (std::ranges::count(rule.absent, text) > 0) return {};
    auto value = ParsePrintedValue(text);
    if (!value) return RefuseValue(rule, value.error().message);
    if (!unit.empty() && !value->unit.empty()) {
      const double factor = SuffixFactor(value->unit);
      if (factor == 0) {
        return Refuse(rule, Quoted(text) + " has a unit beside the unit " + Quoted(unit),
                      "let one of the groups value and unit match it");
      }
      value = PrintedValue{Scaled(value->number, {factor, 1}), {}};
    }
    // A unit that an expression takes from the middle of a duration, such as 1m2s.
    if (!unit.empty() && value->unit.empty()) {
      const auto whole = ParsePrintedValue(std::string(text).append(unit));
      if (whole && whole->unit == "s" && unit != "s") return Add(rule, *whole, {}, line, resolve);
    }
    const HarnessUnit known = SiUnitOf(value->unit);
    // An unknown word after a number is rather a part of something else, such as a version.
    const bool is_unit = value->unit.empty() || known.unit != value->unit || value->unit == "%" ||
                         value->unit == "s" || value->unit == "B" || value->unit == "1" ||
                         value->unit == "bit" || value->unit.find('/') != std::string::npos ||
                         SuffixFactor(value->unit) != 0 || rule.units.contains(value->unit);
    if (!is_unit) {
      return RefuseValue(rule, Quoted(text) + " is not a number with a known unit");
    }
    return Add(rule, *value, unit, line, resolve);
  }

  Error RefuseValue(const MetricRule& rule, std::string_view why) const {
    return Refuse(rule, why,
                  rules_.input == AdapterInput::kText
                      ? "narrow its group value, or list this text in absent"
                      : "if this text means that there is no value, list it in absent");
  }

  // Text, line by line.

  Result<void> ReadText(std::string_view output) {
    std::vector<bool> wanted(rules_.metrics.size(), true);
    bool conditions = false;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      wanted[i] = !rules_.metrics[i].when_line;
      conditions = conditions || !wanted[i];
    }
    const auto look = [&](std::string_view line) -> Result<void> {
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        const auto& when = rules_.metrics[i].when_line;
        if (wanted[i] || !when->Matches(WithoutReturn(line))) continue;
        wanted[i] = uses_[i].when_line = true;
      }
      return {};
    };
    if (conditions) {
      TRY_VOID(ForEachLine(output, kReadHint, look));
    }
    std::vector<std::optional<Groups>> under(rules_.metrics.size());
    std::size_t number = 0;
    return ForEachLine(output, kReadHint, [&](std::string_view line) -> Result<void> {
      ++number;
      line = WithoutReturn(line);
      for (const FailRule& rule : rules_.fails) {
        if (const auto found = rule.match->Find(line)) Fail(number, Around(line, *found));
      }
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (!wanted[i]) continue;
        TRY_VOID(TakeLine(rules_.metrics[i], line, number, under[i]));
      }
      return {};
    });
  }

  /// @param under  the groups of the last line that `under` matched
  Result<void> TakeLine(const MetricRule& rule, std::string_view line, std::size_t number,
                        std::optional<Groups>& under) {
    if (rule.under) {
      if (auto groups = rule.under->Match(line)) {
        under = std::move(groups);
        UseOf(rule).under = true;
        return {};
      }
      if (!under) return {};
      return TakeMatch(rule, line, number, *under);
    }
    return TakeMatch(rule, line, number, {});
  }

  Result<void> TakeMatch(const MetricRule& rule, std::string_view line, std::size_t number,
                         const Groups& under) {
    auto groups = rule.match->Match(line);
    if (!groups) return {};
    ++UseOf(rule).found;
    groups->insert(under.begin(), under.end());
    const auto value = groups->find("value");
    if (value == groups->end()) return {};
    const auto unit = groups->find("unit");
    const auto resolve = [&groups](const NameTemplate::Piece& piece) -> Result<std::string> {
      const auto found = groups->find(piece.text);
      if (found == groups->end()) return NoText("the group takes no part in the match");
      return std::string(found->second);
    };
    return AddText(rule, value->second, unit == groups->end() ? "" : unit->second, number, resolve);
  }

  // Documents.

  /// Applies all rules to one document.
  Result<void> TakeDocument(const JsonValue& document) {
    const JsonElement whole{.value = &document};
    for (const FailRule& rule : rules_.fails) {
      const JsonElement found = rule.path->FindWhere(document, whole);
      if (found.value == nullptr) continue;
      const auto text = TextOfJson(*found.value);
      Fail(found.value->line, rule.path->path().TextFor(found) + (text ? ": " + *text : ""));
    }
    for (const MetricRule& rule : rules_.metrics) {
      const auto take = [&](const JsonElement& element) {
        return TakeElement(rule, document, element);
      };
      TRY_VOID(rule.each ? rule.each->ForEach(document, whole, take) : take(whole));
    }
    return {};
  }

  Result<void> TakeElement(const MetricRule& rule, const JsonValue& document,
                           const JsonElement& element) {
    MetricRuleUse& use = UseOf(rule);
    ++use.elements;
    if (rule.when && rule.when->FindWhere(document, element).value == nullptr) return {};
    ++use.held;
    const auto resolve = [&](const NameTemplate::Piece& piece) -> Result<std::string> {
      if (!piece.path) return element.key;
      const JsonValue* const found = piece.path->First(document, element);
      if (found == nullptr && piece.text == "key" && !rule.each) {
        return NoText("it is the name of an element of each, which is missing");
      }
      if (found == nullptr) return NoText(piece.path->WhyNothing(document, element));
      if (auto text = TextOfJson(*found)) return *std::move(text);
      return NoText(found->kind == JsonValue::Kind::kNull ? "it is null or an empty field"
                                                          : "it is a list or an object");
    };
    const std::size_t before = use.found;
    auto read =
        rule.path->ForEach(document, element, [&](const JsonElement& found) -> Result<void> {
          ++use.found;
          const JsonValue& value = *found.value;
          switch (value.kind) {
            case JsonValue::Kind::kNull:
              return {};
            case JsonValue::Kind::kNumber:
              return AtOutputLine(value.line,
                                  Add(rule, {value.number, {}}, {}, value.line, resolve));
            case JsonValue::Kind::kString:
              return AtOutputLine(value.line, AddText(rule, value.text, {}, value.line, resolve));
            default:
              return Refuse(rule, AsNumber(value, Quoted(rule.path->text())).error().message,
                            "let path lead to numbers or texts");
          }
        });
    if (use.found == before && use.missing.empty()) {
      use.missing = rule.path->WhyNothing(document, element);
    }
    return read;
  }

  Result<void> ReadJson(std::string_view output) {
    // Some tools print notes before their JSON.
    std::size_t skipped = 0;
    std::string_view document = output;
    while (!document.empty()) {
      const std::size_t end = document.find('\n');
      if (BeginsJson(document.substr(0, end))) break;
      if (end == std::string_view::npos) {
        document = output;
        skipped = 0;
        break;
      }
      document.remove_prefix(end + 1);
      ++skipped;
    }
    if (document.empty()) {
      document = output;
      skipped = 0;
    }
    const JsonLayout layout{
        .records = JsonRecords::kWhole, .hint = kReadHint, .first_line = skipped + 1};
    return ReadJsonRecords(document, layout, [this](const std::string&, const JsonValue& value) {
      return TakeDocument(value);
    });
  }

  Result<void> ReadJsonLines(std::string_view output) {
    for (std::size_t number = 1; !output.empty(); ++number) {
      const std::string_view line = output.substr(0, output.find('\n'));
      output.remove_prefix(std::min(output.size(), line.size() + 1));
      // Other lines are what the program prints beside its results.
      if (!BeginsJson(line)) continue;
      const JsonLayout layout{
          .records = JsonRecords::kWhole, .hint = kReadHint, .first_line = number};
      TRY_VOID(ReadJsonRecords(line, layout, [this](const std::string&, const JsonValue& value) {
        return TakeDocument(value);
      }));
    }
    return {};
  }

  Result<void> ReadRows(std::string_view output) {
    std::vector<std::string> columns = rules_.columns;
    bool header = columns.empty();
    // Lines that begin with # are comments. They become empty, so that lines keep their numbers.
    std::string_view rest = output;
    const auto read = [&rest]() -> Result<std::string_view> {
      const std::size_t end = rest.find('\n');
      std::string_view line = rest.substr(0, end == std::string_view::npos ? rest.size() : end + 1);
      rest.remove_prefix(line.size());
      if (line.starts_with('#')) line = line.ends_with('\n') ? "\n" : " ";
      return line;
    };
    const auto take = [&](const CsvRecord& record) -> Result<void> {
      if (record.size() > 0 && FirstInvalidUtf8(record.text(0))) {
        return ErrorAt(record.position(0), "is not UTF-8", kReadHint);
      }
      if (std::exchange(header, false)) return TakeHeader(record, columns);
      if (rules_.columns.empty() && record.size() != columns.size()) {
        return ErrorAt(record.position(0),
                       fmt::format("the row has {} field{}, but the header has {}", record.size(),
                                   record.size() == 1 ? "" : "s", columns.size()),
                       kReadHint);
      }
      JsonValue row{.kind = JsonValue::Kind::kObject, .line = record.position(0).line};
      for (std::size_t i = 0; i < std::min(record.size(), columns.size()); ++i) {
        const std::string_view text = record.text(i);
        if (FirstInvalidUtf8(text)) return ErrorAt(record.position(i), "is not UTF-8", kReadHint);
        row.keys.push_back(columns[i]);
        // An empty field does not have a value.
        row.items.push_back(
            {.kind = text.empty() ? JsonValue::Kind::kNull : JsonValue::Kind::kString,
             .line = record.position(i).line,
             .text = std::string(text)});
      }
      return TakeDocument(row);
    };
    TRY_VOID(ReadCsv(read, take));
    return {};
  }

  static Result<void> TakeHeader(const CsvRecord& record, std::vector<std::string>& columns) {
    std::set<std::string_view> seen;
    for (std::size_t i = 0; i < record.size(); ++i) {
      const std::string_view name = record.text(i);
      if (FirstInvalidUtf8(name)) return ErrorAt(record.position(i), "is not UTF-8", kReadHint);
      if (!name.empty() && !seen.insert(name).second) {
        return ErrorAt(record.position(i), "the column " + Quoted(name) + " occurs twice",
                       kReadHint);
      }
      columns.emplace_back(name);
    }
    return {};
  }

  Result<void> ReadXml(std::string_view output) {
    try {
      TRY(const auto document, XmlDocument::Parse(output, kReadHint));
      return TakeXml(document);
    } catch (const std::bad_alloc&) {
      // The nodes to which an expression leads may be many times those of the document.
      return Error{ErrorCode::kResourceExhausted,
                   "the XML, or what an expression leads to in it, does not fit into memory",
                   std::string(kReadHint)};
    }
  }

  /// Applies all rules to the XML.
  Result<void> TakeXml(const XmlDocument& document) {
    for (const FailRule& rule : rules_.fails) TakeXmlFailures(*rule.xml_path, document);
    for (const MetricRule& rule : rules_.metrics) {
      if (!rule.xml_each) {
        TRY_VOID(TakeXmlElement(rule, document, document.root()));
        continue;
      }
      for (const pugi::xpath_node& element : rule.xml_each->NodesAt(document.root())) {
        TRY_VOID(TakeXmlElement(rule, document, element));
      }
    }
    return {};
  }

  void TakeXmlFailures(const XmlPath& path, const XmlDocument& document) {
    if (!path.LeadsToNodes()) {
      if (path.HoldsAt(document.root())) Fail(document.LineOf(document.root()), path.text());
      return;
    }
    for (const pugi::xpath_node& node : path.NodesAt(document.root())) {
      if (failures_.size() == kMaxAdapterFailures) return;
      Fail(document.LineOf(node), std::string(document.SourceOf(node).substr(0, kFailureBytes)));
    }
  }

  Result<void> TakeXmlElement(const MetricRule& rule, const XmlDocument& document,
                              const pugi::xpath_node& element) {
    MetricRuleUse& use = UseOf(rule);
    ++use.elements;
    if (rule.xml_when && !rule.xml_when->HoldsAt(element)) return {};
    ++use.held;
    const auto resolve = [&](const NameTemplate::Piece& piece) -> Result<std::string> {
      auto text = piece.xml->TextAt(element);
      if (!text) return NoText("the element has no such attribute or element");
      return *std::move(text);
    };
    const auto add = [&](std::size_t line, const std::string& text) -> Result<void> {
      ++use.found;
      // As an empty field of a CSV.
      if (text.empty()) return {};
      return AtOutputLine(line, AddText(rule, text, {}, line, resolve));
    };
    if (!rule.xml_path->LeadsToNodes()) {
      return add(document.LineOf(element), rule.xml_path->TextAt(element));
    }
    for (const pugi::xpath_node& node : rule.xml_path->NodesAt(element)) {
      TRY_VOID(add(document.LineOf(node), TextOfXml(node)));
    }
    return {};
  }

  const AdapterRules& rules_;
  std::vector<MetricRuleUse> uses_;  // of rules_.metrics
  HarnessBuilder builder_{kReadHint};
  std::vector<AdapterFailure> failures_;
};

}  // namespace

Result<Adapter> Adapter::Parse(std::string_view text) {
  TRY(auto rules, ParseAdapterRules(text));
  return Adapter(std::make_shared<const AdapterRules>(std::move(rules)));
}

bool Adapter::reads_stderr() const { return rules_->reads_stderr; }

const std::string& Adapter::file() const { return rules_->file; }

Result<AdapterReading> Adapter::Read(std::string_view output) const {
  return AdapterReader(*rules_).Read(WithoutByteOrderMark(output));
}

Result<HarnessOutput> ParseWithAdapter(const Adapter& adapter, std::string_view output) {
  TRY(auto reading, adapter.Read(output));
  return OutputOf(std::move(reading));
}

Result<HarnessOutput> OutputOf(AdapterReading reading) {
  if (!reading.failures.empty()) {
    const AdapterFailure& first = reading.failures.front();
    return Error{
        ErrorCode::kInvalidArgument,
        fmt::format("line {}: the output reports a failure: {}", first.line, Quoted(first.text)),
        "a [[fail]] of the adapter says that such a run has failed"};
  }
  if (reading.output.samples.empty()) {
    return Error{ErrorCode::kInvalidArgument, "no value: no [[metric]] of the adapter matches",
                 std::string(kReadHint)};
  }
  return std::move(reading.output);
}

const ShippedAdapter* FindShippedAdapter(std::string_view name) {
  const auto& all = ShippedAdapters();
  const auto found = std::ranges::find(all, name, &ShippedAdapter::name);
  return found == all.end() ? nullptr : &*found;
}

bool NamesAdapterFile(std::string_view name) {
  return name.ends_with(".toml") || name.find('/') != std::string_view::npos;
}

}  // namespace benchd
