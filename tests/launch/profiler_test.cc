// The events with which runs are sampled. The kernel is a fake, except in the last tests.

#include "daemon/launch/profiler.h"

#include <gtest/gtest.h>
#include <linux/perf_event.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/affinity.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

std::size_t PageSize() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

/// A kernel whose events are files in memory: a page, the ring, and then the figures that read(2)
/// returns, one after another.
class FakeSampler {
 public:
  static constexpr std::size_t kRing = 4 * 1024 * 1024;

  struct Asked {
    perf_event_attr attributes{};
    pid_t pid = 0;
    int cpu = 0;
    int file = -1;  ///< a duplicate, which this object owns
  };

  FakeSampler() = default;
  FakeSampler(const FakeSampler&) = delete;
  FakeSampler& operator=(const FakeSampler&) = delete;
  ~FakeSampler() {
    for (const Asked& one : asked) {
      if (one.file >= 0) close(one.file);
    }
  }

  PerfEventOpen Open() {
    return [this](const perf_event_attr& attributes, pid_t pid, int cpu) {
      return Answer(attributes, pid, cpu);
    };
  }

  int error = 0;                  ///< the error for all events
  std::map<int, int> cpu_errors;  ///< the error for the events of a CPU
  bool knows_build_ids = true;
  bool has_hardware = false;
  std::uint64_t covered_ns = 1'000'000'000;  ///< the value of each event at the end of the run
  std::vector<Asked> asked;                  ///< events on a CPU, without the probes of PerfSupport
  std::vector<int> numbers;                  ///< the descriptors of the same events

  /// The file of the n-th event that was opened on a CPU.
  int FileOf(std::size_t number) const { return asked.at(number).file; }

  /// Appends bytes to the ring of an event, as the kernel does.
  static void Emit(int file, std::string_view bytes, std::size_t ring_bytes) {
    std::uint64_t head = 0;
    const auto at = static_cast<off_t>(offsetof(perf_event_mmap_page, data_head));
    ASSERT_EQ(pread(file, &head, sizeof(head), at), ssize_t{sizeof(head)});
    for (const char byte : bytes) {
      const auto offset = static_cast<off_t>(PageSize() + head % ring_bytes);
      ASSERT_EQ(pwrite(file, &byte, 1, offset), 1);
      ++head;
    }
    ASSERT_EQ(pwrite(file, &head, sizeof(head), at), ssize_t{sizeof(head)});
  }

 private:
  int Answer(const perf_event_attr& attributes, pid_t pid, int cpu) {
    if (error != 0) return -error;
    const bool hardware = attributes.type == PERF_TYPE_HARDWARE;
    if (hardware && !has_hardware) return -ENOENT;
    if (cpu < 0) return memfd_create("counter", MFD_CLOEXEC);
    if (const auto found = cpu_errors.find(cpu); found != cpu_errors.end()) return -found->second;
    if (attributes.build_id == 1 && !knows_build_ids) return -EINVAL;
    const int file = memfd_create("event", MFD_CLOEXEC);
    const std::array<std::uint64_t, 8> shown = {0,          0,          0,          next_id_,
                                                covered_ns, covered_ns, covered_ns, next_id_};
    next_id_ += 5;
    EXPECT_EQ(ftruncate(file, static_cast<off_t>(PageSize() + kRing)), 0);
    lseek(file, 0, SEEK_END);
    EXPECT_EQ(write(file, shown.data(), sizeof(shown)), ssize_t{sizeof(shown)});
    lseek(file, static_cast<off_t>(PageSize() + kRing), SEEK_SET);
    asked.push_back({attributes, pid, cpu, dup(file)});
    numbers.push_back(file);
    return file;
  }

  std::uint64_t next_id_ = 100;
};

/// A root folder whose kernel.perf_event_paranoid is `level`.
class ParanoidRoot {
 public:
  explicit ParanoidRoot(const std::string& level) {
    std::filesystem::create_directories(folder_ / "proc/sys/kernel");
    std::ofstream(folder_ / "proc/sys/kernel/perf_event_paranoid") << level << "\n";
  }
  KernelFiles files() const { return KernelFiles(folder_.path()); }

