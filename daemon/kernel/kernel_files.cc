#include "daemon/kernel/kernel_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>

#include "core/base/cpu_list.h"
#include "core/base/file.h"

namespace benchd {

KernelFiles::KernelFiles(std::string root) : root_(std::move(root)) {
  if (root_.empty() || root_.back() != '/') root_ += '/';
}

Result<std::string> KernelFiles::Read(std::string_view path) const {
  constexpr std::size_t kMaxBytes = 1024 * 1024;
  const std::string full = FullPath(path);
  UniqueFd file(open(full.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return SystemError(full, errno);
  std::string text;
  char buffer[4096];
  while (text.size() < kMaxBytes) {
    const ssize_t count = read(file.get(), buffer, sizeof(buffer));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return SystemError(full, errno);
    if (count == 0) break;
    text.append(buffer, static_cast<std::size_t>(count));
  }
  text.erase(text.find_last_not_of(" \t\n") + 1);
  return text;
}

Result<void> KernelFiles::Write(std::string_view path, std::string_view text) const {
  const std::string full = FullPath(path);
  UniqueFd file(open(full.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOCTTY));
  if (!file) return SystemError(full, errno);
  ssize_t count = 0;
  do {
    count = write(file.get(), text.data(), text.size());
  } while (count < 0 && errno == EINTR);
  if (count < 0) return SystemError(full, errno);
  if (static_cast<std::size_t>(count) == text.size()) return {};
  return Error{ErrorCode::kInternal,
               fmt::format("{}: wrote only {} of {} bytes", full, count, text.size())};
}

std::vector<std::string> KernelFiles::List(std::string_view path) const {
  std::vector<std::string> names;
  DIR* listing = opendir(FullPath(path).c_str());
  if (listing == nullptr) return names;
  while (const dirent* entry = readdir(listing)) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  closedir(listing);
  std::sort(names.begin(), names.end());
  return names;
}

bool KernelFiles::Exists(std::string_view path) const {
  struct stat info {};
  return stat(FullPath(path).c_str(), &info) == 0;
}

std::optional<std::uint64_t> KernelFiles::Count(std::string_view path) const {
  return ParseCount(Text(path));
}

Result<std::vector<int>> ReadCpus(const KernelFiles& files, std::string_view path) {
  auto text = files.Read(path);
  return text ? ParseCpuList(*text) : std::move(text).error();
}

std::string WithTarget(std::string_view pattern, std::string_view target) {
  const std::size_t place = pattern.find('%');
  std::string text(pattern.substr(0, place));
  if (place != std::string_view::npos) text.append(target).append(pattern.substr(place + 1));
  return text;
}

std::string CpuFile(int cpu, std::string_view pattern) {
  return WithTarget(pattern, std::to_string(cpu));
}

// ---- text ----

namespace {

constexpr std::string_view kBlank = " \t";

}  // namespace

std::string_view NextLine(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(text.size(), line.size() + 1));
  return line;
}

std::string_view NextWord(std::string_view& line) {
  line.remove_prefix(std::min(line.size(), line.find_first_not_of(kBlank)));
  const std::string_view word = line.substr(0, line.find_first_of(kBlank));
  line.remove_prefix(word.size());
  return word;
}

std::optional<std::uint64_t> ParseCount(std::string_view text) {
  std::uint64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return count;
}

std::optional<int> CpuOf(std::string_view word) {
  if (!word.starts_with("cpu") && !word.starts_with("CPU")) return {};
  const auto number = ParseCount(word.substr(3));
  if (!number || *number >= kMaxCpus) return {};
  return static_cast<int>(*number);
}

std::string_view Field(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    std::string_view line = NextLine(text);
    if (!line.starts_with(key)) continue;
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view between = line.substr(key.size(), colon - std::min(colon, key.size()));
    if (between.find_first_not_of(kBlank) != std::string_view::npos) continue;
    line.remove_prefix(colon + 1);
    line.remove_prefix(std::min(line.size(), line.find_first_not_of(kBlank)));
    return line;
  }
  return {};
}

bool HasWord(std::string_view text, std::string_view word) {
  while (!text.empty()) {
    if (NextWord(text) == word) return true;
  }
  return false;
}

std::string Printable(std::string_view text) {
  std::string printable(text);
  std::replace_if(
      printable.begin(), printable.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return printable;
}

namespace {

std::string Fixed(double value, int decimals, const char* unit) {
  char text[64];
  std::snprintf(text, sizeof(text), "%.*f %s", decimals, value, unit);
  return text;
}

}  // namespace

std::string Percent(double fraction) {
  const double percent = fraction * 100;
  return Fixed(percent, percent >= 9.95 ? 0 : percent >= 0.095 ? 1 : 2, "%");
}

std::string SecondsText(double seconds) {
  return seconds >= 0.9995 ? Fixed(seconds, 2, "s") : Fixed(seconds * 1e3, 0, "ms");
}

std::string FrequencyText(std::uint64_t khz) {
  const auto value = static_cast<double>(khz);
  return value >= 1e6 ? Fixed(value / 1e6, 2, "GHz") : Fixed(value / 1e3, 0, "MHz");
}

std::string RateText(double per_second) {
  char text[64];
  std::snprintf(text, sizeof(text), per_second < 10 ? "%.1f/s" : "%.0f/s", per_second);
  return text;
}

std::string BytesText(std::uint64_t bytes) {
  const double kib = static_cast<double>(bytes) / 1024;
  if (kib < 1024) return Fixed(kib, 0, "KiB");
  if (kib < 1024 * 1024) return Fixed(kib / 1024, 0, "MiB");
  return Fixed(kib / (1024 * 1024), 1, "GiB");
}

std::string CpusText(const std::vector<int>& cpus) {
  return (cpus.size() == 1 ? "CPU " : "CPUs ") + FormatCpuList(cpus);
}

void AppendItem(std::string& list, std::string_view joint, std::string_view item) {
  list.append(list.empty() ? "" : joint).append(item);
}

}  // namespace benchd
