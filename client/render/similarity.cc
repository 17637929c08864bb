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

std::string ResemblanceText(v1::Resemblance resemblance, const Style& style) {
  switch (resemblance) {
    case v1::RESEMBLANCE_SIMILAR:
      return Paint("similar", Tint::kGreen, style);
    case v1::RESEMBLANCE_DISSIMILAR:
      return Paint("dissimilar", Tint::kRed, style);
    case v1::RESEMBLANCE_SPIKES:
      return Paint("spikes", Tint::kYellow, style);
    default:
      return Paint("not assessable", Tint::kDim, style);
  }
}

std::string RunName(const v1::RunSetAssessment& set, std::uint64_t run) {
  return run < static_cast<std::uint64_t>(set.run_names_size())
             ? Printable(set.run_names(static_cast<int>(run)))
             : std::to_string(run + 1);
}

std::string NameOf(const AssessedFile& file, const v1::RunSetAssessment& set) {
  return Printable(set.name().empty() ? file.name : file.name + ": " + set.name());
}

// "2 clusters: 1 3 4 | 2"
std::string Clusters(const v1::RunSetAssessment& set) {
  const v1::RunClusters& same = set.same();
  if (same.clusters() < 2) return "1 cluster";
  std::vector<std::string> clusters(same.clusters());
  for (int run = 0; run < same.labels_size(); ++run) {
    if (same.labels(run) >= clusters.size()) continue;
    std::string& cluster = clusters[same.labels(run)];
    cluster += (cluster.empty() ? "" : " ") + RunName(set, static_cast<std::uint64_t>(run));
  }
  std::string text = std::to_string(clusters.size()) + " clusters: ";
  for (std::size_t i = 0; i < clusters.size(); ++i) text += (i > 0 ? " | " : "") + clusters[i];
  return text;
}

std::string RenderOne(const AssessedFile& file, const v1::RunSetAssessment& set, bool shape_variant,
                      const Style& style) {
  std::string text = NameOf(file, set) + ": " + std::to_string(set.runs()) + " runs of " +
                     std::to_string(set.values()) + " values";
  if (set.cut() > 0) text += ", up to " + std::to_string(set.cut()) + " more left out";
  text += "\n\n";
  const v1::MajorityVote& vote = shape_variant ? set.shape() : set.literal();
  Rows rows{{"", "mean", "largest", "of runs"}};
  for (int m = 0; m < vote.measures_size(); ++m) {
    const v1::PairMeasure& measure = vote.measures(m);
    rows.push_back(
        {"M" + std::to_string(m + 1), Decimals(measure.mean()), Decimals(measure.max()),
         RunName(set, measure.max_first()) + " and " + RunName(set, measure.max_second())});
  }
  text += AlignColumns(rows, 3) + "\n";
  const std::string threshold = FormatRoundTrip(file.response.threshold());
  const auto votes = [&](const v1::MajorityVote& of) {
    return std::to_string(of.above()) + " of 5 above " + threshold;
  };
  Rows methods;
  methods.push_back(
      {"literal", ResemblanceText(set.literal().resemblance(), style), votes(set.literal())});
  methods.push_back(
      {"shape", ResemblanceText(set.shape().resemblance(), style), votes(set.shape())});
  methods.push_back({"SAME", ResemblanceText(set.same().resemblance(), style), Clusters(set)});
  for (const std::vector<std::string>& row : methods) {
    text += PadRight(row[0], 9) + PadRight(row[1], 17) + row[2] + "\n";
  }
  text += "\nrun " + RunName(set, set.differs_most()) + " differs most\n";
  if (!set.assessable()) text += "fewer than 50 values a run: too few to tell\n";
  return text;
}

std::string RenderMany(std::span<const AssessedFile> files, bool shape_variant,
                       const Style& style) {
  Rows rows{{"", "runs", "values", "M1", "M2", "M3", "M4", "M5", "differs most", "literal", "shape",
             "SAME"}};
  for (const AssessedFile& file : files) {
    for (const v1::RunSetAssessment& set : file.response.sets()) {
      const v1::MajorityVote& vote = shape_variant ? set.shape() : set.literal();
      std::vector<std::string> row{NameOf(file, set), std::to_string(set.runs()),
                                   std::to_string(set.values())};
      for (const v1::PairMeasure& measure : vote.measures())
        row.push_back(Decimals(measure.mean()));
      row.push_back(RunName(set, set.differs_most()));
      row.push_back(ResemblanceText(set.literal().resemblance(), style));
      row.push_back(ResemblanceText(set.shape().resemblance(), style));
      row.push_back(ResemblanceText(set.same().resemblance(), style));
      rows.push_back(std::move(row));
    }
  }
  return AlignColumns(rows);
}

std::string RenderConfusion(const v1::AgreementResponse& response, const v1::Confusion& confusion) {
  const int categories = response.categories_size();
  std::vector<std::string> head{Printable(response.truth() + " \\ " + confusion.rater())};
  for (const std::string& category : response.categories()) head.push_back(Printable(category));
  head.push_back("sensitivity");
  head.push_back("specificity");
  Rows rows{head};
  for (int truth = 0; truth < categories; ++truth) {
    std::vector<std::string> row{Printable(response.categories(truth))};
    for (int rated = 0; rated < categories; ++rated) {
      row.push_back(std::to_string(confusion.counts(truth * categories + rated)));
    }
    const v1::CategoryScore& score = confusion.scores(truth);
    row.push_back(score.has_sensitivity() ? Decimals(score.sensitivity()) : "-");
    row.push_back(score.has_specificity() ? Decimals(score.specificity()) : "-");
    rows.push_back(std::move(row));
  }
  return AlignColumns(rows, 3) + "accuracy " + Decimals(confusion.accuracy()) + "\n";
}

bool IsComplete(const v1::AgreementResponse& response, const v1::Confusion& confusion) {
  const int categories = response.categories_size();
  return confusion.counts_size() == categories * categories &&
         confusion.scores_size() == categories;
}

}  // namespace

std::string RenderSimilarity(std::span<const AssessedFile> files, bool shape_variant,
                             const Style& style) {
  if (files.size() == 1 && files.front().response.sets_size() == 1) {
    return RenderOne(files.front(), files.front().response.sets(0), shape_variant, style);
  }
  return RenderMany(files, shape_variant, style);
}

std::string RenderAgreement(const v1::AgreementResponse& response, const Style& style) {
  std::string text = std::to_string(response.raters_size()) + " raters, " +
                     std::to_string(response.subjects()) + " subjects: Fleiss' kappa " +
                     Decimals(response.kappa()) + ", " +
                     Paint(Printable(response.band()), Tint::kBold, style) + "\n";
  Rows rows{{"", "alike", "kappa", ""}};
  for (const v1::RaterPair& pair : response.pairs()) {
    rows.push_back({Printable(pair.first() + ", " + pair.second()),
                    FormatPercent(std::round(1000 * pair.agreement()) / 1000),
                    Decimals(pair.kappa()), Printable(pair.band())});
  }
  if (rows.size() > 2) text += "\n" + AlignColumns(rows, 3);
  for (const v1::Confusion& confusion : response.confusions()) {
    if (IsComplete(response, confusion)) {
      text += "\n" + RenderConfusion(response, confusion);
    }
  }
  return text;
}

}  // namespace benchd::client