 private:
  TempFolder folder_;
};

/// A stream, as benchd-helper sees it.
struct ReadStream {
  wire::ProfileHeader header;
  std::vector<wire::ProfileEvent> events;
  std::string records;
};

ReadStream Read(Result<UniqueFd> file) {
  ReadStream stream;
  EXPECT_TRUE(file) << file.error().message;
  if (!file) return stream;
  const std::string text = ReadAll(file->get(), "profile").value_or("");
  EXPECT_GE(text.size(), sizeof(stream.header));
  std::memcpy(&stream.header, text.data(), sizeof(stream.header));
  stream.events.resize(stream.header.event_count);
  std::memcpy(stream.events.data(), text.data() + sizeof(stream.header),
              stream.events.size() * sizeof(wire::ProfileEvent));
  stream.records = text.substr(stream.header.records_at);
  return stream;
}

std::string SampleRecord(char fill, std::uint16_t size = 24) {
  std::string record(size, fill);
  const perf_event_header header{.type = PERF_RECORD_SAMPLE, .misc = 0, .size = size};
  std::memcpy(record.data(), &header, sizeof(header));
  return record;
}

/// A profiler of a fake kernel.
class FakeProfilerTest : public testing::Test {
 protected:
  /// Creates a profiler without an event loop, because epoll refuses the files of the fake.
  Profiler& Make(const std::string& paranoia = "2") {
    support_.emplace(kernel_.Open(), ParanoidRoot(paranoia).files());
    profiler_.emplace(nullptr, *support_, [this](int event, int owner) {
      shared_.emplace_back(event, owner);
      return shares_;
    });
    return *profiler_;
  }

  FakeSampler kernel_;
  bool shares_ = true;
  std::vector<std::pair<int, int>> shared_;
  std::optional<PerfSupport> support_;
  std::optional<Profiler> profiler_;
};

TEST_F(FakeProfilerTest, AsksForTheTreeFromExecOnAndForUserModeOnly) {
  Profiler& profiler = Make();
  ASSERT_TRUE(profiler.Open({.frequency_hz = 1000}, 4711, std::vector{0, 3}));
  ASSERT_EQ(kernel_.asked.size(), 2U);
  EXPECT_EQ(kernel_.asked[0].cpu, 0);
  EXPECT_EQ(kernel_.asked[1].cpu, 3);
  for (const auto& [attributes, pid, cpu, file] : kernel_.asked) {
    EXPECT_EQ(pid, 4711);
    EXPECT_EQ(attributes.type, static_cast<unsigned>(PERF_TYPE_SOFTWARE));
    EXPECT_EQ(attributes.config, static_cast<unsigned>(PERF_COUNT_SW_TASK_CLOCK));
    EXPECT_EQ(attributes.freq, 0U);
    EXPECT_EQ(attributes.disabled, 1U);
    EXPECT_EQ(attributes.enable_on_exec, 1U);
    EXPECT_EQ(attributes.inherit, 1U);
    EXPECT_EQ(attributes.exclude_kernel, 1U);
    EXPECT_EQ(attributes.exclude_hv, 1U);
    EXPECT_EQ(attributes.sample_id_all, 1U);
    EXPECT_EQ(attributes.mmap2, 1U);
    EXPECT_EQ(attributes.build_id, 1U);
    EXPECT_EQ(attributes.comm_exec, 1U);
    EXPECT_EQ(attributes.task, 1U);
    EXPECT_EQ(attributes.sample_type & (PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER), 0U);
  }
}

