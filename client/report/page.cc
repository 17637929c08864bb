#include "client/report/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "client/present/combination.h"
#include "client/present/explanation.h"
#include "client/present/findings.h"
#include "client/present/gates.h"
#include "client/present/measurement.h"
#include "client/present/report.h"
#include "client/present/row_selection.h"
#include "client/present/sentence.h"
#include "client/present/units.h"
#include "client/present/verdict_words.h"
#include "client/present/words.h"
#include "client/report/block_picture.h"
#include "client/report/flame_graph.h"
#include "client/report/html.h"
#include "client/report/metric_picture.h"
#include "client/request/replay.h"
#include "core/base/text.h"
#include "proto/convert/convert.h"

namespace benchd::client {
namespace {

constexpr std::size_t kMostPlaces = 24;  // number of (benchmark, metric) pairs with pictures
constexpr std::size_t kPlacesWithoutGates = 4;
constexpr std::size_t kMostIntervals = 60;  // per picture
constexpr std::size_t kTallIntervals = 10;  // a picture of more would leave half of its row empty
constexpr std::size_t kFewestLooks = 3;     // needed to draw a trajectory
constexpr Style kPlain;
constexpr FunctionsShown kAllFunctions = FunctionsShown::kAll;

Comparisons InfosOf(const v1::Update& update) {
  Comparisons infos;
  for (const v1::Comparison& one : update.comparisons()) {
    if (one.role() != v1::COMPARISON_ROLE_GATE) infos.push_back(&one);
  }
  return infos;
}

using Parts = std::vector<std::string>;  // for Figures()

// Draws each group on one axis. Divides a group into several pictures if it has many rows, or if
// the only picture would be alone in its row of the page.
//
// @param alone  whether nothing else is in that row
Parts IntervalFigures(const std::string& id, const IntervalGroups& groups, bool alone) {
  Parts figures;
  for (const auto& [axis, rows] : groups) {
    const bool divided = rows.size() > kTallIntervals || (alone && groups.size() == 1);
    const std::size_t pictures = std::max((rows.size() + kMostIntervals - 1) / kMostIntervals,
                                          std::size_t{divided ? 2U : 1U});
    const std::size_t each = (rows.size() + pictures - 1) / pictures;
    for (std::size_t begin = 0; begin < rows.size(); begin += each) {
      const std::size_t end = std::min(rows.size(), begin + each);
      figures.push_back(Figure(DrawIntervals(
          fmt::format("{}-{}", id, figures.size()),
          {rows.begin() + static_cast<int>(begin), rows.begin() + static_cast<int>(end)}, axis,
          rows)));
    }
  }
  return figures;
}

void Append(Parts more, Parts* parts) { std::ranges::move(more, std::back_inserter(*parts)); }

/// Renders one session or table of a page.
class Section {
 public:
  Section(const ReportSource& source, std::string id, int level, std::size_t marks)
      : source_(source),
        update_(source.session.report()),
        options_(OptionsFor(source.session, Detail::kAll)),
        id_(std::move(id)),
        level_(level),
        marks_(marks) {
    options_.table = source.table;
    options_.session.clear();
  }

  std::string Render() const {
    return "<article id=\"" + id_ + "\">\n" + Top() + Result() + Arms() + Machine() + Again() +
           "</article>\n";
  }

 private:
  std::string Part(std::string_view name, const std::string& html) const {
    if (html.empty()) return "";
    return "<section>\n" + Heading(level_ + 1, name) + html + "</section>\n";
  }

  std::string Name() const { return (source_.table ? "" : "session ") + OneLine(source_.name); }

  std::string Result() const {
    if (IsSampled()) return Explanations();
    return Findings() + Places() + EveryMetric() + EveryEstimate();
  }

  bool IsSampled() const { return source_.session.spec().has_profile(); }

