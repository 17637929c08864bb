#pragma once

#include <string>
#include <vector>

#include "benchd/v1/session.pb.h"
#include "client/present/gates.h"
#include "client/present/text.h"

namespace benchd::client {

/// Describes one gate without the word of its verdict: "candidate is 10.2 % slower (1.102 times,
/// 1.098 … 1.106) than base". For a pass, the sentence states the bound that holds, with estimate
/// and interval; for an undecided gate, the whole interval. A regression under a negative margin
/// reads "candidate is not 5 % better than base; it is ...". The interval is that of the last look.
/// The sentence notes a verdict that --at-limit based on the estimate.
std::string GateSentence(const v1::Comparison& gate, const Style& style);

/// Describes one gate with its verdict and, if it is undecided, with advice.
std::string VerdictSentence(const v1::Comparison& gate, const Style& style);

/// Returns "decided at 12 pairs" if the gate was decided before the last look; else empty.
std::string DecidedEarlier(const v1::Comparison& gate);

/// Formats the amount of data that a decision took: "12 pairs"; for independent arms, "12 blocks"
/// or "24 runs".
std::string DecisionCount(const v1::Comparison& gate, std::uint64_t blocks);

/// Describes the effects that the method layouts separates: "effect of the code: +0.4 ± 3.7 %;
/// layouts: sd 2.5 %; ±1 % needs about 85 builds per arm (there are 8)". Omits the first part
/// before the only look. If there are several gates, the label of the gate comes first. Empty for
/// other methods, and if the spread of the layouts is unknown.
std::string LayoutSentence(const v1::Comparison& gate, const v1::Update& update,
                           const Style& style);

/// Returns whether a session measures, or prepares to.
bool IsAtWork(const v1::Update& update);

/// Returns the number of blocks: "12 blocks". While a session is in its second phase, these are the
/// blocks of that phase.
std::string BlocksSentence(const v1::Update& update);
/// Returns the number of decided gates of a suite: "3 of 20 decided". Empty without a suite.
std::string DecidedSentence(const v1::Update& update);

/// Describes a control that changed: "candidate is 30.1 % slower (1.3 times, 1.28 … 1.32) than
/// base".
std::string ControlSentence(const v1::Comparison& control, const Style& style);

/// Describes the verdict of a session: the sentence of its only gate, or a count followed by the
/// sentences of the gates that did not pass. With several candidates in one benchmark, each gate
/// has a sentence. Controls are neither counted nor described, unless one changed: then the session
/// is about nothing else. If all gates passed, there is otherwise one for the gate that is closest
/// to its margin.
std::vector<std::string> VerdictSentences(const v1::Update& update, const Style& style);

/// Returns "confirming 1 regression" or, if all gates in it have negative margins, "confirming that
/// 1 gate is not better" while a session is in its second phase; else empty.
std::string ConfirmingSentence(const v1::Update& update);

/// Explains why a session is paused: "paused: the disk is full ...", or "paused" if the cause is
/// unknown.
std::string PauseSentence(const v1::Update& update);

}  // namespace benchd::client
