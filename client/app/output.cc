#include "client/app/output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <utility>

#include "client/link/host.h"
#include "client/present/json.h"
#include "client/present/text.h"
#include "client/present/words.h"
#include "client/terminal/terminal.h"
#include "core/base/file.h"
#include "core/base/try.h"

namespace benchd::client {

Style ResultChoice::StyleOfStdout() const {
  Style style = StyleOf(STDOUT_FILENO);
  style.time_unit = time_unit;
  return style;
}

Result<ResultChoice> ReadResultChoice(const ParsedArguments& arguments) {
  ResultChoice choice;
  choice.bisect = IsGiven(arguments, "bisect");
  const bool quiet = IsGiven(arguments, "quiet");
  const bool verbose = IsGiven(arguments, "verbose");
  if (quiet && verbose) return UsageError("--quiet: conflicts with --verbose");
  if (quiet) choice.detail = Detail::kVerdict;
  if (verbose) choice.detail = Detail::kAll;
  // The parser has already rejected other values.
  if (const std::string* unit = LastValue(arguments, "time-unit")) choice.time_unit = *unit;
  return choice;
}

namespace {

constexpr std::string_view kExportPrefix = "export-";
constexpr mode_t kUsualMode = 0666;  // before the umask
constexpr mode_t kPermissions = 07777;

Error ErrnoError(const std::string& path) { return UsageError(path + ": " + std::strerror(errno)); }

// Returns a hidden name, so that the file is not mistaken for a result.
std::string TemporaryName(const std::string& name) {
  return fmt::format(".{}.{}.tmp", name.substr(0, 200), getpid());
}

Result<UniqueFd> CreateBeside(int folder, const std::string& name, const std::string& path) {
  UniqueFd fd(openat(folder, TemporaryName(name).c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                     kUsualMode));
  if (!fd) return ErrnoError(path);
  return fd;
}

}  // namespace

std::string_view ExportFormatOf(std::string_view option) {
  return option.starts_with(kExportPrefix) ? option.substr(kExportPrefix.size())
                                           : std::string_view();
}

namespace {

// Returns the target of a chain of links. The target need not exist.
std::filesystem::path BehindLinks(std::filesystem::path place) {
  constexpr int kMostLinks = 40;  // the kernel's limit
  std::error_code error;
  for (int links = 0; links < kMostLinks && std::filesystem::is_symlink(place, error); ++links) {
    const std::filesystem::path target = std::filesystem::read_symlink(place, error);
    if (error) break;
    place = place.parent_path() / target;
  }
  return place;
}

}  // namespace

Result<void> NewFile::OpenToAppend() {
  folder_ = UniqueFd(open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  if (!folder_) return ErrnoError(path_);
  return {};
}

Result<NewFile> NewFile::Prepare(const std::string& path, If there) {
  NewFile file;
  file.path_ = path;
  struct stat now {};
  if (stat(path.c_str(), &now) == 0) {
    if (S_ISDIR(now.st_mode)) return UsageError(path + ": is a directory", "name a file in it");
    // Other processes may write to the file behind /dev/stderr, so it is not replaced.
    if (!S_ISREG(now.st_mode) || path.starts_with("/dev/") || there == If::kAppend) {
      TRY_VOID(file.OpenToAppend());
      return file;
    }
    // Otherwise a read-only file in a writable folder would be replaced.
    const bool read_only = (now.st_mode & (S_IWUSR | S_IWGRP | S_IWOTH)) == 0;
    if (read_only || access(path.c_str(), W_OK) != 0) {
      return UsageError(path + ": is read-only", "remove it, or name another file");
    }
    file.mode_ = now.st_mode & kPermissions;
  }
  const std::filesystem::path place = BehindLinks(path);
  file.name_ = place.filename().string();
  if (file.name_.empty())
    return UsageError(path + (path.empty() ? "missing file name" : ": not a file name"));
  const std::string folder = place.has_parent_path() ? place.parent_path().string() : ".";
  file.folder_ = UniqueFd(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!file.folder_) return ErrnoError(path);
  // Creating a file is the only reliable way to test whether it can be created.
  TRY_VOID(CreateBeside(file.folder_.get(), file.name_, path));
  unlinkat(file.folder_.get(), TemporaryName(file.name_).c_str(), 0);
  return file;
}

std::size_t NewFile::BytesThere() const {
  struct stat now {};
  if (!name_.empty() || fstat(folder_.get(), &now) != 0 || !S_ISREG(now.st_mode)) return 0;
  return static_cast<std::size_t>(now.st_size);
}

Result<void> NewFile::Write(std::string_view text) const {
  const std::string what = path_ + ": write error";
  if (name_.empty()) return WriteAll(folder_.get(), text, what);
  TRY(auto fd, CreateBeside(folder_.get(), name_, what));
  const std::string temporary = TemporaryName(name_);
  if (mode_) fchmod(fd.get(), *mode_);
  Result<void> written = WriteAll(fd.get(), text, what);
  // Close explicitly, because a network file system may report a full disk only on close.
  if (close(fd.Release()) != 0 && written) written = ErrnoError(what);
  if (written && renameat(folder_.get(), temporary.c_str(), folder_.get(), name_.c_str()) != 0) {
    written = ErrnoError(what);
  }
  if (!written) unlinkat(folder_.get(), temporary.c_str(), 0);
  return written;
}

namespace {

constexpr char kAppendMark = '+';

bool IsStepSummary(const std::string& path) {
  const std::string summary = Variable("GITHUB_STEP_SUMMARY");
  std::error_code error;
  return !summary.empty() && std::filesystem::equivalent(path, summary, error);
}

}  // namespace

Result<ExportFiles::Export> ExportFiles::PrepareOne(const ExportFormat& format,
                                                    const std::string& path) {
  const bool marked = path.starts_with(kAppendMark);
  if (marked && format.shorten == nullptr) {
    return UsageError(path + ": only Markdown can be appended to a file",
                      "write ./" + path + " if the file has that name");
  }
  const std::string name = marked ? path.substr(1) : path;
  const bool summary = format.shorten != nullptr && IsStepSummary(name);
  const bool appends = marked || summary;
  TRY(auto file, NewFile::Prepare(name, appends ? NewFile::If::kAppend : NewFile::If::kReplace));
  return Export{&format, std::move(file), summary ? kSummaryBytes : kCommentBytes};
}

Result<void> ExportFiles::WriteOne(const Export& to, const std::string& text) {
  if (to.format->shorten == nullptr) return to.file.Write(text);
  const std::size_t there = to.file.BytesThere();
  const std::string apart = there > 0 ? "\n" : "";  // lest the text continue a table
  const std::size_t room = to.most_bytes - std::min(there + apart.size(), to.most_bytes);
  return to.file.Write(apart + to.format->shorten(text, room));
}

Result<ExportFiles> ExportFiles::Prepare(const ParsedArguments& arguments) {
  ExportFiles exports;
  std::vector<std::string> paths;
  for (const GivenOption& given : arguments.options) {
    const ExportFormat* const format = FindExportFormat(ExportFormatOf(given.name));
    if (format == nullptr) continue;
    const std::string origin = "--" + given.name + " " + given.value;
    if (given.value == "-" || given.value == "/dev/stdout") {
      return UsageError(
          origin + ": the result already goes to stdout",
          "name a file, or use: benchctl export ID --format " + std::string(format->name));
    }
    if (std::ranges::find(exports.files_, format, &Export::format) != exports.files_.end()) {
      return UsageError(origin + ": given twice", "give one file per format");
    }
    if (std::ranges::find(paths, given.value) != paths.end()) {
      return UsageError(origin + ": another format is already written to that file",
                        "name a different file for each format");
    }
    auto file = PrepareOne(*format, given.value);
    if (!file) return std::move(file).error().Within("--" + given.name);
    paths.push_back(given.value);
    exports.files_.push_back(*std::move(file));
  }
  return exports;
}

bool ExportFiles::WantsRuns() const {
  return std::ranges::any_of(files_, [](const Export& one) { return one.format->of_runs; });
}

std::vector<std::string> ExportFiles::OfRuns() const {
  std::vector<std::string> options;
  for (const Export& one : files_) {
    if (one.format->of_runs) options.push_back("--export-" + std::string(one.format->name));
  }
  return options;
}

Result<PageFile> PageFile::Prepare(const CommandContext& context) {
  PageFile page;
  page.json_ = context.json;
  const std::string* const path = LastValue(context.arguments, "output");
  if (path == nullptr || *path == "-") {
    if (!context.json) return page;
    return UsageError("--json: the report already goes to stdout", "name a file: -o FILE.html");
  }
  page.path_ = *path;
  auto file = NewFile::Prepare(*path);
  if (!file) return std::move(file).error().Within("-o");
  page.file_ = *std::move(file);
  return page;
}

Result<void> PageFile::Write(const std::string& page,
                             const std::vector<std::string>& sources) const {
  if (!file_) {
    std::cout << page;
    return {};
  }
  TRY_VOID(file_->Write(page));
  if (!json_) {
    std::cerr << "benchctl: wrote " << Printable(path_) << "\n";
    return {};
  }
  Json json = Named("report", "", Now());
  json["file"] = path_;
  json["bytes"] = page.size();
  json["sources"] = sources;
  std::cout << Line(json) << "\n";
  return {};
}

ExitCode OutputFailed(const Error& error) {
  PrintError(error);
  return ExitCode::kOutput;
}

void PrintError(const Error& error) {
  std::cerr << "error: " << OneLine(error.message) << "\n";
  if (!error.hint.empty()) std::cerr << "hint: " << OneLine(error.hint) << "\n";
}

}  // namespace benchd::client
