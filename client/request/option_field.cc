#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>

#include "client/present/units.h"
#include "client/present/words.h"
#include "client/request/quantity.h"
#include "client/request/session_options.h"
#include "core/base/path.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "core/model/session_spec.h"
#include "core/parse/discovery.h"
#include "proto/convert/convert.h"

namespace benchd::client {
namespace {

using google::protobuf::EnumDescriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using Part = OptionField::Part;
using TextList = std::vector<std::string>;

constexpr char kNoShell[] = "none";

// Stores a parsed value, or returns its error.
template <typename T, typename Set>
Result<void> Put(Result<T> value, Set set) {
  if (!value) return std::move(value).error();
  set(*std::move(value));
  return {};
}

Result<int> ParseWord(std::string_view text, const EnumDescriptor& type) {
  TextList words;
  const bool may_lack = type.value(0)->name().ends_with("UNSPECIFIED");
  for (int i = may_lack ? 1 : 0; i < type.value_count(); ++i) {
    words.push_back(EnumWord(type, i));
    if (text == words.back()) return i;
    if (words.back() == "quantile") words.back() += ":P";
  }
  const std::vector<std::string_view> known(words.begin(), words.end());
  return UsageError("unknown value", HintForUnknown(text, known));
}

Result<bool> ParseSwitch(std::string_view text) {
  if (text == "true" || text == "false") return text == "true";
  return UsageError("unknown value", "write true or false");
}

Result<double> ParseDouble(std::string_view text, const OptionField& row) {
  switch (row.number) {
    case OptionField::Number::kMargin:
      return ParseMargin(text);
    case OptionField::Number::kProbability:
      return ParseProbability(text, "1% or 0.01");
    case OptionField::Number::kDuration:
      break;
  }
  return ParseDuration(text);
}

std::string FormatDouble(double value, const OptionField& row) {
  switch (row.number) {
    case OptionField::Number::kMargin:
      return FormatRoundTripPercent(value);
    case OptionField::Number::kProbability:
      return FormatRoundTrip(value);
    case OptionField::Number::kDuration:
      break;
  }
  return FormatRoundTrip(value) + "s";
}

Message* MutablePart(const OptionTarget& to, Part part) {
  switch (part) {
    case Part::kSession:
      return to.session;
    case Part::kLimits:
      return to.session->mutable_limits();
    case Part::kHooks:
      return to.benchmark->mutable_hooks();
    case Part::kBenchmark:
    case Part::kElsewhere:
      break;
  }
  return to.benchmark;
}

const Message& PartOf(const OptionSource& of, Part part) {
  switch (part) {
    case Part::kSession:
      return of.session;
    case Part::kLimits:
      return of.session.limits();
    case Part::kHooks:
      return of.benchmark.hooks();
    case Part::kBenchmark:
    case Part::kElsewhere:
      break;
  }
  return of.benchmark;
}

// Returns the values of options that are not given.
const v1::SessionSpec& Defaults() {
  static const v1::SessionSpec defaults = [] {
    v1::SessionSpec spec;
    convert::ToProto(SessionSpec(), &spec);
    return spec;
  }();
  return defaults;
}

// Returns the text of a field; empty if the field is not set.
std::string FormatField(const Message& message, const OptionField& row) {
  const FieldDescriptor* const field = message.GetDescriptor()->FindFieldByNumber(row.field);
  const google::protobuf::Reflection& values = *message.GetReflection();
  if (field->has_presence() && !values.HasField(message, field)) return "";
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_BOOL:
      return values.GetBool(message, field) ? "true" : "";
    case FieldDescriptor::CPPTYPE_ENUM:
      return EnumWord(*field->enum_type(), values.GetEnumValue(message, field));
    case FieldDescriptor::CPPTYPE_UINT64:
      return std::to_string(values.GetUInt64(message, field));
    case FieldDescriptor::CPPTYPE_INT32:
      return std::to_string(values.GetInt32(message, field));
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return FormatDouble(values.GetDouble(message, field), row);
    default:
      return values.GetString(message, field);
  }
}

Result<void> ParseField(const std::string& text, const OptionField& row, Message* message) {
  const FieldDescriptor* const field = message->GetDescriptor()->FindFieldByNumber(row.field);
  const google::protobuf::Reflection* const values = message->GetReflection();
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_BOOL:
      return Put(ParseSwitch(text), [&](bool on) { values->SetBool(message, field, on); });
    case FieldDescriptor::CPPTYPE_ENUM:
      return Put(ParseWord(text, *field->enum_type()),
                 [&](int value) { values->SetEnumValue(message, field, value); });
    case FieldDescriptor::CPPTYPE_UINT64:
      return Put(ParseCount(text), [&](auto n) { values->SetUInt64(message, field, n); });
    case FieldDescriptor::CPPTYPE_INT32:
      return Put(ParseInteger(text), [&](auto n) { values->SetInt32(message, field, n); });
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return Put(ParseDouble(text, row), [&](double x) { values->SetDouble(message, field, x); });
    default:
      // In a benchmark, an empty value resets the session's value. In a session, it is an error.
      if (text.empty() && row.part == Part::kSession) {
        return UsageError("empty value", "omit it to use the default");
      }
      values->SetString(message, field, text);
      return {};
  }
}

}  // namespace

