#include "daemon/rpc/similarity_reactor.h"

#include <string>
#include <utility>

#include "proto/convert/enum_tables.h"

namespace benchd::rpc {
namespace {

constexpr convert::EnumTable<v1::RunsFormat, RunsFormat, 4> kFormats{{
    {v1::RUNS_FORMAT_UNSPECIFIED, RunsFormat::kByContent},
    {v1::RUNS_FORMAT_CSV, RunsFormat::kCsv},
    {v1::RUNS_FORMAT_JSON, RunsFormat::kJson},
    {v1::RUNS_FORMAT_RAW, RunsFormat::kRaw},
}};
constexpr convert::EnumTable<v1::Resemblance, Resemblance, 4> kResemblances{{
    {v1::RESEMBLANCE_SIMILAR, Resemblance::kSimilar},
    {v1::RESEMBLANCE_DISSIMILAR, Resemblance::kDissimilar},
    {v1::RESEMBLANCE_SPIKES, Resemblance::kSpikes},
    {v1::RESEMBLANCE_NOT_ASSESSABLE, Resemblance::kNotAssessable},
}};

const char* Label(Resemblance resemblance) {
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

void VoteToProto(const MajorityVote& vote, Resemblance resemblance, v1::MajorityVote* to) {
  for (const PairMeasure& measure : vote.measures) {
    v1::PairMeasure* added = to->add_measures();
    added->set_mean(measure.mean);
    added->set_max(measure.max);
    added->set_max_first(measure.first);
    added->set_max_second(measure.second);
  }
  to->set_above(static_cast<std::uint32_t>(vote.above));
  to->set_resemblance(convert::WireValue(kResemblances, resemblance));
}

void SetToProto(const RunSetReport& report, SimilarityVariant variant, v1::RunSetAssessment* to) {
  const SimilarityAssessment& found = report.assessment;
  to->set_name(report.name);
  to->set_runs(found.runs);
  to->set_values(found.values);
  for (const std::string& name : report.run_names) to->add_run_names(name);
  to->set_assessable(found.Assessable());
  to->set_resemblance(convert::WireValue(kResemblances, found.By(variant)));
  VoteToProto(found.literal, found.by_literal, to->mutable_literal());
  VoteToProto(found.shape, found.by_shape, to->mutable_shape());
  v1::RunClusters* same = to->mutable_same();
  same->mutable_labels()->Add(found.same.labels.begin(), found.same.labels.end());
  same->mutable_merge_heights()->Add(found.same.merge_heights.begin(),
                                     found.same.merge_heights.end());
  same->set_clusters(found.same.clusters);
  same->set_resemblance(convert::WireValue(kResemblances, found.by_same));
  to->set_differs_most(found.differs_most);
  to->set_cut(report.cut);
}

}  // namespace

Result<SimilarityRequest> FromProto(const v1::SimilarityOptions& proto) {
  SimilarityRequest request;
  const std::optional<RunsFormat> format = convert::ModelValue(kFormats, proto.format());
  if (!format) {
    return InvalidArgument(
        "format",
        "this benchd does not know the value " + std::to_string(static_cast<int>(proto.format())),
        "is the client newer than the daemon?");
  }
  request.layout = {*format, proto.runs(), proto.values()};
  if (proto.has_threshold()) request.options.threshold = proto.threshold();
  if (proto.shape_variant()) request.options.variant = SimilarityVariant::kShape;
  request.cut_to_shortest = proto.cut_to_shortest();
  return request;
}

void ToProto(const std::vector<RunSetReport>& reports, const SimilarityRequest& request,
             v1::AssessSimilarityResponse* to) {
  const SimilarityVariant variant = request.options.variant;
  to->set_threshold(request.options.threshold);
  for (const RunSetReport& report : reports) SetToProto(report, variant, to->add_sets());
  if (reports.empty()) return;
  const SimilarityAssessment& first = reports.front().assessment;
  to->set_assessable(first.Assessable());
  to->set_similar(first.By(variant) == Resemblance::kSimilar);
  to->set_label(Label(first.By(variant)));
  const MajorityVote& vote = variant == SimilarityVariant::kShape ? first.shape : first.literal;
  for (const PairMeasure& measure : vote.measures) to->add_measures(measure.mean);
}

Result<void> SimilarityReactor::Take(const v1::AssessSimilarityRequest& request) {
  switch (request.part_case()) {
    case v1::AssessSimilarityRequest::kOptions: {
      if (options_) return InvalidArgument("options", "came twice", "send them once, and first");
      Result<SimilarityRequest> options = FromProto(request.options());
      if (!options) return std::move(options).error();
      options_ = *options;
      return {};
    }
    case v1::AssessSimilarityRequest::kChunk:
      if (Result<void> ready = CheckComplete(); !ready) return ready;
      return TakeChunk(request.chunk());
    case v1::AssessSimilarityRequest::PART_NOT_SET:
      break;
  }
  return InvalidArgument("part", "a message has neither options nor a chunk");
}

Result<void> SimilarityReactor::CheckComplete() {
  if (options_) return {};
  return InvalidArgument("options", "did not come first", "send them, then the file");
}

Result<void> SimilarityReactor::Compute(std::string_view data,
                                        v1::AssessSimilarityResponse* response) {
  const Result<std::vector<RunSetReport>> reports =
      AssessFile(data, *options_, [this] { return unwanted(); });
  if (!reports) return reports.error();
  ToProto(*reports, *options_, response);
  return {};
}

}  // namespace benchd::rpc
