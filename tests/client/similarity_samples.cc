#include "tests/client/similarity_samples.h"

#include <array>
#include <cstddef>

namespace benchd::client {
namespace {

MajorityVote VoteWith(const std::array<double, 5>& means) {
  MajorityVote vote;
  for (std::size_t m = 0; m < means.size(); ++m) {
    vote.measures[m] = {means[m], means[m] + 0.0625, 0, 1};
    if (means[m] > kSimilarityThreshold) ++vote.above;
  }
  return vote;
}

}  // namespace

std::vector<RunSetReport> SampleAssessment() {
  RunSetReport set;
  set.run_names = {"mon", "tue", "wed", "thu"};
  SimilarityAssessment& found = set.assessment;
  found.runs = 4;
  found.values = 80;
  found.literal = VoteWith({0.875, 0.75, 0.3125, 0.0625, 0.5});
  found.shape = VoteWith({0.875, 0.125, 0.125, 0.0625, 0.5});
  found.same = {{0, 1, 0, 0}, {0.0078125, 0.015625, 0.375}, 2};
  found.by_literal = Resemblance::kDissimilar;
  found.by_shape = Resemblance::kSimilar;
  found.by_same = Resemblance::kSpikes;
  found.differs_most = 1;
  return {set};
}

AgreementReport SampleAgreement() {
  AgreementReport report;
  report.raters = {"human", "literal", "same"};
  report.categories = {"dissimilar", "similar"};
  report.subjects = 4;
  report.all.kappa = 0.3125;
  report.band = "fair";
  report.pairs = {{0, 1, {0.46875, 0.75}, "moderate"},
                  {0, 2, {0.46875, 0.75}, "moderate"},
                  {1, 2, {0, 0.5}, "slight"}};
  report.confusions = {{1, {{{2, 0}, {1, 1}}, {{1, 0.5}, {std::nullopt, 1}}, 0.75}}};
  return report;
}

}  // namespace benchd::client