  // Renders the verdict as a sign and a word, its sentences, and the number of runs.
  std::string Top() const {
    const v1::Session& session = source_.session;
    std::string html = Paragraph(Name(), "over");
    if (session.has_failed()) {
      html += Title("failed", "\u2715 Failed") + Paragraph(session.failed().error(), "lede") +
              Paragraph(session.failed().hint());
    } else if (session.state() == v1::SESSION_STATE_CANCELLED) {
      html += Title("undecided", "Cancelled");
    } else if (IsSampled()) {
      html += Title("", update_.explanations().empty() ? "No explanation" : "Explanation");
      for (const v1::Explanation& one : update_.explanations()) {
        html += Paragraph(ExplanationHeadline(one, ViewOf(update_, kAllFunctions), kPlain), "lede");
      }
    } else if (update_.verdict() == v1::VERDICT_UNSPECIFIED) {
      html += Title("", "No verdict") + Paragraph("No metric gates.", "lede");
    } else {
      html += VerdictTitle();
    }
    if (!IsSampled()) html += Paragraph(MeasuredSentence(update_, options_), "quiet");
    const std::string facts = Definitions(Facts());
    if (facts.empty()) return "<header>\n" + html + "</header>\n";
    return "<header class=\"two\">\n<div>\n" + html + "</div>\n<div class=\"facts\">\n" + facts +
           "</div>\n</header>\n";
  }

  // Returns rows with the commands, the time and the machine.
  Rows Facts() const {
    const v1::Session& session = source_.session;
    Rows facts;
    const auto& benchmarks = session.spec().benchmarks();
    if (benchmarks.size() == 1) {
      for (const v1::Arm& arm : benchmarks[0].arms()) {
        if (arm.role() == v1::ARM_ROLE_PLACEBO) continue;
        facts.push_back({OneLine(arm.name()), OneLine(arm.command()), "code"});
      }
    } else if (benchmarks.size() > 1) {
      facts.push_back({"suite", Counted(static_cast<std::size_t>(benchmarks.size()), "benchmark") +
                                    " of " + Join(benchmarks[0].arms(), ", ", [](const auto& arm) {
                                      return OneLine(arm.name());
                                    })});
      const std::string& asked = session.spec().invocation();
      const char* const command =
          Measures(session.spec()) ? "benchctl measure " : "benchctl compare ";
      if (!asked.empty()) facts.push_back({"command", command + OneLine(asked), "code"});
    }
    for (const auto& [arm, commit] : options_.commits) facts.push_back({arm, commit});
    if (session.has_started_at()) facts.push_back({"measured", DayAndTime(session.started_at())});
    std::vector<std::string> machine;
    for (const char* name : {"hostname", "cpu", "kernel"}) {
      for (const v1::EnvironmentFact& fact : session.started().environment()) {
        if (fact.name() == name) machine.push_back(OneLine(fact.value()));
      }
    }
    if (!machine.empty()) facts.push_back({"machine", Join(machine, ", ")});
    return facts;
  }

  // Formats a time as "2026-01-02 03:04:05 UTC". It is UTC because readers may be in any time zone.
  static std::string DayAndTime(const google::protobuf::Timestamp& time) {
    std::string text = Rfc3339(time).substr(0, std::string_view("2026-01-02T03:04:05").size());
    std::ranges::replace(text, 'T', ' ');
    return text + " UTC";
  }

  std::string Title(const std::string& style, std::string_view text) const {
    const std::string tag = fmt::format("h{}", level_);
    return "<" + tag + " class=\"verdict " + style + "\">" + EscapeMarkup(text) + "</" + tag +
           ">\n";
  }

  std::string VerdictTitle() const {
    const std::string style(Word(update_.verdict()));
    const char* const sign = update_.verdict() == v1::VERDICT_PASS         ? "\u2713 "
                             : update_.verdict() == v1::VERDICT_REGRESSION ? "\u2715 "
                                                                           : "? ";
    std::string words = Measures(update_) ? std::string(MeasuredWord(update_.verdict()))
                                          : VerdictWords(update_, kPlain);
    if (words.empty()) words = Word(v1::VERDICT_UNDECIDED);
    words.front() = static_cast<char>(words.front() - 'a' + 'A');
    std::vector<std::string> sentences = VerdictSentences(update_, kPlain);
    std::string first = sentences.front();
    // The title already has the word of the verdict.
    if (const std::size_t colon = first.find(": "); colon != std::string::npos) {
      first.erase(0, colon + 2);
    }
    sentences.erase(sentences.begin());
    return Title(style, sign + words) + Paragraph(first, "lede") + BulletList(sentences);
  }

