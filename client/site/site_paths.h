#pragma once

#include <string>
#include <string_view>

namespace benchd::client {

// The names of a site's files. Pure.

/// Returns the name, without an extension, of the files about a benchmark.
///
/// It consists of lower-case letters, digits, `.`, `_` and `-`, begins with a letter, a digit or
/// `_`, and has at most 110 bytes. It depends on nothing but its arguments, so that an address
/// stays valid whatever other benchmarks there are, and is unique: a name that is not made of these
/// characters ends in a part of its SHA-256, and so does one that looks as if it did.
///
/// @param series  GateSummary::series, which distinguishes benchmarks of the same name
std::string FileStem(std::string_view benchmark, std::string_view series);

inline constexpr std::string_view kIndexPath = "index.html";
inline constexpr std::string_view kFeedPath = "feed.json";
/// Returns the place of a benchmark's page below the folder of the site: "benchmark/parse.html".
std::string PagePath(const std::string& stem);
/// Returns the place of a benchmark's badge: "badge/parse.svg".
std::string BadgePath(const std::string& stem);

/// Returns whether a site may have a file there. Such a path has at most one folder and no `..`.
bool IsSitePath(std::string_view path);

}  // namespace benchd::client
