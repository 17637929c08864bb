#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "benchd/v1/session.pb.h"
#include "core/analysis/sequential_design.h"
#include "core/model/session_spec.h"

namespace benchd::client {

// Hand-made messages in the form that a daemon sends, with invented numbers.

/// The same with the findings that the daemon computes of its comparisons: geometric means, and
/// what would decide the gates that are open.
v1::Update WithFindings(v1::Update update, const SessionSpec& spec = {},
                        DataSource source = DataSource::kSession);

/// One gate (wall_time, regression at 12 blocks) and two info metrics.
v1::Update RegressionUpdate();

/// Still running after 6 blocks: estimates without intervals, nothing decided.
v1::Update EarlyUpdate();

/// Paused after 6 blocks, because the disk is full.
v1::Update PausedUpdate();

/// Two benchmarks, three gates: a pass, an open one, a regression with an absolute margin.
v1::Update SuiteUpdate();

v1::Started SampleStarted();

/// A failed run whose stderr contains an escape sequence.
v1::Failed SampleFailed();

/// A finished session with RegressionUpdate() as its report and a complete spec.
v1::Session SampleSession();

/// A finished session with SuiteUpdate() as its report, without a spec.
v1::Session SuiteSession();

/// Two warm-up runs, then two blocks of both arms. One run lacks a metric, and names need quoting.
std::vector<v1::Run> SampleRuns();

/// SampleSession() and SampleRuns() in the form of `export --format json`, from that machine.
std::string SampleExport(const std::string& machine);

/// Returns the session in an export format, without runs.
std::string Exported(std::string_view format, const v1::Session& session);

/// An event of session k3x9m2pq at 2026-01-02T03:04:05.678Z with `set` applied.
template <typename Set>
v1::SessionEvent Event(Set set) {
  v1::SessionEvent event;
  event.set_session("k3x9m2pq");
  event.mutable_time()->set_seconds(1767323045);
  event.mutable_time()->set_nanos(678000000);
  set(event);
  return event;
}

}  // namespace benchd::client
