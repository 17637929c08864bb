#include "daemon/helper/symbol_file.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/text.h"
#include "daemon/helper/function_name.h"
#include "tests/support/places.h"
#include "tests/support/seed.h"
#include "tests/support/temp_folder.h"

namespace benchd {
namespace {

using Names = std::vector<std::string>;

std::string Program(const std::string& variant) {
  return test::BuiltFile("daemon/helper/programs/" + variant);
}

std::string ContentOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The address of a symbol of the program, as nm lists it.
std::uint64_t AddressOf(const std::string& symbol) {
  std::ifstream lines(Program("sampled.nm"));
  std::string line;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string address;
    std::string type;
    std::string name;
    words >> address >> type >> name;
    // GCC 16 marks an internal function by an L.
    constexpr std::string_view kMarked = "_GLOBAL__N_1L";
    const std::size_t at = name.find(kMarked);
    if (at != std::string::npos) name.erase(at + kMarked.size() - 1, 1);
    if (name == symbol) return std::stoull(address, nullptr, 16);
  }
  ADD_FAILURE() << "no symbol " << symbol;
  return 0;
}

class SymbolFileTest : public testing::Test {
 protected:
  /// What the kernel reports when it maps the file.
  CodeFile Mapped(const std::string& path) {
    const auto elf = ElfFile::Open(path, budget_);
    return {CodeKind::kFile, path, elf ? elf->build_id() : "", elf ? elf->inode() : 0};
  }

  /// The functions at an address of the program. Its code is at the same offset of the file, or at
  /// a lower one by whole pages.
  Names FunctionsAt(const CodeFile& file, std::uint64_t address, bool inlined = true) {
    SymbolFile symbols(file, budget_, folder_ / "debug");
    return symbols.FunctionsAt(OffsetOf(file.path, address), inlined);
  }
  Names FunctionsAt(const std::string& variant, const std::string& symbol) {
    return FunctionsAt(Mapped(Program(variant)), AddressOf(symbol));
  }

  std::uint64_t OffsetOf(const std::string& path, std::uint64_t address) {
    const auto elf = ElfFile::Open(path, budget_);
    constexpr std::uint64_t kPage = 0x1000;
    for (std::uint64_t back = 0; elf && back < 0x1000000 && back <= address; back += kPage) {
      if (elf->AddressOf(address - back) == address) return address - back;
    }
    return address;
  }

