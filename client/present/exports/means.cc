#include "client/present/exports/means.h"

#include <array>
#include <utility>

namespace benchd::client {
namespace {

std::set<std::pair<std::string, std::string>> PlacebosOf(const v1::SessionSpec& spec) {
  std::set<std::pair<std::string, std::string>> placebos;
  for (const v1::Benchmark& benchmark : spec.benchmarks()) {
    for (const v1::Arm& arm : benchmark.arms()) {
      if (arm.role() == v1::ARM_ROLE_PLACEBO) placebos.emplace(benchmark.name(), arm.name());
    }
  }
  return placebos;
}

}  // namespace

std::vector<const v1::Comparison*> MeansOf(const v1::Session& session) {
  // Sampled runs are slower than others.
  if (session.state() != v1::SESSION_STATE_DONE || session.spec().has_profile()) return {};
  const auto placebos = PlacebosOf(session.spec());
  std::set<std::array<std::string_view, 3>> seen;
  std::vector<const v1::Comparison*> means;
  for (const v1::Comparison& c : session.report().comparisons()) {
    if (!c.has_mean_candidate() || placebos.contains({c.benchmark(), c.candidate()})) continue;
    if (seen.insert({c.benchmark(), c.candidate(), c.metric()}).second) means.push_back(&c);
  }
  return means;
}

std::vector<const v1::Estimate*> MeasuredOf(const v1::Session& session) {
  std::vector<const v1::Estimate*> measured;
  if (session.state() != v1::SESSION_STATE_DONE) return measured;
  for (const v1::Estimate& one : session.report().estimates()) {
    if (one.asked() && one.has_value()) measured.push_back(&one);
  }
  return measured;
}

std::string SeriesNameOf(const v1::Estimate& estimate) {
  return estimate.benchmark() + "/" + estimate.arm();
}

SeriesNames::SeriesNames(const std::vector<const v1::Comparison*>& means) {
  for (const v1::Comparison* c : means) candidates_[c->benchmark()].insert(c->candidate());
}

std::string SeriesNames::Of(const v1::Comparison& c) const {
  const bool alone = candidates_.at(c.benchmark()).size() == 1;
  return alone ? c.benchmark() : c.benchmark() + "/" + c.candidate();
}

}  // namespace benchd::client
