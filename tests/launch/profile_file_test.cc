#include "daemon/launch/profile_file.h"

#include <gtest/gtest.h>
#include <linux/perf_event.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <vector>

namespace benchd {
namespace {

constexpr std::size_t kRecordsAt = sizeof(wire::ProfileHeader) + sizeof(wire::ProfileEvent);
const std::vector<wire::ProfileEvent> kOneEvent = {{77, wire::ProfileEventKind::kTime, 3}};

/// A record of the kernel with `size` bytes.
std::string RecordOf(std::uint32_t type, std::uint16_t size, char fill) {
  std::string record(size, fill);
  const perf_event_header header{.type = type, .misc = 0, .size = size};
  std::memcpy(record.data(), &header, sizeof(header));
  return record;
}

struct WrittenProfile {
  wire::ProfileHeader header;
  std::vector<wire::ProfileEvent> events;
  std::string records;
};

WrittenProfile Written(ProfileFile& file, const wire::ProfileHeader& header = {}) {
  auto finished = file.Finish(header, kOneEvent);
  EXPECT_TRUE(finished);
  if (!finished) return {};
  EXPECT_EQ(lseek(finished->get(), 0, SEEK_CUR), 0);
  const std::string text = ReadAll(finished->get(), "profile").value_or("");
  WrittenProfile written;
  EXPECT_GE(text.size(), kRecordsAt);
  std::memcpy(&written.header, text.data(), sizeof(written.header));
  written.events.resize(written.header.event_count);
  EXPECT_EQ(written.header.records_at, kRecordsAt);
  std::memcpy(written.events.data(), text.data() + sizeof(written.header),
              written.events.size() * sizeof(wire::ProfileEvent));
  written.records = text.substr(written.header.records_at);
  return written;
}

TEST(ProfileFileTest, HoldsTheHeaderTheEventsAndTheRecordsAsTheyCame) {
  auto file = ProfileFile::Create(1);
  ASSERT_TRUE(file) << file.error().message;
  const std::string first = RecordOf(PERF_RECORD_MMAP2, 64, 'm');
  const std::string second = RecordOf(PERF_RECORD_SAMPLE, 40, 's');
  // The second record lies at both ends of a ring.
  file->Append({first + second.substr(0, 16), second.substr(16)});
  file->Append({second, {}});
  const WrittenProfile written =
      Written(*file, {.sample_type = 5, .registers = 6, .stack_bytes = 8, .pid = 4711});
  EXPECT_EQ(written.header.magic, wire::kProfileMagic);
  EXPECT_EQ(written.header.version, wire::kProfileVersion);
  EXPECT_EQ(written.header.sample_type, 5U);
  EXPECT_EQ(written.header.registers, 6U);
  EXPECT_EQ(written.header.stack_bytes, 8U);
  EXPECT_EQ(written.header.pid, 4711);
  EXPECT_EQ(written.header.lost_samples, 0U);
  ASSERT_EQ(written.events.size(), 1U);
  EXPECT_EQ(written.events[0].id, 77U);
  EXPECT_EQ(written.events[0].cpu, 3U);
  EXPECT_EQ(written.records, first + second + second);
}

TEST(ProfileFileTest, ARunWithoutRecordsHasAHeader) {
  auto file = ProfileFile::Create(1);
  ASSERT_TRUE(file);
  const WrittenProfile written = Written(*file);
  EXPECT_EQ(written.header.event_count, 1U);
  EXPECT_EQ(written.records, "");
}

TEST(ProfileFileTest, KeepsWholeRecordsUpToItsLimitAndCountsTheSamplesAfterIt) {
  const std::string sample = RecordOf(PERF_RECORD_SAMPLE, 40, 's');
  const std::string other = RecordOf(PERF_RECORD_COMM, 16, 'c');
  auto file = ProfileFile::Create(1, kRecordsAt + 100);
  ASSERT_TRUE(file);
  // 40 + 16 + 40 bytes fit; 40 more do not.
  const std::string all = sample + other + sample + sample + other + sample;
  file->Append({std::string_view(all).substr(0, 104), std::string_view(all).substr(104)});
  // This record would fit, but it would lie after a gap.
  file->Append({RecordOf(PERF_RECORD_SAMPLE, 8, ' '), {}});
  const WrittenProfile written = Written(*file);
  EXPECT_EQ(written.records, sample + other + sample);
  EXPECT_EQ(written.header.lost_samples, 3U);
}

TEST(ProfileFileTest, AFullFileIsNotAnError) {
  const std::string sample = RecordOf(PERF_RECORD_SAMPLE, 64, 's');
  auto file = ProfileFile::Create(1, kRecordsAt + 128);
  ASSERT_TRUE(file);
  file->Append({sample + sample, {}});
  const WrittenProfile full = Written(*file);
  EXPECT_EQ(full.records.size(), 128U);
  EXPECT_EQ(full.header.lost_samples, 0U);

  auto tiny = ProfileFile::Create(1, 10);
  ASSERT_TRUE(tiny);
  tiny->Append({sample, {}});
  const WrittenProfile empty = Written(*tiny);
  EXPECT_EQ(empty.records, "");
  EXPECT_EQ(empty.header.lost_samples, 1U);
}

// The kernel never writes such records. Reading them must end all the same.
TEST(ProfileFileTest, SizesThatCannotBeDoNoHarm) {
  for (const std::uint16_t size : {std::uint16_t{0}, std::uint16_t{4}, std::uint16_t{60000}}) {
    std::string record = RecordOf(PERF_RECORD_SAMPLE, 64, 's');
    const perf_event_header header{.type = PERF_RECORD_SAMPLE, .misc = 0, .size = size};
    std::memcpy(record.data(), &header, sizeof(header));
    auto file = ProfileFile::Create(1, kRecordsAt + 63);
    ASSERT_TRUE(file);
    file->Append({record, {}});
    EXPECT_EQ(Written(*file).records, "");
  }
}

}  // namespace
}  // namespace benchd
