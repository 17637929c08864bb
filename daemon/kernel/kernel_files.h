#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace benchd {

/// The kernel's files in /proc, /sys and /dev below a root directory. Tests use another root, and
/// may override the virtual functions to simulate errors that a plain folder never returns.
///
/// Paths do not have a leading slash; kernel_paths.h lists them.
class KernelFiles {
 public:
  /// `root` is "/" on a real machine.
  explicit KernelFiles(std::string root);
  KernelFiles(const KernelFiles&) = default;
  KernelFiles& operator=(const KernelFiles&) = default;
  virtual ~KernelFiles() = default;

  /// Reads a whole file (at most 1 MiB) and removes trailing white space.
  /// @errors kNotFound, kPermissionDenied and other failures of the system calls, with the path
  virtual Result<std::string> Read(std::string_view path) const;

  /// Reads a file like Read(); returns an empty text on failure.
  std::string Text(std::string_view path) const { return Read(path).value_or(""); }
  /// Reads a file that contains a single number; empty on failure.
  std::optional<std::uint64_t> Count(std::string_view path) const;

  /// Writes `text` to an existing file with one write(2). Success means only that the kernel
  /// accepted the call; read the file to see whether it kept the value.
  /// @errors those of Read()
  virtual Result<void> Write(std::string_view path, std::string_view text) const;

  /// Returns the sorted names in a folder, without "." and ".."; empty if it does not exist.
  std::vector<std::string> List(std::string_view path) const;

  bool Exists(std::string_view path) const;

  /// Returns the absolute path, for system calls.
  std::string FullPath(std::string_view path) const { return root_ + std::string(path); }
  /// Returns true for the machine's real files. Only then may callers use systemd and /dev.
  bool IsReal() const { return root_ == "/"; }

 private:
  std::string root_;
};

/// Reads a CPU list from a file. @errors also if the text is not a CPU list
Result<std::vector<int>> ReadCpus(const KernelFiles& files, std::string_view path);

/// Returns `pattern` with "%" replaced by the target.
std::string WithTarget(std::string_view pattern, std::string_view target);

/// Returns the path of a file of one CPU: `pattern` with "%" replaced by its number.
std::string CpuFile(int cpu, std::string_view pattern);

// Parsers for the text files in /proc and /sys, whose lines consist of words separated by blanks.
// They accept any bytes and return empty values for missing parts.

/// Removes the first line and its line feed from `text` and returns the line.
std::string_view NextLine(std::string_view& text);

/// Removes leading blanks and the first word from `line` and returns the word.
std::string_view NextWord(std::string_view& line);

/// Parses a decimal number; empty if the text contains anything else.
std::optional<std::uint64_t> ParseCount(std::string_view text);

/// Parses the number of "cpu3" or "CPU3"; empty for "cpu", which is the sum of all CPUs.
std::optional<int> CpuOf(std::string_view word);

/// Returns the value of the first line "KEY : VALUE", as in /proc/cpuinfo and /proc/meminfo.
std::string_view Field(std::string_view text, std::string_view key);

/// Returns true if `word` is one of the words of `text`.
bool HasWord(std::string_view text, std::string_view word);

/// Replaces all bytes except printable ASCII by question marks. For messages: a process may have
/// any bytes in its name, and a terminal would interpret some of them.
std::string Printable(std::string_view text);

// Formatting of numbers for messages about the machine.

std::string Percent(double fraction);                ///< "4.1 %", "16 %"
std::string SecondsText(double seconds);             ///< "1.30 s", "130 ms"
std::string FrequencyText(std::uint64_t khz);        ///< "3.60 GHz", "800 MHz"
std::string RateText(double per_second);             ///< "420/s", "0.5/s"
std::string BytesText(std::uint64_t bytes);          ///< "1.5 GiB", "12 MiB", "300 KiB"
std::string CpusText(const std::vector<int>& cpus);  ///< "CPU 3", "CPUs 1-3"

/// Appends an item to a list, separated from earlier items by `joint`.
void AppendItem(std::string& list, std::string_view joint, std::string_view item);

}  // namespace benchd
