#pragma once

#include <cstddef>

namespace benchd {

/// The maximum size of an adapter's text.
inline constexpr std::size_t kMaxAdapterBytes = std::size_t{64} * 1024;
/// The maximum number of [[metric]] and [[fail]] tables of an adapter.
inline constexpr std::size_t kMaxAdapterRules = 64;
/// The maximum number of RE2's instructions in all expressions of an adapter together. benchd
/// compiles an adapter when it is submitted, and no user may delay the others meanwhile.
inline constexpr int kMaxAdapterInstructions = 20'000;
/// The maximum number of failures that a reading keeps.
inline constexpr std::size_t kMaxAdapterFailures = 20;

}  // namespace benchd
