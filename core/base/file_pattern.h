#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace benchd {

/// The maximum length of a pattern, as of a path.
inline constexpr std::size_t kMaxFilePatternBytes = 4096;

/// A shell pattern for files that a program writes below its working directory: `out.json`,
/// `target/**/new/*.json`. `*`, `?` and `[...]` match within one name, and `**` matches any number
/// of folders, also none. Only a pattern that begins with a dot matches a name that does. Pure and
/// thread-safe.
class FilePattern {
 public:
  /// One name of a path, or what stands in its place.
  struct Part {
    enum class Kind {
      kName,     ///< exactly this name
      kSome,     ///< the names that a pattern matches
      kFolders,  ///< `**`
    };
    Kind kind = Kind::kName;
    std::string text;
    bool operator==(const Part&) const = default;
  };

  /// @errors kInvalidArgument "'*' matches every file", without the name of the option, for a
  ///         pattern that ends in no part of a name, leaves the working directory, is too long, is
  ///         not plain text, names a folder or a descriptor (path.h), or has `**` beside other
  ///         characters. All of these are refused because files that match are removed.
  static Result<FilePattern> Parse(std::string_view text);

  const std::string& text() const { return text_; }
  /// Returns at least one part. The last one is not kFolders, and none follows another kFolders.
  const std::vector<Part>& parts() const { return parts_; }

 private:
  Result<void> Add(std::string_view name);

  std::string text_;
  std::vector<Part> parts_;
};

/// Returns whether a name, without slashes, matches a part of kind kSome.
bool MatchesName(const FilePattern::Part& part, const std::string& name);

}  // namespace benchd