Result<void> ParseOption(const OptionField& field, const std::string& text,
                         const OptionTarget& to) {
  if (field.parse != nullptr) return field.parse(text, to);
  return ParseField(text, field, MutablePart(to, field.part));
}

TextList FormatOption(const OptionField& field, const OptionSource& of) {
  if (field.part == Part::kElsewhere) return {};
  if (field.format != nullptr) return field.format(of);
  static const v1::Benchmark kBenchmark;
  std::string text = FormatField(PartOf(of, field.part), field);
  if (text.empty()) return {};
  if (text == FormatField(PartOf({Defaults(), kBenchmark}, field.part), field)) return {};
  return {std::move(text)};
}

std::string Absolute(const std::string& path, const std::string& base) {
  return (std::filesystem::path(base) / path).lexically_normal().string();
}

TextList FormatNothing(const OptionSource&) { return {}; }

Result<void> ParseConfidence(const std::string& text, const OptionTarget& to) {
  return Put(ParseProbability(text, "99% or 0.99"),
             [&to](double c) { to.session->set_alpha(AlphaFromConfidence(c)); });
}

Result<void> ParsePassConfidence(const std::string& text, const OptionTarget& to) {
  return Put(ParseProbability(text, "95% or 0.95"),
             [&to](double c) { to.session->set_pass_confidence(c); });
}

Result<void> ParseEstimator(const std::string& text, const OptionTarget& to) {
  constexpr std::string_view kQuantile = "quantile:";
  v1::Estimator* const estimator = to.session->mutable_estimator();
  if (text.starts_with(kQuantile) && text != "quantile:P") {
    estimator->set_kind(v1::ESTIMATOR_KIND_QUANTILE);
    return Put(ParseProbability(std::string_view(text).substr(kQuantile.size()), "quantile:0.95"),
               [estimator](double p) { estimator->set_quantile(p); });
  }
  if (text.starts_with("quantile")) return UsageError("unknown value", "write quantile:0.95");
  return Put(ParseWord(text, *v1::EstimatorKind_descriptor()),
             [estimator](int kind) { estimator->set_kind(static_cast<v1::EstimatorKind>(kind)); });
}

TextList FormatEstimator(const OptionSource& of) {
  std::string word = EstimatorWord(of.session.estimator());
  return word == "mean" ? TextList() : TextList{std::move(word)};
}

Result<void> ParseRule(const std::string& text, const OptionTarget& to) {
  constexpr std::string_view kPrecision = "precision:";
  if (text == "margin") return {};
  if (!text.starts_with(kPrecision))
    return UsageError("unknown value", "write margin or precision:1%");
  TRY(auto width, ParsePrecision(std::string_view(text).substr(kPrecision.size()), kPrecision));
  to.session->mutable_rule()->set_precision_width(width);
  return {};
}

