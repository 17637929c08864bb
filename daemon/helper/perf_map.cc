#include "daemon/helper/perf_map.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <system_error>
#include <utility>

#include "core/base/file.h"
#include "daemon/helper/function_name.h"

namespace benchd {
namespace {

/// The number of entries before an address that are examined. A list in which compilers reused
/// memory has entries that overlap.
constexpr int kMostOverlapping = 64;

/// Takes a number in hexadecimal digits, with or without "0x", and the space after it.
std::optional<std::uint64_t> TakeHex(std::string_view& line) {
  if (line.starts_with("0x")) line.remove_prefix(2);
  std::uint64_t number = 0;
  const char* const end = line.data() + line.size();
  const auto parsed = std::from_chars(line.data(), end, number, 16);
  if (parsed.ec != std::errc() || parsed.ptr == end || *parsed.ptr != ' ') return std::nullopt;
  line.remove_prefix(static_cast<std::size_t>(parsed.ptr - line.data()) + 1);
  return number;
}

/// Shortens the paths of files, which differ from checkout to checkout: "py::main:/home/a/demo.py"
/// of Python becomes "py::main (demo.py)", and "JS:*main /home/a/demo.js:1:13" of V8 becomes
/// "JS:*main (demo.js:1:13)".
std::string ReadablePerfName(std::string_view name) {
  constexpr std::string_view kPython = "py::";
  std::size_t end = name.npos;
  if (name.starts_with(kPython)) {
    // Other modules are "<frozen importlib._bootstrap>".
    end = std::min(name.rfind(":/"), name.rfind(":<"));
  } else if (name.starts_with("JS:")) {
    end = name.find(" /");
  }
  if (end == name.npos || end < kPython.size()) return ReadableName(name);
  return NameWithSource(name.substr(0, end), name.substr(end + 1));
}

}  // namespace

PerfMap PerfMap::Parse(std::string text) {
  PerfMap map;
  map.text_ = std::move(text);
  std::string_view rest = map.text_;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    map.AddLine(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  std::ranges::stable_sort(map.entries_, {}, &Entry::start);
  return map;
}

void PerfMap::AddLine(std::string_view line) {
  const auto start = TakeHex(line);
  const auto bytes = start ? TakeHex(line) : std::nullopt;
  if (!bytes || line.empty() || entries_.size() >= kMostEntries) return;
  const auto offset = static_cast<std::uint32_t>(line.data() - text_.data());
  entries_.push_back({*start,
                      static_cast<std::uint32_t>(std::min<std::uint64_t>(*bytes, UINT32_MAX)),
                      offset, static_cast<std::uint32_t>(line.size())});
}

PerfMap PerfMap::ReadFile(const std::string& path, uid_t owner, ReadBudget& budget) {
  // Some devices react when they are opened.
  struct stat info {};
  if (lstat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return {};
  const UniqueFd file(
      open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC));
  if (!file || fstat(file.get(), &info) != 0) return {};
  if (!S_ISREG(info.st_mode) || info.st_uid != owner) return {};
  const std::size_t bytes = std::min(static_cast<std::size_t>(info.st_size), kMostBytes);
  // Short lines take more space when they are parsed.
  if (!budget.Take(2 * std::uint64_t{bytes})) return {};
  auto text = ReadStart(file.get(), bytes, path);
  if (!text) return {};
  // The last line may be incomplete, also because the process was killed.
  text->resize(text->rfind('\n') + 1);
  return Parse(*std::move(text));
}

std::optional<std::string> PerfMap::NameAt(std::uint64_t address) const {
  auto next = std::ranges::upper_bound(entries_, address, {}, &Entry::start);
  const Entry* found = nullptr;
  for (int i = 0; i < kMostOverlapping && next != entries_.begin(); ++i) {
    const Entry& entry = *--next;
    if (address - entry.start >= entry.bytes) continue;
    // The text is in the order of the list.
    if (found == nullptr || entry.name > found->name) found = &entry;
  }
  if (found == nullptr) return std::nullopt;
  return ReadablePerfName(std::string_view(text_).substr(found->name, found->name_bytes));
}

}  // namespace benchd
