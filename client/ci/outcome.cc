#include "client/ci/outcome.h"

#include <fmt/format.h>

#include "client/present/gates.h"
#include "client/present/json.h"
#include "client/present/markdown.h"
#include "client/present/markdown_limit.h"
#include "client/present/words.h"
#include "client/present/worst_first.h"

namespace benchd::client {

FailOn ReadFailOn(std::string_view word) {
  return ValueOf<FailOn>(word).value_or(FailOn::kRegression);
}

ExitCode ExitForJob(ExitCode compared, FailOn fail_on) {
  if (compared == ExitCode::kUndecided && fail_on != FailOn::kUndecided) return ExitCode::kPass;
  if (compared == ExitCode::kRegression && fail_on == FailOn::kNever) return ExitCode::kPass;
  return compared;
}

std::string_view VerdictFor(ExitCode compared) {
  switch (compared) {
    case ExitCode::kPass:
      return "pass";
    case ExitCode::kRegression:
      return "regression";
    case ExitCode::kUndecided:
      return "undecided";
    default:
      return "none";
  }
}

Json ChangesOf(const v1::Update& report) {
  Comparisons gates;
  for (const v1::Comparison* gate : GatesOf(report)) {
    if (IsNotable(*gate)) gates.push_back(gate);
  }
  SortWorstFirst(&gates);
  Json changes = Json::array();
  for (const v1::Comparison* gate : gates) {
    Json change;
    change["benchmark"] = gate->benchmark();
    change["metric"] = gate->metric();
    change["verdict"] = Word(gate->verdict());
    PutText(change, "control", std::string(Word(gate->control())));
    PutText(change, "unit", gate->unit());
    if (gate->has_change()) {
      change["change"] = MessageJson(gate->change());
    } else if (gate->has_difference()) {
      change["difference"] = MessageJson(gate->difference());
    }
    changes.push_back(std::move(change));
  }
  return changes;
}

std::string GithubOutputs(const CiOutputs& outputs) {
  return fmt::format("verdict={}\nsession={}\npull-request={}\nfork={}\ncomment={}\nchanges={}\n",
                     outputs.verdict, outputs.session, outputs.number, outputs.fork,
                     OneLine(outputs.comment), Line(outputs.changes));
}

namespace {

// Replaces spaces in compact JSON, where they occur only inside of texts.
std::string WithoutSpaces(const std::string& json) {
  std::string text;
  for (const char c : json) {
    if (c == ' ') {
      text += "\\u0020";
    } else {
      text += c;
    }
  }
  return text;
}

}  // namespace

std::string DotenvOutputs(const CiOutputs& outputs) {
  Json changes = Json::array();
  std::size_t bytes = 2;  // the brackets
  for (const Json& change : outputs.changes) {
    bytes += WithoutSpaces(Line(change)).size() + 1;
    if (bytes > kDotenvChangesBytes) break;
    changes.push_back(change);
  }
  return fmt::format(
      "BENCHD_VERDICT={}\nBENCHD_SESSION={}\nBENCHD_CHANGES={}\nBENCHD_CHANGES_LEFT_OUT={}\n",
      outputs.verdict, outputs.session, WithoutSpaces(Line(changes)),
      outputs.changes.size() - changes.size());
}

std::string CommentMarker(const std::string& name) { return "<!-- benchd: " + name + " -->"; }

Result<void> CheckCommentName(const std::string& name) {
  constexpr std::size_t kLongest = 60;
  constexpr std::string_view kAllowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/-";
  const bool valid = !name.empty() && name.size() <= kLongest &&
                     name.find_first_not_of(kAllowed) == std::string::npos &&
                     name.find("--") == std::string::npos;
  if (valid) return {};
  return UsageError("--comment " + name + ": not a name for a comment",
                    "use up to 60 letters, digits, '.', '_', '/' and single hyphens");
}

std::string CommentOf(const std::string& name, const std::string& markdown) {
  const std::string marker = CommentMarker(name) + "\n";
  return marker + ShortenMarkdown(markdown, kCommentBytes - marker.size());
}

std::string NoVerdictMarkdown(const Error& error) {
  std::string text = "**❌ no verdict**: " + MarkdownText(error.message) + "\n";
  if (!error.hint.empty()) text += "\n- hint: " + MarkdownText(error.hint) + "\n";
  return text;
}

}  // namespace benchd::client
