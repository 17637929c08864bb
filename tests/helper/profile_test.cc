#include "daemon/helper/profile.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "daemon/helper/elf_file.h"
#include "tests/helper/profile_stream_builder.h"
#include "tests/support/places.h"
#include "tests/support/temp_folder.h"

namespace benchd {
namespace {

using StackLines = std::vector<std::string>;

constexpr std::uint64_t kCodeStart = 0x7f0000000000;

class ProfileTest : public testing::Test {
 protected:
  ProfileTest() {
    sources_.map_folder = folder_.path();
    sources_.debug_folder = folder_ / "debug";
    sources_.owner = geteuid();
  }

  /// The samples as "metric stack value", sorted.
  StackLines Folded() {
    const auto samples = FoldProfile(stream_.Build(), sources_);
    EXPECT_TRUE(samples) << samples.error().message;
    StackLines lines;
    if (!samples) return lines;
    for (const Sample& sample : *samples) {
      lines.push_back(sample.metric + " " + sample.inner_benchmark + " " +
                      std::to_string(static_cast<long>(sample.value)));
    }
    std::ranges::sort(lines);
    return lines;
  }

  /// Maps the test program into process 100 at kCodeStart, from its first byte on.
  void MapProgram(std::uint64_t time_ns) {
    ReadBudget budget(std::uint64_t{1} << 40U);
    const auto elf = ElfFile::Open(path_, budget);
    ASSERT_TRUE(elf);
    stream_.Map(
        time_ns,
        {.start = kCodeStart, .bytes = 0x100000, .path = path_, .build_id = elf->build_id()});
  }

  /// The address in the process of a symbol. As linked by ld, the code is at its offset.
  std::uint64_t AddressOf(const std::string& symbol) const {
    std::ifstream lines(test::BuiltFile("daemon/helper/programs/sampled.nm"));
    std::string line;
    while (std::getline(lines, line)) {
      if (line.ends_with(" " + symbol)) return kCodeStart + std::stoull(line, nullptr, 16) % kBase_;
    }
    ADD_FAILURE() << "no symbol " << symbol;
    return 0;
  }

  static constexpr std::uint64_t kBase_ = 0x400000;  // of programs that are not PIE
  const std::string path_ = test::BuiltFile("daemon/helper/programs/sampled");
  TempFolder folder_;
  SymbolSources sources_;
  test::ProfileStreamBuilder stream_;
};

TEST_F(ProfileTest, FoldsTheStacksOfARun) {
  MapProgram(1);
  const std::uint64_t in_main = AddressOf("main") + 8;
  const std::uint64_t inlined = AddressOf("in_half_of_first");
  stream_.Sample(10, 100, {AddressOf("alone"), in_main});
  stream_.Sample(11, 100, {inlined, in_main});
  stream_.Sample(12, 100, {inlined, in_main});
  stream_.Sample(13, 100, {inlined, in_main}, test::ProfileStreamBuilder::kInstructionEvent, 700);
  stream_.Lose(14, 3);
  EXPECT_EQ(Folded(), (StackLines{"lost_samples  3", "stack main;alone 1",
                                  "stack main;first;half (first.c)_[i] 2",
                                  "stack_instructions main;first;half (first.c)_[i] 700"}));
}

TEST_F(ProfileTest, TheAddressesToWhichCallsReturnBelongToTheCaller) {
  MapProgram(1);
  // A function may end with a call: it returns to the first byte of the next function.
  stream_.Sample(10, 100, {AddressOf("alone"), AddressOf("first") + 1});
  stream_.Sample(11, 100, {AddressOf("first")});
  EXPECT_EQ(Folded(), (StackLines{"stack first 1", "stack first;alone 1"}));
}

TEST_F(ProfileTest, AChainThatLeavesTheCodeEndsThere) {
  MapProgram(1);
  stream_.Sample(10, 100, {AddressOf("alone"), 0x1234, AddressOf("main") + 8});
  stream_.Sample(11, 100, {0x1234, AddressOf("main") + 8});
  stream_.Sample(12, 100, {});
  EXPECT_EQ(Folded(),
            (StackLines{"stack [unknown] 1", "stack [unknown];alone 1", "stack main;[unknown] 1"}));
}

TEST_F(ProfileTest, NamesTheCodeThatAProgramCompiledItself) {
  stream_.Map(1, {.start = 0x10000, .path = "//anon"});
  folder_.Put("perf-100.map", "10000 100 LazyCompile:~work\n10100 10 py::f:/home/a/b.py\n");
  stream_.Sample(10, 100, {0x10100, 0x10010});
  stream_.Sample(11, 100, {0x10800});
  EXPECT_EQ(Folded(),
            (StackLines{"stack LazyCompile:~work_[j];py::f (b.py)_[j] 1", "stack [anonymous] 1"}));
}

TEST_F(ProfileTest, EachProcessHasItsOwnCompiledCode) {
  stream_.Map(1, {.pid = 100, .start = 0x10000, .path = "//anon"});
  stream_.Fork(2, 200, 100);
  folder_.Put("perf-100.map", "10000 100 parent\n");
  folder_.Put("perf-200.map", "10000 100 child\n");
  stream_.Sample(10, 100, {0x10010});
  stream_.Sample(11, 200, {0x10010});
  EXPECT_EQ(Folded(), (StackLines{"stack child_[j] 1", "stack parent_[j] 1"}));
}

TEST_F(ProfileTest, SamplesBeforeAnExecBelongToTheFormerProgram) {
  stream_.Sample(30, 100, {0x10010});
  stream_.Map(10, {.start = 0x10000, .path = "/nosuch/a"});
  stream_.Sample(20, 100, {0x10010});
  stream_.Exec(25, 100);
  stream_.Map(26, {.start = 0x10000, .path = "/nosuch/b"});
  EXPECT_EQ(Folded(), (StackLines{"stack [a+0x10] 1", "stack [b+0x10] 1"}));
}

TEST_F(ProfileTest, AnInvalidStreamIsAnError) {
  const auto samples = FoldProfile("not a stream", sources_);
  ASSERT_FALSE(samples);
  EXPECT_EQ(samples.error().message, "profile: the stream has no header");
}

}  // namespace
}  // namespace benchd
