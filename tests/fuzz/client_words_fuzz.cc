#include <string>
#include <string_view>
#include <vector>

#include "client/arguments.h"
#include "client/commands.h"
#include "client/quantity.h"
#include "client/render/text.h"
#include "client/spec_builder.h"
#include "tests/fuzz/fuzz.h"

namespace {

namespace client = benchd::client;

void CheckError(const client::ClientError& error) {
  // As benchctl prints it.
  benchd::fuzz::CheckMessage(client::OneLine(error.message));
  FUZZ_CHECK(error.exit == client::ExitCode::kUsage);
}

/// One word a line.
std::vector<std::string> WordsOf(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    words.emplace_back(text.substr(0, text.find('\n')));
    text.remove_prefix(std::min(text.size(), words.back().size() + 1));
  }
  return words;
}

/// The wire can carry what is submitted, and each benchmark has something to compare.
void CheckSpec(const benchd::v1::SessionSpec& spec) {
  FUZZ_CHECK(spec.benchmarks_size() > 0);
  for (const auto& benchmark : spec.benchmarks()) {
    FUZZ_CHECK(benchmark.arms_size() > 1);
    for (const auto& arm : benchmark.arms()) {
      FUZZ_CHECK(!arm.name().empty() && !arm.command().empty() && arm.cwd().starts_with('/'));
      FUZZ_CHECK(client::IsSendableText(arm.name()) && client::IsSendableText(arm.command()));
    }
  }
  std::string sent;
  FUZZ_CHECK(spec.SerializeToString(&sent));
  benchd::v1::SessionSpec received;
  FUZZ_CHECK(received.ParseFromString(sent));  // refuses strings that are not UTF-8
}

/// `compare` as far as it goes without a daemon.
void Compare(const client::ParsedArguments& arguments) {
  const auto input = client::InputFromCommandLine(arguments);
  if (!input) return CheckError(input.error());
  const auto spec = client::BuildSpec(*input, {"/cwd", {{"PATH", "/bin"}}});
  if (!spec) return CheckError(spec.error());
  CheckSpec(*spec);
}

/// `analyze` as far.
void Analyze(const client::ParsedArguments& arguments) {
  const auto spec = client::BuildTableSpec(client::CollectSessionOptions(arguments));
  if (!spec) CheckError(spec.error());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<std::string> words = WordsOf(benchd::fuzz::AsText(data, size));
  for (const client::Command& command : client::Commands()) {
    const auto arguments = client::ParseArguments(words, client::AllOptions(command));
    if (!arguments) {
      CheckError(arguments.error());
    } else if (command.name == "compare") {
      Compare(*arguments);
    } else if (command.name == "analyze") {
      Analyze(*arguments);
    }
  }
  return 0;
}
