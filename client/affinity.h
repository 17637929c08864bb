#pragma once

#include <vector>

namespace benchd::client {

/// Moves every thread of this process to `cpus`, so that benchctl never runs where something is
/// measured; threads started later inherit it. An empty list, or CPUs that are not ours, change
/// nothing.
void MoveToCpus(const std::vector<int>& cpus);

}  // namespace benchd::client