  // Returns the order of the candidates, the geometric means and the warnings.
  std::string Remarks() const {
    std::string words;
    if (const std::string note = EstimatorNote(update_); !note.empty()) words += Paragraph(note);
    for (const std::string& line : Lines(RenderArmOrder(update_, kPlain))) words += Paragraph(line);
    for (const std::string& line : Lines(RenderGeometricMeans(update_, kPlain))) {
      words += Paragraph(line);
    }
    return words + BulletList(Lines(RenderWarnings(update_, WarningsShown::kAll, kPlain)));
  }

  // Renders the functions of each explanation, and the flame graphs.
  std::string Explanations() const {
    std::string html;
    const ExplanationView view = ViewOf(update_, kAllFunctions);
    for (const v1::Explanation& one : update_.explanations()) {
      const std::string name = (view.names_benchmark ? OneLine(one.benchmark()) + ": " : "") +
                               OneLine(one.candidate()) + " against " + OneLine(one.reference());
      html += Part("Functions: " + name,
                   HtmlTable(FunctionRows(one, view.shown, kPlain), "Functions: " + name) +
                       BulletList(Lines(ExplanationNotes(one, view, kPlain))));
    }
    Parts flames;
    for (const FlamePair& pair : source_.flames) {
      flames.push_back(Figure(DrawFlameGraph(fmt::format("{}-flame{}", id_, flames.size()), pair)));
    }
    if (!flames.empty()) {
      html += Part("Stacks", "<div class=\"flames\">\n" + Join(flames, "") + "</div>\n");
    }
    return html + BulletList(Lines(RenderWarnings(update_, WarningsShown::kAll, kPlain)));
  }

  // Draws the gates against their margins.
  Parts GateFigures(bool alone) const {
    Comparisons gates = GatesOf(update_);
    if (gates.empty()) gates = InfosOf(update_);
    return IntervalFigures(id_ + "-gates", IntervalRows(gates, update_, ""), alone);
  }

  // Returns whether the gates are drawn beside the runs, because they would be one picture without
  // remarks, and the runs are those of one metric.
  bool DrawsGatesBesideRuns() const {
    return Remarks().empty() && PlacesOf().size() == 1 && GateFigures(/*alone=*/false).size() == 1;
  }

  // Renders the gates against their margins and what else is to be known of them.
  std::string Findings() const {
    if (DrawsGatesBesideRuns()) return "";
    const std::string remarks = Remarks();
    Parts parts = GateFigures(remarks.empty());
    if (!remarks.empty()) parts.push_back("<div>\n" + remarks + "</div>\n");
    return parts.empty() ? "" : "<section>\n" + Figures(parts) + "</section>\n";
  }

  // Returns the metrics that get pictures: those that gate or, without gates, the first ones.
  std::vector<const MetricRuns*> PlacesOf() const {
    std::vector<const MetricRuns*> places;
    Comparisons wanted = GatesOf(update_);
    const std::size_t most = wanted.empty() ? kPlacesWithoutGates : kMostPlaces;
    if (wanted.empty()) wanted = InfosOf(update_);
    for (const v1::Comparison* one : wanted) {
      for (const MetricRuns& runs : source_.metrics) {
        const bool same = runs.benchmark == one->benchmark() && runs.metric == one->metric();
        if (!same || runs.arms.empty() || std::ranges::count(places, &runs) > 0) continue;
        if (places.size() < most) places.push_back(&runs);
      }
    }
    return places;
  }

  std::string Places() const {
    std::string html;
    const std::vector<const MetricRuns*> places = PlacesOf();
    const std::size_t marks =
        std::min(kMostMarks, marks_ / std::max<std::size_t>(1, places.size()));
    for (std::size_t i = 0; i < places.size(); ++i) {
      const MetricRuns& place = *places[i];
      const std::string id = fmt::format("{}-{}", id_, i);
      const std::string name =
          SeveralBenchmarks(update_) ? place.benchmark + ": " + place.metric : place.metric;
      Parts parts;
      if (DrawsGatesBesideRuns()) parts = GateFigures(/*alone=*/false);
      Append(Histories(place, id), &parts);
      Append(Builds(place, id), &parts);
      parts.push_back(
          Figure(DrawDistributions(id + "-values", place.arms, place.unit, place.resolution)));
      parts.push_back(Figure(DrawRuns(id + "-runs", place.arms, place.runs, place.unit, marks)));
      html += Part(OneLine(name), Figures(parts));
    }
    const std::size_t gates = GatesOf(update_).size();
    if (places.size() == kMostPlaces && gates > kMostPlaces) {
      html +=
          Paragraph(fmt::format("Only the first {} of {} gates have pictures; the table lists all.",
                                kMostPlaces, gates),
                    "quiet");
    }
    const bool confirmed = std::ranges::any_of(
        update_.comparisons(), [](const auto& one) { return one.has_confirmation(); });
    if (confirmed && !places.empty()) {
      html += Paragraph("The pictures of runs show the first phase.", "quiet");
    }
    if (!source_.missing.empty()) {
      html += Paragraph("No pictures of the runs: " + OneLine(source_.missing), "quiet");
    }
    return html;
  }

