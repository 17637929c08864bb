#pragma once

namespace benchd::test {

/// From now on each test that skips itself adds a line "skipped: SUITE.NAME: REASON" to the file
/// that the environment variable BENCHD_TEST_SKIPS names: a runner that shows only failures would
/// hide it. To be called once, after InitGoogleTest().
void ListSkippedTests();

}  // namespace benchd::test
