#pragma once

#include <string>

namespace benchd::test {

/// The path of a file in tests/: TestFile("golden/cbdr.json").
std::string TestFile(const std::string& name);

/// The path of a file in the build folder of this test: BuiltFile("bin/benchd").
std::string BuiltFile(const std::string& name);

}  // namespace benchd::test
