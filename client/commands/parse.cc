#include <unistd.h>

#include <iostream>
#include <string>
#include <utility>

#include "client/app/command.h"
#include "client/app/output.h"
#include "client/commands/command_options.h"
#include "client/present/parsed.h"
#include "client/present/text.h"
#include "client/present/words.h"
#include "client/request/adapter_file.h"
#include "client/request/table_file.h"
#include "client/terminal/interrupts.h"
#include "client/terminal/terminal.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "core/model/run.h"
#include "core/parse/adapter.h"
#include "core/parse/harness_output.h"

namespace benchd::client {
namespace {

constexpr std::string_view kParseUsage =
    "write benchctl parse NAME|ADAPTER.toml FILE, or omit FILE to read stdin";

/// Reads an output by an adapter, or by a format as in a session.
Result<AdapterReading> ReadOutput(const ParseChoice& choice, std::string_view text) {
  const ShippedAdapter* const shipped =
      choice.adapter.empty() ? FindShippedAdapter(choice.format) : nullptr;
  if (shipped == nullptr && choice.adapter.empty()) {
    TRY(auto output, ParseHarnessOutput(choice.format, text));
    return AdapterReading{std::move(output), {}, {}};
  }
  TRY(const auto adapter,
      Adapter::Parse(shipped != nullptr ? shipped->text : std::string_view(choice.adapter)));
  return adapter.Read(text);
}

Result<ExitCode> PrintAdapter(const ParseChoice& choice) {
  const ShippedAdapter* const shipped = FindShippedAdapter(choice.format);
  if (shipped == nullptr && choice.adapter.empty()) {
    return UsageError(choice.format + ": is a format that is part of benchd, not an adapter",
                      "`benchctl parse` without a name lists the adapters");
  }
  std::cout << (shipped != nullptr ? shipped->text : std::string_view(choice.adapter));
  return ExitCode::kPass;
}

Error NoMatch(const ParseChoice& choice, std::string_view text) {
  const std::string_view tool = ToolThatPrinted(text);
  std::string hint = "compare the output with what `benchctl parse --text " + choice.format +
                     "` prints; tools that write to stderr need 2>&1";
  if (!choice.adapter.empty()) hint = "correct what each [[metric]] above did not find";
  if (!tool.empty() && tool != choice.format) {
    hint = "this looks like the output of " + std::string(tool) + ": write benchctl parse " +
           std::string(tool);
  }
  return {ErrorCode::kInvalidArgument, "no value: nothing in the output matches", std::move(hint)};
}

/// Returns an error without the hint to use the command that has just been used.
Error WithoutOwnHint(Error error) {
  if (error.hint == kAdapterReadHint) error.hint.clear();
  return error;
}

Result<ExitCode> RunParse(const CommandContext& context) {
  const std::vector<std::string>& words = context.arguments.positionals;
  if (words.empty()) {
    std::vector<std::string_view> names;
    for (const ShippedAdapter& shipped : ShippedAdapters()) names.push_back(shipped.name);
    return UsageError("parse: missing adapter",
                      std::string(kParseUsage) + "; adapters: " + Join(names, ", "));
  }
  if (words.size() > 2) {
    return UsageError("parse: more than one file", std::string(kParseUsage));
  }
  TRY(const ParseChoice choice, ReadParseChoice(words[0]));
  if (IsGiven(context.arguments, "text")) return PrintAdapter(choice);
  const Interrupts interrupts;  // Ctrl-C ends this process
  TRY(auto file, TableFile::Open(words.size() == 2 ? words[1] : "-"));
  TRY(const std::string text, file.ReadAll(kParseBytes));
  auto reading = ReadOutput(choice, text);
  if (!reading) return PrintableError(WithoutOwnHint(reading.error())).Within(file.name());
  if (context.json) {
    std::cout << ParsedJson(*reading, words[0], Now()) << "\n";
  } else {
    const Style style = StyleOf(STDOUT_FILENO);
    std::cout << RenderParsed(*reading, style);
    // The adapters of benchd describe more than one version or mode of a tool prints.
    if (!choice.adapter.empty()) std::cout << RenderUnread(*reading, style);
  }
  if (!reading->output.samples.empty()) return ExitCode::kPass;
  std::cout << std::flush;
  PrintError(NoMatch(choice, text).Within(file.name()));
  return ExitCode::kUndecided;
}

}  // namespace

Command ParseCommand() {
  return {
      .name = "parse",
      .usage = "[OPTIONS] NAME|ADAPTER.toml [FILE|-]",
      .summary = "show what --parse reads from an output",
      .words = Words::kOwn,
      .run = RunParse,
      .options = {{"text", 0, "", "print the adapter itself, to copy it", kThisCommand}},
      .description =
          "Reads an output from FILE or stdin and prints one line per metric: benchmark, metric, "
          "values, unit, direction, and whether it gates in a comparison. NAME is a format or an "
          "adapter that is part of benchd. ADAPTER.toml is an adapter of your own; its name ends "
          "in .toml or contains a slash. Lines that mean a failed run, and each "
          "[[metric]] that read nothing, are listed last.\n"
          "Exits with 2 if the adapter or the output is not valid, and with 3 if an adapter found "
          "nothing. A failed run in the output does not change the exit code.",
      .examples = {{"What does benchd read from wrk?",
                    "wrk --latency -d 5s http://localhost:8080/ | benchctl parse wrk"},
                   {"Try an adapter of your own:", "benchctl parse ./own.toml output.txt"},
                   {"Start from an adapter of benchd:", "benchctl parse --text wrk > own.toml"}}};
}

}  // namespace benchd::client
