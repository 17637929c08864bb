#include "client/present/markdown.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/present/explanation.h"
#include "client/present/exports.h"
#include "client/present/findings.h"
#include "client/present/markdown_limit.h"
#include "client/present/measurement.h"
#include "client/present/report.h"
#include "client/present/row_selection.h"
#include "client/present/sentence.h"
#include "client/present/units.h"
#include "client/present/verdict_words.h"
#include "client/present/words.h"
#include "client/present/worst_first.h"
#include "client/request/replay.h"
#include "core/base/text.h"
#include "core/model/commit_id.h"

namespace benchd::client {

// GitHub accepts a backslash before any punctuation, but still recognises @user and #12 after that,
// so a comment is inserted after `@` and `#`.
std::string MarkdownText(std::string_view text) {
  constexpr std::string_view kMarkup = "\\`*_{}[]<>|~!&$";
  constexpr std::string_view kApart = "<!-- -->";
  std::string escaped;
  for (const char c : OneLine(Utf8Lossy(text))) {
    if (kMarkup.find(c) != std::string_view::npos) escaped += '\\';
    escaped += c;
    if (c == '@' || c == '#') escaped += kApart;
  }
  return escaped;
}

namespace {

std::size_t LongestTicks(std::string_view text) {
  std::size_t longest = 0;
  std::size_t here = 0;
  for (const char c : text) {
    here = c == '`' ? here + 1 : 0;
    longest = std::max(longest, here);
  }
  return longest;
}

// Formats a name as code, in which nothing is markup. `|` is escaped because it ends a table cell.
std::string MarkdownCode(std::string_view name) {
  std::string text = OneLine(Utf8Lossy(name));
  const std::string fence(LongestTicks(text) + 1, '`');
  for (std::size_t at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2)) {
    text.insert(at, "\\");
  }
  const bool pad = text.starts_with('`') || text.ends_with('`');
  return fence + (pad ? " " + text + " " : text) + fence;
}

// Puts the output of a program into a code block whose fence does not occur in the output.
std::string MarkdownBlock(std::string_view text) {
  const std::string lines = Printable(Utf8Lossy(text), /*keep_newlines=*/true);
  const std::string fence(std::max<std::size_t>(3, LongestTicks(lines) + 1), '`');
  return fence + "text\n" + lines + (lines.ends_with('\n') ? "" : "\n") + fence + "\n";
}

std::string_view VerdictSign(v1::Verdict verdict) {
  return verdict == v1::VERDICT_PASS ? "✅" : verdict == v1::VERDICT_REGRESSION ? "❌" : "❔";
}

std::string MarkdownRow(const std::vector<std::string>& cells) {
  return "| " + Join(cells, " | ") + " |\n";
}

// A table of comparisons. Names that all rows share are shown only in the heading.
class MarkdownTable {
 public:
  explicit MarkdownTable(const Comparisons& rows) : rows_(rows) {
    for (const v1::Comparison* c : rows) {
      benchmarks_.insert(c->benchmark());
      pairs_.emplace(c->reference(), c->candidate());
      has_margins_ = has_margins_ || c->role() == v1::COMPARISON_ROLE_GATE;
    }
  }

  std::string Render() const {
    if (rows_.empty()) return "";
    std::vector<std::string> head;
    if (SeveralNames()) head.emplace_back("benchmark");
    if (pairs_.size() > 1) head.emplace_back("compared");
    head.emplace_back("metric");
    const std::size_t names = head.size();
    const bool one_pair = pairs_.size() == 1;
    head.push_back(one_pair ? MarkdownCode(rows_.front()->reference()) : "reference");
    head.push_back(one_pair ? MarkdownCode(rows_.front()->candidate()) : "candidate");
    head.emplace_back("change");
    head.emplace_back("interval");
    if (has_margins_) head.emplace_back("margin");
    head.emplace_back(has_margins_ ? "verdict" : "");
    std::vector<std::string> rule(head.size(), "---:");
    std::fill_n(rule.begin(), names, "---");
    rule.back() = "---";
    std::string text = MarkdownRow(head) + MarkdownRow(rule);
    for (const v1::Comparison* c : rows_) text += Row(*c);
    return text;
  }

 private:
  bool SeveralNames() const {
    return benchmarks_.size() > 1 || rows_.front()->benchmark() != "main";
  }

  static std::string Mean(bool there, double mean, bool has_sd, double sd,
                          const std::string& unit) {
    if (!there) return "";
    return FormatMeanSd(mean, has_sd ? std::optional(sd) : std::nullopt, OneLine(unit), Style());
  }

