#include "client/table_options.h"

#include <string>
#include <utility>
#include <vector>

#include "benchd/v1/session.pb.h"
#include "client/column_option.h"
#include "client/core_error.h"
#include "client/quantity.h"
#include "client/session_options.h"
#include "client/spec_builder.h"
#include "proto/convert/from_proto.h"

namespace benchd::client {
namespace {

Outcome<void> AddReference(const std::string& name, const std::string& origin,
                           benchd::TableOptions* options) {
  if (name.empty()) return UsageError(origin + ": a name is empty", "write --references v1,v2");
  if (!IsSendableText(name)) return UsageError(origin + ": it is not UTF-8");
  options->references.push_back(name);
  return {};
}

// --base takes a name whole, --references a list.
Outcome<void> AddReferences(const ParsedArguments& arguments, benchd::TableOptions* options) {
  if (IsGiven(arguments, "base") && IsGiven(arguments, "references")) {
    return UsageError("--references: --base says the same already", "give one of the two");
  }
  for (const GivenOption& given : arguments.options) {
    if (given.name != "base" && given.name != "references") continue;
    const std::string origin = "--" + given.name + " " + given.value;
    const bool is_list = given.name == "references";
    for (const std::string& name :
         is_list ? SplitNames(given.value) : std::vector<std::string>{given.value}) {
      if (auto added = AddReference(name, origin, options); !added) return added;
    }
  }
  return {};
}

Outcome<void> AddColumns(const ParsedArguments& arguments, benchd::TableOptions* options) {
  for (const GivenOption& given : arguments.options) {
    if (given.name != "column") continue;
    const std::string origin = "--column " + given.value;
    if (!IsSendableText(given.value)) return UsageError(origin + ": it is not UTF-8");
    auto column = ParseColumn(given.value);
    if (!column) return std::move(column).error().Within(origin);
    for (const TableColumn& other : options->columns) {
      if (other.metric == column->metric) {
        return UsageError(origin + ": the column is described already",
                          "write all that is to say in one: NAME:lower,unit=ms");
      }
    }
    options->columns.push_back(*std::move(column));
  }
  return {};
}

Outcome<void> SetShown(const ParsedArguments& arguments, benchd::TableOptions* options) {
  if (const std::string* interval = LastValue(arguments, "interval"); interval != nullptr) {
    if (*interval != "classic") {
      return UsageError("--interval " + *interval + ": unknown value", "write classic");
    }
    options->classic_interval = true;
  }
  if (const std::string* stars = LastValue(arguments, "stars"); stars != nullptr) {
    if (*stars != "welch" && *stars != "mmtests") {
      return UsageError("--stars " + *stars + ": unknown value", "write welch or mmtests");
    }
    options->summaries = true;
    options->mmtests_stars = *stars == "mmtests";
  }
  options->histograms = IsGiven(arguments, "histogram");
  return {};
}

}  // namespace

Outcome<benchd::TableOptions> ReadTableOptions(const ParsedArguments& arguments) {
  benchd::TableOptions options;
  auto spec = BuildTableSpec(CollectSessionOptions(arguments));
  if (!spec) return std::move(spec).error();
  auto taken = convert::FromProto(*spec);
  if (!taken) return FromError(taken.error());
  options.spec = std::move(taken).value();
  if (spec->method() != v1::METHOD_UNSPECIFIED) options.method = options.spec.method;
  for (Outcome<void> step : {AddReferences(arguments, &options), AddColumns(arguments, &options),
                             SetShown(arguments, &options)}) {
    if (!step) return std::move(step).error();
  }
  return options;
}

}  // namespace benchd::client
