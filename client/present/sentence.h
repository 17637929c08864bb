#pragma once

#include <string>
#include <vector>

#include "benchd/v1/session.pb.h"
#include "client/present/gates.h"
#include "client/present/text.h"

namespace benchd::client {

/// One gate in words, without the verdict's: "candidate is 10.2 % slower (1.102 times, 1.098 …
/// 1.106) than base". A pass names the bound that holds, an undecided gate the whole interval. The
/// interval is the last look's, as everywhere. What --at-limit settled says that it rests on the
/// estimate.
std::string GateSentence(const v1::Comparison& gate, const Style& style);

/// The same with its verdict and, where it is undecided, what would decide it.
std::string VerdictSentence(const v1::Comparison& gate, const Style& style);

/// "decided at 12 pairs" where that was before the last look; else empty.
std::string DecidedEarlier(const v1::Comparison& gate);

/// How many of what a decision took, in words: "12 pairs"; "12 blocks" or "24 runs" where the arms
/// are independent.
std::string DecisionCount(const v1::Comparison& gate, std::uint64_t blocks);

/// Of the method layouts, what is told apart: "by the code +0.4 ± 3.7 %; layouts: sd 2.5 %; ±1 %
/// needs about 85 builds an arm"; before the one look without the first. Empty of other methods,
/// and where nothing is known of the layouts' spread.
std::string LayoutSentence(const v1::Comparison& gate, const Style& style);

/// "12 blocks".
std::string BlocksSentence(const v1::Update& update);
/// Of a suite: "3 of 20 decided", gates; else empty.
std::string DecidedSentence(const v1::Update& update);

/// The session in words: the one gate's sentence, or a count and the sentences of what did not
/// pass; those that did too where several candidates are compared with one reference.
std::vector<std::string> VerdictSentences(const v1::Update& update, const Style& style);

/// Why a session stands still: "paused: the disk is full ...", just "paused" where nobody says.
std::string PauseSentence(const v1::Update& update);

}  // namespace benchd::client