// The nominal period is 1 s / 1000; each run has its own, at most a half away from it.
TEST_F(FakeProfilerTest, ThePeriodDiffersFromRunToRunAroundTheNominalOne) {
  Profiler& profiler = Make();
  std::set<std::uint64_t> periods;
  constexpr int kRuns = 200;
  double sum = 0;
  for (int run = 0; run < kRuns; ++run) {
    ASSERT_TRUE(profiler.Open({.frequency_hz = 1000}, 4711, std::vector{0, 1}));
    const auto& [first, second] = std::pair(kernel_.asked[kernel_.asked.size() - 2].attributes,
                                            kernel_.asked.back().attributes);
    EXPECT_EQ(first.sample_period, second.sample_period) << "one period for all CPUs of a run";
    EXPECT_GE(first.sample_period, 500'000U);
    EXPECT_LE(first.sample_period, 1'500'000U);
    periods.insert(first.sample_period);
    sum += static_cast<double>(first.sample_period);
  }
  EXPECT_GT(periods.size(), 150U);
  // Two uniform numbers of width 500,000: the standard deviation of the mean of 200 sums is
  // 500,000 * sqrt(2 / (12 * 200)) = 14,434; six of them.
  EXPECT_NEAR(sum / kRuns, 1'000'000, 86'603);
}

TEST_F(FakeProfilerTest, UnwindingByTablesAsksForRegistersAndAPartOfTheStack) {
  Profiler& profiler = Make();
  const Profile profile{.frequency_hz = 100, .call_graph = CallGraph::kDwarf};
  ASSERT_TRUE(profiler.Open(profile, 4711, std::vector{0}));
  const perf_event_attr& attributes = kernel_.asked[0].attributes;
  EXPECT_NE(attributes.sample_type & PERF_SAMPLE_REGS_USER, 0U);
  EXPECT_NE(attributes.sample_type & PERF_SAMPLE_STACK_USER, 0U);
  EXPECT_EQ(attributes.sample_stack_user, wire::kProfileStackBytes);
  EXPECT_NE(attributes.sample_regs_user, 0U);
  profiler.Stop();
  const ReadStream stream = Read(profiler.Take(0));
  EXPECT_EQ(stream.header.sample_type, attributes.sample_type);
  EXPECT_EQ(stream.header.registers, attributes.sample_regs_user);
  EXPECT_EQ(stream.header.stack_bytes, wire::kProfileStackBytes);
}

TEST_F(FakeProfilerTest, AKernelThatKnowsNoBuildIdsIsAskedWithoutThem) {
  kernel_.knows_build_ids = false;
  ASSERT_TRUE(Make().Open({}, 4711, std::vector{0}));
  EXPECT_EQ(kernel_.asked.back().attributes.build_id, 0U);
  EXPECT_EQ(kernel_.asked.back().attributes.mmap2, 1U);
}

TEST_F(FakeProfilerTest, CountersOfTheProcessorShareTheBufferOfTheirCpu) {
  kernel_.has_hardware = true;
  Profiler& profiler = Make();
  ASSERT_TRUE(profiler.Open({.frequency_hz = 700}, 4711, std::vector{0, 1}));
  ASSERT_EQ(kernel_.asked.size(), 6U);
  const perf_event_attr& misses = kernel_.asked[5].attributes;
  EXPECT_EQ(misses.type, static_cast<unsigned>(PERF_TYPE_HARDWARE));
  EXPECT_EQ(misses.config, static_cast<unsigned>(PERF_COUNT_HW_CACHE_MISSES));
  EXPECT_EQ(misses.freq, 1U);
  EXPECT_EQ(misses.sample_freq, 700U);
  EXPECT_EQ(misses.sample_type, kernel_.asked[0].attributes.sample_type);
  EXPECT_EQ(misses.mmap2, 0U) << "the clock reports what is mapped, once";
  ASSERT_EQ(shared_.size(), 4U);
  EXPECT_EQ(shared_[0].second, shared_[1].second);
  EXPECT_NE(shared_[0].second, shared_[2].second);
  profiler.Stop();
  const ReadStream stream = Read(profiler.Take(0));
  ASSERT_EQ(stream.events.size(), 6U);
  const std::vector<std::pair<std::string_view, std::uint32_t>> expected = {
      {kStackMetric, 0}, {kInstructionStackMetric, 0}, {kCacheMissStackMetric, 0},
      {kStackMetric, 1}, {kInstructionStackMetric, 1}, {kCacheMissStackMetric, 1}};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(wire::MetricOf(stream.events[i].kind), expected[i].first);
    EXPECT_EQ(stream.events[i].cpu, expected[i].second);
    EXPECT_EQ(stream.events[i].id, 100 + 5 * i);
  }
}

TEST_F(FakeProfilerTest, CountersThatCannotShareABufferAreLeftOut) {
  kernel_.has_hardware = true;
  shares_ = false;
  Profiler& profiler = Make();
  ASSERT_TRUE(profiler.Open({}, 4711, std::vector{0}));
  profiler.Stop();
  EXPECT_EQ(Read(profiler.Take(0)).events.size(), 1U);
}

TEST_F(FakeProfilerTest, CollectsTheRecordsOfAllCpusAcrossTheEndOfARing) {
  Profiler& profiler = Make();
  ASSERT_TRUE(profiler.Open({}, 4711, std::vector{0, 1}));
  constexpr std::size_t kRing = 512 * 1024;
  // Half of the ring, in records of 64 bytes, then a full ring, whose middle is at its end.
  std::string expected;
  const auto fill = [&](std::size_t bytes, char letter) {
    std::string text;
    while (text.size() < bytes) text += SampleRecord(letter, 64);
    FakeSampler::Emit(kernel_.FileOf(0), text, kRing);
    static_cast<EventSink&>(profiler).OnReady(kernel_.numbers[0], EPOLLIN);
    expected += text;
  };
  fill(kRing / 2, 'a');
  fill(kRing, 'b');
  fill(64, 'c');
  static_cast<EventSink&>(profiler).OnReady(kernel_.numbers[0], EPOLLHUP);
  const std::string last = SampleRecord('d') + SampleRecord('e');
  FakeSampler::Emit(kernel_.FileOf(1), last, kRing);
  profiler.Stop();
  const ReadStream stream = Read(profiler.Take(1'000'000));
  EXPECT_TRUE(stream.records == expected + last);
  EXPECT_EQ(stream.header.pid, 4711);
  EXPECT_EQ(stream.header.lost_samples, 0U);
}

// The fake's files are as large as the largest buffer; what is mapped shows in /proc/self/maps.
TEST_F(FakeProfilerTest, ManyCpusShareALimitedAmountOfMemory) {
  const auto mapped_kib = [](Profiler& profiler, int cpu_count) {
    std::vector<int> cpus(static_cast<std::size_t>(cpu_count));
    std::iota(cpus.begin(), cpus.end(), 0);
    const auto opened = profiler.Open({.call_graph = CallGraph::kDwarf}, 4711, cpus);
    EXPECT_TRUE(opened) << opened.error().message;
    std::size_t bytes = 0;
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
      if (line.find("memfd:event") == std::string::npos) continue;
      const std::size_t dash = line.find('-');
      bytes += std::stoull(line.substr(dash + 1), nullptr, 16) - std::stoull(line, nullptr, 16);
    }
    profiler.Close();
    return (bytes - static_cast<std::size_t>(cpu_count) * PageSize()) / 1024;
  };
  Profiler& profiler = Make();
  EXPECT_EQ(mapped_kib(profiler, 2), 2U * 4096);
  EXPECT_EQ(mapped_kib(profiler, 16), 64U * 1024);
  EXPECT_EQ(mapped_kib(profiler, 100), 100U * 512);
}

