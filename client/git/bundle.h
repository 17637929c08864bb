#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "client/exit_code.h"
#include "client/git/repository.h"
#include "core/base/file.h"

namespace benchd::client {

/// Commits with their history as one file, which has no name any more and goes with this.
struct Bundle {
  UniqueFd file;
  std::uint64_t bytes = 0;
  std::array<std::uint8_t, 32> sha256{};
};

/// What the ref of a commit is called inside of a bundle.
std::string BundleRef(const std::string& commit);

/// A git bundle of `commits` and of what is needed to have them beside `known`, which the other
/// end has with all of its history; commits that are not in this repository are ignored there.
/// None: all of them are part of that history.
///
/// Writes nothing into the repository: the refs that a bundle needs lie in a scratch folder.
///
/// @errors (exit 2) a shallow clone, whose history cannot be sent; what git says.
Result<std::optional<Bundle>> MakeBundle(const Repository& repository,
                                         const std::vector<std::string>& commits,
                                         const std::vector<std::string>& known);

}  // namespace benchd::client