  std::string Row(const v1::Comparison& c) const {
    const Judged judged = JudgedBy(c);
    std::vector<std::string> cells;
    if (SeveralNames()) cells.push_back(MarkdownCode(c.benchmark()));
    if (pairs_.size() > 1) {
      cells.push_back(MarkdownCode(c.candidate()) + " vs " + MarkdownCode(c.reference()));
    }
    cells.push_back(MarkdownCode(c.metric()));
    cells.push_back(MarkdownText(Mean(c.has_mean_reference(), c.mean_reference(),
                                      c.has_sd_reference(), c.sd_reference(), c.unit())));
    cells.push_back(MarkdownText(Mean(c.has_mean_candidate(), c.mean_candidate(),
                                      c.has_sd_candidate(), c.sd_candidate(), c.unit())));
    cells.push_back(MarkdownText(judged.Estimate(Style())));
    cells.push_back(MarkdownText(judged.Interval(Style())));
    if (has_margins_) {
      cells.push_back(MarkdownText(judged.Margin(Style())));
    }
    cells.push_back(Finding(c));
    return MarkdownRow(cells);
  }

  static std::string Finding(const v1::Comparison& c) {
    if (c.verdict() != v1::VERDICT_UNSPECIFIED) {
      const std::string confirmed = IsConfirmed(c) ? ", confirmed" : "";
      // The word of a control that changed is its reason.
      const bool reason = !c.reason().empty() && c.control() != v1::CONTROL_STATE_CHANGED;
      return std::string(VerdictSign(c.verdict())) + " " + MarkdownText(ResultWords(c, Style())) +
             (reason ? ", " + MarkdownText(ReasonWords(c)) : "") + confirmed;
    }
    if (const std::string control = ControlWord(c); !control.empty()) return "control " + control;
    return c.flag() == v1::FLAG_UNSPECIFIED ? "" : std::string(Word(c.flag()));
  }

