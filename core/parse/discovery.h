#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

// The benchmarks inside one program: how a program lists them, and how it runs a single one.

namespace benchd {

/// The maximum number of benchmarks in one list. A session has far fewer, but --only may select
/// them from a long list.
inline constexpr std::size_t kMaxListed = 100'000;
/// The maximum length of a name in a list: it becomes the name of a benchmark.
inline constexpr std::size_t kMaxListedBytes = 200;

/// A command in the form in which it is executed. With `shell`, `argv` is /bin/sh -c SCRIPT.
struct ExecutedCommand {
  std::vector<std::string> argv;
  bool shell = false;
  bool operator==(const ExecutedCommand&) const = default;
};

struct DiscoverRule;

/// A kind of program that contains several benchmarks.
struct Harness {
  std::string name;    ///< of --harness
  std::string format;  ///< what a run prints, unless the user names another --parse
  /// Whether the exit code of the list says nothing: Catch2 2 exits with the number of test cases.
  bool any_exit = false;
  std::shared_ptr<const DiscoverRule> rule = {};  ///< of an adapter; null for the others
};

/// The name of the harness that the [discover] of the adapter of --parse describes.
inline constexpr std::string_view kAdapterHarness = "adapter";

/// What precedes the name of a harness in the format of a list, by which benchd-helper knows that
/// it reads a list and not the output of a run. No format of --parse begins so.
inline constexpr std::string_view kListFormat = "list:";

/// Returns the format of a list for benchd-helper: "list:go", or "list:adapter:own.toml".
std::string ListFormatOf(const Harness& harness);

/// Returns the names of all harnesses, in the order of the documentation.
std::vector<std::string_view> HarnessNames();

/// Returns the harness with this name. Takes up to some milliseconds for an adapter.
///
/// @param format   for kAdapterHarness: the adapter's name or file, as in ParseHarnessOutput()
/// @param adapter  the text of the adapter; empty if `format` is a name
/// @errors kInvalidArgument "harness: unknown harness 'x'"; the hint lists the known ones. For an
///         adapter: those of Adapter::Parse(), and "harness: ..." if it has no [discover].
Result<Harness> FindHarness(std::string_view name, std::string_view format = {},
                            std::string_view adapter = {});

/// Returns the command that lists the benchmarks of a program.
///
/// Words are added at the end of the command; a script gets them quoted for the shell. A command
/// that runs `cargo` gets them after `--`, which is added if it is missing. Pure.
ExecutedCommand ListCommand(const Harness& harness, ExecutedCommand command);

/// Reads what a ListCommand() printed on stdout. Pure; called in benchd-helper with the caller's
/// ids, never in the daemon.
///
/// @return the names in the order of the list, each once
/// @errors kInvalidArgument "line 3: ..." for a name that is longer than kMaxInnerNameBytes, has a
///         control character or is not UTF-8, for a line over kMaxLineBytes, and for more than
///         kMaxListed names; "no benchmark ..." for a list without any.
Result<std::vector<std::string>> ParseBenchmarkList(const Harness& harness, std::string_view text);

/// Returns the command without the words that select benchmarks themselves, as the file names of
/// pytest do: it would run what any of its words selects. A script is left unchanged.
///
/// @param listed  all names that the program listed
/// @param cwd     the working directory of the command, to which the names of files are relative
ExecutedCommand WithoutSelection(const Harness& harness, ExecutedCommand command,
                                 std::span<const std::string> listed, const std::string& cwd);

/// Returns the command that runs exactly one benchmark. The name is escaped for the harness. As in
/// ListCommand(), words are added at the end.
///
/// @param command  as WithoutSelection() returns it
/// @param printed  whether to add what makes the program print `harness.format` on stdout; false if
///                 the user named another format
ExecutedCommand RunCommand(const Harness& harness, ExecutedCommand command, std::string_view name,
                           bool printed);

/// Returns whether one command can run this benchmark together with others. The [discover] of an
/// adapter describes how to run a single one, and Go's filter cannot list sub-benchmarks.
bool CanShare(const Harness& harness, std::string_view name);

/// Returns the command that runs exactly these benchmarks in one process.
///
/// @param names  at least one; several only if CanShare() is true for each
ExecutedCommand RunCommand(const Harness& harness, ExecutedCommand command,
                           std::span<const std::string> names, bool printed);

}  // namespace benchd