TEST_F(FakeProfilerTest, ACpuThatIsOfflineIsLeftOut) {
  kernel_.cpu_errors = {{1, ENODEV}};
  Profiler& profiler = Make();
  ASSERT_TRUE(profiler.Open({}, 4711, std::vector{0, 1, 2}));
  profiler.Stop();
  EXPECT_EQ(Read(profiler.Take(0)).events.size(), 2U);
}

// Killed at its gate: the run is started again, as after any such death.
TEST_F(FakeProfilerTest, AProcessThatIsDeadHasNoSamples) {
  Profiler& profiler = Make();
  kernel_.error = ESRCH;
  ASSERT_TRUE(profiler.Open({}, 4711, std::vector{0, 1}));
  profiler.Stop();
  const auto taken = profiler.Take(0);
  ASSERT_FALSE(taken);
  EXPECT_WORDING(taken.error());
}

TEST_F(FakeProfilerTest, ARefusalIsExplained) {
  const std::vector<std::pair<int, std::string>> refusals = {
      {EACCES, "4"}, {EPERM, "3"},  {EPERM, "2"}, {EACCES, ""},
      {ENOSYS, "2"}, {ENOENT, "2"}, {EMFILE, "2"}};
  for (const auto& [error, paranoia] : refusals) {
    Profiler& profiler = Make(paranoia);
    kernel_.error = error;
    const auto opened = profiler.Open({}, 0, std::vector{0});
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, ErrorCode::kFailedPrecondition);
    EXPECT_WORDING(opened.error());
  }
}

