#pragma once

#include <span>
#include <string>
#include <vector>

#include "benchd/v1/analysis.pb.h"
#include "client/render/style.h"

namespace benchd::client {

/// The answer for one file.
struct AssessedFile {
  std::string name;
  v1::AssessSimilarityResponse response;
};

/// What `benchctl similarity` prints: for one set of runs its measures and what each method says;
/// for several a line each.
std::string RenderSimilarity(std::span<const AssessedFile> files, bool shape_variant,
                             const Style& style);

/// `similarity --json`: a line a set, event "similarity". `m1` to `m5` are those of the variant
/// asked for; runs go by their names.
std::vector<std::string> SimilarityJson(const AssessedFile& file, bool shape_variant,
                                        const google::protobuf::Timestamp& now);

/// What `benchctl agreement` prints.
std::string RenderAgreement(const v1::AgreementResponse& response, const Style& style);

/// `agreement --json`: one line, event "agreement".
std::string AgreementJson(const v1::AgreementResponse& response,
                          const google::protobuf::Timestamp& now);

}  // namespace benchd::client
