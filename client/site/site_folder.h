#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "client/site/site_files.h"
#include "core/base/file.h"
#include "core/base/result.h"

namespace benchd::client {

/// What SiteFolder::Write() did.
struct SiteChanges {
  std::size_t files = 0;    ///< of the site
  std::size_t written = 0;  ///< those whose content changed
  std::size_t removed = 0;  ///< those of a benchmark that the site no longer has
  std::size_t bytes = 0;    ///< of all files
};

/// The folder of a site, which belongs to benchctl: a file that the site does not have is removed
/// if an earlier call wrote it. The file `.benchctl-site` marks the folder and lists these files.
///
/// This is the only part of client/site with I/O. Links in the folder are replaced, not followed.
class SiteFolder {
 public:
  /// Checks the folder, but does not create it yet.
  ///
  /// @errors (exit 2) the folder has files but is not a site, it cannot be read or written, its
  ///         parent is missing
  static Result<SiteFolder> Prepare(const std::string& path);

  /// Writes the files whose content changed. Each appears completely or not at all.
  ///
  /// @errors system errors. Files may have been written; the next call completes the site.
  Result<SiteChanges> Write(const std::vector<SiteFile>& files) const;

 private:
  std::string path_;             ///< as given
  std::set<std::string> known_;  ///< the files that the marker lists
};

}  // namespace benchd::client