  const Comparisons& rows_;
  std::set<std::string> benchmarks_;
  std::set<std::pair<std::string, std::string>> pairs_;
  bool has_margins_ = false;
};

// Renders the estimates that a measurement was asked for as a table.
std::string EstimateTable(const v1::Update& report) {
  const Estimates asked = AskedOf(report);
  if (asked.empty()) return "";
  const bool benchmarks = SeveralBenchmarks(report);
  std::string text = MarkdownRow({"arm", "metric", EstimatorName(*asked.front()), "interval",
                                  "width", "runs", "result"}) +
                     MarkdownRow({"---", "---", "---:", "---:", "---:", "---:", "---"});
  for (const v1::Estimate* one : asked) {
    text += MarkdownRow(
        {(benchmarks ? MarkdownCode(one->benchmark()) + " " : "") + MarkdownCode(one->arm()),
         MarkdownCode(one->metric()), MarkdownText(EstimateValue(*one, Style())),
         MarkdownText(EstimateInterval(*one, Style())), EstimateWidth(*one),
         std::to_string(one->n()), MarkdownText(EstimateState(*one))});
  }
  return text;
}

// Formats the number of runs: "12 runs each", "8 to 40 runs each".
std::string RunsOfArms(const v1::Update& report) {
  if (report.runs().empty()) return "";
  const auto [least, most] =
      std::ranges::minmax(report.runs(), {}, [](const v1::ArmRuns& arm) { return arm.runs(); });
  const std::string to = least.runs() == most.runs() ? "" : fmt::format("{} to ", least.runs());
  return to + Counted(most.runs(), "run") + " each";
}

// Formats lines of benchctl as a list; empty without lines.
std::string MarkdownList(const std::string& lines) {
  std::string text;
  for (const std::string& line : Lines(lines)) text += "- " + MarkdownText(line) + "\n";
  return text.empty() ? text : text + "\n";
}

// Returns the distinct commits of the arms, in order.
std::vector<v1::Commit> DistinctCommits(const v1::SessionSpec& spec) {
  std::vector<v1::Commit> commits;
  std::set<std::string> ids;
  for (const v1::Benchmark& benchmark : spec.benchmarks()) {
    for (const v1::Arm& arm : benchmark.arms()) {
      if (arm.has_commit() && ids.insert(arm.commit().id()).second) commits.push_back(arm.commit());
    }
  }
  return commits;
}

std::string Linked(const std::string& text, const std::string& address) {
  return address.empty() ? text : "[" + text + "](" + address + ")";
}

std::string CommitMarkdown(const v1::Commit& commit, const MarkdownLinks& links) {
  const bool linked = !links.commits.empty() && IsCommitId(commit.id());
  const std::string text =
      Linked(MarkdownCode(ShortId(commit.id())), linked ? links.commits + commit.id() : "");
  // A description by `git describe` may be only the beginning of the ID.
  const bool same = commit.description().empty() || commit.id().starts_with(commit.description());
  return same ? text : MarkdownText(commit.description()) + " (" + text + ")";
}

// Names the machine by the facts that it told: "bench7 (A CPU)".
std::string MachineText(const v1::Started& started) {
  std::string host;
  std::string cpu;
  for (const v1::EnvironmentFact& fact : started.environment()) {
    if (fact.name() == "hostname") host = MarkdownText(fact.value());
    if (fact.name() == "cpu") cpu = MarkdownText(fact.value());
  }
  if (host.empty() || cpu.empty()) return host + cpu;
  return host + " (" + cpu + ")";
}

// Renders what was compared and where: "v1.2 (`0123456789ab`) → `ba9876543210`, on bench7 (A CPU)".
std::string Origin(const v1::Session& session, const MarkdownLinks& links) {
  std::vector<std::string> parts;
  const std::vector<v1::Commit> commits = DistinctCommits(session.spec());
  if (!commits.empty()) {
    parts.push_back(Join(commits, " → ", [&links](const v1::Commit& commit) {
      return CommitMarkdown(commit, links);
    }));
  }
  const std::string machine = session.has_started() ? MachineText(session.started()) : "";
  if (!machine.empty()) parts.push_back("on " + machine);
  if (!links.job.empty()) parts.push_back(Linked("job", links.job));
  return parts.empty() ? "" : Join(parts, ", ") + "\n\n";
}

// The comparisons of a session, by their place in the text.
struct Sections {
  Comparisons shown;   // gates before the fold, worst first
  Comparisons folded;  // all other gates, worst first
  Comparisons others;  // other metrics that clearly changed; all metrics if none gates
};

Sections DivideRows(const RowSelection& selection) {
  Sections sections;
  for (const v1::Comparison* row : selection.rows) {
    (IsGate(*row) ? sections.folded : sections.others).push_back(row);
  }
  SortWorstFirst(&sections.folded);
  const bool few = sections.folded.size() <= kMostShownGates;
  const auto end = std::ranges::find_if(
      sections.folded, [few](const v1::Comparison* gate) { return !few && !IsNotable(*gate); });
  const std::size_t notable = static_cast<std::size_t>(end - sections.folded.begin());
  const auto cut =
      sections.folded.begin() + static_cast<std::ptrdiff_t>(std::min(notable, kMostShownGates));
  sections.shown.assign(sections.folded.begin(), cut);
  sections.folded.erase(sections.folded.begin(), cut);
  return sections;
}

// Describes the folded part in one line: "190 more gates, 1 other metric changed, 12 runs each".
std::string FoldTitle(const v1::Session& session, const Sections& sections) {
  const v1::Update& report = session.report();
  std::vector<std::string> about;
  if (!sections.folded.empty()) about.push_back(Counted(sections.folded.size(), "more gate"));
  if (!sections.others.empty()) {
    const bool changed = !GatesOf(report).empty();
    about.push_back(Counted(sections.others.size(), changed ? "other metric" : "metric") +
                    (changed ? " changed" : ""));
  }
  if (const std::string runs = RunsOfArms(report); !runs.empty()) about.push_back(runs);
  if (report.elapsed_seconds() > 0) about.push_back(FormatRough(report.elapsed_seconds()));
  if (!session.session().empty()) about.push_back("session " + Printable(session.session()));
  return Join(about, ", ");
}

// Renders the folded part: the other gates, other metrics that clearly changed, and the command
// that repeats the session.
std::string Folded(const v1::Session& session, const RowSelection& selection,
                   const Sections& sections) {
  const v1::Update& report = session.report();
  std::string text = "<details><summary>" + FoldTitle(session, sections) + "</summary>\n\n";
  if (!sections.folded.empty()) text += MarkdownTable(sections.folded).Render() + "\n";
  if (!sections.others.empty()) text += MarkdownTable(sections.others).Render() + "\n";
  std::string rest;
  if (selection.changed > 0) {
    rest +=
        fmt::format("{} more changed: benchctl show {}\n", selection.changed, session.session());
  }
  if (const std::string words = UnchangedWords(report, selection); !words.empty()) {
    rest += words + "\n";
  }
  rest += RenderWarnings(report, WarningsShown::kNotes, Style());
  text += MarkdownList(rest);
  if (session.has_started() && !session.spec().benchmarks().empty()) {
    text += MarkdownBlock(
                ReplayCommand(session.spec(), session.started().seed(), ReplayPlace::kAnyClone)) +
            "\n";
  }
  return text + "</details>\n";
}

std::string WithoutVerdict(const v1::Session& session) {
  if (session.state() != v1::SESSION_STATE_FAILED) {
    const std::string& by = session.cancelled().by();
    return "**no verdict**: session " + MarkdownText(session.session()) + " was cancelled" +
           (by.empty() ? "" : " by " + MarkdownText(by)) + "\n";
  }
  return "**" + std::string(VerdictSign(v1::VERDICT_REGRESSION)) + " no verdict**: session " +
         MarkdownText(session.session()) + " failed: " + MarkdownText(session.failed().error()) +
         "\n\n" + MarkdownBlock(RenderFailure(session.session(), session.failed()));
}

// Renders the sentences of the verdict: the first one in bold, the others as a list.
std::string VerdictText(const v1::Update& report) {
  if (report.verdict() == v1::VERDICT_UNSPECIFIED) return "";
  std::string text;
  for (const std::string& sentence : VerdictSentences(report, Style())) {
    const bool first = text.empty();
    text += first ? "**" + std::string(VerdictSign(report.verdict())) + " " +
                        MarkdownText(sentence) + "**\n"
                  : "- " + MarkdownText(sentence.substr(sentence.find_first_not_of(' '))) + "\n";
    if (first) text += "\n";
  }
  return text.ends_with("\n\n") ? text : text + "\n";
}

// Renders what a sampled session explains: for each pair of arms the headline, the functions and
// what the intervals mean. It has no sign, because it is not a verdict.
std::string ExplanationMarkdown(const v1::Session& session, const MarkdownLinks& links) {
  std::string text;
  const ExplanationView view = ViewOf(session.report(), FunctionsShown::kWhatMatters);
  for (const v1::Explanation& one : session.report().explanations()) {
    text += "**" + MarkdownText(ExplanationHeadline(one, view, Style())) + "**\n\n";
    const Rows rows = FunctionRows(one, view.shown, Style());
    for (std::size_t i = 0; rows.size() > 1 && i < rows.size(); ++i) {
      std::vector<std::string> cells = {i == 0 ? rows[i].front() : MarkdownCode(rows[i].front())};
      for (std::size_t j = 1; j < rows[i].size(); ++j) cells.push_back(MarkdownText(rows[i][j]));
      text += MarkdownRow(cells);
      if (i > 0) continue;
      std::vector<std::string> rule(cells.size(), "---:");
      rule.front() = rule.back() = "---";
      text += MarkdownRow(rule);
    }
    text += "\n" + MarkdownList(ExplanationNotes(one, view, Style()));
  }
  if (text.empty()) text = "**no explanation**\n\n";
  text += Origin(session, links);
  text += MarkdownList(RenderWarnings(session.report(), WarningsShown::kToActOn, Style()));
  return text + Folded(session, {}, {});
}

}  // namespace

