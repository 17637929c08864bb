#include "daemon/helper/profile_records.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "tests/helper/profile_stream_builder.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

using test::ProfileStreamBuilder;
using Lines = std::vector<std::string>;

std::vector<std::uint64_t> Numbers(std::string_view bytes) {
  std::vector<std::uint64_t> numbers(bytes.size() / sizeof(std::uint64_t));
  if (!numbers.empty()) {
    std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(std::uint64_t));
  }
  return numbers;
}

/// Writes what it receives.
class Transcript : public ProfileConsumer {
 public:
  void OnMapping(const MappingRecord& m) override {
    lines.push_back(fmt::format("map {} {:#x}+{:#x} {:#x} {} [{}] {}", m.pid, m.start, m.bytes,
                                m.file_offset, m.file.path, ToHex(m.file.build_id), m.file.inode));
  }
  void OnFork(std::uint32_t pid, std::uint32_t parent) override {
    lines.push_back(fmt::format("fork {} of {}", pid, parent));
  }
  void OnExec(std::uint32_t pid) override { lines.push_back(fmt::format("exec {}", pid)); }
  void OnExit(std::uint32_t pid) override { lines.push_back(fmt::format("exit {}", pid)); }
  void OnSample(const SampleRecord& sample) override {
    std::string line =
        fmt::format("sample {} {} {}:", sample.pid, wire::MetricOf(sample.kind), sample.period);
    for (const std::uint64_t address : Numbers(sample.chain)) {
      if (address < PERF_CONTEXT_MAX) line += fmt::format(" {:#x}", address);
    }
    lines.push_back(line);
    last_state = sample.state;
  }
  Lines lines;
  UserState last_state;
};

Lines Decoded(const std::string& stream) {
  Transcript transcript;
  const auto records = ProfileRecords::Parse(stream);
  EXPECT_TRUE(records) << records.error().message;
  if (!records) return {};
  const auto delivered = records->Deliver(transcript);
  EXPECT_TRUE(delivered) << delivered.error().message;
  return transcript.lines;
}

Error ErrorOf(const std::string& stream) {
  Transcript transcript;
  const auto records = ProfileRecords::Parse(stream);
  if (!records) return records.error();
  const auto delivered = records->Deliver(transcript);
  EXPECT_FALSE(delivered);
  return delivered ? Error() : delivered.error();
}

TEST(ProfileRecordsTest, DecodesWhatTheKernelWrote) {
  ProfileStreamBuilder stream;
  stream.Exec(1, 100);
  stream.Map(2, {.start = 0x400000, .file_offset = 0x2000, .path = "/bin/a", .build_id = "\1\2"});
  stream.Map(3, {.start = 0x500000, .bytes = 0x4000, .path = "/bin/b", .inode = 77});
  stream.Rename(4, 100);
  stream.StartThread(5, 100, 101);
  stream.Fork(6, 200, 100);
  stream.Sample(7, 200, {0x400010, 0x500020});
  stream.Sample(8, 200, {0x400011}, ProfileStreamBuilder::kInstructionEvent, 5000);
  stream.Exit(9, 200);
  EXPECT_EQ(Decoded(stream.Build()),
            (Lines{"exec 100", "map 100 0x400000+0x1000 0x2000 /bin/a [0102] 0",
                   "map 100 0x500000+0x4000 0x0 /bin/b [] 77", "fork 200 of 100",
                   "sample 200 stack 1000000: 0x400010 0x500020",
                   "sample 200 stack_instructions 5000: 0x400011", "exit 200"}));
}

TEST(ProfileRecordsTest, OrdersTheRecordsOfSeveralCpusByTimeAndKeepsTheOrderOfEqualTimes) {
  ProfileStreamBuilder stream;
  stream.Sample(30, 1, {3});
  stream.Sample(40, 1, {4});
  stream.Sample(10, 1, {1});
  stream.Exec(30, 2);
  EXPECT_EQ(Decoded(stream.Build()),
            (Lines{"sample 1 stack 1000000: 0x1", "sample 1 stack 1000000: 0x3", "exec 2",
                   "sample 1 stack 1000000: 0x4"}));
}

TEST(ProfileRecordsTest, CountsLostSamples) {
  ProfileStreamBuilder stream;
  stream.header().lost_samples = 5;
  stream.Lose(1, 20);
  stream.Add(PERF_RECORD_LOST_SAMPLES, 0,
             ProfileStreamBuilder::Bytes(std::uint64_t{3}) + ProfileStreamBuilder::SampleId(0, 2));
  const std::string bytes = stream.Build();
  const auto records = ProfileRecords::Parse(bytes);
  ASSERT_TRUE(records) << records.error().message;
  EXPECT_EQ(records->lost_samples(), 28U);
}