TextList FormatRule(const OptionSource& of) {
  const double width = of.session.rule().precision_width();
  return width > 0 ? TextList{"precision:" + FormatRoundTripPercent(width)} : TextList();
}

Result<void> ParseEarlyLooks(const std::string& text, const OptionTarget& to) {
  if (text != "on" && text != "off") return UsageError("unknown value", "write on or off");
  to.session->set_early_looks(text == "on");
  return {};
}

TextList FormatEarlyLooks(const OptionSource& of) {
  v1::SessionSpec submitted = of.session;
  for (v1::Benchmark& benchmark : *submitted.mutable_benchmarks()) {
    // The daemon added it, so it cannot be read as part of a request.
    auto& arms = *benchmark.mutable_arms();
    arms.erase(
        std::remove_if(arms.begin(), arms.end(),
                       [](const v1::Arm& arm) { return arm.role() == v1::ARM_ROLE_PLACEBO; }),
        arms.end());
  }
  const auto spec = convert::FromProto(submitted);
  // A session of a release without early looks has no value.
  const bool on = of.session.early_looks();
  if (!spec || on == EarlyLooksByDefault(*spec)) return {};
  return {on ? "on" : "off"};
}

Result<void> ParseLabel(const std::string& text, const OptionTarget& to) {
  return Put(ParseAssignment(text), [&to](const std::pair<std::string, std::string>& label) {
    (*to.session->mutable_labels())[label.first] = label.second;
  });
}

TextList FormatLabels(const OptionSource& of) {
  std::map<std::string, std::string> labels{of.session.labels().begin(), of.session.labels().end()};
  TextList texts;
  for (const auto& [key, value] : labels) texts.push_back(key + "=" + value);
  return texts;
}

Result<void> ParseGate(const std::string& text, const OptionTarget& to) {
  return Put(ParseMetricGate(text), [&to](const MetricGate& metric) {
    v1::Gate* gate = to.benchmark->add_gates();
    gate->set_metric(metric.name);
    if (metric.ratio) gate->set_ratio(*metric.ratio);
    if (metric.absolute) gate->set_absolute(*metric.absolute);
    gate->set_exact(metric.exact);
    gate->set_unit(metric.unit);
    if (metric.better) {
      gate->set_better(*metric.better == Direction::kLower ? v1::BETTER_LOWER : v1::BETTER_HIGHER);
    }
  });
}

std::string GateText(const v1::Gate& gate) {
  std::string text = gate.metric();
  if (gate.exact()) {
    text += ":exact";
  } else if (gate.margin_case() == v1::Gate::kRatio) {
    text += ":" + FormatRoundTripPercent(gate.ratio());
  } else if (gate.margin_case() == v1::Gate::kAbsolute) {
    // A negative number without a unit needs the plus sign, too (ParseMetricGate()).
    const bool plus = gate.absolute() >= 0 || gate.unit().empty();
    text += (plus ? ":+" : ":") + FormatRoundTrip(gate.absolute()) + gate.unit();
  }
  if (gate.better() != v1::BETTER_UNSPECIFIED) text += ":" + std::string(Word(gate.better()));
  return text;
}

TextList FormatGates(const OptionSource& of) {
  TextList texts;
  for (const v1::Gate& gate : of.benchmark.gates()) texts.push_back(GateText(gate));
  return texts;
}

Result<void> ParseInput(const std::string& text, const OptionTarget& to) {
  if (text.empty()) return UsageError("empty path");
  if (text == "null") return {};
  std::string path = Absolute(text, to.cwd);
  if (text == "-" || LeadsToADescriptor(path)) {
    return UsageError("the commands cannot open it: it is a descriptor, not a file",
                      "write the input to a file, and name that file");
  }
  to.benchmark->set_input(std::move(path));
  return {};
}

