#pragma once

#include <string>

#include "benchd/v1/session.pb.h"
#include "client/render/json.h"
#include "client/render/text.h"

namespace benchd::client {

/// Of a suite, a line for each candidate and metric that gates in several benchmarks: "geometric
/// mean of wall_time: +1.2 % (+0.4 % … +2.0 %) over 5 benchmarks". Else empty.
std::string RenderGeometricMeans(const v1::Update& update, const Style& style);

/// The same for the line `verdict`: adds `geometric_means`, where there are any.
void AddGeometricMeans(Json& json, const v1::Update& update);

}  // namespace benchd::client
