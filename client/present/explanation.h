#pragma once

#include <optional>
#include <string>

#include "benchd/v1/session.pb.h"
#include "client/present/text.h"
#include "client/request/explaining_spec.h"

namespace benchd::client {

// The text of the result of a sampled session: where the CPU time of a candidate differs from that
// of a reference.

/// The functions that are listed.
enum class FunctionsShown {
  kWhatMatters,  ///< those that changed, then up to five others
  kAll,          ///< all that the daemon lists
};

/// How an explanation is shown.
struct ExplanationView {
  FunctionsShown shown = FunctionsShown::kWhatMatters;
  bool names_benchmark = false;  ///< the session has several benchmarks
  bool of_builds = false;        ///< the units are builds, not blocks (METHOD_LAYOUTS)
};

/// Returns the view for the explanations of a session.
ExplanationView ViewOf(const v1::Update& update, FunctionsShown shown);

/// Renders one explanation: a headline, the table of functions, and what the intervals mean. Ends
/// with a newline.
///
/// If the table is too wide, the columns of callees are left out first, then the seconds of both
/// arms. Long names of functions are shortened.
std::string RenderExplanation(const v1::Explanation& explanation, const ExplanationView& view,
                              const Style& style);

/// Returns the headline: "candidate takes 93 ms (8.9 %) more CPU time a run than base; the
/// functions that changed explain 92 % of it", after the benchmark if the view names it.
std::string ExplanationHeadline(const v1::Explanation& explanation, const ExplanationView& view,
                                const Style& style);

/// Returns the headlines of all explanations of a session, each on lines of its own.
std::string ExplanationHeadlines(const v1::Update& update, const Style& style);

/// Returns the table of functions, for pages: the first row is the heading.
Rows FunctionRows(const v1::Explanation& explanation, FunctionsShown shown, const Style& style);

/// Returns the lines below the table: guesses, functions that are left out, and what the intervals
/// mean.
std::string ExplanationNotes(const v1::Explanation& explanation, const ExplanationView& view,
                             const Style& style);

/// Renders all explanations of a session, separated by empty lines. Empty without any.
std::string RenderExplanations(const v1::Update& update, FunctionsShown shown, const Style& style);

/// Returns what the session itself measured of the pair that is explained: "session k3x9m2pq
/// measured wall_time +8.9 % (+7.9 … +9.9 %), in runs of its own". Empty without such a gate.
std::string MeasuredBeside(const v1::Explanation& explanation, const v1::Session& explained,
                           const Style& style);

/// Returns what an explanation will do and can show: "23 blocks, about 46 s: in a function of 10 %
/// of a run, a change of 12 ms (50 % of the change of a run) will be seen".
std::string PlanSentence(const ExplainingPlan& plan, const Style& style);

/// Returns what is special about a function, in a few words: "new", "gone", "now inlined", and how
/// its instructions and cache misses changed. May be empty.
std::string FunctionNote(const v1::FunctionChange& function);

/// Returns "more" or "less" for a function that changed, else "".
std::string_view ChangeMark(const v1::FunctionChange& function);

/// Returns the smallest change of a function's own time, in seconds a run, that would have been
/// seen in every function of the explanation: the whole width of the widest interval, as in the
/// plan (core/analysis/profile_plan.h). Absent if none has an interval.
std::optional<double> SeenInAny(const v1::Explanation& explanation);

}  // namespace benchd::client
