#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace benchd {

// How the kernel's text files in /proc and /sys are taken apart: lines of words between blanks.
// None of these fails on any bytes; what is not there is empty.

/// Takes the first line off `text`, without its line feed.
std::string_view NextLine(std::string_view& text);

/// Takes the first word off `line`, and the blanks before it.
std::string_view NextWord(std::string_view& line);

/// `text` as a decimal number; nothing else may stand in it.
std::optional<std::uint64_t> ParseCount(std::string_view text);

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

}  // namespace benchd
