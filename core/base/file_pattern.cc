#include "core/base/file_pattern.h"

#include <fnmatch.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "core/base/path.h"
#include "core/base/text.h"
#include "core/base/try.h"

namespace benchd {
namespace {

constexpr std::size_t kMaxParts = 64;
constexpr std::string_view kWildcards = "*?[";

Error RefusePattern(std::string_view pattern, std::string_view why, std::string_view hint) {
  return Error{ErrorCode::kInvalidArgument, Quoted(pattern) + " " + std::string(why),
               std::string(hint)};
}

/// Returns whether a pattern has a character, besides dots, that must be in each name that it
/// matches.
bool HasLiteral(std::string_view pattern) {
  while (!pattern.empty()) {
    const char c = pattern.front();
    // A bracket directly after the first one, or after !, is one of the characters.
    const std::size_t end =
        c == '[' ? pattern.find(']', pattern.starts_with("[!") ? 3 : 2) : std::string_view::npos;
    if (end == std::string_view::npos && c != '*' && c != '?' && c != '.') return true;
    pattern.remove_prefix(end == std::string_view::npos ? 1 : end + 1);
  }
  return false;
}

/// Returns whether a pattern leaves only the extension of a name fixed: "*.json".
bool IsExtension(std::string_view pattern) {
  return pattern.starts_with("*.") && pattern.find_first_of(kWildcards, 1) == pattern.npos;
}

Error RefuseOutside(std::string_view pattern) {
  return RefusePattern(pattern, "is not below the working directory",
                       "files that match are removed before each run, so the path must be relative "
                       "and without ..; --cwd sets the working directory");
}

}  // namespace

Result<FilePattern> FilePattern::Parse(std::string_view text) {
  constexpr std::string_view kHint =
      "write the path of a file that each run writes, such as results.json or 'out/*.json'";
  if (text.size() > kMaxFilePatternBytes || HasControlCharacter(text) || FirstInvalidUtf8(text)) {
    return RefusePattern(text, "is too long or not plain text", kHint);
  }
  if (NamesADescriptor(text)) {
    return RefusePattern(text, "is a descriptor, not a file",
                         "omit it for numbers on stdout, or name a file that each run writes");
  }
  if (text.starts_with('/')) return RefuseOutside(text);
  FilePattern pattern;
  pattern.text_ = std::string(text);
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view name = rest.substr(0, rest.find('/'));
    rest.remove_prefix(std::min(rest.size(), name.size() + 1));
    if (name.empty() || name == ".") continue;
    TRY_VOID(pattern.Add(name));
  }
  if (pattern.parts_.empty() || text.ends_with('/')) {
    return RefusePattern(text, "does not name a file", kHint);
  }
  const Part& last = pattern.parts_.back();
  if (last.kind != Part::Kind::kName && !HasLiteral(last.text)) {
    return RefusePattern(text, "matches every file",
                         "files that match are removed before each run; write a part of the name, "
                         "such as 'bench-*.json'");
  }
  // Such as the user's own package.json.
  const bool anywhere =
      std::all_of(pattern.parts_.begin(), pattern.parts_.end() - 1,
                  [](const Part& part) { return part.kind == Part::Kind::kFolders; });
  if (anywhere && IsExtension(last.text)) {
    return RefusePattern(text, "may match files that no run wrote",
                         "files that match are removed before each run; write a folder, such as "
                         "'out/*.json', or a part of the name, such as 'bench-*.json'");
  }
  return pattern;
}

Result<void> FilePattern::Add(std::string_view name) {
  if (parts_.size() == kMaxParts) {
    return RefusePattern(text_, "has too many folders", "write at most 64");
  }
  if (name == "..") return RefuseOutside(text_);
  Part part{Part::Kind::kName, std::string(name)};
  if (name == "**") {
    part.kind = Part::Kind::kFolders;
    if (!parts_.empty() && parts_.back() == part) return {};
  } else if (name.find("**") != std::string_view::npos) {
    return RefusePattern(text_, "has ** beside other characters",
                         "** stands for folders: write 'out/**/*.json'");
  } else if (name.find_first_of(kWildcards) != std::string_view::npos) {
    part.kind = Part::Kind::kSome;
  }
  parts_.push_back(std::move(part));
  return {};
}

bool MatchesName(const FilePattern::Part& part, const std::string& name) {
  return fnmatch(part.text.c_str(), name.c_str(), FNM_PERIOD | FNM_NOESCAPE) == 0;
}

}  // namespace benchd
