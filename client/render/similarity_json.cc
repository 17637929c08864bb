#include "client/render/json_parts.h"
#include "client/render/similarity.h"

namespace benchd::client {
namespace {

void AddMeans(const MajorityVote& vote, Json& json) {
  for (std::size_t m = 0; m < vote.measures.size(); ++m) {
    const std::string key = "m" + std::to_string(m + 1);
    Put(json, key.c_str(), vote.measures[m].mean);
  }
}

Json ToJson(const MajorityVote& vote, Resemblance resemblance, const RunSetReport& set) {
  Json json;
  json["decision"] = ResemblanceWord(resemblance);
  json["above"] = vote.above;
  AddMeans(vote, json);
  for (std::size_t m = 0; m < vote.measures.size(); ++m) {
    const PairMeasure& measure = vote.measures[m];
    Json largest;
    Put(largest, "value", measure.max);
    largest["runs"] = {set.run_names[measure.first], set.run_names[measure.second]};
    json["max"]["m" + std::to_string(m + 1)] = std::move(largest);
  }
  return json;
}

Json ToJson(const RunClusters& same, Resemblance resemblance) {
  Json json;
  json["decision"] = ResemblanceWord(resemblance);
  json["clusters"] = same.clusters;
  json["labels"] = same.labels;
  json["merge_heights"] = Json::array();
  for (const double height : same.merge_heights) json["merge_heights"].push_back(height);
  return json;
}

Json ToJson(const AgreementReport& report, const RaterConfusion& rater) {
  Json json;
  json["rater"] = report.raters[rater.rater];
  json["counts"] = rater.confusion.counts;
  Put(json, "accuracy", rater.confusion.accuracy);
  for (std::size_t c = 0; c < rater.confusion.scores.size(); ++c) {
    const CategoryScore& score = rater.confusion.scores[c];
    Json of = Json::object();
    if (score.sensitivity) Put(of, "sensitivity", *score.sensitivity);
    if (score.specificity) Put(of, "specificity", *score.specificity);
    json["scores"][report.categories[c]] = std::move(of);
  }
  return json;
}

}  // namespace

std::string_view ResemblanceWord(Resemblance resemblance) {
  switch (resemblance) {
    case Resemblance::kSimilar:
      return "similar";
    case Resemblance::kDissimilar:
      return "dissimilar";
    case Resemblance::kSpikes:
      return "spikes";
    case Resemblance::kNotAssessable:
      return "not_assessable";
  }
  return "";
}

std::vector<std::string> SimilarityJson(const AssessedFile& file,
                                        const benchd::SimilarityOptions& options,
                                        const google::protobuf::Timestamp& now) {
  const bool shape = options.variant == SimilarityVariant::kShape;
  std::vector<std::string> lines;
  for (const RunSetReport& set : file.sets) {
    const SimilarityAssessment& found = set.assessment;
    Json json = Named("similarity", "", now);
    json["file"] = file.name;
    PutText(json, "benchmark", set.name);
    json["runs"] = found.runs;
    json["values"] = found.values;
    if (set.cut > 0) json["cut"] = set.cut;
    json["run_names"] = set.run_names;
    json["variant"] = shape ? "shape" : "literal";
    Put(json, "threshold", options.threshold);
    AddMeans(shape ? found.shape : found.literal, json);
    json["assessable"] = found.Assessable();
    json["decision"] = ResemblanceWord(found.By(options.variant));
    json["differs_most"] = set.run_names[found.differs_most];
    json["literal"] = ToJson(found.literal, found.by_literal, set);
    json["shape"] = ToJson(found.shape, found.by_shape, set);
    json["same"] = ToJson(found.same, found.by_same);
    lines.push_back(Line(json));
  }
  return lines;
}

std::string AgreementJson(const AgreementReport& report, const std::string& truth,
                          const google::protobuf::Timestamp& now) {
  Json json = Named("agreement", "", now);
  Put(json, "kappa", report.all.kappa);
  json["band"] = report.band;
  json["subjects"] = report.subjects;
  json["raters"] = report.raters;
  json["categories"] = report.categories;
  json["pairs"] = Json::array();
  for (const RaterPair& pair : report.pairs) {
    Json one;
    one["raters"] = {report.raters[pair.first], report.raters[pair.second]};
    Put(one, "agreement", pair.agreement.share);
    Put(one, "kappa", pair.agreement.kappa);
    one["band"] = pair.band;
    json["pairs"].push_back(std::move(one));
  }
  PutText(json, "truth", truth);
  for (const RaterConfusion& confusion : report.confusions) {
    json["confusions"].push_back(ToJson(report, confusion));
  }
  return Line(json);
}

}  // namespace benchd::client
