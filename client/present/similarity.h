#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "benchd/v1/session.pb.h"
#include "client/present/text.h"
#include "core/analysis/similarity_analysis.h"

namespace benchd::client {

/// The results of one file.
struct AssessedFile {
  std::string name;
  std::vector<RunSetReport> sets;
};

/// Returns the word for `--json`.
std::string_view ResemblanceWord(Resemblance resemblance);

/// Renders the output of `benchctl similarity`. For one set of runs, it has the measures and the
/// answer of each method; for several sets, one line each.
std::string RenderSimilarity(std::span<const AssessedFile> files,
                             const benchd::SimilarityOptions& options, const Style& style);

/// Renders the output of `similarity --json`: one line per set, event "similarity". `m1` to `m5`
/// belong to the requested variant. Runs are identified by their names.
std::vector<std::string> SimilarityJson(const AssessedFile& file,
                                        const benchd::SimilarityOptions& options,
                                        const google::protobuf::Timestamp& now);

/// Renders the output of `benchctl agreement`.
/// @param truth  the rater that the others are compared with; may be empty
std::string RenderAgreement(const AgreementReport& report, const std::string& truth,
                            const Style& style);

/// Renders the output of `agreement --json`: one line, event "agreement".
std::string AgreementJson(const AgreementReport& report, const std::string& truth,
                          const google::protobuf::Timestamp& now);

}  // namespace benchd::client
