#include "daemon/wire/messages.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "tests/support/seed.h"

namespace benchd::wire {
namespace {

Caller SomeCaller() {
  return Caller{.uid = 1000,
                .gid = 100,
                .groups = {4, 24, 4294967294U},
                .pid = 4711,
                .umask = 027,
                .limits = {{.resource = 7, .soft = 1024, .hard = UINT64_MAX}}};
}

ProgramIdentity SomeProgram() {
  ProgramIdentity program{.path = "/usr/bin/true",
                          .device = 0xfe01,
                          .inode = 1ULL << 40,
                          .size_bytes = 35000,
                          .mtime_ns = -1};
  program.sha256.fill(0xab);
  return program;
}

RunFigures SomeFigures() {
  return RunFigures{.started_at_ns = 1'700'000'000'000'000'000,
                    .wall_time_ns = 480'000,
                    .user_time_us = 1,
                    .system_time_us = 2,
                    .max_rss_bytes = 1 << 20,
                    .minor_faults = 3,
                    .major_faults = 4,
                    .voluntary_switches = 5,
                    .involuntary_switches = 6,
                    .exit = {.code = 7, .signal = 8, .timed_out = true},
                    .limit = "exceeded",
                    .stderr_tail = std::string("tail\0of", 7),
                    .output = "out",
                    .parsed = std::string(100, '\xff'),
                    .read_bytes = 4096,
                    .write_bytes = {},
                    .tree_cpu_time_us = 9,
                    .tree_memory_peak_bytes = 10,
                    .counters = {{"instructions", 1ULL << 60, 12, 11}, {"cycles", 0, 1, 0}},
                    .missing = {{"cache_misses", "it stands still"}}};
}

MachineReport SomeMachine() {
  return MachineReport{.environment = {.facts = {{"kernel", "6.1.0"}, {"cpu", ""}}},
                       .isolation = {{.setting = "cpuset",
                                      .wanted = "isolated partition",
                                      .actual = "affinity",
                                      .held = false,
                                      .why = "no right",
                                      .at_end = "affinity"}},
                       .benchmark_cpus = {1, 2, 3},
                       .housekeeping_cpus = {0}};
}

MachineStatus SomeStatus() {
  return MachineStatus{.profile = "quiet",
                       .holder = "apply",
                       .environment = SomeMachine().environment,
                       .settings = SomeMachine().isolation,
                       .benchmark_cpus = {1, 2, 3},
                       .housekeeping_cpus = {0},
                       .notes = {"irqbalance runs", ""}};
}

MachineEnd SomeEnd() {
  return MachineEnd{.at_end = {"affinity", ""},
                    .warnings = {{.code = "throttled",
                                  .message = "the CPUs were slowed down 3 times",
                                  .benchmark = "main",
                                  .arm = "base"}}};
}

std::vector<NoiseSource> SomeSources() {
  return {{.name = "steal", .finding = "2 %", .advice = "use another host", .effect = 0.02},
          {.name = "turbo", .finding = "is on", .advice = "switch it off", .effect = {}}};
}

/// Every field different from its default.
MachineProfile SomeProfile() {
  MachineProfile profile;
  profile.name = "quiet";
  profile.benchmark_cpus = "1-3";
  profile.hold = HoldSettings::kDaemon;
  profile.irqs = "i";
  profile.workqueues = "w";
  profile.smt = "off";
  profile.cpuset = "root";
  profile.governor = "powersave";
  profile.min_frequency_khz = "1000000";
  profile.max_frequency_khz = "2000000";
  profile.boost = "on";
  profile.energy_preference = "power";
  profile.c_state_latency_us = -1;
  profile.timer_migration = "1";
  profile.nmi_watchdog = "1";
  profile.transparent_hugepages = "never";
  profile.swappiness = "10";
  profile.perf_sample_rate = "100";
  profile.numa_local = true;
  profile.memory_limit_bytes = 1ULL << 33;
  profile.nice = -5;
  profile.policy = "fifo";
  profile.drop_caches = true;
  profile.aslr = false;
  return profile;
}

/// One of each message, every field different from its default.
std::vector<Message> AllMessages() {
  const Error error{ErrorCode::kFailedPrecondition, "program: changed", "submit again"};
  return {
      Hello{.version = 9},
      HelloReply{.version = 9,
                 .pid = 12,
                 .privileged = true,
                 .housekeeping_cpus = {0},
                 .benchmark_cpus = {1, 2},
                 .profiles = {{"default", {1, 2}}, {"", {}}}},
      ResolveProgram{
          .request = 1, .caller = SomeCaller(), .program = "true", .path = "/bin", .cwd = "/tmp"},
      ProgramResolved{.request = 1, .program = SomeProgram()},
      ProgramResolved{.request = UINT64_MAX, .program = error},
      OpenChild{.request = 2,
                .child = 3,
                .caller = SomeCaller(),
                .argv = {"true", "", "a b"},
                .env = {"A=B"},
                .cwd = "/",
                .input = "in",
                .output = OutputKind::kFile,
                .output_path = "out",
                .parse = "lines",
                .cpus = {1},
                .program = SomeProgram(),
                .metrics = {"instructions", "tree_cpu_time"}},
      CloseChildren{.request = 3},
      Done{.request = 4, .result = {}},
      Done{.request = 4, .result = error},
      StartRuns{.request = 5,
                .timeout_ns = -7,
                .budget_ns = 40'000'000,
                .stop_on_failure = false,
                .runs = {{6, 4096, true}, {7, 0, false}},
                .next = PlannedStart{8, 9, true, {"BENCHD_BLOCK=3", "X="}}},
      CancelRun{},
      RunsFinished{.request = 6, .runs = {SomeFigures(), SomeFigures()}, .result = {}},
      RunsFinished{.request = 6, .runs = {}, .result = error},
      AcquireMachine{
          .request = 7, .profile = "default", .isolation = Isolation::kStrict, .cpus = "1-3"},
      MachineAcquired{.request = 8, .machine = SomeMachine()},
      ReleaseMachine{.request = 9},
      MachineReleased{.request = 9, .end = SomeEnd()},
      DescribeMachine{.request = 10, .profile = "quiet"},
      ApplyProfile{.request = 11, .profile = "quiet"},
      RestoreMachine{.request = 12},
      MachineDescribed{.request = 12, .status = SomeStatus()},
      MachineDescribed{.request = 12, .status = error},
      DiagnoseMachine{.request = 13},
      MachineDiagnosed{.request = 13, .sources = SomeSources()},
      MachineDiagnosed{.request = 13, .sources = error}};
}

TEST(MessagesTest, EveryMessageComesBackAsItWasSent) {
  for (const Message& message : AllMessages()) {
    const std::string record = Encode(message);
    Result<Message> decoded = Decode(record);
    ASSERT_TRUE(decoded) << "message " << message.index() << ": " << decoded.error().message;
    EXPECT_EQ(decoded->index(), message.index());
    // Every field is written, so equal bytes are equal fields.
    EXPECT_EQ(Encode(*decoded), record) << "message " << message.index();
  }
}

TEST(MessagesTest, FieldsLandWhereTheyBelong) {
  const Result<Message> child = Decode(Encode(AllMessages()[5]));
  ASSERT_TRUE(child);
  const auto& open = std::get<OpenChild>(*child);
  EXPECT_EQ(open.request, 2U);
  EXPECT_EQ(open.child, 3U);
  EXPECT_EQ(open.caller, SomeCaller());
  EXPECT_EQ(open.argv, (std::vector<std::string>{"true", "", "a b"}));
  EXPECT_EQ(open.output, OutputKind::kFile);
  EXPECT_EQ(open.output_path, "out");
  EXPECT_EQ(open.parse, "lines");
  EXPECT_EQ(open.program, SomeProgram());
  EXPECT_EQ(open.metrics, (std::vector<std::string>{"instructions", "tree_cpu_time"}));

  const Result<Message> run = Decode(Encode(RunsFinished{6, {SomeFigures()}, {}}));
  ASSERT_TRUE(run);
  ASSERT_EQ(std::get<RunsFinished>(*run).runs.size(), 1U);
  const RunFigures* const figures = &std::get<RunsFinished>(*run).runs[0];
  EXPECT_EQ(figures->wall_time_ns, 480'000);
  EXPECT_EQ(figures->exit, (RunExit{.code = 7, .signal = 8, .timed_out = true}));
  EXPECT_EQ(figures->limit, "exceeded");
  EXPECT_EQ(figures->stderr_tail, std::string("tail\0of", 7));
  EXPECT_EQ(figures->read_bytes, 4096);
  EXPECT_EQ(figures->write_bytes, std::nullopt);
  EXPECT_EQ(figures->tree_cpu_time_us, 9);
  EXPECT_EQ(figures->tree_memory_peak_bytes, 10);
  ASSERT_EQ(figures->counters.size(), 2U);
  EXPECT_EQ(figures->counters[0].metric, "instructions");
  EXPECT_EQ(figures->counters[0].value, 1ULL << 60);
  EXPECT_EQ(figures->counters[0].enabled_ns, 12U);
  EXPECT_EQ(figures->counters[0].running_ns, 11U);
  ASSERT_EQ(figures->missing.size(), 1U);
  EXPECT_EQ(figures->missing[0].metric, "cache_misses");
  EXPECT_EQ(figures->missing[0].why, "it stands still");

  const Result<Message> machine = Decode(Encode(MachineAcquired{1, SomeMachine()}));
  ASSERT_TRUE(machine);
  EXPECT_EQ(*std::get<MachineAcquired>(*machine).machine, SomeMachine());

  const Result<Message> hello = Decode(Encode(AllMessages()[1]));
  ASSERT_TRUE(hello);
  const auto& reply = std::get<HelloReply>(*hello);
  EXPECT_EQ(reply.benchmark_cpus, (std::vector<int>{1, 2}));
  ASSERT_EQ(reply.profiles.size(), 2U);
  EXPECT_EQ(reply.profiles[0].name, "default");
  EXPECT_EQ(reply.profiles[0].cpus, (std::vector<int>{1, 2}));

  const Result<Message> released = Decode(Encode(MachineReleased{1, SomeEnd()}));
  ASSERT_TRUE(released);
  EXPECT_EQ(std::get<MachineReleased>(*released).end, SomeEnd());
  const Result<Message> described = Decode(Encode(MachineDescribed{1, SomeStatus()}));
  ASSERT_TRUE(described);
  EXPECT_EQ(*std::get<MachineDescribed>(*described).status, SomeStatus());
  const Result<Message> diagnosed = Decode(Encode(MachineDiagnosed{1, SomeSources()}));
  ASSERT_TRUE(diagnosed);
  EXPECT_EQ(*std::get<MachineDiagnosed>(*diagnosed).sources, SomeSources());
}

TEST(MessagesTest, EveryMessageIsTriedAbove) {
  std::vector<bool> tried(std::variant_size_v<Message>, false);
  for (const Message& message : AllMessages()) tried[message.index()] = true;
  for (std::size_t i = 0; i < tried.size(); ++i) EXPECT_TRUE(tried[i]) << "message " << i;
}

TEST(MessagesTest, ARecordIsLittleEndianAfterItsTypeByte) {
  // By hand: Hello is alternative 0, its version 0x01020304 the only field.
  EXPECT_EQ(Encode(Hello{.version = 0x01020304}), std::string("\0\x04\x03\x02\x01", 5));
}

TEST(MessagesTest, EveryTruncationIsRefused) {
  for (const Message& message : AllMessages()) {
    const std::string record = Encode(message);
    for (std::size_t length = 0; length < record.size(); ++length) {
      Result<Message> decoded = Decode(std::string_view(record).substr(0, length));
      ASSERT_FALSE(decoded) << "message " << message.index() << " cut to " << length;
      EXPECT_EQ(decoded.error().code, ErrorCode::kInvalidArgument);
    }
  }
}

TEST(MessagesTest, BytesAfterTheLastFieldAreRefused) {
  for (const Message& message : AllMessages()) {
    EXPECT_FALSE(Decode(Encode(message) + '\0')) << "message " << message.index();
  }
}

TEST(MessagesTest, AnUnknownTypeIsRefused) {
  EXPECT_FALSE(Decode(std::string(1, static_cast<char>(std::variant_size_v<Message>))));
  EXPECT_FALSE(Decode("\xff"));
}

TEST(MessagesTest, AnEnumOutOfRangeIsRefused) {
  AcquireMachine acquire;
  acquire.isolation = Isolation::kOff;
  std::string record = Encode(acquire);
  // type, request (8), profile (4 + 0): the isolation byte stands at 13.
  ASSERT_EQ(record[13], 2);
  record[13] = 3;
  EXPECT_FALSE(Decode(record));
}

TEST(MessagesTest, AGiganticCountTakesNoMemory) {
  std::string record = Encode(HelloReply{});
  // type, version (4), pid (4), privileged (1): the count of housekeeping CPUs stands at 10.
  record.replace(10, 4, "\xff\xff\xff\xff");
  EXPECT_FALSE(Decode(record));
}

TEST(MessagesTest, RandomDamageIsRefusedOrDecodesToSomethingThatEncodes) {
  const std::uint32_t seed = TestSeed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  const std::vector<Message> messages = AllMessages();
  for (int round = 0; round < 20'000; ++round) {
    std::string record = Encode(messages[random() % messages.size()]);
    for (std::uint64_t hits = 1 + random() % 4; hits > 0; --hits) {
      const std::size_t at = random() % record.size();
      if (random() % 4 == 0) {
        record.resize(at + 1);
      } else {
        record[at] = static_cast<char>(random());
      }
    }
    const Result<Message> decoded = Decode(record);
    if (decoded) {
      EXPECT_EQ(Encode(*decoded), record);
    }
    (void)DecodeParsedOutput(record);
    (void)DecodeResolved(record);
    (void)DecodeRunnerConfig(record);
  }
}

TEST(ParsedOutputTest, ComesBackWithEveryDirection) {
  ParsedOutput output{.result = {},
                      .samples = {{"ops", "inner", 3, 1.5}},
                      .metrics = {{"ops", "1/s", Better::kHigher, 0.5},
                                  {"t", "s", Better::kLower, 0},
                                  {"n", "", std::nullopt, 1}}};
  const auto decoded = DecodeParsedOutput(EncodeParsedOutput(output));
  ASSERT_TRUE(decoded);
  EXPECT_TRUE(decoded->result);
  EXPECT_EQ(decoded->samples, output.samples);
  EXPECT_EQ(decoded->metrics, output.metrics);
}

TEST(ParsedOutputTest, CarriesWhyThereIsNone) {
  const Error error{ErrorCode::kInvalidArgument, "line 3: no number", {}};
  const auto decoded = DecodeParsedOutput(EncodeParsedOutput({error, {}, {}}));
  ASSERT_TRUE(decoded);
  ASSERT_FALSE(decoded->result);
  EXPECT_EQ(decoded->result.error(), error);
}

TEST(ParsedOutputTest, AValueThatIsNotFiniteIsRefused) {
  for (double value :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    EXPECT_FALSE(DecodeParsedOutput(EncodeParsedOutput({{}, {{"x", "", 0, value}}, {}})));
  }
}

TEST(RunnerConfigTest, ComesBackWithItsProfilesAndLimits) {
  const RunnerConfig config{.user = "benchd",
                            .benchmark_cpus = "1-3",
                            .counters = true,
                            .profiles = {SomeProfile(), MachineProfile{}},
                            .children = {.memory_bytes = 1,
                                         .processes = {},
                                         .open_files = 3,
                                         .file_bytes = 4,
                                         .core_bytes = 5,
                                         .cpu_seconds = kNoLimit}};
  const auto decoded = DecodeRunnerConfig(EncodeRunnerConfig(config));
  ASSERT_TRUE(decoded && *decoded);
  EXPECT_EQ((*decoded)->user, config.user);
  EXPECT_EQ((*decoded)->benchmark_cpus, config.benchmark_cpus);
  EXPECT_TRUE((*decoded)->counters);
  EXPECT_EQ((*decoded)->profiles, config.profiles);
  EXPECT_EQ((*decoded)->children, config.children);

  const Error error{ErrorCode::kInvalidArgument, "benchd.toml: line 3", "see the manual"};
  const auto refused = DecodeRunnerConfig(EncodeRunnerConfig(error));
  ASSERT_TRUE(refused);
  ASSERT_FALSE(*refused);
  EXPECT_EQ(refused->error(), error);
}

TEST(ResolvedTest, ComesBackAsProgramOrAsError) {
  const auto found = DecodeResolved(EncodeResolved(SomeProgram()));
  ASSERT_TRUE(found && *found);
  EXPECT_EQ(**found, SomeProgram());

  const Error error{ErrorCode::kNotFound, "command 'foo': not found in PATH", {}};
  const auto missing = DecodeResolved(EncodeResolved(error));
  ASSERT_TRUE(missing);
  ASSERT_FALSE(*missing);
  EXPECT_EQ(missing->error(), error);

  EXPECT_FALSE(DecodeResolved(""));
}

}  // namespace
}  // namespace benchd::wire
