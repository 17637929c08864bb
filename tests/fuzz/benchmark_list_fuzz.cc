#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/text.h"
#include "core/parse/discovery.h"
#include "core/parse/harness_builder.h"
#include "tests/fuzz/fuzz.h"

namespace benchd::fuzz {
namespace {

/// Properties of the commands that run one benchmark, whatever its name.
void CheckCommands(const Harness& harness, const std::string& name,
                   const std::vector<std::string>& listed) {
  const ExecutedCommand script{{"/bin/sh", "-c", "./program"}, true};
  const ExecutedCommand run = RunCommand(harness, script, name, true);
  FUZZ_CHECK(run.argv.size() == script.argv.size() && run.argv[2] != script.argv[2]);
  const ExecutedCommand words = WithoutSelection(harness, {{"./program"}, false}, listed, "/work");
  const ExecutedCommand alone = RunCommand(harness, words, name, false);
  FUZZ_CHECK(alone.argv.size() > 1 && alone.argv.front() == "./program");
  FUZZ_CHECK(alone.argv.back().size() >= name.size());
}

}  // namespace

/// Properties of every list of benchmarks, for any output.
void FuzzBenchmarkList(std::string_view input) {
  for (const std::string_view name : HarnessNames()) {
    const Harness harness = *FindHarness(name);
    const auto listed = ParseBenchmarkList(harness, input);
    if (!listed) {
      CheckMessage(listed.error().message);
      continue;
    }
    FUZZ_CHECK(!listed->empty() && listed->size() <= kMaxListed);
    std::set<std::string_view> known;
    for (const std::string& one : *listed) {
      FUZZ_CHECK(!one.empty() && one.size() <= kMaxInnerNameBytes && known.insert(one).second);
      FUZZ_CHECK(!HasControlCharacter(one) && !FirstInvalidUtf8(one));
    }
    CheckCommands(harness, listed->front(), *listed);
    CheckCommands(harness, listed->back(), *listed);
  }
}

}  // namespace benchd::fuzz
