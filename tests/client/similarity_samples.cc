#include "tests/client/similarity_samples.h"

#include <cstdint>
#include <string>
#include <vector>

namespace benchd::client {
namespace {

void Fill(v1::MajorityVote* vote, const std::vector<double>& means, v1::Resemblance resemblance) {
  for (const double mean : means) {
    v1::PairMeasure* measure = vote->add_measures();
    measure->set_mean(mean);
    measure->set_max(mean + 0.0625);
    measure->set_max_first(0);
    measure->set_max_second(1);
    if (mean > 0.25) vote->set_above(vote->above() + 1);
  }
  vote->set_resemblance(resemblance);
}

void AddPair(v1::AgreementResponse* to, const std::string& first, const std::string& second,
             double share, double kappa, const std::string& band) {
  v1::RaterPair* pair = to->add_pairs();
  pair->set_first(first);
  pair->set_second(second);
  pair->set_agreement(share);
  pair->set_kappa(kappa);
  pair->set_band(band);
}

}  // namespace

v1::AssessSimilarityResponse SampleAssessment() {
  v1::AssessSimilarityResponse response;
  response.set_threshold(0.25);
  v1::RunSetAssessment* set = response.add_sets();
  set->set_runs(4);
  set->set_values(80);
  for (const char* name : {"mon", "tue", "wed", "thu"}) set->add_run_names(name);
  set->set_assessable(true);
  set->set_resemblance(v1::RESEMBLANCE_DISSIMILAR);
  Fill(set->mutable_literal(), {0.875, 0.75, 0.3125, 0.0625, 0.5}, v1::RESEMBLANCE_DISSIMILAR);
  Fill(set->mutable_shape(), {0.875, 0.125, 0.125, 0.0625, 0.5}, v1::RESEMBLANCE_SIMILAR);
  v1::RunClusters* same = set->mutable_same();
  for (const std::uint64_t label : {0, 1, 0, 0}) same->add_labels(label);
  for (const double height : {0.0078125, 0.015625, 0.375}) same->add_merge_heights(height);
  same->set_clusters(2);
  same->set_resemblance(v1::RESEMBLANCE_SPIKES);
  set->set_differs_most(1);
  return response;
}

v1::AgreementResponse SampleAgreement() {
  v1::AgreementResponse response;
  response.set_kappa(0.3125);
  response.set_band("fair");
  response.set_subjects(4);
  for (const char* rater : {"human", "literal", "same"}) response.add_raters(rater);
  for (const char* category : {"dissimilar", "similar"}) response.add_categories(category);
  AddPair(&response, "human", "literal", 0.75, 0.46875, "moderate");
  AddPair(&response, "human", "same", 0.75, 0.46875, "moderate");
  AddPair(&response, "literal", "same", 0.5, 0, "slight");
  response.set_truth("human");
  v1::Confusion* confusion = response.add_confusions();
  confusion->set_rater("literal");
  for (const std::uint64_t count : {2, 0, 1, 1}) confusion->add_counts(count);
  confusion->set_accuracy(0.75);
  v1::CategoryScore* first = confusion->add_scores();
  first->set_category("dissimilar");
  first->set_sensitivity(1);
  first->set_specificity(0.5);
  v1::CategoryScore* second = confusion->add_scores();
  second->set_category("similar");
  second->set_specificity(1);
  return response;
}

}  // namespace benchd::client