TEST_F(FakeProfilerTest, ARefusalOnTheSecondCpuClosesTheFirst) {
  kernel_.cpu_errors = {{1, EMFILE}};
  Profiler& profiler = Make();
  EXPECT_FALSE(profiler.Open({}, 4711, std::vector{0, 1}));
  EXPECT_FALSE(profiler.Take(0));
}

TEST_F(FakeProfilerTest, FrequenciesOutOfRangeAreRefused) {
  for (const std::uint32_t frequency : {0U, kLeastSampleHz - 1, kMostSampleHz + 1}) {
    const auto opened = Make().Open({.frequency_hz = frequency}, 0, std::vector{0});
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, ErrorCode::kInvalidArgument);
    EXPECT_WORDING(opened.error());
  }
  EXPECT_TRUE(Make().Open({.frequency_hz = kLeastSampleHz}, 0, std::vector{0}));
  EXPECT_TRUE(Make().Open({.frequency_hz = kMostSampleHz}, 0, std::vector{0}));
}

// A program that is not watched: see PerfCountersTest. 7351 ns of 26 ms were covered.
TEST_F(FakeProfilerTest, AProgramThatTheKernelDoesNotSampleIsNamed) {
  kernel_.covered_ns = 7351;
  Profiler& profiler = Make();
  ASSERT_TRUE(profiler.Open({}, 4711, std::vector{0}));
  profiler.Stop();
  const auto taken = profiler.Take(26'000);
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_WORDING(taken.error());
}

TEST_F(FakeProfilerTest, ARunAfterAnotherHasOnlyItsOwnSamples) {
  Profiler& profiler = Make();
  ASSERT_TRUE(profiler.Open({}, 4711, std::vector{0}));
  FakeSampler::Emit(kernel_.FileOf(0), SampleRecord('a'), 512 * 1024);
  profiler.Stop();
  ASSERT_TRUE(profiler.Open({}, 4712, std::vector{0}));
  FakeSampler::Emit(kernel_.FileOf(1), SampleRecord('b'), 512 * 1024);
  profiler.Stop();
  const ReadStream stream = Read(profiler.Take(0));
  EXPECT_EQ(stream.records, SampleRecord('b'));
  EXPECT_EQ(stream.header.pid, 4712);
  EXPECT_FALSE(profiler.Take(0)) << "a profile is taken once";
}

// ---- the real kernel ----

/// One sample, decoded as wire/profile_stream.h describes it.
struct RealSample {
  std::uint64_t id = 0;
  std::uint64_t ip = 0;
  std::uint32_t pid = 0;
  std::uint32_t tid = 0;
  std::uint64_t time_ns = 0;
  std::uint64_t period = 0;
  std::vector<std::uint64_t> callers;
  std::uint64_t abi = 0;
  std::uint64_t stack_bytes = 0;  ///< valid bytes of the stack
};

class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}
  template <typename T>
  T Next() {
    T value{};
    if (rest_.size() < sizeof(T)) {
      ADD_FAILURE() << "a record is too short";
      rest_ = {};
      return value;
    }
    std::memcpy(&value, rest_.data(), sizeof(T));
    rest_.remove_prefix(sizeof(T));
    return value;
  }
  void Skip(std::size_t bytes) { rest_.remove_prefix(std::min(bytes, rest_.size())); }
  std::size_t left() const { return rest_.size(); }

 private:
  std::string_view rest_;
};

