#include "client/present/similarity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "client/present/json.h"
#include "client/present/text.h"
#include "client/present/units.h"
#include "core/base/text.h"

namespace benchd::client {
namespace {

std::string Decimals(double value) { return Fixed(value, 3); }

std::string ResemblanceText(Resemblance resemblance, const Style& style) {
  std::string words(ResemblanceWord(resemblance));
  std::ranges::replace(words, '_', ' ');
  const Tint tint = resemblance == Resemblance::kSimilar      ? Tint::kGreen
                    : resemblance == Resemblance::kDissimilar ? Tint::kRed
                    : resemblance == Resemblance::kSpikes     ? Tint::kYellow
                                                              : Tint::kDim;
  return Paint(words, tint, style);
}

std::string RunName(const RunSetReport& set, std::size_t run) {
  return Printable(set.run_names[run]);
}

std::string NameOf(const AssessedFile& file, const RunSetReport& set) {
  return Printable(set.name.empty() ? file.name : file.name + ": " + set.name);
}

const MajorityVote& VoteOf(const RunSetReport& set, SimilarityVariant variant) {
  return variant == SimilarityVariant::kShape ? set.assessment.shape : set.assessment.literal;
}

// Formats the clusters of runs: "2 clusters: 1 3 4 | 2".
std::string Clusters(const RunSetReport& set) {
  const RunClusters& same = set.assessment.same;
  if (same.clusters < 2) return "1 cluster";
  std::vector<std::string> clusters(same.clusters);
  for (std::size_t run = 0; run < same.labels.size(); ++run) {
    std::string& cluster = clusters[same.labels[run]];
    cluster += (cluster.empty() ? "" : " ") + RunName(set, run);
  }
  return Counted(clusters.size(), "cluster") + ": " + Join(clusters, " | ");
}

std::string RenderOne(const AssessedFile& file, const RunSetReport& set,
                      const benchd::SimilarityOptions& options, const Style& style) {
  const SimilarityAssessment& found = set.assessment;
  std::string text =
      fmt::format("{}: {} runs of {} values", NameOf(file, set), found.runs, found.values);
  if (set.cut > 0) text += fmt::format(", up to {} more left out", set.cut);
  text += "\n\n";
  Rows rows{{"", "mean", "largest", "of runs"}};
  for (const PairMeasure& measure : VoteOf(set, options.variant).measures) {
    rows.push_back(
        {fmt::format("M{}", rows.size()), Decimals(measure.mean), Decimals(measure.max),
         fmt::format("{} and {}", RunName(set, measure.first), RunName(set, measure.second))});
  }
  text += AlignColumns(rows, 3) + "\n";
  const auto votes = [&options](const MajorityVote& of) {
    return fmt::format("{} of 5 above {}", of.above, FormatRoundTrip(options.threshold));
  };
  const Rows methods{{"literal", ResemblanceText(found.by_literal, style), votes(found.literal)},
                     {"shape", ResemblanceText(found.by_shape, style), votes(found.shape)},
                     {"SAME", ResemblanceText(found.by_same, style), Clusters(set)}};
  for (const std::vector<std::string>& row : methods) {
    text += PadRight(row[0], 9) + PadRight(row[1], 17) + row[2] + "\n";
  }
  text += "\nrun " + RunName(set, found.differs_most) + " differs most\n";
  if (!found.Assessable()) text += "fewer than 50 values per run: too few to decide\n";
  return text;
}

std::string RenderMany(std::span<const AssessedFile> files, SimilarityVariant variant,
                       const Style& style) {
  Rows rows{{"", "runs", "values", "M1", "M2", "M3", "M4", "M5", "differs most", "literal", "shape",
             "SAME"}};
  for (const AssessedFile& file : files) {
    for (const RunSetReport& set : file.sets) {
      const SimilarityAssessment& found = set.assessment;
      std::vector<std::string> row{NameOf(file, set), std::to_string(found.runs),
                                   std::to_string(found.values)};
      for (const PairMeasure& measure : VoteOf(set, variant).measures) {
        row.push_back(Decimals(measure.mean));
      }
      row.push_back(RunName(set, found.differs_most));
      for (const Resemblance by : {found.by_literal, found.by_shape, found.by_same}) {
        row.push_back(ResemblanceText(by, style));
      }
      rows.push_back(std::move(row));
    }
  }
  return AlignColumns(rows);
}

std::string RenderConfusion(const AgreementReport& report, const RaterConfusion& rater,
                            const std::string& truth) {
  std::vector<std::string> head{Printable(truth + " \\ " + report.raters[rater.rater])};
  for (const std::string& category : report.categories) head.push_back(Printable(category));
  head.push_back("sensitivity");
  head.push_back("specificity");
  Rows rows{head};
  for (std::size_t category = 0; category < report.categories.size(); ++category) {
    std::vector<std::string> row{Printable(report.categories[category])};
    for (const std::uint64_t count : rater.confusion.counts[category]) {
      row.push_back(std::to_string(count));
    }
    const CategoryScore& score = rater.confusion.scores[category];
    row.push_back(score.sensitivity ? Decimals(*score.sensitivity) : "-");
    row.push_back(score.specificity ? Decimals(*score.specificity) : "-");
    rows.push_back(std::move(row));
  }
  return AlignColumns(rows, 3) + "accuracy " + Decimals(rater.confusion.accuracy) + "\n";
}

}  // namespace

std::string RenderSimilarity(std::span<const AssessedFile> files,
                             const benchd::SimilarityOptions& options, const Style& style) {
  if (files.size() == 1 && files.front().sets.size() == 1) {
    return RenderOne(files.front(), files.front().sets.front(), options, style);
  }
  return RenderMany(files, options.variant, style);
}

std::string RenderAgreement(const AgreementReport& report, const std::string& truth,
                            const Style& style) {
  std::string text = fmt::format("{} raters, {} subjects: Fleiss' kappa {}, {}\n",
                                 report.raters.size(), report.subjects, Decimals(report.all.kappa),
                                 Paint(report.band, Tint::kBold, style));
  Rows rows{{"", "alike", "kappa", ""}};
  for (const RaterPair& pair : report.pairs) {
    rows.push_back({Printable(report.raters[pair.first] + ", " + report.raters[pair.second]),
                    FormatPercent(std::round(1000 * pair.agreement.share) / 1000),
                    Decimals(pair.agreement.kappa), pair.band});
  }
  if (rows.size() > 2) text += "\n" + AlignColumns(rows, 3);
  for (const RaterConfusion& confusion : report.confusions) {
    text += "\n" + RenderConfusion(report, confusion, truth);
  }
  return text;
}

namespace {

void AddMeans(const MajorityVote& vote, Json& json) {
  for (std::size_t m = 0; m < vote.measures.size(); ++m) {
    const std::string key = fmt::format("m{}", m + 1);
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
    json["max"][fmt::format("m{}", m + 1)] = std::move(largest);
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
