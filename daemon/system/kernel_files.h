#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace benchd {

/// The kernel's files in /proc, /sys and /dev below one root directory, so that tests can lay their
/// own. A decorator may override the virtual functions, to refuse what a plain folder never
/// refuses.
///
/// Paths are given without the leading slash: "sys/devices/system/cpu/online".
class KernelFiles {
 public:
  /// `root` is "/" on a real machine.
  explicit KernelFiles(std::string root);
  KernelFiles(const KernelFiles&) = default;
  KernelFiles& operator=(const KernelFiles&) = default;
  virtual ~KernelFiles() = default;

  /// The whole file without trailing white space; files here are small (1 MiB is read at most).
  /// @errors kNotFound, kPermissionDenied and other failures of the system calls, with the path.
  virtual Result<std::string> Read(std::string_view path) const;

  /// Read(), or nothing where that fails.
  std::string Text(std::string_view path) const { return Read(path).value_or(""); }
  /// The number that is all of a file.
  std::optional<std::uint64_t> Count(std::string_view path) const;

  /// One write(2) of `text` into a file that is there. Success means that the kernel took the call,
  /// not that it kept the value: read it back.
  /// @errors as Read().
  virtual Result<void> Write(std::string_view path, std::string_view text) const;

  /// The names in a folder, without "." and "..", sorted; empty where there is no such folder.
  std::vector<std::string> List(std::string_view path) const;

  bool Exists(std::string_view path) const;

  /// Where `path` really lies, for system calls that need it.
  std::string FullPath(std::string_view path) const { return root_ + std::string(path); }
  /// True for the machine's own files: only then do systemd and /dev exist for us.
  bool IsReal() const { return root_ == "/"; }

 private:
  std::string root_;
};

/// The CPUs that a file lists. @errors also of a text that is no list.
Result<std::vector<int>> ReadCpus(const KernelFiles& files, std::string_view path);
inline constexpr std::string_view kOnlineCpus = "sys/devices/system/cpu/online";

/// "sys/devices/system/cpu/cpu3/NAME"
std::string CpuFile(int cpu, std::string_view name);

// How the kernel's text files in /proc and /sys are taken apart: lines of words between blanks.
// None of these fails on any bytes; what is not there is empty.

/// Takes the first line off `text`, without its line feed.
std::string_view NextLine(std::string_view& text);

/// Takes the first word off `line`, and the blanks before it.
std::string_view NextWord(std::string_view& line);

/// `text` as a decimal number; nothing else may stand in it.
std::optional<std::uint64_t> ParseCount(std::string_view text);

/// The number of "cpu3" or "CPU3"; nothing for "cpu", which is the sum of all.
std::optional<int> CpuOf(std::string_view word);

/// The value of the first line "KEY : VALUE", as in /proc/cpuinfo and /proc/meminfo.
std::string_view Field(std::string_view text, std::string_view key);

/// Whether one of the words of `text` is `word`.
bool HasWord(std::string_view text, std::string_view word);

/// `text` for a sentence: a process may give itself any bytes as its name, and a terminal would
/// obey some of them. Everything but printable ASCII becomes a question mark.
std::string Printable(std::string_view text);

// Figures as the sentences about the machine write them.

std::string Percent(double fraction);                ///< "4.1 %", "16 %"
std::string SecondsText(double seconds);             ///< "1.30 s", "130 ms"
std::string FrequencyText(std::uint64_t khz);        ///< "3.60 GHz", "800 MHz"
std::string RateText(double per_second);             ///< "420/s", "0.5/s"
std::string BytesText(std::uint64_t bytes);          ///< "1.5 GiB", "12 MiB", "300 KiB"
std::string CpusText(const std::vector<int>& cpus);  ///< "CPU 3", "CPUs 1-3"

/// Adds an item to a list, with `joint` between it and those before.
void AppendItem(std::string& list, std::string_view joint, std::string_view item);

}  // namespace benchd
