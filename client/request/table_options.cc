#include "client/request/table_options.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "benchd/v1/session.pb.h"
#include "client/present/units.h"
#include "client/request/quantity.h"
#include "client/request/session_options.h"
#include "client/request/spec_input.h"
#include "core/base/try.h"
#include "proto/convert/convert.h"

namespace benchd::client {
namespace {

Result<void> AddReference(const std::string& name, const std::string& origin,
                          benchd::TableOptions* options) {
  if (name.empty()) return UsageError(origin + ": empty name", "write --references v1,v2");
  if (!IsSendableText(name)) return UsageError(origin + ": not valid UTF-8");
  options->references.push_back(name);
  return {};
}

// Adds the references. The value of --base is one name; the value of --references is a list.
Result<void> AddReferences(const ParsedArguments& arguments, benchd::TableOptions* options) {
  if (IsGiven(arguments, "base") && IsGiven(arguments, "references")) {
    return UsageError("--references: cannot be combined with --base", "give only one of them");
  }
  for (const GivenOption& given : arguments.options) {
    if (given.name != "base" && given.name != "references") continue;
    const std::string origin = "--" + given.name + " " + given.value;
    const bool is_list = given.name == "references";
    for (const std::string& name :
         is_list ? SplitNames(given.value) : std::vector<std::string>{given.value}) {
      TRY_VOID(AddReference(name, origin, options));
    }
  }
  return {};
}

Result<void> AddColumns(const ParsedArguments& arguments, benchd::TableOptions* options) {
  for (const GivenOption& given : arguments.options) {
    if (given.name != "column") continue;
    const std::string origin = "--column " + given.value;
    if (!IsSendableText(given.value)) return UsageError(origin + ": not valid UTF-8");
    auto column = ParseColumn(given.value);
    if (!column) return std::move(column).error().Within(origin);
    for (const TableColumn& other : options->columns) {
      if (other.metric == column->metric) {
        return UsageError(origin + ": column described twice", "combine them: NAME:lower,unit=ms");
      }
    }
    options->columns.push_back(*std::move(column));
  }
  return {};
}

Result<void> AddFilters(const ParsedArguments& arguments, benchd::TableOptions* options) {
  for (const GivenOption& given : arguments.options) {
    if (given.name == "only") options->only.push_back(given.value);
    if (given.name != "label") continue;
    auto label = ParseAssignment(given.value);
    if (!label) return std::move(label).error().Within("--label " + given.value);
    if (!options->labels.insert(*label).second) {
      return UsageError("--label " + given.value + ": a second value of column " + label->first,
                        "give one value per column");
    }
  }
  return {};
}

// Moves the gates of single benchmarks from `session` to `gates`; `session` keeps the others.
Result<void> AddGatesOf(const ParsedArguments& arguments, OptionValues* session,
                        v1::SessionSpec* gates) {
  std::vector<OptionValue> of_all;
  v1::Benchmark* benchmark = nullptr;
  for (const GivenOption& given : arguments.options) {
    const std::string origin = "--" + given.name + " " + given.value;
    if (given.name == "benchmark") {
      if (benchmark != nullptr && benchmark->gates().empty()) break;
      if (given.value.empty() || !IsSendableText(given.value)) {
        return UsageError(origin + ": not a name");
      }
      const auto known = std::ranges::find(gates->benchmarks(), given.value, &v1::Benchmark::name);
      if (known != gates->benchmarks().end()) return UsageError(origin + ": given twice");
      benchmark = gates->add_benchmarks();
      benchmark->set_name(given.value);
    }
    if (given.name != "metric") continue;
    if (benchmark == nullptr) {
      of_all.push_back({given.value, origin});
      continue;
    }
    auto parsed = ParseGate(given.value, {.benchmark = benchmark});
    if (!parsed) return std::move(parsed).error().Within(origin);
  }
  if (benchmark != nullptr && benchmark->gates().empty()) {
    return UsageError("--benchmark " + benchmark->name() + ": no --metric after it",
                      "write --benchmark NAME --metric METRIC...");
  }
  session->erase("metric");
  if (!of_all.empty()) (*session)["metric"] = std::move(of_all);
  return {};
}

void SetShown(const ParsedArguments& arguments, benchd::TableOptions* options) {
  if (const std::string* interval = LastValue(arguments, "interval"); interval != nullptr) {
    options->classic_interval = *interval == "classic";
  }
  if (const std::string* stars = LastValue(arguments, "stars"); stars != nullptr) {
    options->summaries = true;
    options->mmtests_stars = *stars == "mmtests";
  }
  options->histograms = IsGiven(arguments, "histogram");
}

}  // namespace

Result<benchd::TableOptions> ReadTableOptions(const ParsedArguments& arguments) {
  benchd::TableOptions options;
  OptionValues session = CollectSessionOptions(arguments);
  v1::SessionSpec gates;
  TRY_VOID(AddGatesOf(arguments, &session, &gates));
  TRY(auto spec, BuildTableSpec(session));
  const int of_all = spec.benchmarks_size();
  spec.mutable_benchmarks()->MergeFrom(gates.benchmarks());
  TRY(auto taken, convert::FromProto(spec));
  options.spec = std::move(taken);
  const auto own = options.spec.benchmarks.begin() + of_all;
  for (auto benchmark = own; benchmark != options.spec.benchmarks.end(); ++benchmark) {
    options.gates_of[benchmark->name] = std::move(benchmark->gates);
  }
  options.spec.benchmarks.erase(own, options.spec.benchmarks.end());
  if (spec.method() != v1::METHOD_UNSPECIFIED) options.method = options.spec.method;
  for (Result<void> step : {AddReferences(arguments, &options), AddColumns(arguments, &options),
                            AddFilters(arguments, &options)}) {
    if (!step) return std::move(step).error();
  }
  SetShown(arguments, &options);
  return options;
}

namespace {

constexpr std::string_view kUnit = "unit=";
constexpr std::string_view kStep = "step=";
constexpr char kHint[] = "write NAME:lower, NAME:higher,unit=ms or NAME:unit=ms,step=0.001";

bool IsAttribute(std::string_view text) {
  return ValueOf<Better>(text) || text.starts_with(kUnit) || text.starts_with(kStep);
}

Error Wrong(std::string_view attribute, std::string_view why) {
  return UsageError(std::string(attribute) + ": " + std::string(why), kHint);
}

Result<void> SetStep(std::string_view attribute, TableColumn* column) {
  if (column->resolution) return Wrong(attribute, "duplicate step");
  auto step = ParseNumber(attribute.substr(kStep.size()));
  if (!step) return Wrong(attribute, step.error().message);
  if (!(*step > 0)) return Wrong(attribute, "must be above zero");
  column->resolution = *step;
  return {};
}

Result<void> SetAttribute(std::string_view attribute, TableColumn* column) {
  if (attribute.starts_with(kStep)) return SetStep(attribute, column);
  if (attribute.starts_with(kUnit)) {
    if (attribute == kUnit) return Wrong(attribute, "empty unit");
    if (!column->unit.empty()) return Wrong(attribute, "duplicate unit");
    column->unit = attribute.substr(kUnit.size());
    return {};
  }
  if (!IsAttribute(attribute)) {
    return Wrong(attribute.empty() ? "''" : attribute, "unknown attribute");
  }
  if (column->better) {
    return Wrong(attribute, "duplicate direction");
  }
  column->better = ValueOf<Better>(attribute);
  return {};
}

// Returns the position of the attributes: after the rightmost colon that an attribute follows.
std::size_t FindAttributes(std::string_view text) {
  for (std::size_t colon = text.rfind(':'); colon != std::string_view::npos && colon > 0;
       colon = text.rfind(':', colon - 1)) {
    const std::string_view rest = text.substr(colon + 1);
    if (IsAttribute(rest.substr(0, rest.find(',')))) return colon + 1;
  }
  return std::string_view::npos;
}

}  // namespace

Result<TableColumn> ParseColumn(std::string_view text) {
  const std::size_t begin = FindAttributes(text);
  if (begin == std::string_view::npos) {
    return UsageError("expected a column and its attributes", kHint);
  }
  TableColumn column;
  column.metric = text.substr(0, begin - 1);
  std::string_view rest = text.substr(begin);
  while (true) {
    const std::size_t comma = rest.find(',');
    TRY_VOID(SetAttribute(rest.substr(0, comma), &column));
    if (comma == std::string_view::npos) return column;
    rest.remove_prefix(comma + 1);
  }
}

std::string FormatColumn(const TableColumn& column) {
  std::string attributes;
  const auto add = [&attributes](const std::string& text) {
    attributes += (attributes.empty() ? ":" : ",") + text;
  };
  if (column.better) add(std::string(NameOf(*column.better)));
  if (!column.unit.empty() && column.unit.find_first_of(",:") == std::string::npos) {
    add(std::string(kUnit) + column.unit);
  }
  if (column.resolution) {
    add(std::string(kStep) + FormatRoundTrip(*column.resolution));
  }
  return attributes.empty() ? "" : column.metric + attributes;
}

}  // namespace benchd::client
