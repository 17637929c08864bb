#include "client/present/exports.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "client/present/csv.h"
#include "client/present/findings.h"
#include "client/present/json.h"
#include "client/present/markdown_limit.h"
#include "client/present/report.h"
#include "client/present/sentence.h"
#include "client/present/units.h"
#include "client/present/words.h"
#include "core/base/printable.h"
#include "core/base/text.h"
#include "proto/convert/convert.h"

namespace benchd::client {
namespace {

using ExportedRuns = std::span<const v1::Run>;

std::string RenderJunitOfSame(const std::string& sentence);

constexpr std::array<ExportFormat, 6> kFormats{{
    {"csv", true,
     [](const v1::Session& session, ExportedRuns runs) { return RunsToCsv(runs, session); }},
    {"json", true,
     [](const v1::Session& session, ExportedRuns runs) {
       return ExportJson(session, runs) + "\n";
     }},
    {"markdown", false,
     [](const v1::Session& session, ExportedRuns) { return RenderMarkdown(session); },
     [](const std::string& sentence) { return "**✅ " + sentence + "**\n"; }, ShortenMarkdown},
    {"junit", false, [](const v1::Session& session, ExportedRuns) { return RenderJunit(session); },
     RenderJunitOfSame},
    {"github", false,
     [](const v1::Session& session, ExportedRuns) { return RenderGithub(session); },
     [](const std::string&) { return RenderGithub({}); }},
    {"bmf", false, [](const v1::Session& session, ExportedRuns) { return RenderBmf(session); },
     [](const std::string&) { return RenderBmf({}); }},
}};

}  // namespace

std::span<const ExportFormat> ExportFormats() { return kFormats; }

const ExportFormat* FindExportFormat(std::string_view name) {
  const auto* const found = std::ranges::find(kFormats, name, &ExportFormat::name);
  return found == kFormats.end() ? nullptr : found;
}

namespace {

std::set<std::pair<std::string, std::string>> PlacebosOf(const v1::SessionSpec& spec) {
  std::set<std::pair<std::string, std::string>> placebos;
  for (const v1::Benchmark& benchmark : spec.benchmarks()) {
    for (const v1::Arm& arm : benchmark.arms()) {
      if (arm.role() == v1::ARM_ROLE_PLACEBO) placebos.emplace(benchmark.name(), arm.name());
    }
  }
  return placebos;
}

/// Returns one comparison per candidate and metric, because the candidate's mean is the same
/// against every reference. Empty for a session without a verdict.
std::vector<const v1::Comparison*> MeansOf(const v1::Session& session) {
  if (session.state() != v1::SESSION_STATE_DONE) return {};
  const auto placebos = PlacebosOf(session.spec());
  std::set<std::array<std::string_view, 3>> seen;
  std::vector<const v1::Comparison*> means;
  for (const v1::Comparison& c : session.report().comparisons()) {
    if (!c.has_mean_candidate() || placebos.contains({c.benchmark(), c.candidate()})) continue;
    if (seen.insert({c.benchmark(), c.candidate(), c.metric()}).second) means.push_back(&c);
  }
  return means;
}

/// The names of the series, which stay the same from commit to commit. They omit the name of a
/// single candidate, because with --git this is the commit, and every commit would start a new
/// series.
class SeriesNames {
 public:
  explicit SeriesNames(const std::vector<const v1::Comparison*>& means) {
    for (const v1::Comparison* c : means) candidates_[c->benchmark()].insert(c->candidate());
  }
  std::string Of(const v1::Comparison& c) const {
    const bool alone = candidates_.at(c.benchmark()).size() == 1;
    return alone ? c.benchmark() : c.benchmark() + "/" + c.candidate();
  }