RealSample DecodeSample(const wire::ProfileHeader& header, std::string_view fields) {
  ByteReader reader(fields);
  RealSample sample;
  sample.id = reader.Next<std::uint64_t>();
  sample.ip = reader.Next<std::uint64_t>();
  sample.pid = reader.Next<std::uint32_t>();
  sample.tid = reader.Next<std::uint32_t>();
  sample.time_ns = reader.Next<std::uint64_t>();
  sample.period = reader.Next<std::uint64_t>();
  const auto count = reader.Next<std::uint64_t>();
  for (std::uint64_t i = 0; i < count && i < 1000; ++i) {
    sample.callers.push_back(reader.Next<std::uint64_t>());
  }
  if (header.stack_bytes > 0) {
    sample.abi = reader.Next<std::uint64_t>();
    if (sample.abi != 0) {
      reader.Skip(8 * static_cast<std::size_t>(__builtin_popcountll(header.registers)));
    }
    const auto size = reader.Next<std::uint64_t>();
    reader.Skip(size);
    if (size > 0) sample.stack_bytes = reader.Next<std::uint64_t>();
  }
  EXPECT_EQ(reader.left(), 0U) << "a sample has other fields than the header says";
  return sample;
}

struct RealProfile {
  Result<void> result;
  wire::ProfileHeader header;
  std::vector<wire::ProfileEvent> events;
  std::vector<RealSample> samples;
  std::set<std::string> mapped;  ///< names of executable mappings
  std::map<std::uint32_t, int> types;
};

RealProfile Decode(const ReadStream& stream) {
  RealProfile profile;
  profile.header = stream.header;
  profile.events = stream.events;
  std::string_view rest = stream.records;
  while (rest.size() >= sizeof(perf_event_header)) {
    perf_event_header header{};
    std::memcpy(&header, rest.data(), sizeof(header));
    EXPECT_GE(header.size, sizeof(header));
    EXPECT_LE(header.size, rest.size()) << "the last record is whole";
    if (header.size < sizeof(header) || header.size > rest.size()) break;
    const std::string_view fields = rest.substr(sizeof(header), header.size - sizeof(header));
    ++profile.types[header.type];
    if (header.type == PERF_RECORD_SAMPLE) {
      profile.samples.push_back(DecodeSample(stream.header, fields));
    }
    constexpr std::size_t kNameAt =
        64;  // after pid, tid, address, length, offset, file, protection
    if (header.type == PERF_RECORD_MMAP2) profile.mapped.insert(fields.substr(kNameAt).data());
    rest.remove_prefix(header.size);
  }
  return profile;
}

/// Runs a program that waits until its events are open, and serves the event loop meanwhile.
class RealSampling : public EventSink {
 public:
  explicit RealSampling(Profile profile) : profile_(std::move(profile)) {}

