#include "client/render/similarity.h"

#include <array>
#include <cmath>
#include <cstdio>

#include "client/render/text.h"
#include "client/render/units.h"

namespace benchd::client {
namespace {

using Rows = std::vector<std::vector<std::string>>;

std::string Decimals(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3f", value);
  return text.data();
}

std::string ResemblanceText(Resemblance resemblance, const Style& style) {
  switch (resemblance) {
    case Resemblance::kSimilar:
      return Paint("similar", Tint::kGreen, style);
    case Resemblance::kDissimilar:
      return Paint("dissimilar", Tint::kRed, style);
    case Resemblance::kSpikes:
      return Paint("spikes", Tint::kYellow, style);
    case Resemblance::kNotAssessable:
      return Paint("not assessable", Tint::kDim, style);
  }
  return "";
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

// "2 clusters: 1 3 4 | 2"
std::string Clusters(const RunSetReport& set) {
  const RunClusters& same = set.assessment.same;
  if (same.clusters < 2) return "1 cluster";
  std::vector<std::string> clusters(same.clusters);
  for (std::size_t run = 0; run < same.labels.size(); ++run) {
    std::string& cluster = clusters[same.labels[run]];
    cluster += (cluster.empty() ? "" : " ") + RunName(set, run);
  }
  std::string text = std::to_string(clusters.size()) + " clusters: ";
  for (std::size_t i = 0; i < clusters.size(); ++i) text += (i > 0 ? " | " : "") + clusters[i];
  return text;
}

std::string RenderOne(const AssessedFile& file, const RunSetReport& set,
                      const benchd::SimilarityOptions& options, const Style& style) {
  const SimilarityAssessment& found = set.assessment;
  std::string text = NameOf(file, set) + ": " + std::to_string(found.runs) + " runs of " +
                     std::to_string(found.values) + " values";
  if (set.cut > 0) text += ", up to " + std::to_string(set.cut) + " more left out";
  text += "\n\n";
  Rows rows{{"", "mean", "largest", "of runs"}};
  for (const PairMeasure& measure : VoteOf(set, options.variant).measures) {
    rows.push_back({"M" + std::to_string(rows.size()), Decimals(measure.mean),
                    Decimals(measure.max),
                    RunName(set, measure.first) + " and " + RunName(set, measure.second)});
  }
  text += AlignColumns(rows, 3) + "\n";
  const auto votes = [&options](const MajorityVote& of) {
    return std::to_string(of.above) + " of 5 above " + FormatRoundTrip(options.threshold);
  };
  const Rows methods{{"literal", ResemblanceText(found.by_literal, style), votes(found.literal)},
                     {"shape", ResemblanceText(found.by_shape, style), votes(found.shape)},
                     {"SAME", ResemblanceText(found.by_same, style), Clusters(set)}};
  for (const std::vector<std::string>& row : methods) {
    text += PadRight(row[0], 9) + PadRight(row[1], 17) + row[2] + "\n";
  }
  text += "\nrun " + RunName(set, found.differs_most) + " differs most\n";
  if (!found.Assessable()) text += "fewer than 50 values a run: too few to tell\n";
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
  std::string text = std::to_string(report.raters.size()) + " raters, " +
                     std::to_string(report.subjects) + " subjects: Fleiss' kappa " +
                     Decimals(report.all.kappa) + ", " + Paint(report.band, Tint::kBold, style) +
                     "\n";
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

}  // namespace benchd::client
