#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace benchd {

// Figures as the sentences about the machine write them.

std::string Percent(double fraction);                ///< "4.1 %", "16 %"
std::string SecondsText(double seconds);             ///< "1.30 s", "130 ms"
std::string FrequencyText(std::uint64_t khz);        ///< "3.60 GHz", "800 MHz"
std::string RateText(double per_second);             ///< "420/s", "0.5/s"
std::string BytesText(std::uint64_t bytes);          ///< "1.5 GiB", "12 MiB", "300 KiB"
std::string CpusText(const std::vector<int>& cpus);  ///< "CPU 3", "CPUs 1-3"

}  // namespace benchd
