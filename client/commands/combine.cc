#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <utility>

#include "client/app/command.h"
#include "client/app/output.h"
#include "client/commands/command_options.h"
#include "client/present/combination.h"
#include "client/present/text.h"
#include "client/present/words.h"
#include "client/request/quantity.h"
#include "client/request/table_file.h"
#include "client/session/session_export.h"
#include "client/terminal/interrupts.h"
#include "client/terminal/terminal.h"
#include "core/base/text.h"
#include "core/base/try.h"

namespace benchd::client {
namespace {

/// The exports that are combined, and the reasons why others are left out.
struct Exports {
  std::vector<MachineSession> sessions;
  std::vector<LeftOutSession> left_out;
};

Result<void> CheckExportFiles(const std::vector<std::string>& files) {
  static constexpr char kUsage[] =
      "write benchctl combine EXPORT..., each made by benchctl export ID --format json";
  if (files.empty()) return UsageError("combine: missing file", kUsage);
  for (const std::string& file : files) {
    if (file.empty()) return UsageError("combine: empty file name", kUsage);
  }
  if (std::ranges::count(files, "-") > 1) {
    return UsageError("-: stdin can be read only once", kUsage);
  }
  return {};
}

Result<std::optional<std::size_t>> ReadExpected(const ParsedArguments& arguments) {
  const std::string* text = LastValue(arguments, "expect-machines");
  if (text == nullptr) return std::optional<std::size_t>();
  const auto count = ParseCount(*text);
  if (count && *count > 0) return std::optional<std::size_t>(*count);
  return UsageError("--expect-machines " + *text + ": not a valid number of machines",
                    "write --expect-machines 4");
}

LeftOutSession LeftOut(const std::string& name, const Error& why) {
  return {name, MakeWarning("not_counted", why.message + "; not counted")};
}

/// Returns whether a run failed. The compared programs may then be the cause.
bool FailedInRun(const v1::Session& session) { return session.failed().has_run(); }

/// Reads one export, and leaves it out if it is incomplete or lacks a verdict.
///
/// @errors the file is not an export
Result<void> ReadMachine(std::string_view text, const std::string& name, Exports& exports) {
  const auto left_out = [&](const Error& why) {
    return why.code == ErrorCode::kFailedPrecondition;
  };
  const auto read = ReadSessionExport(text, ExportedRuns::kSkip);
  if (!read) {
    const Error why = Error(read.error()).Within(name);
    if (!left_out(why)) return why;
    exports.left_out.push_back(LeftOut(name, why));
    return {};
  }
  auto session = MachineSessionOf(read->session, name);
  if (session) {
    exports.sessions.push_back(*std::move(session));
    return {};
  }
  if (!left_out(session.error())) return std::move(session).error();
  LeftOutSession& without = exports.left_out.emplace_back(LeftOut(name, session.error()));
  if (FailedInRun(read->session)) {
    without.warning.severity = Severity::kInvalidates;
    without.warning.hint = "leave that export out, or repeat the measurement on that machine";
  }
  return {};
}

Result<Exports> ReadExports(const std::vector<std::string>& files) {
  Exports exports;
  for (const std::string& path : files) {
    TRY(auto file, TableFile::Open(path));
    TRY(auto text, file.ReadAll());
    TRY_VOID(ReadMachine(text, file.name(), exports));
  }
  return exports;
}

ExitCode ExitOf(Verdict verdict) {
  if (verdict == Verdict::kPass) return ExitCode::kPass;
  return verdict == Verdict::kRegression ? ExitCode::kRegression : ExitCode::kUndecided;
}

/// Reports that machines are missing, in addition to the result of the others.
ExitCode ReportMissing(std::size_t there, std::size_t expected) {
  std::cout << std::flush;
  PrintError(
      {ErrorCode::kFailedPrecondition,
       fmt::format("combine: {} of {} missing", Counted(expected - there, "machine"), expected),
       "add a complete export of each missing machine, or expect fewer machines"});
  return ExitCode::kUndecided;
}

Result<ExitCode> RunCombine(const CommandContext& context) {
  const std::vector<std::string>& files = context.arguments.positionals;
  TRY_VOID(CheckExportFiles(files));
  TRY(auto expected, ReadExpected(context.arguments));
  const Interrupts interrupts;  // Ctrl-C ends this process
  TRY(auto exports, ReadExports(files));
  if (exports.sessions.empty()) {
    for (const LeftOutSession& one : exports.left_out) {
      std::cerr << "warning: " << Printable(one.warning.message) << "\n";
    }
    return ReportMissing(0, expected.value_or(files.size()));
  }
  auto combination = CombineMachines(std::move(exports.sessions), expected, exports.left_out);
  if (!combination) return PrintableError(combination.error());
  if (context.json) {
    std::cout << CombinationJson(*combination, Now()) << "\n";
  } else {
    std::cout << RenderCombination(*combination, expected, StyleOf(STDOUT_FILENO));
  }
  const std::size_t there = combination->machines.size();
  if (there < expected.value_or(0)) return ReportMissing(there, *expected);
  return ExitOf(combination->verdict);
}

}  // namespace

Command CombineCommand() {
  return {
      .name = "combine",
      .usage = "[OPTIONS] EXPORT...",
      .summary = "combine sessions of one comparison from several machines",
      .words = Words::kOwn,
      .run = RunCombine,
      .options = {{"expect-machines", 0, "K",
                   "report an error instead of a verdict if fewer machines have a complete export",
                   kThisCommand}},
      .description =
          "Reads exports (`export --format json`) of the same comparison from several machines and "
          "gives one verdict. The machine is the unit of the computation, so a verdict needs four "
          "machines, however many runs each has. With fewer, it prints a table without a verdict "
          "(exit code 3). The exit codes are those of `compare`.\n"
          "Each session counts once, and several sessions of one machine are averaged. An export "
          "that is incomplete or lacks a verdict is reported and left out. Use a fixed number of "
          "runs (--runs N) on every machine.",
      .examples = {{"Is the candidate slower across four machines?",
                    "benchctl combine node1.json node2.json node3.json node4.json"},
                   {"Require a complete result from each of eight machines:",
                    "benchctl combine --expect-machines 8 node*.json"}}};
}

}  // namespace benchd::client
