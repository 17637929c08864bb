#include <gtest/gtest.h>

#include "daemon/session/session_notes.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

SessionSnapshot TwoSettings() {
  SessionSnapshot snapshot;
  snapshot.machine = MachineReport{};
  snapshot.machine->isolation = {{.setting = "cpuset"}, {.setting = "governor"}};
  snapshot.report = Report{};
  snapshot.report->warnings = {{.code = "outliers"}};
  return snapshot;
}

TEST(MachineEndTest, EachSettingGetsItsValueAndTheReportTheWarningsLast) {
  SessionSnapshot snapshot = TwoSettings();
  AddReleaseReport({{"isolated", "powersave"}, {{.code = "setting_changed"}}}, snapshot);
  EXPECT_EQ(snapshot.machine->isolation[0].at_end, "isolated");
  EXPECT_EQ(snapshot.machine->isolation[1].at_end, "powersave");
  ASSERT_EQ(snapshot.report->warnings.size(), 2U);
  EXPECT_EQ(snapshot.report->warnings[1].code, "setting_changed");
}

TEST(MachineEndTest, ARunnerThatIsGoneTellsNothing) {
  SessionSnapshot snapshot = TwoSettings();
  const SessionSnapshot before = snapshot;
  AddReleaseReport({}, snapshot);
  EXPECT_EQ(snapshot, before);
}

TEST(MachineEndTest, ListsOfDifferentLengthsHarmNothing) {
  SessionSnapshot snapshot = TwoSettings();
  AddReleaseReport({{"isolated", "powersave", "more"}, {}}, snapshot);
  EXPECT_EQ(snapshot.machine->isolation[1].at_end, "powersave");
  snapshot = TwoSettings();
  AddReleaseReport({{"isolated"}, {}}, snapshot);
  EXPECT_EQ(snapshot.machine->isolation[1].at_end, "");
}

Comparison GateOn(const char* metric) {
  Comparison gate;
  gate.role = ComparisonRole::kGate;
  gate.metric = metric;
  return gate;
}

TEST(MachineEndTest, CpuTimeIsAdvisedOnlyToThoseWhoDoNotGateOnIt) {
  for (const Warning& of_others :
       {MakeWarning("other_process", "make ran"), MakeWarning("contention", "too many threads")}) {
    SessionSnapshot snapshot = TwoSettings();
    snapshot.report->comparisons = {GateOn("wall_time")};
    AddReleaseReport({{}, {of_others, MakeWarning("steal", "1 %")}}, snapshot);
    EXPECT_WORDING(of_others.code + " => " + snapshot.report->warnings[1].hint);
    EXPECT_EQ(snapshot.report->warnings[2].hint, "");
    snapshot.report->comparisons.push_back(GateOn("cpu_time"));
    AddReleaseReport({{}, {of_others}}, snapshot);
    EXPECT_EQ(snapshot.report->warnings.back().hint, "");
    snapshot.report->comparisons = {GateOn("latency")};
    AddReleaseReport({{}, {of_others}}, snapshot);
    EXPECT_EQ(snapshot.report->warnings.back().hint, "");
  }
}

TEST(MachineEndTest, WithoutMachineOrReportThereIsNothingToAddTo) {
  SessionSnapshot snapshot;
  AddReleaseReport({{"isolated"}, {{.code = "throttled"}}}, snapshot);
  EXPECT_EQ(snapshot, SessionSnapshot{});
}

}  // namespace
}  // namespace benchd