  // Draws the looks of each comparison or, if there were only a few, its blocks.
  Parts Histories(const MetricRuns& place, const std::string& id) const {
    Parts parts;
    for (const v1::Comparison& one : update_.comparisons()) {
      if (one.benchmark() != place.benchmark || one.metric() != place.metric) continue;
      const auto found = std::ranges::find_if(source_.trajectories, [&one](const auto& trajectory) {
        return trajectory.benchmark == one.benchmark() && trajectory.metric == one.metric() &&
               trajectory.reference == one.reference() && trajectory.candidate == one.candidate();
      });
      const std::string name = fmt::format("{}-history{}", id, parts.size());
      if (found != source_.trajectories.end() && found->points.size() >= kFewestLooks) {
        parts.push_back(Figure(History(*found, one, name)));
      } else if (const auto blocks = InBlocks() ? BlocksOf(place, one) : std::nullopt) {
        parts.push_back(Figure(DrawUnits(name, *blocks)));
      }
    }
    return parts;
  }

  // Returns whether the runs of a block are beside each other.
  bool InBlocks() const { return source_.session.spec().schedule() != v1::SCHEDULE_KIND_COIN; }

  Parts Builds(const MetricRuns& place, const std::string& id) const {
    Parts parts;
    for (const v1::Comparison& one : update_.comparisons()) {
      if (one.benchmark() != place.benchmark || one.metric() != place.metric) continue;
      const auto builds = LayoutsOf(place, one);
      if (!builds) continue;
      parts.push_back(Figure(DrawUnits(fmt::format("{}-builds{}", id, parts.size()), *builds)));
    }
    return parts;
  }

  static Picture History(const Trajectory& trajectory, const v1::Comparison& one,
                         const std::string& id) {
    IntervalHistory history;
    for (const Trajectory::Point& point : trajectory.points) {
      history.points.push_back(
          {point.runs, point.effect.estimate, *point.effect.lo, *point.effect.hi});
    }
    history.margin = MarginOf(one);
    const bool watched = one.method() != v1::METHOD_FIXED;
    if (watched && one.has_decided()) history.decided_at = one.decided().blocks();
    Picture picture =
        DrawHistory(id, history, {trajectory.relative, trajectory.relative ? "" : one.unit()});
    picture.name += ": " + OneLine(one.candidate()) + " vs " + OneLine(one.reference());
    if (!watched) {
      picture.note =
          "Drawn as if the session had looked after every block. The verdict is from the one "
          "look at the end, whose interval is shorter.";
    }
    return picture;
  }

  // Puts the result next to the name, so that it is visible on a narrow screen.
  std::string EveryMetric() const {
    const RowSelection selection = SelectRows(update_, RowsShown::kAll);
    if (selection.rows.empty()) return "";
    const bool benchmarks = SeveralBenchmarks(update_);
    const v1::Comparison& first = *selection.rows.front();
    const bool one_pair = std::ranges::all_of(selection.rows, [&first](const auto* one) {
      return one->reference() == first.reference() && one->candidate() == first.candidate();
    });
    Rows rows = {{"metric", "result", "change", "interval", "margin",
                  one_pair ? OneLine(first.reference()) : "reference",
                  one_pair ? OneLine(first.candidate()) : "candidate"}};
    if (!one_pair) rows.front().insert(rows.front().begin() + 1, "comparison");
    const auto add = [&](const v1::Comparison& one, const char* phase) {
      std::vector<std::string>& row = rows.emplace_back(MetricRow(one, benchmarks));
      row.front() += phase;
      if (one_pair) return;
      row.insert(row.begin() + 1, OneLine(one.candidate() + " vs " + one.reference()));
    };
    for (const v1::Comparison* one : selection.rows) {
      add(*one, "");
      if (const auto second = SecondPhaseOf(*one)) add(*second, ", second phase");
    }
    std::string html = HtmlTable(rows, "Every metric");
    if (selection.repeats_cpu_time) {
      html += Paragraph("tree_cpu_time is within 2 % of cpu_time.", "quiet");
    }
    return Part("Every metric", html);
  }