 private:
  std::map<std::string_view, std::set<std::string_view>> candidates_;
};

/// A mean and its standard deviation in a form in which smaller is better.
struct Smaller {
  double value = 0;
  std::optional<double> sd;
  std::string unit;
};

std::string InverseUnit(const std::string& unit) {
  const std::size_t slash = unit.find('/');
  if (slash == std::string::npos) return unit.empty() ? "" : "1/" + unit;
  const std::string below = unit.substr(slash + 1);
  return unit.starts_with("1/") ? below : below + "/" + unit.substr(0, slash);
}

/// Converts a rate to its reciprocal by the delta method (docs/statistics.md section 2).
std::optional<Smaller> SmallerIsBetter(const v1::Comparison& c) {
  const std::string unit = c.unit() == "1" ? "" : c.unit();
  const auto sd = c.has_sd_candidate() ? std::optional(c.sd_candidate()) : std::nullopt;
  const double mean = c.mean_candidate();
  if (c.better() != v1::BETTER_HIGHER) return Smaller{mean, sd, unit};
  if (!(mean > 0)) return std::nullopt;
  Smaller inverse{1 / mean, std::nullopt, InverseUnit(unit)};
  if (sd) inverse.sd = *sd / (mean * mean);
  return inverse;
}

std::string ThreeDigits(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3g", value);
  return text.data();
}

}  // namespace

std::string RenderGithub(const v1::Session& session) {
  const std::vector<const v1::Comparison*> means = MeansOf(session);
  const SeriesNames names(means);
  const bool any_gate = !GatesOf(session.report()).empty();
  Json list = Json::array();
  for (const v1::Comparison* c : means) {
    if (any_gate && c->role() != v1::COMPARISON_ROLE_GATE) continue;
    const auto smaller = SmallerIsBetter(*c);
    if (!smaller) continue;
    Json entry;
    entry["name"] = names.Of(*c) + ": " + c->metric() +
                    (c->better() == v1::BETTER_HIGHER ? " (reciprocal)" : "");
    entry["unit"] = smaller->unit;
    entry["value"] = smaller->value;
    if (smaller->sd) entry["range"] = "± " + ThreeDigits(*smaller->sd);
    entry["extra"] = std::string(Word(c->verdict())) + ": " + GateSentence(*c, Style());
    if (c->role() != v1::COMPARISON_ROLE_GATE) entry.erase("extra");
    list.push_back(std::move(entry));
  }
  return JsonText(list, 2) + "\n";
}

std::string RenderBmf(const v1::Session& session) {
  // Bencher's built-in measure, which has a fixed unit.
  constexpr std::string_view kLatency = "latency";
  constexpr double kNanosecondsPerSecond = 1e9;
  const std::vector<const v1::Comparison*> means = MeansOf(session);
  const SeriesNames names(means);
  Json json = Json::object();
  for (const v1::Comparison* c : means) {
    const bool latency = c->metric() == kLatency && c->unit() == "s";
    const double scale = latency ? kNanosecondsPerSecond : 1;
    Json& measure = json[names.Of(*c)][c->metric()];
    measure["value"] = c->mean_candidate() * scale;
    if (!c->has_sd_candidate()) continue;
    Put(measure, "lower_value", (c->mean_candidate() - c->sd_candidate()) * scale);
    Put(measure, "upper_value", (c->mean_candidate() + c->sd_candidate()) * scale);
  }
  return JsonText(json, 2) + "\n";
}

namespace {

constexpr std::string_view kNoXmlCharacter = "\xEF\xBF\xBD";

// Escapes one character of text or of an attribute. Control characters become references, or U+FFFD
// if XML 1.0 does not allow them.
std::string XmlCharacter(std::string_view character) {
  if (character == "&") return "&amp;";
  if (character == "<") return "&lt;";
  if (character == ">") return "&gt;";
  if (character == "\"") return "&quot;";
  if (ControlLength(character) == 0) return std::string(character);
  const auto code = static_cast<unsigned>(CodePointOf(character));
  const bool known = code >= 0x20 || code == '\t' || code == '\n' || code == '\r';
  return known ? fmt::format("&#{};", code) : std::string(kNoXmlCharacter);
}

// Converts any bytes to XML 1.0 text that is also valid in an attribute. XML allows neither U+FFFE
// nor U+FFFF, and no ASCII control characters except tab, newline and carriage return.
std::string XmlText(std::string_view bytes) {
  const std::string text = Utf8Lossy(bytes);
  std::string escaped;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view character = rest.substr(0, CharacterLength(rest));
    const bool none = character == "\xEF\xBF\xBE" || character == "\xEF\xBF\xBF";
    escaped += none ? std::string(kNoXmlCharacter) : XmlCharacter(character);
    rest.remove_prefix(character.size());
  }
  return escaped;
}

std::string XmlAttribute(std::string_view name, std::string_view value) {
  return " " + std::string(name) + "=\"" + XmlText(value) + "\"";
}

std::string XmlAttribute(std::string_view name, std::size_t value) {
  return XmlAttribute(name, std::to_string(value));
}

struct JunitCounts {
  std::size_t tests = 0;
  std::size_t failures = 0;
  std::size_t errors = 0;
  std::size_t skipped = 0;

