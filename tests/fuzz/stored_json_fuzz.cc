#include <string>

#include "daemon/store/outcome_json.h"
#include "daemon/store/sample_codec.h"
#include "daemon/store/spec_json.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace benchd;

/// Whatever is understood of a stored text is stored again as the same, without loss.
template <typename Read, typename Write>
void Check(std::string_view text, Read read, Write write) {
  const auto value = read(text);
  if (!value) {
    fuzz::CheckMessage(value.error().message);
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

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::AsText(data, size);
  Check(text, store::SpecFromJson, store::SpecToJson);
  Check(text, store::SnapshotFromJson, store::SnapshotToJson);
  Check(text, store::MetricsFromJson, store::MetricsToJson);
  const auto samples = store::UnpackSamples(text);
  FUZZ_CHECK(samples.has_value() == (size % 16 == 0));
  if (samples) FUZZ_CHECK(PackAll(*samples) == text);
  return 0;
}
