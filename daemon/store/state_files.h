#pragma once

#include <filesystem>

#include "core/base/result.h"

/// Operations on files and folders that the store's parts share.
/// @errors of all functions: the failed system call, with the file's name.
namespace benchd::store {

/// Returns the error (kResourceExhausted) for a submission while the disk is full. It does not name
/// a path, because the files do not belong to the submitter.
Error StateDiskFull();

/// Returns the error for a file of a submission that could not be stored. If the disk is full, it
/// does not name the file, because the file does not belong to the submitter.
Error FileNotKept(const std::filesystem::path& file, int errno_value);

/// Creates `folder` and its missing parents with mode 0700, and checks that files can be created in
/// it.
Result<void> MakeFolder(const std::filesystem::path& folder);

/// Creates an empty file if it does not exist, and sets its mode to 0600. SQLite would make it
/// readable for all users; its log and index files inherit the file's mode.
Result<void> MakePrivateFile(const std::filesystem::path& file);

/// Returns true if the path exists, even as a dangling link.
bool Exists(const std::filesystem::path& file);

/// Renames a file within its folder.
Result<void> Rename(const std::filesystem::path& from, const std::filesystem::path& to);

/// Syncs the contents of a file, or the entries of a folder, to the disk.
Result<void> Sync(const std::filesystem::path& file_or_folder);

}  // namespace benchd::store