  std::string Attributes() const {
    return XmlAttribute("tests", tests) + XmlAttribute("failures", failures) +
           XmlAttribute("errors", errors) + XmlAttribute("skipped", skipped);
  }
};

JunitCounts JunitCountsOf(const std::vector<const v1::Comparison*>& gates) {
  JunitCounts counts{.tests = gates.size()};
  for (const v1::Comparison* gate : gates) {
    if (gate->verdict() == v1::VERDICT_REGRESSION) ++counts.failures;
    if (gate->verdict() == v1::VERDICT_UNDECIDED) ++counts.skipped;
  }
  return counts;
}

// Returns the warnings that qualify or invalidate a verdict, without notes.
std::vector<Warning> WarningsToActOn(const v1::Update& report) {
  std::vector<Warning> warnings;
  for (const v1::Warning& warning : report.warnings()) {
    Warning told = convert::FromProto(warning);
    if (told.severity != Severity::kNote) warnings.push_back(std::move(told));
  }
  return warnings;
}

bool IsSaidOf(const Warning& warning, std::string_view benchmark) {
  return warning.benchmark.empty() || warning.benchmark == benchmark;
}

std::set<std::string_view> ArmsOf(const Comparisons& gates) {
  std::set<std::string_view> arms;
  for (const v1::Comparison* gate : gates) arms.insert({gate->reference(), gate->candidate()});
  return arms;
}

// Returns whether a warning about the gate's benchmark also applies to the gate. Warnings about
// another metric, or about an arm that the gate lacks, do not. A placebo's warning applies to all
// gates.
bool IsSaidOf(const Warning& warning, const v1::Comparison& gate,
              const std::set<std::string_view>& arms) {
  const bool own = warning.arm == gate.reference() || warning.arm == gate.candidate();
  const bool of_arm = own || !arms.contains(warning.arm);
  const bool of_metric = warning.metric.empty() || warning.metric == gate.metric();
  const bool of_reference = warning.reference.empty() || warning.reference == gate.reference();
  return of_arm && of_metric && of_reference;
}

std::string WarningLines(const std::vector<Warning>& warnings) {
  return Join(warnings, "",
              [](const Warning& warning) { return "warning: " + WarningText(warning) + "\n"; });
}

// Renders the test case of a gate. `warnings` are lines about the gate.
std::string JunitCase(const v1::Comparison& gate, const std::string& warnings) {
  const std::string sentence = GateSentence(gate, Style());
  const auto element = [&sentence](const std::string& name) {
    return "      <" + name + XmlAttribute("message", sentence) + "/>\n";
  };
  std::string result;
  std::string output = warnings;
  if (gate.verdict() == v1::VERDICT_REGRESSION) {
    result = element("failure" + XmlAttribute("type", "regression"));
  } else if (gate.verdict() == v1::VERDICT_UNDECIDED) {
    result = element("skipped");
  } else {
    output = sentence + (warnings.empty() ? "" : "\n" + warnings);
  }
  if (!output.empty()) result += "      <system-out>" + XmlText(output) + "</system-out>\n";
  return "    <testcase" + XmlAttribute("classname", gate.benchmark()) +
         XmlAttribute("name", gate.candidate() + " vs " + gate.reference() + ": " + gate.metric()) +
         ">\n" + result + "    </testcase>\n";
}

// Some readers show the output of a case and others that of its suite, so both contain the warning.
std::string JunitSuite(const std::string& benchmark, const Comparisons& gates,
                       const std::vector<Warning>& warnings) {
  std::vector<Warning> own;
  std::ranges::copy_if(warnings, std::back_inserter(own), [&benchmark](const Warning& warning) {
    return IsSaidOf(warning, benchmark);
  });
  const std::set<std::string_view> arms = ArmsOf(gates);
  std::string text =
      "  <testsuite" + XmlAttribute("name", benchmark) + JunitCountsOf(gates).Attributes() + ">\n";
  for (const v1::Comparison* gate : gates) {
    std::vector<Warning> of_gate;
    std::ranges::copy_if(own, std::back_inserter(of_gate), [gate, &arms](const Warning& warning) {
      return IsSaidOf(warning, *gate, arms);
    });
    text += JunitCase(*gate, WarningLines(of_gate));
  }
  if (!own.empty()) text += "    <system-err>" + XmlText(WarningLines(own)) + "</system-err>\n";
  return text + "  </testsuite>\n";
}

// Renders one suite for each benchmark with a gate, then one for each benchmark with only warnings.
std::string JunitSuites(const v1::Update& report) {
  const Comparisons gates = GatesOf(report);
  const std::vector<Warning> warnings = WarningsToActOn(report);
  std::set<std::string> told;
  std::string text;
  for (auto first = gates.begin(); first != gates.end();) {
    const std::string& benchmark = (*first)->benchmark();
    const auto next = std::find_if(first, gates.end(), [&benchmark](const v1::Comparison* gate) {
      return gate->benchmark() != benchmark;
    });
    text += JunitSuite(benchmark, {first, next}, warnings);
    told.insert(benchmark);
    first = next;
  }
  for (const Warning& warning : warnings) {
    const bool of_all = warning.benchmark.empty();
    if (of_all || !told.insert(warning.benchmark).second) continue;
    text += JunitSuite(warning.benchmark, {}, warnings);
  }
  if (told.empty() && !warnings.empty()) text += JunitSuite("session", {}, warnings);
  return text;
}

// Renders a session that did not finish as one test case with the cause.
std::string BrokenSession(const v1::Session& session) {
  const bool failed = session.state() == v1::SESSION_STATE_FAILED;
  const std::string& benchmark = session.failed().run().benchmark();
  const std::string by = session.cancelled().by();
  const std::string message =
      failed ? session.failed().error() : "cancelled" + (by.empty() ? std::string() : " by " + by);
  return "  <testsuite" + XmlAttribute("name", benchmark.empty() ? "session" : benchmark) +
         JunitCounts{.tests = 1, .errors = 1}.Attributes() + ">\n    <testcase" +
         XmlAttribute("classname", benchmark.empty() ? "session" : benchmark) +
         XmlAttribute("name", "session " + session.session()) + ">\n      <error" +
         XmlAttribute("type", failed ? "failed" : "cancelled") + XmlAttribute("message", message) +
         ">" + XmlText(failed ? RenderFailure(session.session(), session.failed()) : message) +
         "</error>\n    </testcase>\n  </testsuite>\n";
}

constexpr char kJunitBegin[] =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"benchd\"";

std::string RenderJunitOfSame(const std::string& sentence) {
  const std::string counts = JunitCounts{.tests = 1}.Attributes();
  return kJunitBegin + counts + ">\n  <testsuite" + XmlAttribute("name", "main") + counts +
         ">\n    <testcase" + XmlAttribute("classname", "main") +
         XmlAttribute("name", "the same commit") + ">\n      <system-out>" + XmlText(sentence) +
         "</system-out>\n    </testcase>\n  </testsuite>\n</testsuites>\n";
}

}  // namespace

std::string RenderJunit(const v1::Session& session) {
  const std::string begin = kJunitBegin;
  const std::string end = "</testsuites>\n";
  if (session.state() != v1::SESSION_STATE_DONE) {
    return begin + JunitCounts{.tests = 1, .errors = 1}.Attributes() + ">\n" +
           BrokenSession(session) + end;
  }
  const v1::Update& report = session.report();
  const std::vector<const v1::Comparison*> gates = GatesOf(report);
  std::string text = begin + JunitCountsOf(gates).Attributes();
  if (report.elapsed_seconds() > 0) {
    text += XmlAttribute("time", Fixed(report.elapsed_seconds(), 3));
  }
  text += ">\n";
  return text + JunitSuites(report) + end;
}

}  // namespace benchd::client