  ReadBudget budget_{std::uint64_t{1} << 40U};
  TempFolder folder_;
};

TEST_F(SymbolFileTest, NamesFunctionsOfCAndCPlusPlus) {
  EXPECT_EQ(FunctionsAt("sampled", "main"), Names{"main"});
  EXPECT_EQ(FunctionsAt("sampled", "first"), Names{"first"});
  EXPECT_EQ(FunctionsAt("sampled", "_ZN4demo5OuterEi"), Names{"demo::Outer(int)"});
  EXPECT_EQ(FunctionsAt("sampled", "_ZN4demo5TwiceIdEET_S1_"),
            Names{"demo::Twice<double>(double)"});
  EXPECT_EQ(FunctionsAt("sampled", "_ZN4demo12_GLOBAL__N_16HiddenEi"),
            Names{"demo::(anonymous namespace)::Hidden(int)"});
}

TEST_F(SymbolFileTest, NamesInlinedFunctionsFromTheOutermostToTheInnermost) {
  EXPECT_EQ(FunctionsAt("sampled", "in_innermost"),
            (Names{"demo::Outer(int)", "demo::Shape::Area(unsigned long const&) const_[i]",
                   "demo::(anonymous namespace)::Innermost(int, unsigned long const*)_[i]"}));
  EXPECT_EQ(FunctionsAt(Mapped(Program("sampled")), AddressOf("in_innermost"), false),
            Names{"demo::Outer(int)"});
  EXPECT_EQ(FunctionsAt("sampled_symbols", "in_innermost"), Names{"demo::Outer(int)"});
}

/// The addresses of the functions with the same name, by the function that calls them.
std::vector<std::uint64_t> AddressesOfStep() {
  std::vector<std::uint64_t> addresses;
  std::ifstream lines(Program("sampled.nm"));
  std::string line;
  while (std::getline(lines, line)) {
    if (line.ends_with(" t step")) addresses.push_back(std::stoull(line, nullptr, 16));
  }
  EXPECT_EQ(addresses.size(), 2U);
  return addresses;
}

TEST_F(SymbolFileTest, FunctionsOfTheSameNameAreFollowedByTheirSource) {
  for (const char* variant : {"sampled", "sampled_symbols"}) {
    Names names;
    for (const std::uint64_t address : AddressesOfStep()) {
      names.push_back(FunctionsAt(Mapped(Program(variant)), address).at(0));
    }
    std::ranges::sort(names);
    EXPECT_EQ(names, (Names{"step (first.c)", "step (second.c)"})) << variant;
    EXPECT_EQ(FunctionsAt(variant, "alone"), Names{"alone"});
  }
  EXPECT_EQ(FunctionsAt("sampled", "in_half_of_first"), (Names{"first", "half (first.c)_[i]"}));
  EXPECT_EQ(FunctionsAt("sampled", "in_half_of_second"), (Names{"second", "half (second.c)_[i]"}));
}

TEST_F(SymbolFileTest, AStrippedFileHasTheAddressesWhereItsFunctionsStart) {
  const std::uint64_t start = AddressOf("first");
  const CodeFile file = Mapped(Program("sampled_stripped"));
  const Names expected{
      fmt::format("[sampled_stripped+{:#x} {}]", start, ToHex(file.build_id.substr(0, 4)))};
  EXPECT_EQ(FunctionsAt(file, start), expected);
  EXPECT_EQ(FunctionsAt(file, start + 3), expected);
}

TEST_F(SymbolFileTest, FindsTheDebugFileByBuildId) {
  const CodeFile file = Mapped(Program("sampled_stripped"));
  const std::string id = ToHex(file.build_id);
  const std::string folder = folder_ / "debug/.build-id/" + id.substr(0, 2);
  std::filesystem::create_directories(folder);
  std::filesystem::copy_file(Program("sampled.debug"), folder + "/" + id.substr(2) + ".debug");
  EXPECT_EQ(FunctionsAt(file, AddressOf("in_half_of_first")),
            (Names{"first", "half (first.c)_[i]"}));
}

TEST_F(SymbolFileTest, FindsTheDebugFileByItsLink) {
  // Written by objcopy --add-gnu-debuglink: the name, filled up to 4 bytes, and a checksum.
  const std::string program = folder_.Put("linked", ContentOf(Program("sampled_stripped")));
  std::filesystem::copy_file(Program("sampled.debug"), folder_ / "linked.debug");
  const std::string command =
      "objcopy --add-gnu-debuglink=" + folder_ / "linked.debug" + " " + program;
  if (std::system((command + " 2>/dev/null").c_str()) != 0) {
    GTEST_SKIP() << "there is no objcopy for this architecture";
  }
  EXPECT_EQ(FunctionsAt(Mapped(program), AddressOf("first")), Names{"first"});
  std::filesystem::create_directory(folder_ / ".debug");
  std::filesystem::rename(folder_ / "linked.debug", folder_ / ".debug/linked.debug");
  EXPECT_EQ(FunctionsAt(Mapped(program), AddressOf("first")), Names{"first"});
}

TEST_F(SymbolFileTest, ADebugFileOfAnotherBuildIsNotUsed) {
  const CodeFile file = Mapped(Program("sampled_stripped"));
  const std::string id = ToHex(file.build_id);
  const std::string folder = folder_ / "debug/.build-id/" + id.substr(0, 2);
  std::filesystem::create_directories(folder);
  std::filesystem::copy_file(test::BuiltFile("bin/helper_test"),
                             folder + "/" + id.substr(2) + ".debug");
  EXPECT_TRUE(FunctionsAt(file, AddressOf("first")).at(0).starts_with("[sampled_stripped+0x"));
}

TEST_F(SymbolFileTest, OnlyTheVeryFileThatRanIsUsed) {
  CodeFile file = Mapped(Program("sampled"));
  const std::uint64_t offset = OffsetOf(file.path, AddressOf("first"));
  const auto unnamed_of = [offset](const CodeFile& code) {
    const std::string build = code.build_id.empty() ? "" : " " + ToHex(code.build_id.substr(0, 4));
    return Names{fmt::format("[sampled+{:#x}{}]", offset, build)};
  };
  const auto functions = [&](const CodeFile& code) {
    return SymbolFile(code, budget_, folder_.path()).FunctionsAt(offset, true);
  };
  EXPECT_EQ(functions(file), Names{"first"});
  file.build_id[0] = static_cast<char>(file.build_id[0] ^ 1);
  EXPECT_EQ(functions(file), unnamed_of(file));
  file.build_id.clear();
  EXPECT_EQ(functions(file), Names{"first"}) << "it has the same number";
  file.inode += 1;
  EXPECT_EQ(functions(file), unnamed_of(file));
  file.inode = 0;
  EXPECT_EQ(functions(file), unnamed_of(file));
}

TEST_F(SymbolFileTest, WhatIsNoElfFileHasAddressesOnly) {
  const std::string text = folder_.Put("a.txt", "text");
  ASSERT_EQ(mkfifo((folder_ / "fifo").c_str(), 0600), 0);
  struct stat info {};
  ASSERT_EQ(stat(text.c_str(), &info), 0);
  for (const std::string& path : {text, folder_ / "fifo", folder_.path(), folder_ / "nosuch",
                                  folder_ / "was (deleted)", std::string()}) {
    const CodeFile file{CodeKind::kFile, path, "", info.st_ino};
    const Names names = SymbolFile(file, budget_, "/nosuch").FunctionsAt(0x1234, true);
    ASSERT_EQ(names.size(), 1U);
    EXPECT_TRUE(names[0].ends_with("+0x1234]")) << names[0];
  }
}

TEST_F(SymbolFileTest, NamesOfFilesAreCleaned) {
  const CodeFile file{CodeKind::kFile, "/tmp/a;b\nc", "", 1};
  EXPECT_EQ(SymbolFile(file, budget_, "/nosuch").FunctionsAt(16, true), Names{"[a,b c+0x10]"});
}

TEST_F(SymbolFileTest, KnowsTheCodeOfTheKernel) {
  SymbolFile vdso({.kind = CodeKind::kVdso}, budget_, "/nosuch");
  EXPECT_EQ(vdso.FunctionsAt(std::uint64_t{1} << 40U, true), Names{"[vdso]"});
  bool named = false;
  for (std::uint64_t offset = 0; offset < 0x4000; offset += 16) {
    const Names names = vdso.FunctionsAt(offset, true);
    ASSERT_EQ(names.size(), 1U);
    named = named || names[0].find("clock_gettime") != std::string::npos;
  }
  EXPECT_TRUE(named);
  SymbolFile vsyscall({.kind = CodeKind::kVsyscall}, budget_, "/nosuch");
  EXPECT_EQ(vsyscall.FunctionsAt(0, true), Names{"[vsyscall]"});
}

TEST_F(SymbolFileTest, AFileBeyondTheBudgetHasNoSymbols) {
  budget_ = ReadBudget(std::uint64_t{1} << 40U);
  const CodeFile file = Mapped(Program("sampled"));
  const std::uint64_t offset = OffsetOf(file.path, AddressOf("in_innermost"));
  ReadBudget small(1);
  EXPECT_TRUE(
      SymbolFile(file, small, "/nosuch").FunctionsAt(offset, true).at(0).starts_with("[sampled+"));
  // Enough for the symbols, but not for the file with its debug information.
  ReadBudget medium(std::filesystem::file_size(file.path) - 1);
  EXPECT_EQ(SymbolFile(file, medium, "/nosuch").FunctionsAt(offset, false),
            Names{"demo::Outer(int)"});
}

/// Looks up many places in a file that may be corrupt. Any answer is right.
void LookUpEverywhere(const std::string& path, ReadBudget& budget) {
  auto elf = ElfFile::Open(path, budget);
  CodeFile file{CodeKind::kFile, path, "", elf ? elf->inode() : 1};
  if (elf) file.build_id = elf->build_id();
  SymbolFile symbols(file, budget, "/nosuch");
  for (std::uint64_t offset = 0; offset < 0x5000; offset += 0x35) {
    for (const std::string& name : symbols.FunctionsAt(offset, true)) {
      ASSERT_LE(name.size(), 512U);
      ASSERT_EQ(CleanName(name), name);
    }
  }
}

TEST_F(SymbolFileTest, SurvivesTruncatedFiles) {
  const std::string whole = ContentOf(Program("sampled"));
  ASSERT_FALSE(whole.empty());
  for (std::size_t size = 0; size < whole.size(); size += 997) {
    LookUpEverywhere(folder_.Put("truncated", whole.substr(0, size)), budget_);
  }
}

TEST_F(SymbolFileTest, SurvivesRandomBytesInItsTables) {
  std::mt19937_64 random(test::Seed());
  const std::string whole = ContentOf(Program("sampled"));
  std::uniform_int_distribution<std::size_t> place(0, whole.size() - 1);
  for (int round = 0; round < 100; ++round) {
    std::string corrupt = whole;
    // The identification, which nearly every other change would spoil, stays.
    for (int i = 0; i < 50; ++i) {
      corrupt[std::max<std::size_t>(place(random), 64)] = static_cast<char>(random());
    }
    LookUpEverywhere(folder_.Put("corrupt", corrupt), budget_);
  }
}

}  // namespace
}  // namespace benchd