  RealProfile Run(std::vector<std::string> argv, std::vector<int> cpus = {}) {
    RealProfile failed;
    if (cpus.empty()) cpus = ReadAffinity(0).value_or(std::vector<int>{0});
    int gate[2];
    EXPECT_EQ(pipe(gate), 0);
    std::vector<char*> words;
    for (std::string& word : argv) words.push_back(word.data());
    words.push_back(nullptr);
    const pid_t pid = fork();
    if (pid == 0) {
      char go = 0;
      close(gate[1]);
      if (read(gate[0], &go, 1) != 1) _exit(100);
      execv(words[0], words.data());
      _exit(101);
    }
    EventLoop loop;
    Profiler profiler(&loop, support_);
    failed.result = profiler.Open(profile_, pid, cpus);
    const UniqueFd process(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
    loop_ = &loop;
    const Watch watch(loop, process.get(), *this, Watch::Urgency::kUrgent);
    EXPECT_EQ(write(gate[1], "x", 1), 1);
    close(gate[0]);
    close(gate[1]);
    loop.Run();
    int status = 0;
    rusage usage{};
    EXPECT_EQ(wait4(pid, &status, 0, &usage), pid);
    EXPECT_EQ(status, 0);
    if (!failed.result) return failed;
    profiler.Stop();
    const auto micros = [](timeval time) { return time.tv_sec * 1'000'000 + time.tv_usec; };
    cpu_us_ = micros(usage.ru_utime) + micros(usage.ru_stime);
    user_us_ = micros(usage.ru_utime);
    // The usage includes the fork of this process, which takes long with sanitizers.
    auto taken = profiler.Take(0);
    failed.result = taken ? Result<void>() : Result<void>(taken.error());
    if (!taken) return failed;
    return Decode(Read(std::move(taken)));
  }

  std::int64_t cpu_us() const { return cpu_us_; }
  std::int64_t user_us() const { return user_us_; }
  const PerfSupport& support() const { return support_; }

 private:
  void OnReady(int, std::uint32_t) override { loop_->Stop(); }

  const Profile profile_;
  const PerfSupport support_{OpenPerfEvent, KernelFiles("/")};
  EventLoop* loop_ = nullptr;
  std::int64_t cpu_us_ = 0;
  std::int64_t user_us_ = 0;
};

/// Returns why programs cannot be sampled here; empty if they can.
std::string WhyNoSamples() {
  const PerfSupport support(OpenPerfEvent, KernelFiles("/"));
  const auto cpus = ReadAffinity(0).value_or(std::vector<int>{0});
  const auto opened = Profiler(nullptr, support).Open({}, 0, cpus);
  return opened ? "" : opened.error().message;
}

/// A shell that counts, for a few hundred milliseconds.
std::vector<std::string> Counting(const std::string& number = "300000") {
  return {"/bin/sh", "-c", "i=0; while [ $i -lt " + number + " ]; do i=$((i+1)); done"};
}

class RealProfilerTest : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = WhyNoSamples(); !why.empty()) GTEST_SKIP() << why;
  }
};