  // Renders the estimates of a measurement, first those that were asked for.
  std::string EveryEstimate() const {
    if (!Measures(update_)) return "";
    const bool benchmarks = SeveralBenchmarks(update_);
    Rows rows = {{"arm", "metric", "estimate", "interval", "width", "runs", "sd", "result"}};
    for (const v1::Estimate& one : update_.estimates()) {
      rows.push_back({OneLine((benchmarks ? one.benchmark() + ": " : "") + one.arm()),
                      OneLine(one.metric()), EstimateValue(one, kPlain),
                      EstimateInterval(one, kPlain), EstimateWidth(one), std::to_string(one.n()),
                      one.has_sd() ? FormatQuantity(one.sd(), one.unit(), kPlain) : "-",
                      EstimateState(one)});
    }
    return Part("Every estimate", HtmlTable(rows, "Every estimate"));
  }

  static std::vector<std::string> MetricRow(const v1::Comparison& one, bool benchmarks) {
    const Judged judged = JudgedBy(one);
    const auto mean = [&one](bool has, double value, bool has_sd, double sd) {
      return has ? FormatMeanSd(value, has_sd ? std::optional(sd) : std::nullopt, one.unit(),
                                kPlain)
                 : std::string("-");
    };
    return {OneLine((benchmarks ? one.benchmark() + ": " : "") + one.metric()),
            Outcome(one),
            judged.Estimate(kPlain),
            judged.Interval(kPlain),
            judged.Margin(kPlain),
            mean(one.has_mean_reference(), one.mean_reference(), one.has_sd_reference(),
                 one.sd_reference()),
            mean(one.has_mean_candidate(), one.mean_candidate(), one.has_sd_candidate(),
                 one.sd_candidate())};
  }

  std::string Arms() const {
    Rows rows = {{"arm", "role", "command"}};
    const bool benchmarks = source_.session.spec().benchmarks_size() > 1;
    for (const v1::Benchmark& benchmark : source_.session.spec().benchmarks()) {
      for (const v1::Arm& arm : benchmark.arms()) {
        rows.push_back({OneLine((benchmarks ? benchmark.name() + "/" : "") + arm.name()),
                        std::string(Word(arm.role())), OneLine(arm.command())});
      }
    }
    Rows more;
    for (const auto& [arm, extras] : ArmExtras(source_.session.spec())) {
      more.push_back({OneLine(arm), "with " + OneLine(extras)});
    }
    for (const auto& [arm, commit] : options_.commits) more.push_back({arm, "commit " + commit});
    for (const auto& [key, value] : std::map<std::string, std::string>(
             source_.session.spec().labels().begin(), source_.session.spec().labels().end())) {
      more.push_back({"label " + OneLine(key), OneLine(value)});
    }
    return Part("Arms", HtmlTable(rows, "Arms") + Definitions(more));
  }

  std::string Machine() const {
    const v1::Started& started = source_.session.started();
    Rows facts;
    for (const v1::EnvironmentFact& fact : started.environment()) {
      facts.push_back({OneLine(fact.name()), OneLine(fact.value())});
    }
    const std::string cpus = CpuList(started.benchmark_cpus());
    if (!cpus.empty()) facts.push_back({"benchmark cpus", cpus});
    Rows settings = {{"setting", "wanted", "at the start", "at the end", "held", "why not"}};
    std::size_t changed = 0;
    for (const v1::Setting& one : started.isolation()) {
      const bool differs = !one.at_end().empty() && one.at_end() != one.actual();
      changed += differs ? 1 : 0;
      settings.push_back(
          {OneLine(one.setting()), OneLine(one.wanted()), OneLine(one.actual()),
           one.at_end().empty() ? "" : OneLine(one.at_end()) + (differs ? " (changed)" : ""),
           one.held() ? "yes" : "no", OneLine(one.why())});
    }
    std::string html = Definitions(facts);
    if (changed > 0) html += Paragraph(Counted(changed, "setting") + " changed in this session.");
    if (update_.disturbances() > 0) {
      html += Paragraph(Counted(update_.disturbances(), "disturbance") + " in the measured runs.");
    }
    return Part("Machine", html + HtmlTable(settings, "Settings of the machine"));
  }

