#include "core/parse/harness_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "core/base/text.h"
#include "core/base/try.h"
#include "core/parse/adapter.h"
#include "core/parse/harness_builder.h"

namespace benchd {
namespace {

/// Joins the outputs of several files.
class JoinedOutput {
 public:
  /// @errors those of ParseHarnessFiles() that concern several files, without a name
  Result<void> Add(HarnessOutput more) {
    scales_.clear();
    for (MetricInfo& metric : more.metrics) {
      TRY_VOID(AddMetric(std::move(metric)));
    }
    if (joined_.samples.size() + more.samples.size() > kMaxSamples) {
      return Error{ErrorCode::kInvalidArgument,
                   fmt::format("more than {} values in one run", kMaxSamples),
                   "make the program write a summary of its values"};
    }
    for (Sample& sample : more.samples) {
      const std::string& inner = sample.inner_benchmark;
      const std::string key = inner.empty() ? sample.metric : inner + "/" + sample.metric;
      sample.iteration = counts_[key]++;
      if (const auto scale = scales_.find(key); scale != scales_.end()) {
        sample.value = Scaled({sample.value, 0}, scale->second).value;
      }
      joined_.samples.push_back(std::move(sample));
    }
    for (InnerExit& exit : more.exits) joined_.exits.push_back(std::move(exit));
    joined_.means_alone = joined_.means_alone || more.means_alone;
    return {};
  }

  HarnessOutput Take() && { return std::move(joined_); }

 private:
  Result<void> AddMetric(MetricInfo metric) {
    const auto [place, is_new] = known_.emplace(metric.name, joined_.metrics.size());
    if (is_new) {
      joined_.metrics.push_back(std::move(metric));
      return {};
    }
    MetricInfo& known = joined_.metrics[place->second];
    const auto scale = TimeScale(metric.unit, known.unit);
    if (scale && metric.unit != known.unit) {
      metric.resolution = Scaled({metric.resolution, 0}, *scale).value;
      scales_.insert_or_assign(metric.name, *scale);
    } else if (metric.unit != known.unit) {
      return Error{ErrorCode::kInvalidArgument,
                   fmt::format("{} has the unit {}, but had {} in another file", Quoted(known.name),
                               Quoted(metric.unit), Quoted(known.unit)),
                   "write all values of a metric in the same unit"};
    }
    if (metric.better != known.better) {
      return Error{ErrorCode::kInvalidArgument,
                   Quoted(known.name) + " has another direction in another file",
                   "state the same direction in each file"};
    }
    known.by_name_only = known.by_name_only && metric.by_name_only;
    // 0 means "unknown".
    if (known.resolution == 0 || metric.resolution == 0) {
      known.resolution = std::max(known.resolution, metric.resolution);
    } else {
      known.resolution = std::min(known.resolution, metric.resolution);
    }
    return {};
  }

  HarnessOutput joined_;
  std::map<std::string, std::size_t> known_;     // index of a metric
  std::map<std::string, std::uint32_t> counts_;  // samples of a metric
  std::map<std::string, UnitScale> scales_;      // from the unit of the present file
};

using ReadOneFile = std::function<Result<HarnessOutput>(std::string_view)>;

/// Reads each file on its own.
Result<HarnessOutput> ReadEach(std::span<const HarnessResult> files, const ReadOneFile& read) {
  JoinedOutput joined;
  for (const HarnessResult& file : files) {
    auto output = read(file.text);
    if (!output) return std::move(output).error().Within(file.name);
    if (auto added = joined.Add(*std::move(output)); !added) {
      return std::move(added).error().Within(file.name);
    }
  }
  return std::move(joined).Take();
}

/// Reads files by an adapter, some of which may have nothing that it matches.
Result<HarnessOutput> ReadByAdapter(std::span<const HarnessResult> files, const Adapter& adapter) {
  return ReadEach(files, [&](std::string_view text) -> Result<HarnessOutput> {
    TRY(auto reading, adapter.Read(text));
    // Which makes an error of the failure.
    if (!reading.failures.empty()) return ParseWithAdapter(adapter, text);
    return std::move(reading.output);
  });
}

std::string AllTexts(std::span<const HarnessResult> files) {
  return Join(files, "\n", [](const HarnessResult& file) { return std::string(file.text); });
}

}  // namespace

Result<HarnessOutput> ParseHarnessFiles(std::string_view format,
                                        std::span<const HarnessResult> files,
                                        std::string_view adapter) {
  const auto whole = [&](std::string_view text) {
    return ParseHarnessOutput(format, text, adapter);
  };
  if (files.size() == 1) return ReadEach(files, whole);
  // The files of a benchmark: one has its name, and another its samples.
  if (format == "criterion" && adapter.empty()) return whole(AllTexts(files));
  const ShippedAdapter* const shipped = FindShippedAdapter(format);
  if (adapter.empty() && shipped == nullptr) return ReadEach(files, whole);
  TRY(const auto compiled, Adapter::Parse(adapter.empty() ? shipped->text : adapter));
  TRY(auto output, ReadByAdapter(files, compiled));
  // For the error of an output without values, which is the same for all files.
  if (output.samples.empty()) return whole(files.front().text);
  return output;
}

}  // namespace benchd
