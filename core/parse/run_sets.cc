#include "core/parse/run_sets.h"

#include <utility>

#include "core/base/error.h"
#include "core/parse/run_set_csv.h"
#include "core/parse/run_set_json.h"
#include "core/parse/run_set_raw.h"

namespace benchd {
namespace {

bool BeginsAsJson(std::string_view data) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (data.starts_with(kMark)) data.remove_prefix(kMark.size());
  const std::size_t first = data.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && (data[first] == '[' || data[first] == '{');
}

Result<std::vector<RunSet>> Alone(Result<RunSet> set) {
  if (!set) return std::move(set).error();
  std::vector<RunSet> sets;
  sets.push_back(std::move(set).value());
  return sets;
}

}  // namespace

Result<std::vector<RunSet>> ParseRuns(std::string_view data, const RunsLayout& layout,
                                      const RunSetLimits& limits) {
  const bool shaped = layout.runs > 0 || layout.values > 0;
  RunsFormat format = layout.format;
  if (format == RunsFormat::kByContent) {
    format = shaped ? RunsFormat::kRaw : BeginsAsJson(data) ? RunsFormat::kJson : RunsFormat::kCsv;
  }
  if (shaped != (format == RunsFormat::kRaw)) {
    return InvalidArgument("shape",
                           shaped ? "only raw doubles have one, CSV and JSON say it "
                                    "themselves"
                                  : "raw doubles do not say how many runs they are",
                           "--shape RxN goes with raw doubles");
  }
  if (format == RunsFormat::kRaw) {
    return Alone(ParseRunsRaw(data, layout.runs, layout.values, limits));
  }
  if (format == RunsFormat::kJson) return ParseRunsJson(data, limits);
  return Alone(ParseRunsCsv(data, limits));
}

}  // namespace benchd