Result<void> ParseResultFile(const std::string& text, const OptionTarget& to) {
  // It would otherwise mean that the numbers are on stdout.
  if (text.empty()) return UsageError("empty path", "write the path of a file with the numbers");
  to.benchmark->set_parse_file(text);
  return {};
}

Result<void> ParseOutput(const std::string& text, const OptionTarget& to) {
  if (text.empty()) return UsageError("empty file name", "write null, pipe, log or FILE");
  if (text == "null") {
    to.benchmark->set_output(v1::OUTPUT_KIND_DISCARD);
  } else if (text == "pipe") {
    to.benchmark->set_output(v1::OUTPUT_KIND_PIPE);
  } else if (text == "log") {
    to.benchmark->set_output(v1::OUTPUT_KIND_LOG);
  } else {
    std::string path = Absolute(text, to.cwd);
    if (text == "-" || LeadsToADescriptor(path)) {
      return UsageError("the commands cannot open it: it is a descriptor, not a file",
                        "write null, pipe, log or FILE; --show-output prints it");
    }
    to.benchmark->set_output(v1::OUTPUT_KIND_FILE);
    to.benchmark->set_output_path(std::move(path));
  }
  return {};
}

TextList FormatOutput(const OptionSource& of) {
  if (of.benchmark.output() == v1::OUTPUT_KIND_PIPE) return {"pipe"};
  if (of.benchmark.output() == v1::OUTPUT_KIND_LOG) return {"log"};
  return of.benchmark.output() == v1::OUTPUT_KIND_FILE ? TextList{of.benchmark.output_path()}
                                                       : TextList();
}

Result<void> ParseAcceptExit(const std::string& text, const OptionTarget& to) {
  constexpr int kMostExit = 255;
  const Error wrong = UsageError("not a list of exit codes from 0 to 255", "write 0,3");
  std::set<std::int32_t> codes;
  std::string_view rest = text;
  for (bool more = true; more;) {
    const std::size_t comma = rest.find(',');
    const auto code = ParseCount(std::string(rest.substr(0, comma)));
    if (!code || *code > kMostExit) return wrong;
    codes.insert(static_cast<std::int32_t>(*code));
    more = comma != std::string_view::npos;
    if (more) rest.remove_prefix(comma + 1);
  }
  to.benchmark->mutable_accept_exit()->Assign(codes.begin(), codes.end());
  return {};
}

TextList FormatAcceptExit(const OptionSource& of) {
  const auto& codes = of.benchmark.accept_exit();
  if (codes.empty()) return {};
  return {Join(codes, ",", [](std::int32_t code) { return std::to_string(code); })};
}

Result<void> ParseHarness(const std::string& text, const OptionTarget& to) {
  // In a benchmark, an empty value resets the session's value.
  if (!text.empty() && text != kAdapterHarness) {
    if (const auto known = FindHarness(text); !known) {
      Error error = known.error();
      return UsageError("unknown harness " + Quoted(text), std::move(error.hint));
    }
  }
  to.benchmark->set_harness(text);
  return {};
}

TextList FormatParse(const OptionSource& of) {
  const std::string& parse = of.benchmark.parse();
  if (parse.empty()) return {};
  const auto harness = FindHarness(of.benchmark.harness());
  const bool implied = harness && harness->format == parse;
  return implied ? TextList() : TextList{parse};
}

// ExpandSuite() has selected benchmarks; what is left selects among those inside a program.
Result<void> ParseOnly(const std::string& text, const OptionTarget& to) {
  if (text.empty()) return UsageError("empty pattern", "write 'parse*'");
  to.benchmark->add_only(text);
  return {};
}

TextList FormatOnly(const OptionSource& of) {
  return {of.benchmark.only().begin(), of.benchmark.only().end()};
}