  std::string Again() const {
    const v1::Session& session = source_.session;
    if (source_.table || !session.has_started()) return "";
    std::string html = CodeBlock(ReplayCommand(session.spec(), session.started().seed()));
    if (!source_.analyze.empty()) {
      html += Paragraph("To compute the same numbers from the measured runs:") +
              CodeBlock(source_.analyze);
    }
    Rows times;
    const auto add = [&times](const char* name, bool has, const google::protobuf::Timestamp& time) {
      if (has) times.push_back({name, Rfc3339(time)});
    };
    add("submitted", session.has_submitted_at(), session.submitted_at());
    add("started", session.has_started_at(), session.started_at());
    add("ended", session.has_ended_at(), session.ended_at());
    return Part("Run it again", html + Definitions(times));
  }

  const ReportSource& source_;
  const v1::Update& update_;
  ReportOptions options_;
  std::string id_;
  int level_;
  std::size_t marks_;
};

// Renders the verdict over the machines. Empty unless the sources are from several machines.
std::string Machines(std::span<const ReportSource> sources) {
  const auto combination = CombinationOf(sources);
  if (!combination) return "";
  Parts parts;
  std::string words;
  for (std::size_t i = 0; i < std::min(combination->gates.size(), kMostPlaces); ++i) {
    parts.push_back(Figure(DrawUnits(fmt::format("machines{}", i), MachinesOf(*combination, i))));
    words += Paragraph(SpreadSentence(combination->gates[i], kPlain));
  }
  std::string verdicts;
  for (const std::string& verdict : CombinationVerdicts(*combination, std::nullopt, kPlain)) {
    verdicts += Paragraph(verdict, "lede");
  }
  std::vector<std::string> warnings;
  for (const Warning& warning : combination->warnings) warnings.push_back(WarningText(warning));
  parts.push_back("<div>\n" + words + BulletList(warnings) + "</div>\n");
  return "<section id=\"machines\">\n" +
         Heading(2, Counted(combination->machines.size(), "machine")) + verdicts + Figures(parts) +
         "</section>\n";
}

// Returns the verdict of a source in a word or two; "explanation" for a sampled session.
std::string OutcomeOf(const ReportSource& source) {
  if (source.session.spec().has_profile()) return "explanation";
  return VerdictWords(source.session.report(), kPlain);
}

// Renders the overview of several reports: links, and all gates on one axis.
std::string Overview(std::span<const ReportSource> sources) {
  IntervalGroups all;
  std::vector<std::string> links;
  std::string html = Paragraph("Report", "over") + Heading(1, Counted(sources.size(), "result"));
  html += "<ul>\n";
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const v1::Update& update = sources[i].session.report();
    const std::string name = OneLine(sources[i].name);
    html += fmt::format("<li><a href=\"#r{}\">{}</a> {}</li>\n", i, EscapeMarkup(name),
                        EscapeMarkup(OutcomeOf(sources[i])));
    if (sources[i].session.spec().has_profile()) continue;
    const std::string file = name.substr(name.find_last_of('/') + 1);
    for (auto& [axis, rows] : IntervalRows(GatesOf(update), update, file + ": ")) {
      std::ranges::move(rows, std::back_inserter(RowsOn(axis, all)));
    }
  }
  return html + "</ul>\n" + Figures(IntervalFigures("all", all, /*alone=*/true)) +
         Machines(sources);
}

std::string PageTitle(std::span<const ReportSource> sources) {
  if (sources.size() != 1) return Counted(sources.size(), "result") + " of benchd";
  const std::string verdict = OutcomeOf(sources.front());
  return (verdict.empty() ? "" : verdict + ": ") + OneLine(sources.front().name) + " - benchd";
}

}  // namespace

std::string RenderReportPage(std::span<const ReportSource> sources) {
  const bool several = sources.size() > 1;
  std::string html = several ? Overview(sources) : "";
  for (std::size_t i = 0; i < sources.size(); ++i) {
    html += Section(sources[i], fmt::format("r{}", i), several ? 2 : 1,
                    kMostMarksOfPage / sources.size())
                .Render();
  }
  return HtmlPage(PageTitle(sources), html);
}

}  // namespace benchd::client
