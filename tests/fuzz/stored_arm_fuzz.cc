#include "client/request/stored_arms.h"
#include "tests/fuzz/fuzz.h"

namespace benchd::fuzz {

/// An accepted description refers only to its own folder and is written unchanged.
void FuzzStoredArm(std::string_view input) {
  const auto arm = client::ParseStoredArm(input, "main");
  if (!arm) {
    CheckMessage(arm.error().message);
    FUZZ_CHECK(client::ExitFor(arm.error()) == client::ExitCode::kUsage);
    return;
  }
  FUZZ_CHECK(arm->program.find('/') == std::string::npos && arm->program != "..");
  FUZZ_CHECK(arm->cwd.starts_with('/'));
  const auto again = client::ParseStoredArm(client::FormatStoredArm(*arm), "main");
  FUZZ_CHECK(again && *again == *arm);
}

}  // namespace benchd::fuzz
