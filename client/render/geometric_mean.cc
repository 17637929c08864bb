#include "client/render/geometric_mean.h"

#include <vector>

#include "client/render/sentence.h"
#include "client/render/units.h"
#include "core/analysis/geometric_mean.h"
#include "core/base/text.h"
#include "proto/convert/convert.h"

namespace benchd::client {
namespace {

// As far as the mean is made of it.
Comparison GateOf(const v1::Comparison& from) {
  Comparison gate;
  gate.benchmark = from.benchmark();
  gate.reference = from.reference();
  gate.candidate = from.candidate();
  gate.metric = from.metric();
  gate.role = ComparisonRole::kGate;
  gate.confidence = from.confidence();
  gate.method = convert::ToModel<benchd::Method>(from.method()).value_or(benchd::Method::kPaired);
  gate.estimator.kind =
      convert::ToModel<EstimatorKind>(from.estimator().kind()).value_or(EstimatorKind::kMean);
  gate.n_reference = from.n_reference();
  gate.n_candidate = from.n_candidate();
  if (from.has_mean_reference()) gate.mean_reference = from.mean_reference();
  if (from.has_mean_candidate()) gate.mean_candidate = from.mean_candidate();
  if (from.has_sd_reference()) gate.sd_reference = from.sd_reference();
  if (from.has_sd_candidate()) gate.sd_candidate = from.sd_candidate();
  if (from.has_pairing_gain()) gate.pairing_gain = from.pairing_gain();
  if (!from.has_change()) return gate;
  gate.change = Effect{from.change().estimate(), {}, {}};
  if (from.change().has_lo()) gate.change->lo = from.change().lo();
  if (from.change().has_hi()) gate.change->hi = from.change().hi();
  return gate;
}

std::vector<SuiteChange> SuiteChangesOf(const v1::Update& update) {
  std::vector<Comparison> gates;
  for (const v1::Comparison* gate : GatesOf(update)) gates.push_back(GateOf(*gate));
  return ChangesOverBenchmarks(gates);
}

}  // namespace

std::string RenderGeometricMeans(const v1::Update& update, const Style& style) {
  const std::vector<SuiteChange> changes = SuiteChangesOf(update);
  std::string text;
  for (const SuiteChange& one : changes) {
    const auto format = ColumnFormat::OfChanges(one.change.lo, one.change.hi);
    text += "geometric mean of " + Printable(one.metric);
    if (changes.size() > 1) {
      text += ", " + Printable(one.candidate) + " vs " + Printable(one.reference);
    }
    text += ": " + format.WithUnit(format.Signed(one.change.estimate));
    if (one.change.lo && one.change.hi) {
      text += " (" + format.Interval(*one.change.lo, *one.change.hi, style) + ")";
    }
    text += " over " + Counted(one.benchmarks, "benchmark") + "\n";
  }
  return text;
}

void AddGeometricMeans(Json& json, const v1::Update& update) {
  for (const SuiteChange& one : SuiteChangesOf(update)) {
    Json mean;
    mean["reference"] = one.reference;
    mean["candidate"] = one.candidate;
    mean["metric"] = one.metric;
    mean["benchmarks"] = one.benchmarks;
    Put(mean, "confidence", one.confidence);
    Json& change = mean["change"];
    Put(change, "estimate", one.change.estimate);
    if (one.change.lo) Put(change, "lo", *one.change.lo);
    if (one.change.hi) Put(change, "hi", *one.change.hi);
    json["geometric_means"].push_back(std::move(mean));
  }
}

}  // namespace benchd::client
