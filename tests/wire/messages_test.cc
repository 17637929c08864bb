#include "daemon/wire/messages.h"

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <random>
#include <stdexcept>

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
                    .stdout_digest = OutputDigest{3, {1, 2, 3}, "\xffut"},
                    .parsed = std::string(100, '\xff'),
                    .optional = {{"read_bytes", 4096}, {"tree_cpu_time", 9}},
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

/// Differs from the default in every field.
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

/// One of each message, which differ from the defaults in every field.
std::vector<Message> AllMessages() {
  const Error error{ErrorCode::kFailedPrecondition, "program: changed", "submit again"};
  return {Hello{.version = 9},
          HelloReply{.version = 9,
                     .pid = 12,
                     .privileged = true,
                     .housekeeping_cpus = {0},
                     .benchmark_cpus = {1, 2},
                     .profiles = {{"default", {1, 2}}, {"", {}}}},
          Resolve{{.caller = SomeCaller(), .program = "true", .path = "/bin", .cwd = "/tmp"}},
          OpenChild{.number = 3,
                    .child = {.caller = SomeCaller(),
                              .argv = {"true", "", "a b"},
                              .env = {{"A", "B"}, {"\xff=", ""}},
                              .cwd = "/",
                              .input = "in",
                              .output = OutputKind::kFile,
                              .output_path = "out",
                              .parse = "lines",
                              .adapter = "input = \"text\"\n",
                              .parse_stderr = true,
                              .check_output = true,
                              .parse_file = "out/*.json",
                              .cpus = {1},
                              .program = SomeProgram(),
                              .metrics = {"instructions", "tree_cpu_time"},
                              .profile = Profile{.frequency_hz = 499,
                                                 .call_graph = CallGraph::kDwarf,
                                                 .explains = "x7f"}}},
          CloseChildren{},
          RunBatch{{.runs = {{6, 4096, true, {}}, {7, 0, false, {}}},
                    .next = RunOrder{8, 9, true, {"BENCHD_BLOCK=3", "X="}},
                    .timeout = Nanoseconds(-7),
                    .budget = std::chrono::milliseconds(40),
                    .stop_on_failure = false}},
          CancelRun{},
          AcquireMachine{{.profile = "default", .isolation = Isolation::kStrict, .cpus = "1-3"}},
          ReleaseMachine{},
          DescribeMachine{.profile = "quiet"},
          ApplyProfile{.profile = "quiet"},
          RestoreMachine{},
          DiagnoseMachine{},
          Result<ProgramIdentity>(SomeProgram()),
          Result<ProgramIdentity>(error),
          Result<void>(),
          Result<void>(error),
          BatchFigures{.runs = {SomeFigures(), SomeFigures()}, .result = {}},
          BatchFigures{.runs = {}, .result = error},
          Result<MachineReport>(SomeMachine()),
          SomeEnd(),
          Result<MachineStatus>(SomeStatus()),
          Result<MachineStatus>(error),
          Result<std::vector<NoiseSource>>(SomeSources()),
          Result<std::vector<NoiseSource>>(error)};
}

/// A request number whose bytes all differ.
constexpr std::uint64_t kRequest = 0x0102030405060708;

TEST(MessagesTest, EveryMessageComesBackAsItWasSent) {
  for (const Message& message : AllMessages()) {
    const std::string bytes = Encode(message, kRequest);
    const Result<Record> decoded = Decode(bytes);
    ASSERT_TRUE(decoded) << "message " << message.index() << ": " << decoded.error().message;
    EXPECT_EQ(decoded->message.index(), message.index());
    EXPECT_EQ(decoded->request, message.index() < 2 ? 0 : kRequest) << "a greeting has none";
    // Every field is written, so equal bytes mean equal fields.
    EXPECT_EQ(Encode(decoded->message, kRequest), bytes) << "message " << message.index();
  }
}

/// The only message of that type, encoded and decoded.
template <typename T>
T SentAndDecoded() {
  for (const Message& message : AllMessages()) {
    if (!std::holds_alternative<T>(message)) continue;
    const Result<Record> decoded = Decode(Encode(message));
    if (decoded) return std::get<T>(decoded->message);
  }
  throw std::runtime_error("not understood");
}