// Every sample stands for a period of CPU time in user mode; samples in kernel mode are not taken.
TEST_F(RealProfilerTest, SamplesTheUserModeOfAProgramEvenly) {
  RealSampling sampling({.frequency_hz = 1000});
  const RealProfile profile = sampling.Run(Counting());
  ASSERT_TRUE(profile.result) << profile.result.error().message;
  ASSERT_GT(profile.samples.size(), 20U);
  std::uint64_t sampled_ns = 0;
  std::set<std::uint64_t> ids;
  for (const wire::ProfileEvent& event : profile.events) ids.insert(event.id);
  for (const RealSample& sample : profile.samples) {
    sampled_ns += sample.period;
    EXPECT_TRUE(ids.contains(sample.id));
    EXPECT_EQ(sample.pid, static_cast<std::uint32_t>(profile.header.pid));
    EXPECT_GE(sample.period, 500'000U);
    EXPECT_LE(sample.period, 1'500'000U);
    EXPECT_GT(sample.time_ns, 0U);
    EXPECT_FALSE(sample.callers.empty());
  }
  EXPECT_LT(static_cast<double>(sampled_ns), 1.1e3 * static_cast<double>(sampling.cpu_us()) + 2e6);
  EXPECT_GT(static_cast<double>(sampled_ns), 0.5e3 * static_cast<double>(sampling.user_us()));
  EXPECT_TRUE(std::any_of(profile.mapped.begin(), profile.mapped.end(), [](const auto& name) {
    return name.ends_with("sh") && name.starts_with("/");
  })) << "the program itself is mapped";
  EXPECT_FALSE(profile.types.contains(PERF_RECORD_LOST));
}

TEST_F(RealProfilerTest, SamplesTheDescendantsOnAllCpus) {
  RealSampling sampling({.frequency_hz = 2000});
  const std::string loop = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done";
  const RealProfile profile =
      sampling.Run({"/bin/sh", "-c", "(" + loop + ") & (" + loop + ") & wait"});
  ASSERT_TRUE(profile.result) << profile.result.error().message;
  std::set<std::uint32_t> processes;
  for (const RealSample& sample : profile.samples) processes.insert(sample.pid);
  EXPECT_GE(processes.size(), 2U);
  EXPECT_GE(profile.types.at(PERF_RECORD_FORK), 2);
  EXPECT_GE(profile.types.at(PERF_RECORD_EXIT), 2);
}

TEST_F(RealProfilerTest, CopiesRegistersAndStacksForTheUnwinder) {
  RealSampling sampling({.frequency_hz = 500, .call_graph = CallGraph::kDwarf});
  const RealProfile profile = sampling.Run(Counting());
  ASSERT_TRUE(profile.result) << profile.result.error().message;
  ASSERT_GT(profile.samples.size(), 10U);
  for (const RealSample& sample : profile.samples) {
    EXPECT_EQ(sample.abi, static_cast<std::uint64_t>(PERF_SAMPLE_REGS_ABI_64));
    EXPECT_GT(sample.stack_bytes, 0U);
    EXPECT_LE(sample.stack_bytes, wire::kProfileStackBytes);
  }
}

TEST_F(RealProfilerTest, AnExecReplacesTheProgramAndKeepsTheProcess) {
  RealSampling sampling({.frequency_hz = 1000});
  const RealProfile profile = sampling.Run(
      {"/bin/sh", "-c", "exec /bin/sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done'"});
  ASSERT_TRUE(profile.result) << profile.result.error().message;
  EXPECT_GE(profile.types.at(PERF_RECORD_COMM), 2);
  for (const RealSample& sample : profile.samples) {
    EXPECT_EQ(sample.pid, static_cast<std::uint32_t>(profile.header.pid));
  }
}

TEST_F(RealProfilerTest, AShortProgramHasAProfileWithoutSamples) {
  const RealProfile profile = RealSampling({.frequency_hz = 10}).Run({"/bin/true"});
  ASSERT_TRUE(profile.result) << profile.result.error().message;
  EXPECT_TRUE(profile.samples.empty());
  EXPECT_FALSE(profile.mapped.empty());
}

/// Number of open descriptors of this process.
std::size_t OpenDescriptors() {
  const std::filesystem::directory_iterator files("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(files), end(files)));
}

TEST_F(RealProfilerTest, NothingStaysOpenAfterARun) {
  RealSampling({}).Run({"/bin/true"});
  const std::size_t before = OpenDescriptors();
  for (int run = 0; run < 20; ++run) RealSampling({}).Run({"/bin/true"});
  EXPECT_EQ(OpenDescriptors(), before);
}

/// Runs `work` as an ordinary user in a process of its own. Returns its exit code.
template <typename Work>
int AsNobody(Work work) {
  const pid_t pid = fork();
  if (pid == 0) {
    constexpr uid_t kNobody = 65534;
    if (setresgid(kNobody, kNobody, kNobody) != 0 || setresuid(kNobody, kNobody, kNobody) != 0) {
      _exit(100);
    }
    _exit(work());
  }
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 200;
}

// A user may lock 516 KiB for each CPU, and more up to the limit of locked memory (perf_mmap()).
TEST_F(RealProfilerTest, AUserWithoutPrivilegesGetsASmallerBuffer) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can become another user";
  // Enough for the first of several large buffers, and not for all of them.
  constexpr rlim_t kLocked = rlim_t{5} * 1024 * 1024;
  const int code = AsNobody([] {
    const rlimit few{kLocked, kLocked};
    setrlimit(RLIMIT_MEMLOCK, &few);
    const PerfSupport support(OpenPerfEvent, KernelFiles("/"));
    const auto cpus = ReadAffinity(0).value_or(std::vector<int>{0});
    Profiler profiler(nullptr, support);
    // The second open must find the memory that the first one has released.
    for (const CallGraph graph : {CallGraph::kDwarf, CallGraph::kFramePointers}) {
      const auto opened = profiler.Open({.call_graph = graph}, 0, cpus);
      if (!opened && opened.error().message.find("perf_event_paranoid") != std::string::npos) {
        return 2;
      }
      if (!opened) return 1;
    }
    return 0;
  });
  if (code == 2) GTEST_SKIP() << "this kernel does not let users sample programs";
  EXPECT_EQ(code, 0);
}

}  // namespace
}  // namespace benchd
