#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "core/analysis/metric_catalog.h"
#include "core/model/session.h"

namespace benchd {

/// `metric_missing`: one arm never printed what another did; such metrics are in no comparison.
Warning MissingInArm(std::span<const std::size_t> metrics, const MetricCatalog& catalog,
                     const std::string& benchmark, const std::string& arm);

/// `no_ratio`: metrics of a harness that have no relative change to gate on (NotGatedByDefault()).
Warning NoRatio(std::span<const std::size_t> metrics, const MetricCatalog& catalog,
                const std::string& benchmark);

}  // namespace benchd