TEST(MessagesTest, FieldsLandWhereTheyBelong) {
  const auto open = SentAndDecoded<OpenChild>();
  EXPECT_EQ(open.number, 3U);
  EXPECT_EQ(open.child.caller, SomeCaller());
  EXPECT_EQ(open.child.argv, (std::vector<std::string>{"true", "", "a b"}));
  EXPECT_EQ(open.child.env, (std::map<std::string, std::string>{{"A", "B"}, {"\xff=", ""}}));
  EXPECT_EQ(open.child.output, OutputKind::kFile);
  EXPECT_EQ(open.child.output_path, "out");
  EXPECT_EQ(open.child.parse, "lines");
  EXPECT_EQ(open.child.adapter, "input = \"text\"\n");
  EXPECT_TRUE(open.child.parse_stderr);
  EXPECT_TRUE(open.child.check_output);
  EXPECT_EQ(open.child.parse_file, "out/*.json");
  EXPECT_EQ(open.child.program, SomeProgram());
  EXPECT_EQ(open.child.metrics, (std::vector<std::string>{"instructions", "tree_cpu_time"}));

  const Batch batch = SentAndDecoded<RunBatch>().batch;
  ASSERT_EQ(batch.runs.size(), 2U);
  EXPECT_EQ(batch.runs[0], (RunOrder{6, 4096, true, {}}));
  EXPECT_EQ(batch.next, (RunOrder{8, 9, true, {"BENCHD_BLOCK=3", "X="}}));
  EXPECT_EQ(batch.timeout, Nanoseconds(-7));
  EXPECT_EQ(batch.budget, Nanoseconds(40'000'000));
  EXPECT_FALSE(batch.stop_on_failure);

  const auto finished = SentAndDecoded<BatchFigures>();
  ASSERT_EQ(finished.runs.size(), 2U);
  const RunFigures* const figures = &finished.runs[0];
  EXPECT_EQ(figures->wall_time_ns, 480'000);
  EXPECT_EQ(figures->exit, (RunExit{.code = 7, .signal = 8, .timed_out = true}));
  EXPECT_EQ(figures->limit, "exceeded");
  EXPECT_EQ(figures->stderr_tail, std::string("tail\0of", 7));
  EXPECT_EQ(figures->stdout_digest, (OutputDigest{3, {1, 2, 3}, "\xffut"}));
  EXPECT_EQ(figures->Find("read_bytes"), 4096);
  EXPECT_EQ(figures->Find("write_bytes"), std::nullopt);
  EXPECT_EQ(figures->Find("tree_cpu_time"), 9);
  ASSERT_EQ(figures->counters.size(), 2U);
  EXPECT_EQ(figures->counters[0].metric, "instructions");
  EXPECT_EQ(figures->counters[0].value, 1ULL << 60);
  EXPECT_EQ(figures->counters[0].enabled_ns, 12U);
  EXPECT_EQ(figures->counters[0].running_ns, 11U);
  ASSERT_EQ(figures->missing.size(), 1U);
  EXPECT_EQ(figures->missing[0].metric, "cache_misses");
  EXPECT_EQ(figures->missing[0].why, "it stands still");

  EXPECT_EQ(*SentAndDecoded<Result<MachineReport>>(), SomeMachine());

  const auto reply = SentAndDecoded<HelloReply>();
  EXPECT_EQ(reply.benchmark_cpus, (std::vector<int>{1, 2}));
  ASSERT_EQ(reply.profiles.size(), 2U);
  EXPECT_EQ(reply.profiles[0].name, "default");
  EXPECT_EQ(reply.profiles[0].cpus, (std::vector<int>{1, 2}));

  EXPECT_EQ(SentAndDecoded<MachineEnd>(), SomeEnd());
  EXPECT_EQ(*SentAndDecoded<Result<MachineStatus>>(), SomeStatus());
  EXPECT_EQ(*SentAndDecoded<Result<std::vector<NoiseSource>>>(), SomeSources());
}

TEST(MessagesTest, EveryMessageIsTriedAbove) {
  std::vector<bool> tried(std::variant_size_v<Message>, false);
  for (const Message& message : AllMessages()) tried[message.index()] = true;
  for (std::size_t i = 0; i < tried.size(); ++i) EXPECT_TRUE(tried[i]) << "message " << i;
}

TEST(MessagesTest, ARecordIsLittleEndianAfterItsTypeByte) {
  // Written by hand: Hello is alternative 0, and its version 0x01020304 is the only field.
  EXPECT_EQ(Encode(Hello{.version = 0x01020304}), std::string("\0\x04\x03\x02\x01", 5));
}

TEST(MessagesTest, TheRequestStandsAfterTheTypeByte) {
  // CloseChildren is alternative 4 and has no fields.
  EXPECT_EQ(Encode(CloseChildren{}, kRequest),
            std::string("\x04\x08\x07\x06\x05\x04\x03\x02\x01", 9));
}

TEST(MessagesTest, AVariableThatComesTwiceIsRefused) {
  std::string record = Encode(OpenChild{.child = {.env = {{"A", ""}, {"B", ""}}}});
  const std::size_t second = record.rfind('B');
  ASSERT_NE(second, std::string::npos);
  record[second] = 'A';
  EXPECT_FALSE(Decode(record));
}

TEST(MessagesTest, EveryTruncationIsRefused) {
  for (const Message& message : AllMessages()) {
    const std::string record = Encode(message);
    for (std::size_t length = 0; length < record.size(); ++length) {
      Result<Record> decoded = Decode(std::string_view(record).substr(0, length));
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
  acquire.machine.isolation = Isolation::kOff;
  std::string record = Encode(acquire);
  // type, request (8), profile (4 + 0): the isolation byte is at 13.
  ASSERT_EQ(record[13], 2);
  record[13] = 3;
  EXPECT_FALSE(Decode(record));
}

TEST(MessagesTest, AGiganticCountTakesNoMemory) {
  std::string record = Encode(HelloReply{});
  // type, version (4), pid (4), privileged (1): the count of housekeeping CPUs is at 10.
  record.replace(10, 4, "\xff\xff\xff\xff");
  EXPECT_FALSE(Decode(record));
}

TEST(MessagesTest, RandomDamageIsRefusedOrDecodesToSomethingThatEncodes) {
  const auto seed = test::Seed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  RecordProperty("seed", std::to_string(seed));
  std::mt19937_64 random(seed);
  const std::vector<Message> messages = AllMessages();
  for (int round = 0; round < 20'000; ++round) {
    std::string record = Encode(messages[random() % messages.size()], random());
    for (std::uint64_t hits = 1 + random() % 4; hits > 0; --hits) {
      const std::size_t at = random() % record.size();
      if (random() % 4 == 0) {
        record.resize(at + 1);
      } else {
        record[at] = static_cast<char>(random());
      }
    }
    const Result<Record> decoded = Decode(record);
    if (decoded) {
      EXPECT_EQ(Encode(decoded->message, decoded->request), record);
    }
    (void)DecodeParsedOutput(record);
    (void)DecodeParsedOutputs(record);
    (void)DecodeResolved(record);
    (void)DecodeRunnerConfig(record);
  }
}

TEST(ParsedOutputTest, ComesBackWithEveryDirection) {
  ParsedOutput output{.result = {},
                      .samples = {{"ops", "inner", 3, 1.5}},
                      .metrics = {{"ops", "1/s", Better::kHigher, 0.5},
                                  {"t", "s", Better::kLower, 0},
                                  {"n", "", std::nullopt, 1, true}},
                      .exits = {{"inner", 3, 2, 10}, {"", std::nullopt, 1, 1}},
                      .names = {"BM_a", "BM_b/8"}};
  const auto decoded = DecodeParsedOutput(EncodeParsedOutput(output));
  ASSERT_TRUE(decoded);
  EXPECT_TRUE(decoded->result);
  EXPECT_EQ(decoded->samples, output.samples);
  EXPECT_EQ(decoded->metrics, output.metrics);
  EXPECT_EQ(decoded->exits, output.exits);
  EXPECT_EQ(decoded->names, output.names);
}

TEST(ParsedOutputTest, ThoseOfSeveralRunsComeBackInOrder) {
  const std::string first = EncodeParsedOutput({{}, {{"x", "", 0, 1}}, {}, {}});
  const auto decoded = DecodeParsedOutputs(EncodeParsedOutputs({{first, ""}}));
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded->each, (std::vector<std::string>{first, ""}));
}

TEST(ParsedOutputTest, CarriesWhyThereIsNone) {
  const Error error{ErrorCode::kInvalidArgument, "line 3: no number", {}};
  const auto decoded = DecodeParsedOutput(EncodeParsedOutput({error, {}, {}, {}}));
  ASSERT_TRUE(decoded);
  ASSERT_FALSE(decoded->result);
  EXPECT_EQ(decoded->result.error(), error);
}

TEST(ParsedOutputTest, AValueThatIsNotFiniteIsRefused) {
  for (double value :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    EXPECT_FALSE(DecodeParsedOutput(EncodeParsedOutput({{}, {{"x", "", 0, value}}, {}, {}})));
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
