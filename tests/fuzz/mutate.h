#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace benchd::fuzz {

/// Mutation number `run` of `seed`: a text of the corpus (not empty) with a few bytes or pieces
/// replaced, inserted, removed, repeated, or taken from another text. The same three arguments give
/// the same text on every machine.
std::string Mutated(std::span<const std::string> corpus, std::uint64_t seed, std::uint64_t run);

}  // namespace benchd::fuzz
