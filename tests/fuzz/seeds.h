#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace benchd::fuzz {

/// The inputs that a fuzzer begins with: those of corpus/NAME.txt, then the files of corpus/NAME/,
/// by name, as they are.
///
/// In NAME.txt a line "%% seed WORD" stands before each. The newline at the end of its last line is
/// not the seed's: one that ends with a newline ends with an empty line there. What is no plain
/// text (bytes that are not UTF-8, carriage returns), or has such a line itself, is a file.
std::vector<std::string> SeedsOf(std::string_view name);

/// Empty where there is no such file.
std::string ReadFile(const std::filesystem::path& path);

}  // namespace benchd::fuzz
