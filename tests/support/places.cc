#include "tests/support/places.h"

// The only file that is compiled with paths of the checkout, so that ccache can reuse all others in
// every clone.
namespace benchd::test {

std::string TestFile(const std::string& name) { return BENCHD_TEST_DATA "/" + name; }

std::string BuiltFile(const std::string& name) { return BENCHD_BUILD_DIR "/" + name; }

}  // namespace benchd::test
