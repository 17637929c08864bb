#pragma once

namespace benchd::test {

/// From now on, each skipped test adds a line "skipped: SUITE.NAME: REASON" to the file named by
/// the environment variable BENCHD_TEST_SKIPS, because a runner that shows only failures would hide
/// it. Call once, after InitGoogleTest().
void ListSkippedTests();

}  // namespace benchd::test
