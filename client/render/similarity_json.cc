#include "client/render/json_parts.h"
#include "client/render/similarity.h"
#include "client/render/words.h"

namespace benchd::client {
namespace {

const char* ResemblanceWord(v1::Resemblance resemblance) {
  switch (resemblance) {
    case v1::RESEMBLANCE_SIMILAR:
      return "similar";
    case v1::RESEMBLANCE_DISSIMILAR:
      return "dissimilar";
    case v1::RESEMBLANCE_SPIKES:
      return "spikes";
    default:
      return "not_assessable";
  }
}

std::string RunKey(const v1::RunSetAssessment& set, std::uint64_t run) {
  return run < static_cast<std::uint64_t>(set.run_names_size())
             ? set.run_names(static_cast<int>(run))
             : std::to_string(run + 1);
}

void AddMeans(const v1::MajorityVote& vote, Json& json) {
  for (int m = 0; m < vote.measures_size(); ++m) {
    const std::string key = "m" + std::to_string(m + 1);
    Put(json, key.c_str(), vote.measures(m).mean());
  }
}

Json ToJson(const v1::MajorityVote& vote, const v1::RunSetAssessment& set) {
  Json json;
  json["decision"] = ResemblanceWord(vote.resemblance());
  json["above"] = vote.above();
  AddMeans(vote, json);
  for (int m = 0; m < vote.measures_size(); ++m) {
    const v1::PairMeasure& measure = vote.measures(m);
    Json largest;
    Put(largest, "value", measure.max());
    largest["runs"] = {RunKey(set, measure.max_first()), RunKey(set, measure.max_second())};
    json["max"]["m" + std::to_string(m + 1)] = std::move(largest);
  }
  return json;
}

Json ToJson(const v1::RunClusters& same) {
  Json json;
  json["decision"] = ResemblanceWord(same.resemblance());
  json["clusters"] = same.clusters();
  json["labels"] = Json::array();
  for (const std::uint64_t label : same.labels()) json["labels"].push_back(label);
  json["merge_heights"] = Json::array();
  for (const double height : same.merge_heights()) json["merge_heights"].push_back(height);
  return json;
}

}  // namespace

std::vector<std::string> SimilarityJson(const AssessedFile& file, bool shape_variant,
                                        const google::protobuf::Timestamp& now) {
  std::vector<std::string> lines;
  for (const v1::RunSetAssessment& set : file.response.sets()) {
    Json json = Named("similarity", "", now);
    json["file"] = file.name;
    PutText(json, "benchmark", set.name());
    json["runs"] = set.runs();
    json["values"] = set.values();
    if (set.cut() > 0) json["cut"] = set.cut();
    json["run_names"] = Json::array();
    for (const std::string& name : set.run_names()) json["run_names"].push_back(name);
    json["variant"] = shape_variant ? "shape" : "literal";
    Put(json, "threshold", file.response.threshold());
    AddMeans(shape_variant ? set.shape() : set.literal(), json);
    json["assessable"] = set.assessable();
    json["decision"] = ResemblanceWord(set.resemblance());
    json["differs_most"] = RunKey(set, set.differs_most());
    json["literal"] = ToJson(set.literal(), set);
    json["shape"] = ToJson(set.shape(), set);
    json["same"] = ToJson(set.same());
    lines.push_back(Line(json));
  }
  return lines;
}

std::string AgreementJson(const v1::AgreementResponse& response,
                          const google::protobuf::Timestamp& now) {
  Json json = Named("agreement", "", now);
  Put(json, "kappa", response.kappa());
  json["band"] = response.band();
  json["subjects"] = response.subjects();
  json["raters"] = Json::array();
  for (const std::string& rater : response.raters()) json["raters"].push_back(rater);
  json["categories"] = Json::array();
  for (const std::string& one : response.categories()) json["categories"].push_back(one);
  json["pairs"] = Json::array();
  for (const v1::RaterPair& pair : response.pairs()) {
    Json one;
    one["raters"] = {pair.first(), pair.second()};
    Put(one, "agreement", pair.agreement());
    Put(one, "kappa", pair.kappa());
    one["band"] = pair.band();
    json["pairs"].push_back(std::move(one));
  }
  PutText(json, "truth", response.truth());
  for (const v1::Confusion& confusion : response.confusions()) {
    Json one;
    one["rater"] = confusion.rater();
    one["counts"] = Json::array();
    const int columns = std::max(1, response.categories_size());
    for (int i = 0; i < confusion.counts_size(); ++i) {
      if (i % columns == 0) one["counts"].push_back(Json::array());
      one["counts"].back().push_back(confusion.counts(i));
    }
    Put(one, "accuracy", confusion.accuracy());
    for (const v1::CategoryScore& score : confusion.scores()) {
      Json of = Json::object();
      if (score.has_sensitivity()) Put(of, "sensitivity", score.sensitivity());
      if (score.has_specificity()) Put(of, "specificity", score.specificity());
      one["scores"][score.category()] = std::move(of);
    }
    json["confusions"].push_back(std::move(one));
  }
  return Line(json);
}

}  // namespace benchd::client
