#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "client/app/arguments.h"
#include "client/app/command.h"

namespace benchd::client {

// What the completions of all three shells say, before it is written in the language of one.

/// What stands for a value or a word of a command line.
enum class Kind { kText, kFile, kFolder, kLiveSession, kSession, kArm };

Kind KindOfValue(const OptionInfo& option);
Kind KindOfWords(const Command& command);

/// A word that may come next.
struct Choice {
  std::string name;
  std::string_view summary;
  bool is_group = false;
};

/// The words that may follow `before`: commands and groups, or the words of a group.
std::vector<Choice> NextWords(std::string_view before);
std::string NamesOf(const std::vector<Choice>& words);
std::vector<std::string> Groups();

/// What benchctl is asked for when words of a kind are wanted.
struct Lister {
  Kind kind;
  std::string_view name;  ///< of the shell's function, behind a prefix
};

std::span<const Lister> Listers();
/// Null for a kind that benchctl is not asked for.
const Lister* ListerOf(Kind kind);

/// The POSIX shell command that prints them, a line each: never starts a daemon, never takes long.
std::string ListedBy(std::string_view program, const Lister& lister);

/// A file that the build makes of the tables behind `--help`, so that there is one source of what
/// benchctl says about itself.
struct GeneratedFile {
  std::string name;  ///< below the folder for all of them, such as "man1/benchctl.1"
  std::string text;
};

/// benchctl.1 and one page for each command that is not hidden (benchctl-machine-status.1), in
/// groff's man macros.
std::vector<GeneratedFile> ManualPages();

/// What completes command lines in bash, zsh and fish, each file at the place below
/// CMAKE_INSTALL_DATADIR where Debian's shells look for it.
std::vector<GeneratedFile> Completions();

}  // namespace benchd::client
