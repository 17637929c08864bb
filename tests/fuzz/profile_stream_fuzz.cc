#include "tests/fuzz/fuzz.h"

#ifdef BENCHD_SYMBOLS
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "daemon/helper/folded_stacks.h"
#include "daemon/helper/profile.h"
#include "tests/fuzz/fill_record.h"
#include "tests/helper/profile_stream_builder.h"

namespace benchd::fuzz {
namespace {

using test::ProfileStreamBuilder;

/// A stack can be split into its functions again, each a short text on one line.
void CheckStack(std::string_view stack) {
  FUZZ_CHECK(!stack.empty());
  FUZZ_CHECK(!FirstInvalidUtf8(stack) && !HasControlCharacter(stack));
  std::size_t functions = 0;
  while (!stack.empty()) {
    const std::size_t end = std::min(stack.find(';'), stack.size());
    FUZZ_CHECK(end > 0 && end <= 512);
    stack.remove_prefix(std::min(end + 1, stack.size()));
    ++functions;
  }
  FUZZ_CHECK(functions <= FoldedStacks::kMostFrames);
}

/// Any stream is refused with a message or has valid samples.
/// @return the number of samples, or -1
double CheckFolded(std::string_view stream) {
  SymbolSources sources;
  sources.debug_folder = sources.map_folder = "/nosuch";
  const auto samples = FoldProfile(stream, sources);
  if (!samples) {
    CheckMessage(samples.error().message);
    FUZZ_CHECK(samples.error().code == ErrorCode::kInvalidArgument);
    return -1;
  }
  double count = 0;
  for (const Sample& sample : *samples) {
    FUZZ_CHECK(IsOfProfile(sample.metric) && sample.value > 0 && std::isfinite(sample.value));
    if (sample.metric == kStackMetric) count += sample.value;
    if (IsOfStacks(sample.metric)) CheckStack(sample.inner_benchmark);
  }
  return count;
}

/// Writes the records that an input asks for.
/// @return the number of samples of time
int FillStream(FillRecord& fill, ProfileStreamBuilder& stream) {
  int samples = 0;
  for (int records = fill.Byte() % 64; records > 0; --records) {
    const std::uint64_t time_ns = fill.Byte();
    const std::uint32_t pid = fill.Byte() % 4;
    const std::uint64_t start = fill.Integer(2);
    std::string text;
    switch (fill.Byte() % 5) {
      case 0:
        fill(text);
        stream.Map(time_ns, {.pid = pid,
                             .start = start,
                             .bytes = fill.Integer(2),
                             .file_offset = fill.Integer(2),
                             .path = fill.Byte() % 4 == 0 ? "//anon" : "/nosuch/" + text});
        break;
      case 1:
        stream.Fork(time_ns, pid, fill.Byte() % 4);
        break;
      case 2:
        stream.Exec(time_ns, pid);
        break;
      case 3:
        stream.Exit(time_ns, pid);
        break;
      default: {
        std::vector<std::uint64_t> addresses(fill.Byte());
        for (std::uint64_t& address : addresses) address = fill.Integer(2);
        stream.Sample(time_ns, pid, addresses);
        ++samples;
      }
    }
  }
  return samples;
}

}  // namespace

void FuzzProfileStream(std::string_view input) {
  CheckFolded(input);
  FillRecord fill(input);
  const std::size_t place = fill.Integer(2);
  const std::uint8_t change = fill.Byte();
  ProfileStreamBuilder builder;
  const int samples = FillStream(fill, builder);
  std::string stream = builder.Build();
  FUZZ_CHECK(CheckFolded(stream) == samples);
  char& byte = stream[place % stream.size()];
  byte = static_cast<char>(static_cast<std::uint8_t>(byte) ^ change);
  CheckFolded(stream);
}

}  // namespace benchd::fuzz
#else
namespace benchd::fuzz {

void FuzzProfileStream(std::string_view) {}

}  // namespace benchd::fuzz
#endif