std::string RenderMarkdown(const v1::Session& session, const MarkdownLinks& links) {
  if (session.state() != v1::SESSION_STATE_DONE) {
    const std::string origin = Origin(session, links);
    return WithoutVerdict(session) + (origin.empty() ? "" : "\n" + origin);
  }
  if (session.spec().has_profile()) return ExplanationMarkdown(session, links);
  const v1::Update& report = session.report();
  std::string text = VerdictText(report) + Origin(session, links);
  const RowSelection selection = SelectRows(report, RowsShown::kWhatMatters);
  const Sections sections = DivideRows(selection);
  if (!sections.shown.empty()) text += MarkdownTable(sections.shown).Render() + "\n";
  if (Measures(report)) text += EstimateTable(report) + "\n";
  if (const std::string note = EstimatorNote(report); !note.empty()) {
    text += MarkdownText(note) + "\n\n";
  }
  text += MarkdownList(RenderArmOrder(report, Style()));
  const std::string means = RenderGeometricMeans(report, Style());
  if (!means.empty()) text += MarkdownText(means) + "\n\n";
  // Warnings that qualify the verdict are shown next to it.
  text += MarkdownList(RenderWarnings(report, WarningsShown::kToActOn, Style()));
  return text + Folded(session, selection, sections);
}

ExportFormat MarkdownExportFormat() {
  return {.name = "markdown",
          .summary = "a pull request comment",
          .help =
              "write a pull request comment to FILE; append to FILE if it is preceded by + or "
              "named by GITHUB_STEP_SUMMARY",
          .render = [](const v1::Session& session,
                       std::span<const v1::Run>) { return RenderMarkdown(session, {}); },
          .render_same = [](const std::string& same) { return "**✅ " + same + "**\n"; },
          .shorten = ShortenMarkdown};
}

}  // namespace benchd::client
