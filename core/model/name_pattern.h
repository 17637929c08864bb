#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace benchd {

/// A pattern for names. `*` matches any text, including slashes, and `?` matches one UTF-8
/// character. Every other character, such as a bracket, matches itself, because harnesses print
/// names like `test_sort[100]`.
///
/// A match takes time proportional to the name times the pattern / 64, whatever both contain.
class NamePattern {
 public:
  explicit NamePattern(std::string_view text);

  /// Returns whether the pattern matches the whole name.
  bool Matches(std::string_view name) const { return Match(name, false); }
  /// Returns whether the pattern matches the whole name, or all of it after one of its slashes.
  bool MatchesNameOrTail(std::string_view name) const { return Match(name, true); }

 private:
  bool Match(std::string_view name, bool tails) const;

  // The state i means that the first i elements are matched; an element is a byte or `?`.
  std::size_t last_ = 0;                   // the state in which the whole pattern is matched
  std::size_t words_ = 0;                  // of 64 states each
  std::vector<std::uint64_t> takes_;       // by byte: the states whose next element is that byte
  std::vector<std::uint64_t> asterisks_;   // the states that any byte leaves as they are
  std::vector<std::uint64_t> characters_;  // those after `?`, which the rest of a character leaves
};

/// Returns whether a pattern matches a whole name.
bool MatchesPattern(std::string_view pattern, std::string_view name);
/// Returns whether `name` contains `*` or `?`.
bool IsPattern(std::string_view name);

}  // namespace benchd
