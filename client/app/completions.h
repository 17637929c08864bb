#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "client/app/arguments.h"
#include "client/app/command.h"

namespace benchd::client {

// The data that the completions of all three shells have in common.

/// The kind of a value or of a positional word, for completion.
enum class Kind { kText, kFile, kFolder, kLiveSession, kSession, kArm };

Kind KindOfValue(const OptionInfo& option);
Kind KindOfWords(const Command& command);

/// A possible next word.
struct Choice {
  std::string name;
  std::string_view summary;
  bool is_group = false;
};

/// Returns the words that may follow `before`: commands and groups, or second words of a group.
std::vector<Choice> NextWords(std::string_view before);
std::string NamesOf(const std::vector<Choice>& words);
std::vector<std::string> Groups();

/// A kind of word for which the shell asks benchctl to list the possible values.
struct Lister {
  Kind kind;
  std::string_view name;  ///< suffix of the name of the shell function
};

std::span<const Lister> Listers();
/// Returns null if benchctl does not list words of this kind.
const Lister* ListerOf(Kind kind);

/// Returns the POSIX shell command that prints the words, one per line. The command has a timeout
/// and does not start a daemon.
std::string ListedBy(std::string_view program, const Lister& lister);

/// A file that the build generates from the tables of `--help`, so that the options are documented
/// in one place.
struct GeneratedFile {
  std::string name;  ///< relative path of the file, such as "man1/benchctl.1"
  std::string text;
};

/// Returns benchctl.1 and one page for each command that is not hidden (benchctl-machine-status.1),
/// in groff's man macros.
std::vector<GeneratedFile> ManualPages();

/// Returns the completions for bash, zsh and fish, each with the path below CMAKE_INSTALL_DATADIR
/// where Debian's shells look for it.
std::vector<GeneratedFile> Completions();

}  // namespace benchd::client
