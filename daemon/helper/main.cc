#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/file.h"
#include "core/base/file_pattern.h"
#include "core/base/result.h"
#include "core/base/try.h"
#include "core/parse/discovery.h"
#include "core/parse/harness_files.h"
#include "core/parse/harness_output.h"
#include "daemon/config/config.h"
#include "daemon/helper/lookup.h"
#include "daemon/helper/profile.h"
#include "daemon/helper/result_files.h"
#include "daemon/wire/messages.h"
#include "daemon/wire/profile_stream.h"

// benchd-helper performs one short task on data that belongs to a caller. It runs with the caller's
// ids and limits, so that neither the daemon nor the runner accesses the data. It reads stdin,
// writes stdout and exits.

namespace benchd {
namespace {

Result<std::string> ReadInput() { return ReadAll(STDIN_FILENO, "stdin"); }

/// Writes the output of a run to its file. If the output is also parsed, it comes to this program
/// first.
Result<void> CopyTo(const std::string& path, std::string_view text) {
  const UniqueFd file(
      open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0666));
  if (!file) return SystemError("output: " + path, errno);
  return WriteAll(file.get(), text, "output: " + path);
}

Result<std::vector<std::string>> ReadList(std::string_view harness, std::string_view text,
                                          std::string_view adapter) {
  // The harness of an adapter is followed by the adapter's own name.
  const std::size_t end = std::min(harness.find(':'), harness.size());
  const std::string_view format = harness.substr(std::min(end + 1, harness.size()));
  TRY(const auto known, FindHarness(harness.substr(0, end), format, adapter));
  return ParseBenchmarkList(known, text);
}

/// Reads the list of the benchmarks of a harness.
wire::ParsedOutput ListTo(std::string_view harness, std::string_view text,
                          std::string_view adapter) {
  wire::ParsedOutput output;
  auto names = ReadList(harness, text, adapter);
  if (names) {
    output.names = *std::move(names);
  } else {
    output.result = std::move(names).error();
  }
  return output;
}

/// Puts what was parsed, or the error, into an answer.
void Fill(wire::ParsedOutput& output, Result<HarnessOutput> parsed) {
  if (!parsed) {
    output.result = std::move(parsed).error();
    return;
  }
  output.samples = std::move(parsed->samples);
  output.metrics = std::move(parsed->metrics);
  output.exits = std::move(parsed->exits);
}

/// Parses an output, after writing it to its file if there is one.
wire::ParsedOutput ParseTo(const char* file, std::string_view format, std::string_view text,
                           std::string_view adapter) {
  if (format.starts_with(kListFormat)) {
    return ListTo(format.substr(kListFormat.size()), text, adapter);
  }
  wire::ParsedOutput output;
  if (file != nullptr) output.result = CopyTo(file, text);
  if (!output.result) return output;
  Fill(output, ParseHarnessOutput(format, text, adapter));
  return output;
}

/// Returns a number among the arguments.
Result<std::size_t> NumberOf(std::string_view work, std::string_view text) {
  std::size_t number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec == std::errc() && parsed.ptr == text.data() + text.size()) return number;
  return InvalidArgument(work, "not a number");
}

/// Removes the first bytes of `rest` and returns them.
Result<std::string_view> TakeBytes(std::string_view& rest, std::string_view size) {
  TRY(const std::size_t bytes, NumberOf("parse", size));
  if (bytes > rest.size()) return InvalidArgument("parse", "stdin is too short");
  const std::string_view taken = rest.substr(0, bytes);
  rest.remove_prefix(bytes);
  return taken;
}

/// Implements `benchd-helper parse (FORMAT OUTPUT_BYTES ADAPTER_BYTES FILE)...`. stdin contains the
/// output of each run, followed by the text of its adapter. FILE is empty if there is none.
Result<std::string> Parse(int argc, char** argv) {
  TRY(const auto input, ReadInput());
  std::string_view rest(input);
  wire::ParsedOutputs answer;
  for (int i = 2; i < argc; i += 4) {
    TRY(const auto text, TakeBytes(rest, argv[i + 1]));
    TRY(const auto adapter, TakeBytes(rest, argv[i + 2]));
    const char* const file = argv[i + 3];
    answer.each.push_back(
        wire::EncodeParsedOutput(ParseTo(*file == '\0' ? nullptr : file, argv[i], text, adapter)));
  }
  return wire::EncodeParsedOutputs(answer);
}

/// Parses the files that a run has written.
wire::ParsedOutput ParseFilesOf(const char* pattern, std::size_t most_bytes,
                                std::string_view format, std::string_view adapter) {
  wire::ParsedOutput output;
  const auto parse = [&]() -> Result<HarnessOutput> {
    TRY(const auto files, FilePattern::Parse(pattern));
    TRY(const auto found, ReadResultFiles(files, most_bytes));
    std::vector<HarnessResult> texts;
    for (const ResultFile& file : found) texts.push_back({ShownPath(file.path), file.text});
    return ParseHarnessFiles(format, texts, adapter);
  };
  Fill(output, parse());
  if (!output.result) output.result = std::move(output.result).error().Within("parse-file");
  return output;
}

