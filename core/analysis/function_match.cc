#include "core/analysis/function_match.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <unordered_map>

#include "core/analysis/function_names.h"

namespace benchd {
namespace {

// The functions of both arms with one name.
struct Namesakes {
  std::uint32_t in_reference = 0;
  std::uint32_t in_candidate = 0;
  MatchedFunction last;
};

std::uint8_t HowSeen(const FunctionTable& table, std::uint32_t function, const SeenVariants& seen) {
  std::uint8_t how = 0;
  for (const std::uint32_t variant : table.VariantsOf(function)) {
    if (variant < seen.size()) how |= seen[variant];
  }
  return how;
}

}  // namespace

FunctionMatcher::FunctionMatcher(const FunctionTable& table) : table_(table) {
  for (std::vector<std::string>& names : left_) names.reserve(table.functions());
  for (std::uint32_t function = 0; function < table.functions(); ++function) {
    const std::string& name = table.NameOf(function);
    left_[0].emplace_back(WithoutSourceFile(name));
    left_[1].push_back(WithoutTemplateArguments(name));
    left_[2].push_back(QualifiedNameOf(name));
  }
}

std::vector<std::uint8_t> FunctionMatcher::FunctionsOf(const SeenVariants& seen) const {
  std::vector<std::uint8_t> functions(table_.functions());
  for (std::uint32_t variant = 0; variant < seen.size(); ++variant) {
    functions[table_.FunctionOf(variant)] |= seen[variant];
  }
  return functions;
}

std::vector<MatchedFunction> FunctionMatcher::Match(const SeenVariants& reference,
                                                    const SeenVariants& candidate) const {
  const std::vector<std::uint8_t> in_reference = FunctionsOf(reference);
  const std::vector<std::uint8_t> in_candidate = FunctionsOf(candidate);
  std::vector<MatchedFunction> found;
  std::vector<bool> taken(table_.functions());
  bool lost = false;
  bool gained = false;
  for (std::uint32_t function = 0; function < taken.size(); ++function) {
    const bool old = in_reference[function] != 0;
    const bool now = in_candidate[function] != 0;
    taken[function] = old == now || IsUnnamedFunction(table_.NameOf(function));
    if (old && now) found.push_back({function, function});
    lost = lost || (old && !taken[function]);
    gained = gained || (now && !taken[function]);
  }
  if (lost && gained) {
    for (std::size_t guess = 0; guess < kGuesses; ++guess) {
      Guess(guess, in_reference, in_candidate, found, taken);
    }
  }
  for (std::uint32_t function = 0; function < taken.size(); ++function) {
    if (taken[function]) continue;
    MatchedFunction& alone = found.emplace_back();
    (in_reference[function] != 0 ? alone.reference : alone.candidate) = function;
  }
  return found;
}

// Matches functions that are not taken, and of which no other function has what is left of their
// names.
void FunctionMatcher::Guess(std::size_t guess, std::span<const std::uint8_t> reference,
                            std::span<const std::uint8_t> candidate,
                            std::vector<MatchedFunction>& found, std::vector<bool>& taken) const {
  std::unordered_map<std::string_view, Namesakes> by_name;
  for (std::uint32_t function = 0; function < taken.size(); ++function) {
    if (reference[function] == 0 && candidate[function] == 0) continue;
    Namesakes& namesakes = by_name[left_[guess][function]];
    if (reference[function] != 0) {
      ++namesakes.in_reference;
      namesakes.last.reference = function;
    }
    if (candidate[function] != 0) {
      ++namesakes.in_candidate;
      namesakes.last.candidate = function;
    }
  }
  for (std::uint32_t function = 0; function < taken.size(); ++function) {
    if (taken[function] || reference[function] == 0) continue;
    const Namesakes& namesakes = by_name.at(left_[guess][function]);
    const bool unique = namesakes.in_reference == 1 && namesakes.in_candidate == 1;
    if (!unique || taken[namesakes.last.candidate]) continue;
    found.push_back(namesakes.last);
    taken[function] = taken[namesakes.last.candidate] = true;
  }
}

// Returns the name of a function in an arm: that of its only variant there, or of the function.
std::string FunctionMatcher::NameIn(std::uint32_t function, const SeenVariants& seen) const {
  const std::string* name = nullptr;
  for (const std::uint32_t variant : table_.VariantsOf(function)) {
    if (variant >= seen.size() || seen[variant] == 0) continue;
    if (name != nullptr) return table_.NameOf(function);
    name = &table_.NameOfVariant(variant);
  }
  return name != nullptr ? *name : table_.NameOf(function);
}

bool FunctionMatcher::ShareAVariant(std::uint32_t function, const SeenVariants& a,
                                    const SeenVariants& b) const {
  return std::ranges::any_of(table_.VariantsOf(function), [&](std::uint32_t variant) {
    return variant < a.size() && variant < b.size() && a[variant] != 0 && b[variant] != 0;
  });
}

void FunctionMatcher::Describe(const MatchedFunction& function, const SeenVariants& reference,
                               const SeenVariants& candidate, FunctionChange& change) const {
  constexpr std::uint32_t kAbsent = MatchedFunction::kAbsent;
  if (function.candidate == kAbsent) {
    change.function = NameIn(function.reference, reference);
    change.presence = Presence::kGone;
    return;
  }
  if (function.reference == kAbsent) {
    change.function = NameIn(function.candidate, candidate);
    change.presence = Presence::kNew;
    return;
  }
  const bool same = function.reference == function.candidate;
  if (same && ShareAVariant(function.reference, reference, candidate)) {
    change.function = WithoutBuild(table_.NameOf(function.reference));
  } else {
    change.function = NameIn(function.candidate, candidate);
    change.matched = NameIn(function.reference, reference);
    if (change.matched == change.function) change.matched.clear();
  }
  const bool own_before = (HowSeen(table_, function.reference, reference) & kSeenOwn) != 0;
  const bool own_now = (HowSeen(table_, function.candidate, candidate) & kSeenOwn) != 0;
  if (own_before && !own_now) change.presence = Presence::kInlined;
  if (!own_before && own_now) change.presence = Presence::kOutlined;
}

}  // namespace benchd
