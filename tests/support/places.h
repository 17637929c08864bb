#pragma once

#include <string>

namespace benchd::test {

/// The path of what lies in tests/: TestFile("golden/cbdr.json").
std::string TestFile(const std::string& name);

/// The path of a file in the folder that this test was built in: BuiltFile("bin/benchd").
std::string BuiltFile(const std::string& name);

}  // namespace benchd::test