TEST(ProfileRecordsTest, FindsRegistersByTheirNumberAndTheCopiedPartOfTheStack) {
  ProfileStreamBuilder stream;
  stream.WithState(0b1010'0001);
  stream.SampleWithState(1, 100, 0x10, {11, 22, 33}, "stack");
  const std::string bytes = stream.Build();
  const auto records = ProfileRecords::Parse(bytes);
  ASSERT_TRUE(records) << records.error().message;
  Transcript transcript;
  ASSERT_TRUE(records->Deliver(transcript));
  const UserState& state = transcript.last_state;
  EXPECT_EQ(state.Register(0), 11U);
  EXPECT_EQ(state.Register(5), 22U);
  EXPECT_EQ(state.Register(7), 33U);
  EXPECT_EQ(state.Register(1), 0U) << "not recorded";
  EXPECT_EQ(state.stack, "stack");
}

TEST(ProfileRecordsTest, ASampleOfA32BitProcessHasNoRegisters) {
  ProfileStreamBuilder stream;
  stream.WithState(1);
  stream.Add(PERF_RECORD_SAMPLE, 0,
             ProfileStreamBuilder::Bytes(ProfileStreamBuilder::kTimeEvent, std::uint64_t{0},
                                         std::uint64_t{7}, std::uint64_t{1}, std::uint64_t{1},
                                         std::uint64_t{0},  // no chain
                                         std::uint64_t{PERF_SAMPLE_REGS_ABI_32}, std::uint64_t{9},
                                         std::uint64_t{0}));  // no stack
  EXPECT_EQ(Decoded(stream.Build()), (Lines{"sample 7 stack 1:"}));
}

TEST(ProfileRecordsTest, SkipsRecordsOfOtherTypes) {
  ProfileStreamBuilder stream;
  stream.Add(PERF_RECORD_THROTTLE, 0, std::string(48, 'x'));
  stream.Add(9999, 0, "");
  EXPECT_EQ(Decoded(stream.Build()), Lines{});
}

TEST(ProfileRecordsTest, RefusesAStreamWithoutAHeader) {
  EXPECT_WORDING(ErrorOf(""));
  EXPECT_EQ(ErrorOf(std::string(100, 'x')).code, ErrorCode::kInvalidArgument);
  ProfileStreamBuilder stream;
  stream.header().version = 2;
  EXPECT_WORDING(ErrorOf(stream.Build()));
}

TEST(ProfileRecordsTest, RefusesSamplesOfAnUnknownForm) {
  ProfileStreamBuilder more;
  more.header().sample_type |= PERF_SAMPLE_RAW;
  EXPECT_WORDING(ErrorOf(more.Build()));
  ProfileStreamBuilder less;
  less.header().sample_type &= ~std::uint64_t{PERF_SAMPLE_TIME};
  EXPECT_EQ(ErrorOf(less.Build()).code, ErrorCode::kInvalidArgument);
}

TEST(ProfileRecordsTest, RefusesATableThatDoesNotFit) {
  wire::ProfileHeader header;
  header.sample_type = ProfileStreamBuilder().header().sample_type;
  header.event_count = 1'000'000'000;
  header.records_at = sizeof(header);
  EXPECT_WORDING(ErrorOf(ProfileStreamBuilder::Bytes(header)));
  header.event_count = 0;
  header.records_at = sizeof(header) + 1;
  EXPECT_EQ(ErrorOf(ProfileStreamBuilder::Bytes(header)).code, ErrorCode::kInvalidArgument);
}

TEST(ProfileRecordsTest, RefusesEveryIncompleteRecord) {
  ProfileStreamBuilder stream;
  stream.Map(1, {.path = "/bin/a"});
  stream.Sample(2, 100, {1, 2, 3});
  const std::string whole = stream.Build();
  const std::size_t records_at = ProfileStreamBuilder().Build().size();
  for (std::size_t size = records_at + 1; size < whole.size(); ++size) {
    const std::string part = whole.substr(0, size);
    const auto records = ProfileRecords::Parse(part);
    Transcript transcript;
    const bool first_only = records && records->Deliver(transcript);
    EXPECT_LE(transcript.lines.size(), 1U) << size;
    if (first_only) {
      EXPECT_EQ(transcript.lines.size(), 1U);
    } else if (!records) {
      EXPECT_EQ(records.error().message, "profile: a record is incomplete");
    }
  }
}

TEST(ProfileRecordsTest, RefusesFieldsThatDoNotFitIntoTheirRecord) {
  using Builder = ProfileStreamBuilder;
  Builder huge_chain;
  huge_chain.Add(PERF_RECORD_SAMPLE, 0,
                 Builder::Bytes(Builder::kTimeEvent, std::uint64_t{0}, std::uint64_t{7},
                                std::uint64_t{1}, std::uint64_t{1}, ~std::uint64_t{0}));
  EXPECT_WORDING(ErrorOf(huge_chain.Build()));
  Builder unknown_event;
  unknown_event.Sample(1, 1, {1}, 999);
  EXPECT_EQ(ErrorOf(unknown_event.Build()).code, ErrorCode::kInvalidArgument);
  Builder short_map;
  short_map.Add(PERF_RECORD_MMAP2, 0, std::string(40, '\0'));
  EXPECT_EQ(ErrorOf(short_map.Build()).code, ErrorCode::kInvalidArgument);
  Builder no_sample_id;
  no_sample_id.Add(PERF_RECORD_EXIT, 0, "");
  EXPECT_EQ(ErrorOf(no_sample_id.Build()).code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace benchd
