#pragma once

#include <string>
#include <string_view>

namespace benchd {

/// The names of functions in a sampled stack (model/profile.h), and what is left of them to find
/// the same function in a program that was built from other source. All of this is pure text.

/// One function of a stack.
struct StackFrame {
  std::string_view name;  ///< without the suffix "_[i]", "_[j]" or "_[k]"
  bool inlined = false;   ///< it had the suffix "_[i]"
  bool kernel = false;    ///< it had the suffix "_[k]"
};
StackFrame FrameOf(std::string_view text);

/// Returns the last frame of a folded stack.
std::string_view InnermostOf(std::string_view stack);

/// Returns whether only the address of a function is known: "[FILE+0xOFFSET]" or "[FILE+0xOFFSET
/// BUILD]", or "[unknown]".
bool IsUnnamedFunction(std::string_view name);

/// Returns the name of an unnamed function without the build of its file: "[bench+0x10 5f3a02c1]"
/// is
/// "[bench+0x10]". Other names stay as they are.
std::string WithoutBuild(std::string_view name);

/// Returns the name without a source file after it: "step (a.c)" is "step".
std::string_view WithoutSourceFile(std::string_view name);

/// Returns the name without the suffixes of the clones that GCC and Clang make of a function:
/// .cold, .part.N, .constprop.N, .isra.N, .lto_priv.N, .localalias, .llvm.N, also in the form of a
/// demangler, "f(int) [clone .cold]". A source file after the name stays: "step.part.0 (a.c)" is
/// "step (a.c)".
std::string WithoutCloneSuffixes(std::string_view name);

/// Returns the name without template arguments: "f<int>(T)" is "f(T)". A name whose brackets do not
/// match stays as it is.
std::string WithoutTemplateArguments(std::string_view name);

/// Returns the name without template arguments, parameters and return type: "void a::f<int>(int)
/// const" is "a::f". A name without parameters only loses its template arguments.
std::string QualifiedNameOf(std::string_view name);

}  // namespace benchd
