#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace benchd::fuzz {

/// The initial inputs of a fuzzer: those of corpus/NAME.txt, then the files of corpus/NAME/ by
/// name, verbatim.
///
/// In NAME.txt, a line "%% seed WORD" precedes each. The newline at the end of its last line is not
/// part of the seed, so a seed with a final newline ends with an empty line. A seed that is not
/// plain text (invalid UTF-8, carriage returns), or that contains such a line itself, is a file.
std::vector<std::string> SeedsOf(std::string_view name);

/// Empty if there is no such file.
std::string ReadFile(const std::filesystem::path& path);

}  // namespace benchd::fuzz
