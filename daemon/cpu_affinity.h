#pragma once

#include <vector>

#include "core/base/result.h"

namespace benchd {

/// Confines every thread of this process to `cpus`; threads made later inherit it.
///
/// Benchmarks run elsewhere: no thread of the daemon may disturb them, gRPC's included. An empty
/// list changes nothing.
/// @errors kInvalidArgument when the kernel takes none of these CPUs.
Result<void> ConfineProcess(const std::vector<int>& cpus);

}  // namespace benchd
