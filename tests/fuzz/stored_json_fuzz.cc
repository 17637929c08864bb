#include <string>

#include "daemon/store/json_codec.h"
#include "daemon/store/run_table.h"
#include "tests/fuzz/fuzz.h"

namespace benchd::fuzz {
namespace {

/// Every accepted text is stored again without loss.
template <typename Read, typename Write>
void CheckStored(std::string_view text, Read read, Write write) {
  const auto value = read(text);
  if (!value) {
    CheckMessage(value.error().message);
    FUZZ_CHECK(value.error().code == ErrorCode::kInternal);
    return;
  }
  const std::string written = write(*value);
  const auto again = read(written);
  FUZZ_CHECK(again && write(*again) == written);
}

std::string PackAll(const std::vector<store::PackedSample>& samples) {
  std::string bytes;
  for (const store::PackedSample& sample : samples) store::PackSample(sample, bytes);
  return bytes;
}

}  // namespace

void FuzzStoredJson(std::string_view input) {
  CheckStored(input, store::SpecFromJson, store::SpecToJson);
  CheckStored(input, store::SnapshotFromJson, store::SnapshotToJson);
  CheckStored(input, store::SummaryFromJson, store::SummaryToJson);
  CheckStored(input, store::MetricsFromJson, store::MetricsToJson);
  const auto samples = store::UnpackSamples(input);
  FUZZ_CHECK(samples.has_value() == (input.size() % 16 == 0));
  if (samples) FUZZ_CHECK(PackAll(*samples) == input);
}

}  // namespace benchd::fuzz