/// Implements `benchd-helper parse-files FORMAT BYTES PATTERN`. stdin is the text of the adapter,
/// if there is one.
Result<std::string> ParseFiles(char** argv) {
  TRY(const auto adapter, ReadInput());
  TRY(const std::size_t most_bytes, NumberOf("parse-files", argv[3]));
  return wire::EncodeParsedOutput(ParseFilesOf(argv[4], most_bytes, argv[2], adapter));
}

/// Implements `benchd-helper remove-files PATTERN`. The answer has no samples.
Result<std::string> RemoveFiles(char** argv) {
  wire::ParsedOutput output;
  const auto pattern = FilePattern::Parse(argv[2]);
  output.result = pattern ? RemoveResultFiles(*pattern) : Result<void>(pattern.error());
  if (!output.result) output.result = std::move(output.result).error().Within("parse-file");
  return wire::EncodeParsedOutput(output);
}

#ifdef BENCHD_SYMBOLS
/// Reads the stream of a sampled run, which is a file in memory.
Result<std::string> ReadStream() {
  struct stat info {};
  if (fstat(STDIN_FILENO, &info) != 0) return SystemError("stdin", errno);
  // FoldProfile() refuses a larger one.
  const std::size_t most = wire::kProfileBytes + 1;
  return ReadStart(STDIN_FILENO, std::min(static_cast<std::size_t>(info.st_size), most), "stdin");
}

Result<std::vector<Sample>> ProfileSamples() {
  TRY(const auto stream, ReadStream());
  SymbolSources sources;
  sources.owner = geteuid();
  return FoldProfile(stream, sources);
}
#else
Result<std::vector<Sample>> ProfileSamples() {
  return Error{ErrorCode::kUnimplemented, "profile: this build of benchd-helper reads no symbols",
               "build benchd with the option BENCHD_SYMBOLS"};
}
#endif

/// Implements `benchd-helper profile`. stdin is the stream of a sampled run.
std::string Profile() {
  wire::ParsedOutput output;
  auto samples = ProfileSamples();
  if (samples) {
    output.samples = *std::move(samples);
  } else {
    output.result = std::move(samples).error();
  }
  return wire::EncodeParsedOutput(output);
}

Result<std::string> Resolve() {
  TRY(auto input, ReadInput());
  TRY(auto record, wire::Decode(input));
  const auto* question = std::get_if<wire::Resolve>(&record.message);
  if (question == nullptr) return InvalidArgument("stdin", "not a Resolve message");
  const auto& [caller, program, path, cwd] = question->query;
  return wire::EncodeResolved(ResolveCommand(program, path, cwd));
}

Result<std::string> ReadRunnerConfig() {
  TRY(auto input, ReadInput());
  return wire::EncodeRunnerConfig(ParseRunnerConfig(input));
}

/// Implements `benchd-helper user UID GROUP`.
Result<std::string> User(char** argv) {
  uid_t uid = 0;
  const std::string_view text = argv[2];
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), uid);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) {
    return InvalidArgument("user", "not a number");
  }
  return wire::EncodeUserRecord(LookUpUser(uid, argv[3]));
}

Result<std::string> Answer(int argc, char** argv) {
  const std::string_view work = argc > 1 ? argv[1] : "";
  if (work == "parse" && argc > 2 && argc % 4 == 2) return Parse(argc, argv);
  if (work == "parse-files" && argc == 5) return ParseFiles(argv);
  if (work == "remove-files" && argc == 3) return RemoveFiles(argv);
  if (work == "profile" && argc == 2) return Profile();
  if (work == "resolve" && argc == 2) return Resolve();
  if (work == "config" && argc == 2) return ReadRunnerConfig();
  if (work == "user" && argc == 4) return User(argv);
  return InvalidArgument("benchd-helper", "it must be started by benchd-runner");
}

int Main(int argc, char** argv) {
  auto answer = Answer(argc, argv);
  Result<void> done =
      answer ? WriteAll(STDOUT_FILENO, *answer, "stdout") : Result<void>(std::move(answer).error());
  if (done) return EXIT_SUCCESS;
  fprintf(stderr, "%s\n", done.error().message.c_str());
  return EXIT_FAILURE;
}

}  // namespace
}  // namespace benchd

int main(int argc, char** argv) {
  // The user must not be able to read or change this process's memory, for example the answer of a
  // parser.
  prctl(PR_SET_DUMPABLE, 0);
  try {
    return benchd::Main(argc, argv);
  } catch (const std::bad_alloc&) {
    // The runner set the limit (helper_process.cc). Memory is freed when the process exits.
    fputs("it exceeded its memory limit\n", stderr);
    return EXIT_FAILURE;
  }
}