// In a [[benchmark]], true and false are about the benchmark itself. ExpandSuite() adds the names
// of the session to them.
Result<void> ParseControl(const std::string& text, const OptionTarget& to) {
  if (text.empty()) return UsageError("empty name", "write the name of a benchmark");
  if (text == "true" || text == "false") {
    to.benchmark->set_control(text == "true");
  } else {
    to.benchmark->add_controls(text);
  }
  return {};
}

TextList FormatControl(const OptionSource& of) {
  TextList names(of.benchmark.controls().begin(), of.benchmark.controls().end());
  if (of.benchmark.control()) names.push_back(of.benchmark.name());
  return names;
}

// The option applies to hooks and commands.
Result<void> ParseShell(const std::string& text, const OptionTarget& to) {
  if (text.empty()) return UsageError("empty path", "write bash, /bin/bash or none");
  ShellChoice shell{.used = text != "false" && text != kNoShell};
  if (shell.used && text != "true") {
    shell.interpreter = text.find('/') == std::string::npos ? text : Absolute(text, to.cwd);
  }
  SetShell(shell, to.benchmark->mutable_hooks());
  to.arms->shell = std::move(shell);
  return {};
}

ShellChoice ShellForHooks(const v1::Benchmark& benchmark) {
  if (benchmark.arms().empty()) return {};
  const ShellChoice first = ShellOf(benchmark.arms(0));
  const bool shared = std::ranges::all_of(
      benchmark.arms(), [&first](const v1::Arm& arm) { return ShellOf(arm) == first; });
  return shared ? first : ShellChoice{.used = true};
}

// Formats an option that arms may have their own values of: one text for all arms, or one per arm.
// A value that all arms share is stored in the benchmark.
TextList FormatPerArm(const OptionSource& of, const std::string& shared,
                      const std::string& (v1::Arm::*own)() const) {
  TextList texts;
  bool all_shared = true;
  for (const v1::Arm& arm : of.benchmark.arms()) {
    if (arm.role() == v1::ARM_ROLE_PLACEBO) continue;
    const std::string& value = (arm.*own)();
    all_shared = all_shared && value.empty();
    texts.push_back(value.empty() ? shared : value);
  }
  if (!all_shared) return texts;
  return shared.empty() ? TextList() : TextList{shared};
}

TextList FormatInput(const OptionSource& of) {
  return FormatPerArm(of, of.benchmark.input(), &v1::Arm::input);
}

TextList FormatResultFile(const OptionSource& of) {
  const std::string& file = of.benchmark.parse_file();
  return file.empty() ? TextList() : TextList{file};
}

TextList FormatPrepare(const OptionSource& of) {
  return FormatPerArm(of, of.benchmark.hooks().prepare(), &v1::Arm::prepare);
}

TextList FormatConclude(const OptionSource& of) {
  return FormatPerArm(of, of.benchmark.hooks().conclude(), &v1::Arm::conclude);
}

TextList FormatShell(const OptionSource& of) {
  TextList texts;
  for (const v1::Arm& arm : of.benchmark.arms()) {
    if (arm.role() == v1::ARM_ROLE_PLACEBO) continue;
    texts.push_back(!arm.shell()                ? kNoShell
                    : arm.interpreter().empty() ? "true"
                                                : arm.interpreter());
  }
  const bool shared =
      std::ranges::count(texts, texts.empty() ? "" : texts.front()) == std::ssize(texts);
  if (!shared) return texts;
  return texts.empty() || texts.front() == kNoShell ? TextList() : TextList{texts.front()};
}

Result<void> ParseCwd(const std::string& text, const OptionTarget& to) {
  if (text.empty()) return UsageError("empty path");
  to.arms->cwd = text;
  return {};
}

TextList FormatCwd(const OptionSource& of) {
  return of.benchmark.arms_size() > 0 ? TextList{of.benchmark.arms(0).cwd()} : TextList();
}

Result<void> ParseVariable(const std::string& text, const OptionTarget& to) {
  return Put(ParseAssignment(text), [&to](const std::pair<std::string, std::string>& variable) {
    to.arms->env[variable.first] = variable.second;
  });
}

}  // namespace benchd::client
