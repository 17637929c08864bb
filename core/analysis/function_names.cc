#include "core/analysis/function_names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <optional>

namespace benchd {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kNowhere = std::string_view::npos;

// Suffixes of clones that a number follows, and those that it may follow.
constexpr auto kNumberedClones =
    std::to_array({".part"sv, ".constprop"sv, ".isra"sv, ".lto_priv"sv, ".llvm"sv});
constexpr auto kPlainClones = std::to_array({".cold"sv, ".localalias"sv});

// Returns the source file at the end of a name with its space, " (a.c)", or nothing. The parameters
// of a demangled function follow its name without a space.
std::string_view SourceFileOf(std::string_view name) {
  if (!name.ends_with(')')) return {};
  const std::size_t open = name.find_last_of('(');
  const bool spaced = open != kNowhere && open > 0 && name[open - 1] == ' ';
  const bool simple = name.find(')', open) == name.size() - 1;
  return spaced && simple ? name.substr(open - 1) : std::string_view();
}

// Removes ".N" from the end. Returns whether there was one.
bool DropNumber(std::string_view& name) {
  const std::size_t last = name.find_last_not_of("0123456789");
  if (last == kNowhere || last + 1 == name.size() || name[last] != '.') return false;
  name.remove_suffix(name.size() - last);
  return true;
}

bool DropSuffix(std::string_view& name, std::string_view suffix) {
  if (!name.ends_with(suffix) || name.size() == suffix.size()) return false;
  name.remove_suffix(suffix.size());
  return true;
}

// Removes one suffix of a clone. Returns whether there was one.
bool DropClone(std::string_view& name) {
  std::string_view rest = name;
  const bool numbered = DropNumber(rest);
  const auto drop = [&rest](std::string_view suffix) { return DropSuffix(rest, suffix); };
  const bool found = (numbered && std::ranges::any_of(kNumberedClones, drop)) ||
                     std::ranges::any_of(kPlainClones, drop);
  if (found) name = rest;
  return found;
}

// Removes " [clone .part.0]" from the end. Returns whether there was one of a clone.
bool DropDemangledClone(std::string_view& name) {
  constexpr auto kOpening = " [clone "sv;
  const std::size_t open = name.rfind(kOpening);
  if (open == kNowhere || open == 0 || !name.ends_with(']')) return false;
  std::string suffix = "f";
  suffix += name.substr(open + kOpening.size(), name.size() - open - kOpening.size() - 1);
  std::string_view rest = suffix;
  while (DropClone(rest)) continue;
  if (rest.size() > 1) return false;
  name = name.substr(0, open);
  return true;
}

bool IsPartOfName(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Returns the length of "operator" and its symbol if one begins at `at`, such as "operator<<";
// otherwise 0.
std::size_t OperatorLength(std::string_view name, std::size_t at) {
  constexpr auto kWord = "operator"sv;
  if (name.substr(at, kWord.size()) != kWord) return 0;
  if (at > 0 && IsPartOfName(name[at - 1])) return 0;
  const std::string_view symbol = name.substr(at + kWord.size());
  for (const std::string_view one : {"<=>"sv, "<<="sv, ">>="sv, "->*"sv, "()"sv, "<<"sv, ">>"sv,
                                     "<="sv, ">="sv, "->"sv, "<"sv, ">"sv}) {
    if (symbol.starts_with(one)) return kWord.size() + one.size();
  }
  return !symbol.empty() && IsPartOfName(symbol.front()) ? 0 : kWord.size();
}

// Where the parameters of a function begin, if it has some.
std::optional<std::size_t> ParametersOf(std::string_view name) {
  std::optional<std::size_t> begin;
  int depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (depth == 0) {
      if (const std::size_t length = OperatorLength(name, i)) {
        i += length - 1;
        continue;
      }
    }
    const char c = name[i];
    if (c == '(' || c == '{' || c == '[') {
      const bool anonymous = name.substr(i).starts_with("(anonymous namespace)");
      if (depth == 0 && c == '(' && i > 0 && !anonymous) begin = i;
      ++depth;
    } else if (c == ')' || c == '}' || c == ']') {
      --depth;
    } else if (depth == 0 && c == ':') {
      begin.reset();  // these were of an enclosing function
    }
  }
  return begin;
}

// Removes the return type of a name without parameters.
std::string_view WithoutReturnType(std::string_view name) {
  int depth = 0;
  for (std::size_t i = name.size(); i > 0; --i) {
    const char c = name[i - 1];
    if (c == ')' || c == '}' || c == ']') ++depth;
    if (c == '(' || c == '{' || c == '[') --depth;
    if (c != ' ' || depth != 0) continue;
    const bool conversion = name.substr(0, i - 1).ends_with("operator");
    if (!conversion) return name.substr(i);
  }
  return name;
}

}  // namespace

StackFrame FrameOf(std::string_view text) {
  StackFrame frame{text};
  frame.inlined = DropSuffix(frame.name, "_[i]");
  if (frame.inlined) return frame;
  frame.kernel = DropSuffix(frame.name, "_[k]");
  if (!frame.kernel) DropSuffix(frame.name, "_[j]");
  return frame;
}

std::string_view InnermostOf(std::string_view stack) { return stack.substr(stack.rfind(';') + 1); }

bool IsUnnamedFunction(std::string_view name) {
  if (name == "[unknown]") return true;
  return name.starts_with('[') && name.ends_with(']') && name.find("+0x") != kNowhere;
}

std::string WithoutBuild(std::string_view name) {
  const std::size_t build = IsUnnamedFunction(name) ? name.find(' ', name.rfind("+0x")) : kNowhere;
  return build == kNowhere ? std::string(name) : std::string(name.substr(0, build)) + "]";
}

std::string_view WithoutSourceFile(std::string_view name) {
  return name.substr(0, name.size() - SourceFileOf(name).size());
}

std::string WithoutCloneSuffixes(std::string_view name) {
  const std::string_view file = SourceFileOf(name);
  std::string_view rest = name.substr(0, name.size() - file.size());
  while (DropClone(rest) || DropDemangledClone(rest)) continue;
  return std::string(rest).append(file);
}

std::string WithoutTemplateArguments(std::string_view name) {
  std::string kept;
  int depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (const std::size_t length = depth == 0 ? OperatorLength(name, i) : 0) {
      kept += name.substr(i, length);
      i += length - 1;
    } else if (c == '<' && i > 0) {  // a Rust name may begin with one: "<A as B>::f"
      ++depth;
    } else if (c == '>' && depth > 0) {
      if (name[i - 1] != '-') --depth;
    } else if (depth == 0) {
      kept += c;
    }
  }
  return depth == 0 ? kept : std::string(name);
}

std::string QualifiedNameOf(std::string_view name) {
  const std::string_view file = SourceFileOf(name);
  const std::string whole = WithoutTemplateArguments(name.substr(0, name.size() - file.size()));
  const std::optional<std::size_t> parameters = ParametersOf(whole);
  if (!parameters) return whole + std::string(file);
  const std::string_view before = std::string_view(whole).substr(0, *parameters);
  return std::string(WithoutReturnType(before)).append(file);
}

}  // namespace benchd
