#include <fmt/format.h>

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/text.h"
#include "core/base/try.h"
#include "core/parse/harness_builder.h"
#include "core/parse/harness_output.h"
#include "core/parse/json_records.h"

namespace benchd {
namespace {

constexpr std::string_view kCriterionHint =
    "print the lines of cargo criterion --message-format=json, or each benchmark's files: cat "
    "target/criterion/BENCHMARK/new/*.json";
constexpr std::string_view kFilesHint =
    "print the files of each benchmark side by side: cat target/criterion/BENCHMARK/new/*.json";

/// Reads the lines of cargo-criterion and Criterion's files, which may also be mixed.
class CriterionReader {
 public:
  Result<HarnessOutput> Read(std::string_view text) {
    const JsonLayout layout{.records = JsonRecords::kDocuments, .hint = kCriterionHint};
    const auto take = [this](const std::string&, const JsonValue& record) { return Take(record); };
    TRY_VOID(ReadJsonRecords(text, layout, take));
    if (Result<void> last = FinishFiles(); !last) {
      // As ReadJsonRecords() does for the files before.
      if (last.error().hint.empty()) last.error().hint = kCriterionHint;
      return std::move(last).error();
    }
    TRY(auto output, std::move(builder_).Finish("at least one benchmark"));
    output.means_alone = means_alone_;
    return output;
  }

 private:
  /// The files of one benchmark, as far as they have been read.
  struct Files {
    std::optional<JsonValue> benchmark;
    std::optional<JsonValue> sample;
    std::optional<JsonValue> estimates;
  };

  Result<void> Take(const JsonValue& record) {
    if (const JsonValue* const reason = record.Find("reason")) {
      return reason->text == "benchmark-complete" ? TakeMessage(record) : Result<void>();
    }
    if (record.Find("full_id") != nullptr) return TakeFile(record, files_.benchmark);
    if (record.Find("iters") != nullptr) return TakeFile(record, files_.sample);
    if (record.Find("median_abs_dev") != nullptr) return TakeFile(record, files_.estimates);
    // tukey.json, four bounds of outliers.
    if (record.kind == JsonValue::Kind::kArray) return {};
    return JsonError(record.line, "neither a message of cargo-criterion nor a file of Criterion");
  }

  /// Adds the samples of a message "benchmark-complete".
  Result<void> TakeMessage(const JsonValue& message) {
    TRY(const auto name, RequiredText(message, "id"));
    TRY(const auto unit, RequiredText(message, "unit"));
    TRY(const auto* const iterations, RequiredList(message, "iteration_count"));
    TRY(const auto* const measured, RequiredList(message, "measured_values"));
    TRY_VOID(CheckOnce(name, message.line));
    // Criterion calls a lower value an improvement, whatever is measured.
    if (const auto seconds = SecondsIn(unit)) {
      return AddSamples({name, "time", "s", Better::kLower}, *measured, *iterations, *seconds);
    }
    return AddSamples({name, "measurement", unit, Better::kLower}, *measured, *iterations, {});
  }

  Result<void> CheckOnce(const std::string& name, std::size_t line) {
    if (seen_.insert(name).second) return {};
    return JsonError(line, Quoted(name) + " occurs twice", "give every benchmark its own name");
  }

  /// Adds one value for each sample.
  Result<void> AddSamples(const HarnessMetric& metric, const JsonValue& measured,
                          const JsonValue& iterations, const UnitScale& scale) {
    const std::string of = Quoted(metric.inner);
    if (measured.items.empty() || measured.items.size() != iterations.items.size()) {
      return JsonError(
          measured.line,
          fmt::format(
              "expected a measured value of {} for each count of iterations, found {} for {}", of,
              measured.items.size(), iterations.items.size()));
    }
    for (std::size_t i = 0; i < measured.items.size(); ++i) {
      TRY(const auto value, AsNumber(measured.items[i], "a sample of " + of));
      TRY(const auto count, AsNumber(iterations.items[i], "a count of iterations of " + of));
      if (!(count.value >= 1)) {
        return JsonError(iterations.items[i].line, "expected at least 1 iteration of " + of);
      }
      const UnitScale per_iteration{scale.times, scale.over * count.value};
      TRY_VOID(builder_.AddAt(measured.items[i].line, metric, Scaled(value, per_iteration)));
    }
    return {};
  }

  /// Takes a file of the current benchmark, or of the next one if the current one has such a file.
  Result<void> TakeFile(const JsonValue& record, std::optional<JsonValue>& place) {
    if (place) {
      TRY_VOID(FinishFiles());
    }
    place = record;
    return {};
  }

  /// Adds the values of the files read.
  Result<void> FinishFiles() {
    const Files files = std::exchange(files_, {});
    const JsonValue* const values = files.sample      ? &*files.sample
                                    : files.estimates ? &*files.estimates
                                                      : nullptr;
    if (values == nullptr && !files.benchmark) return {};
    std::string name;
    if (files.benchmark) {
      TRY(name, RequiredText(*files.benchmark, "full_id"));
    }
    if (values == nullptr) {
      return JsonError(files.benchmark->line, "expected the sample.json of " + Quoted(name),
                       kFilesHint);
    }
    if (!files.benchmark && !seen_.empty()) {
      return JsonError(values->line, "expected the benchmark.json of these values", kFilesHint);
    }
    TRY_VOID(CheckOnce(name, values->line));
    const HarnessMetric time{name, "time", "s", Better::kLower};
    return files.sample ? AddSampleFile(time, *values) : AddEstimate(time, *values);
  }

  Result<void> AddSampleFile(const HarnessMetric& time, const JsonValue& sample) {
    TRY(const auto* const iterations, RequiredList(sample, "iters"));
    TRY(const auto* const measured, RequiredList(sample, "times"));
    return AddSamples(time, *measured, *iterations, {1, 1e9});
  }

  /// Adds what Criterion itself reports: the slope, or the mean if all samples have equally many
  /// iterations.
  Result<void> AddEstimate(const HarnessMetric& time, const JsonValue& estimates) {
    const JsonValue* estimate = estimates.Find("slope");
    if (IsAbsent(estimate)) estimate = estimates.Find("mean");
    if (IsAbsent(estimate)) {
      return JsonError(estimates.line, "missing object 'mean' of " + Quoted(time.inner));
    }
    TRY(const auto number, RequiredNumber(*estimate, "point_estimate"));
    means_alone_ = true;
    return builder_.AddAt(estimate->line, time, Scaled(number, {1, 1e9}));
  }

  Files files_;
  bool means_alone_ = false;
  std::set<std::string> seen_;
  HarnessBuilder builder_{kCriterionHint};
};

}  // namespace

Result<HarnessOutput> ParseCriterion(std::string_view text) { return CriterionReader().Read(text); }

}  // namespace benchd
