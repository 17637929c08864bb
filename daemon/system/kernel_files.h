#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace benchd {

/// The kernel's files in /proc, /sys and /dev below a root directory, so that tests can provide
/// their own. A decorator may override the virtual functions to simulate errors that a plain folder
/// never returns.
///
/// Paths are given without the leading slash: "sys/devices/system/cpu/online".
class KernelFiles {
 public:
  /// `root` is "/" on a real machine.
  explicit KernelFiles(std::string root);
  KernelFiles(const KernelFiles&) = default;
  KernelFiles& operator=(const KernelFiles&) = default;
  virtual ~KernelFiles() = default;

  /// The whole file without trailing white space; files here are small (reads at most 1 MiB).
  /// @errors kNotFound, kPermissionDenied and other failures of the system calls, with the path
  virtual Result<std::string> Read(std::string_view path) const;

  /// Read(), or an empty text if that fails.
  std::string Text(std::string_view path) const { return Read(path).value_or(""); }
  /// The number that is the whole content of a file.
  std::optional<std::uint64_t> Count(std::string_view path) const;

  /// Writes `text` to an existing file with one write(2). Success means that the kernel accepted
  /// the call, not that it kept the value: read it back.
  /// @errors as for Read()
  virtual Result<void> Write(std::string_view path, std::string_view text) const;

  /// The names in a folder, without "." and "..", sorted; empty if the folder does not exist.
  std::vector<std::string> List(std::string_view path) const;

  bool Exists(std::string_view path) const;

  /// The real location of `path`, for system calls that need it.
  std::string FullPath(std::string_view path) const { return root_ + std::string(path); }
  /// True for the machine's own files. Only then may systemd and /dev be used.
  bool IsReal() const { return root_ == "/"; }

 private:
  std::string root_;
};

/// The CPUs that a file lists. @errors also if the text is not a CPU list
Result<std::vector<int>> ReadCpus(const KernelFiles& files, std::string_view path);
inline constexpr std::string_view kOnlineCpus = "sys/devices/system/cpu/online";

/// "sys/devices/system/cpu/cpu3/NAME"
std::string CpuFile(int cpu, std::string_view name);

// Parsers for the kernel's text files in /proc and /sys: lines of words separated by blanks. They
// accept any bytes and return empty values for missing parts.

/// Removes the first line and its line feed from `text` and returns the line.
std::string_view NextLine(std::string_view& text);

/// Removes leading blanks and the first word from `line` and returns the word.
std::string_view NextWord(std::string_view& line);

/// `text` as a decimal number; empty if it contains anything else.
std::optional<std::uint64_t> ParseCount(std::string_view text);

/// The number of "cpu3" or "CPU3"; empty for "cpu", which is the sum of all.
std::optional<int> CpuOf(std::string_view word);

/// The value of the first line "KEY : VALUE", as in /proc/cpuinfo and /proc/meminfo.
std::string_view Field(std::string_view text, std::string_view key);

/// Whether `word` is one of the words of `text`.
bool HasWord(std::string_view text, std::string_view word);

/// `text` made safe for a message. A process may choose any bytes as its name, and a terminal would
/// interpret some of them. Replaces everything but printable ASCII by question marks.
std::string Printable(std::string_view text);

// Numbers formatted for messages about the machine.

std::string Percent(double fraction);                ///< "4.1 %", "16 %"
std::string SecondsText(double seconds);             ///< "1.30 s", "130 ms"
std::string FrequencyText(std::uint64_t khz);        ///< "3.60 GHz", "800 MHz"
std::string RateText(double per_second);             ///< "420/s", "0.5/s"
std::string BytesText(std::uint64_t bytes);          ///< "1.5 GiB", "12 MiB", "300 KiB"
std::string CpusText(const std::vector<int>& cpus);  ///< "CPU 3", "CPUs 1-3"

/// Appends an item to a list, separated from earlier items by `joint`.
void AppendItem(std::string& list, std::string_view joint, std::string_view item);

}  // namespace benchd
