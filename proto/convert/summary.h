#pragma once

#include <cstdint>

#include "core/base/result.h"
#include "core/model/summary.h"

namespace benchd::v1 {
class ListSummariesRequest;
class Summary;
}  // namespace benchd::v1

namespace benchd::convert {

void ToProto(const GateSummary& summary, v1::Summary* to);

/// @errors kInvalidArgument with the field's name for an enum value nobody knows, or a number that
///         is not finite.
Result<GateSummary> FromProto(const v1::Summary& from);

/// Whose summaries are asked for is left to who asks: `uid` stays absent. A limit of one more than
/// the page has tells whether there is another.
/// @errors kInvalidArgument for a page_token that is none of ours.
Result<SummaryQuery> FromProto(const v1::ListSummariesRequest& from);

}  // namespace benchd::convert
