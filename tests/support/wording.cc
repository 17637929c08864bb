#include "tests/support/wording.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "tests/support/places.h"

namespace benchd::test {
namespace {

/// The file of one test program. The name of each test is in brackets, its texts follow, and an
/// empty line separates them.
class WordingFile {
 public:
  WordingFile() : updates_(std::getenv("BENCHD_UPDATE_GOLDEN") != nullptr) {
    std::string module = program_invocation_short_name;
    if (module.ends_with("_test")) module.resize(module.size() - 5);
    path_ = TestFile("golden/wording/" + module + ".txt");
    Read();
  }
  WordingFile(const WordingFile&) = delete;
  WordingFile& operator=(const WordingFile&) = delete;
  ~WordingFile() {
    if (!seen_.empty() && updates_) Write();
  }

  ::testing::AssertionResult Check(const std::string& test, const std::string& text) {
    std::vector<std::string>& seen = seen_[test];
    seen.push_back(text);
    if (updates_) return ::testing::AssertionSuccess();
    const auto known = texts_.find(test);
    if (known == texts_.end() || known->second.size() < seen.size()) {
      return ::testing::AssertionFailure()
             << "text " << seen.size() << " of " << test << " is missing in " << path_ << ":\n"
             << text << "\nBENCHD_UPDATE_GOLDEN=1 writes it";
    }
    const std::string& expected = known->second[seen.size() - 1];
    if (expected == text) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << "text " << seen.size() << " of " << test << ":\n"
                                         << text << "\nin " << path_ << ":\n"
                                         << expected;
  }

 private:
  using Texts = std::map<std::string, std::vector<std::string>>;

  /// Returns whether a line is a test's name: "[Suite.Test]".
  static bool IsName(const std::string& line) {
    return line.starts_with('[') && line.ends_with(']') && line.find('.') != std::string::npos &&
           line.find(' ') == std::string::npos;
  }

  void Read() {
    std::ifstream file(path_);
    std::vector<std::string>* texts = nullptr;
    bool begins = true;
    for (std::string line; std::getline(file, line);) {
      if (IsName(line)) {
        texts = &texts_[line.substr(1, line.size() - 2)];
        begins = true;
      } else if (line.empty()) {
        begins = true;
      } else if (texts != nullptr && begins) {
        texts->push_back(line);
        begins = false;
      } else if (texts != nullptr) {
        texts->back() += "\n" + line;
      }
    }
  }

  /// Replaces the texts of the tests that ran, and drops those of tests that no longer exist.
  void Write() {
    std::map<std::string, bool> exists;
    const ::testing::UnitTest& all = *::testing::UnitTest::GetInstance();
    for (int s = 0; s < all.total_test_suite_count(); ++s) {
      const ::testing::TestSuite& suite = *all.GetTestSuite(s);
      for (int t = 0; t < suite.total_test_count(); ++t) {
        exists[std::string(suite.name()) + "." + suite.GetTestInfo(t)->name()] = true;
      }
    }
    for (auto& [test, texts] : seen_) texts_[test] = texts;
    std::filesystem::create_directories(path_.parent_path());
    std::ofstream file(path_);
    const char* between = "";
    for (const auto& [test, texts] : texts_) {
      if (!exists[test]) continue;
      file << std::exchange(between, "\n") << "[" << test << "]\n";
      const char* gap = "";
      for (const std::string& text : texts) file << std::exchange(gap, "\n") << text << "\n";
    }
  }

  const bool updates_;
  std::filesystem::path path_;
  Texts texts_;
  Texts seen_;
};

/// Without line ends at its end and without empty lines, which separate the texts of the file.
std::string OneBlock(const std::string& text) {
  std::istringstream lines(text);
  std::string block;
  for (std::string line; std::getline(lines, line);) {
    block += (block.empty() ? "" : "\n") + (line.empty() ? std::string("  (empty line)") : line);
  }
  return block.empty() ? "(empty)" : block;
}

}  // namespace

::testing::AssertionResult MatchesWording(std::string text, const Replacements& replacements) {
  for (const auto& [from, to] : replacements) {
    for (std::size_t at = text.find(from); at != std::string::npos && !from.empty();
         at = text.find(from, at + to.size())) {
      text.replace(at, from.size(), to);
    }
  }
  static WordingFile file;
  const ::testing::TestInfo& test = *::testing::UnitTest::GetInstance()->current_test_info();
  return file.Check(std::string(test.test_suite_name()) + "." + test.name(), OneBlock(text));
}

}  // namespace benchd::test
