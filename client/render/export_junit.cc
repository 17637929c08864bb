#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "client/render/exports.h"
#include "client/render/report.h"
#include "client/render/sentence.h"
#include "client/render/units.h"
#include "client/render/words.h"
#include "core/base/text.h"

namespace benchd::client {
namespace {

constexpr std::string_view kNoXmlCharacter = "\xEF\xBF\xBD";

// Any bytes as XML 1.0 text, fit for an attribute too. Of all characters it has no control
// characters but tab, newline and carriage return, and neither U+FFFE nor U+FFFF.
std::string XmlText(std::string_view bytes) {
  const std::string text = Utf8Lossy(bytes);
  std::string escaped;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool no_character =
        text.compare(i, 3, "\xEF\xBF\xBE") == 0 || text.compare(i, 3, "\xEF\xBF\xBF") == 0;
    if (no_character) {
      escaped += kNoXmlCharacter;
      i += 2;
    } else if (c == '&') {
      escaped += "&amp;";
    } else if (c == '<') {
      escaped += "&lt;";
    } else if (c == '>') {
      escaped += "&gt;";
    } else if (c == '"') {
      escaped += "&quot;";
    } else if (c == '\t' || c == '\n' || c == '\r') {
      escaped += "&#" + std::to_string(static_cast<int>(c)) + ";";  // as it is, in attributes too
    } else if (static_cast<unsigned char>(c) < 0x20) {
      escaped += kNoXmlCharacter;
    } else {
      escaped += c;
    }
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

std::string JunitCase(const v1::Comparison& gate) {
  const std::string sentence = GateSentence(gate, Style());
  const std::string begin =
      "    <testcase" + XmlAttribute("classname", gate.benchmark()) +
      XmlAttribute("name", gate.candidate() + " vs " + gate.reference() + ": " + gate.metric());
  switch (gate.verdict()) {
    case v1::VERDICT_REGRESSION:
      return begin + ">\n      <failure" + XmlAttribute("type", "regression") +
             XmlAttribute("message", sentence) + "/>\n    </testcase>\n";
    case v1::VERDICT_UNDECIDED:
      return begin + ">\n      <skipped" + XmlAttribute("message", sentence) +
             "/>\n    </testcase>\n";
    default:
      return begin + ">\n      <system-out>" + XmlText(sentence) +
             "</system-out>\n    </testcase>\n";
  }
}

std::string JunitSuite(const std::string& benchmark,
                       const std::vector<const v1::Comparison*>& gates) {
  std::string text =
      "  <testsuite" + XmlAttribute("name", benchmark) + JunitCountsOf(gates).Attributes() + ">\n";
  for (const v1::Comparison* gate : gates) text += JunitCase(*gate);
  return text + "  </testsuite>\n";
}

// A session that did not come to its end: one test case that says why.
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

}  // namespace

std::string RenderJunit(const v1::Session& session) {
  const std::string begin =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites" + XmlAttribute("name", "benchd");
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
  for (auto first = gates.begin(); first != gates.end();) {
    const auto next = std::find_if(first, gates.end(), [first](const v1::Comparison* gate) {
      return gate->benchmark() != (*first)->benchmark();
    });
    text += JunitSuite((*first)->benchmark(), {first, next});
    first = next;
  }
  return text + end;
}

}  // namespace benchd::client
