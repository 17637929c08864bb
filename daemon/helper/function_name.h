#pragma once

#include <cstddef>
#include <string>
#include <string_view>

// The names of functions in folded stacks (model/profile.h). Pure.

namespace benchd {

/// The maximum length of a name in bytes, without a suffix of kInlinedSuffix's kind.
inline constexpr std::size_t kMostNameBytes = 508;

inline constexpr std::string_view kInlinedSuffix = "_[i]";
inline constexpr std::string_view kCompiledSuffix = "_[j]";

/// In place of a function: code of a process that belongs to no file and has no name, and an
/// address where nothing is mapped.
inline constexpr std::string_view kAnonymousCode = "[anonymous]";
inline constexpr std::string_view kUnknownCode = "[unknown]";

/// Returns the name of a function as its programmer wrote it: C++ and Rust are demangled, without
/// the return type of templates and the hash of Rust, and the version of a symbol is removed. A
/// name that is not mangled, or whose demangled form is too long, is returned unchanged.
std::string ReadableName(std::string_view symbol);

/// Returns a name that a folded stack can contain: one line of UTF-8 without semicolons, at most
/// kMostNameBytes long. A longer name is cut in the middle.
std::string CleanName(std::string_view name);

/// Returns a name, followed by the source file in parentheses: "step (a.c)".
/// @param source  a path, of which the last part is shown; nothing is added if it is empty
std::string NameWithSource(std::string_view name, std::string_view source);

/// Returns the part of a path after the last slash.
std::string_view BaseName(std::string_view path);

/// Returns a symbol without the suffixes that GCC adds to parts and variants of a function:
/// ".cold", ".part.N", ".constprop.N" and ".isra.N".
std::string_view WithoutCloneSuffixes(std::string_view symbol);

}  // namespace benchd
