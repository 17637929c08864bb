#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "benchd/v1/session.pb.h"
#include "client/present/text.h"
#include "core/analysis/similarity_analysis.h"

namespace benchd::client {

/// What was found in one file.
struct AssessedFile {
  std::string name;
  std::vector<RunSetReport> sets;
};

/// How `--json` calls it.
std::string_view ResemblanceWord(Resemblance resemblance);

/// What `benchctl similarity` prints: for one set of runs its measures and what each method says;
/// for several a line each.
std::string RenderSimilarity(std::span<const AssessedFile> files,
                             const benchd::SimilarityOptions& options, const Style& style);

/// `similarity --json`: a line a set, event "similarity". `m1` to `m5` are those of the variant
/// asked for; runs go by their names.
std::vector<std::string> SimilarityJson(const AssessedFile& file,
                                        const benchd::SimilarityOptions& options,
                                        const google::protobuf::Timestamp& now);

/// What `benchctl agreement` prints.
/// @param truth  the rater that the others were held against; may be empty
std::string RenderAgreement(const AgreementReport& report, const std::string& truth,
                            const Style& style);

/// `agreement --json`: one line, event "agreement".
std::string AgreementJson(const AgreementReport& report, const std::string& truth,
                          const google::protobuf::Timestamp& now);

}  // namespace benchd::client
