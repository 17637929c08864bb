#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "client/app/arguments.h"
#include "client/app/command.h"

namespace benchd::client {

// The contents that the completions of all three shells have in common.

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

/// The words that may follow `before`: commands and groups, or the second words of a group.
std::vector<Choice> NextWords(std::string_view before);
std::string NamesOf(const std::vector<Choice>& words);
std::vector<std::string> Groups();

/// A kind whose words benchctl itself lists when a shell completes it.
struct Lister {
  Kind kind;
  std::string_view name;  ///< suffix of the name of the shell function
};

std::span<const Lister> Listers();
/// Null if benchctl does not list words of this kind.
const Lister* ListerOf(Kind kind);

/// The POSIX shell command that prints the words, one per line. It does not start a daemon and has
/// a timeout.
std::string ListedBy(std::string_view program, const Lister& lister);

/// A file that the build generates from the tables of `--help`, so that the documentation of the
/// options has one source.
struct GeneratedFile {
  std::string name;  ///< relative path of the file, such as "man1/benchctl.1"
  std::string text;
};

/// benchctl.1 and one page for each command that is not hidden (benchctl-machine-status.1), in
/// groff's man macros.
std::vector<GeneratedFile> ManualPages();

/// The completions for bash, zsh and fish, each at the path below CMAKE_INSTALL_DATADIR where
/// Debian's shells look for it.
std::vector<GeneratedFile> Completions();

}  // namespace benchd::client
