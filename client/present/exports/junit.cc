#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/present/exports.h"
#include "client/present/findings.h"
#include "client/present/gates.h"
#include "client/present/measurement.h"
#include "client/present/report.h"
#include "client/present/sentence.h"
#include "client/present/units.h"
#include "client/present/verdict_words.h"
#include "core/analysis/control_report.h"
#include "core/base/printable.h"
#include "core/base/text.h"
#include "proto/convert/convert.h"

namespace benchd::client {
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

// Returns whether the control of the session changed, so that nothing is known about a gate. What
// the controls themselves show stays as it is.
bool IsVoid(const v1::Comparison& gate, const v1::Update& report) {
  return report.control_changed() && gate.control() == v1::CONTROL_STATE_UNSPECIFIED;
}

JunitCounts JunitCountsOf(const std::vector<const v1::Comparison*>& gates,
                          const v1::Update& report) {
  JunitCounts counts{.tests = gates.size()};
  for (const v1::Comparison* gate : gates) {
    if (IsVoid(*gate, report) || gate->verdict() == v1::VERDICT_UNDECIDED) {
      ++counts.skipped;
    } else if (gate->verdict() == v1::VERDICT_REGRESSION) {
      ++counts.failures;
    }
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
std::string JunitCase(const v1::Comparison& gate, const v1::Update& report,
                      const std::string& warnings) {
  std::string sentence = GateSentence(gate, Style());
  const bool is_void = IsVoid(gate, report);
  if (is_void) {
    sentence = std::string(kControlChangedWords) + " (" + ResultWords(gate, Style()) + ": " +
               sentence + ")";
  }
  const auto element = [&sentence](const std::string& name) {
    return "      <" + name + XmlAttribute("message", sentence) + "/>\n";
  };
  std::string result;
  std::string output = warnings;
  if (is_void || gate.verdict() == v1::VERDICT_UNDECIDED) {
    result = element("skipped");
  } else if (gate.verdict() == v1::VERDICT_REGRESSION) {
    result = element("failure" + XmlAttribute("type", VerdictWords(gate, Style())));
  } else {
    output = (IsImproved(gate) ? "improved: " : "") + sentence +
             (warnings.empty() ? "" : "\n" + warnings);
  }
  if (!output.empty()) result += "      <system-out>" + XmlText(output) + "</system-out>\n";
  return "    <testcase" + XmlAttribute("classname", gate.benchmark()) +
         XmlAttribute("name", gate.candidate() + " vs " + gate.reference() + ": " + gate.metric()) +
         ">\n" + result + "    </testcase>\n";
}

// Returns the warnings about a benchmark, or about the whole session.
std::vector<Warning> WarningsOf(const std::string& benchmark,
                                const std::vector<Warning>& warnings) {
  std::vector<Warning> own;
  std::ranges::copy_if(warnings, std::back_inserter(own), [&benchmark](const Warning& warning) {
    return IsSaidOf(warning, benchmark);
  });
  return own;
}

// Renders the suite of a benchmark. `cases` are its test cases, and `own` the warnings about it.
std::string JunitSuite(const std::string& benchmark, const JunitCounts& counts,
                       const std::string& cases, const std::vector<Warning>& own) {
  const std::string warnings =
      own.empty() ? "" : "    <system-err>" + XmlText(WarningLines(own)) + "</system-err>\n";
  return "  <testsuite" + XmlAttribute("name", benchmark) + counts.Attributes() + ">\n" + cases +
         warnings + "  </testsuite>\n";
}

// Some readers show the output of a case and others that of its suite, so both contain the warning.
std::string JunitSuite(const std::string& benchmark, const Comparisons& gates,
                       const v1::Update& report, const std::vector<Warning>& warnings) {
  const std::vector<Warning> own = WarningsOf(benchmark, warnings);
  const std::set<std::string_view> arms = ArmsOf(gates);
  std::string cases;
  for (const v1::Comparison* gate : gates) {
    std::vector<Warning> of_gate;
    std::ranges::copy_if(own, std::back_inserter(of_gate), [gate, &arms](const Warning& warning) {
      return IsSaidOf(warning, *gate, arms);
    });
    cases += JunitCase(*gate, report, WarningLines(of_gate));
  }
  return JunitSuite(benchmark, JunitCountsOf(gates, report), cases, own);
}

// Renders the test case of an estimate that was asked for. One that is not precise is skipped.
std::string JunitCase(const v1::Estimate& estimate) {
  const std::string sentence = EstimateSentence(estimate, Style());
  return "    <testcase" + XmlAttribute("classname", estimate.benchmark()) +
         XmlAttribute("name", estimate.arm() + ": " + estimate.metric()) + ">\n" +
         (estimate.precise() ? "      <system-out>" + XmlText(sentence) + "</system-out>\n"
                             : "      <skipped" + XmlAttribute("message", sentence) + "/>\n") +
         "    </testcase>\n";
}

JunitCounts JunitCountsOf(const Estimates& asked) {
  JunitCounts counts{.tests = asked.size()};
  for (const v1::Estimate* one : asked) counts.skipped += one->precise() ? 0 : 1;
  return counts;
}

// Returns the end of the results of the same benchmark that begin at `first`.
template <typename Iterator>
Iterator EndOfBenchmark(Iterator first, Iterator last) {
  const std::string& benchmark = (*first)->benchmark();
  return std::find_if(first, last,
                      [&benchmark](const auto* one) { return one->benchmark() != benchmark; });
}

// Renders one suite for each benchmark of a measurement.
std::string MeasuredSuites(const v1::Update& report) {
  const Estimates asked = AskedOf(report);
  const std::vector<Warning> warnings = WarningsToActOn(report);
  std::string text;
  for (auto first = asked.begin(); first != asked.end();) {
    const auto next = EndOfBenchmark(first, asked.end());
    const Estimates own(first, next);
    const std::string& benchmark = own.front()->benchmark();
    text += JunitSuite(benchmark, JunitCountsOf(own),
                       Join(own, "", [](const auto* one) { return JunitCase(*one); }),
                       WarningsOf(benchmark, warnings));
    first = next;
  }
  return text;
}

// Renders one suite for each benchmark with a gate, then one for each benchmark with only warnings.
std::string JunitSuites(const v1::Update& report) {
  const Comparisons gates = GatesOf(report);
  const std::vector<Warning> warnings = WarningsToActOn(report);
  std::set<std::string> told;
  std::string text;
  for (auto first = gates.begin(); first != gates.end();) {
    const std::string& benchmark = (*first)->benchmark();
    const auto next = EndOfBenchmark(first, gates.end());
    text += JunitSuite(benchmark, Comparisons(first, next), report, warnings);
    told.insert(benchmark);
    first = next;
  }
  for (const Warning& warning : warnings) {
    const bool of_all = warning.benchmark.empty();
    if (of_all || !told.insert(warning.benchmark).second) continue;
    text += JunitSuite(warning.benchmark, Comparisons(), report, warnings);
  }
  if (told.empty() && !warnings.empty()) {
    text += JunitSuite("session", Comparisons(), report, warnings);
  }
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

// Renders a sampled session as one test case that is skipped: it explains a verdict and has none.
std::string SampledSuite(const v1::Session& session) {
  const std::string of_session = "session " + session.session();
  return "  <testsuite" + XmlAttribute("name", "session") +
         JunitCounts{.tests = 1, .skipped = 1}.Attributes() + ">\n    <testcase" +
         XmlAttribute("classname", "session") + XmlAttribute("name", of_session) +
         ">\n      <skipped" + XmlAttribute("message", "sampled: no verdict") +
         "/>\n    </testcase>\n  </testsuite>\n";
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

// Renders one test suite per benchmark and one test case per gate. A regression is a failure, an
// undecided gate is skipped, as is every gate if a control changed, and a failed or cancelled
// session is one error. The XML is always well-formed: bytes that XML cannot represent become
// U+FFFD.
std::string RenderJunit(const v1::Session& session, std::span<const v1::Run>) {
  const std::string begin = kJunitBegin;
  const std::string end = "</testsuites>\n";
  if (session.state() != v1::SESSION_STATE_DONE) {
    return begin + JunitCounts{.tests = 1, .errors = 1}.Attributes() + ">\n" +
           BrokenSession(session) + end;
  }
  if (session.spec().has_profile()) {
    return begin + JunitCounts{.tests = 1, .skipped = 1}.Attributes() + ">\n" +
           SampledSuite(session) + end;
  }
  const v1::Update& report = session.report();
  const std::vector<const v1::Comparison*> gates = GatesOf(report);
  const JunitCounts counts =
      Measures(report) ? JunitCountsOf(AskedOf(report)) : JunitCountsOf(gates, report);
  std::string text = begin + counts.Attributes();
  if (report.elapsed_seconds() > 0) {
    text += XmlAttribute("time", Fixed(report.elapsed_seconds(), 3));
  }
  text += ">\n";
  return text + (Measures(report) ? MeasuredSuites(report) : JunitSuites(report)) + end;
}

}  // namespace

ExportFormat JunitExportFormat() {
  return {.name = "junit",
          .summary = "one test case per gate",
          .help = "write JUnit XML to FILE, one test case per gate",
          .render = RenderJunit,
          .render_same = RenderJunitOfSame};
}

}  // namespace benchd::client
