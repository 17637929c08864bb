#include "core/parse/command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/printable.h"
#include "core/base/try.h"

namespace benchd {
namespace {

Error RefuseCommand(std::string why, std::string_view hint = {}) {
  return InvalidArgument("command", why, hint);
}

/// Returns the column of the byte at `offset` as an editor counts it: in characters, from 1.
std::size_t Column(std::string_view text, std::size_t offset) {
  std::size_t column = 1;
  for (const char c : text.substr(0, offset)) {
    const bool continues_character = (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
    if (!continues_character) ++column;
  }
  return column;
}

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// The substitute for each quoted character of a word. Quoted characters have no special meaning to
/// a shell.
constexpr char kQuoted = '\x01';

bool IsNameStart(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

/// Returns whether a shell would expand a dollar sign before this text: $NAME, $1, $?, ${...},
/// $(...), $'...'.
bool IsExpansion(std::string_view behind_dollar) {
  if (behind_dollar.empty()) return false;
  const char c = behind_dollar.front();
  return IsNameStart(c) || IsDigit(c) || c == kQuoted ||
         std::string_view("{(@*#?$!-").find(c) != std::string_view::npos;
}

/// Returns whether a shell would expand a brace before this text to several words: {a,b}, {1..3}.
/// {size} and {} are plain text.
bool IsBraceExpansion(std::string_view behind_brace) {
  const std::string_view inside = behind_brace.substr(0, behind_brace.find('}'));
  return inside.size() < behind_brace.size() && (inside.find(',') != std::string_view::npos ||
                                                 inside.find("..") != std::string_view::npos);
}

/// Returns whether a shell would interpret the word. A ~ in the middle of a word has no meaning to
/// it.
bool NeedsShell(std::string_view word) {
  if (word.starts_with('~') || word.starts_with('#')) return true;
  for (std::size_t i = 0; i < word.size(); ++i) {
    const std::string_view behind = word.substr(i + 1);
    switch (word[i]) {
      case '<':
      case '>':
      case '|':
      case '&':
      case ';':
      case '(':
      case ')':
      case '`':
      case '*':
      case '?':
        return true;
      case '[':
        if (behind.find(']') != std::string_view::npos) return true;
        break;
      case '$':
        if (IsExpansion(behind)) return true;
        break;
      case '{':
        if (IsBraceExpansion(behind)) return true;
        break;
      default:
        break;
    }
  }
  return false;
}

/// Returns whether the word is NAME=VALUE, which sets an environment variable if it precedes the
/// program.
bool IsAssignment(std::string_view word) {
  if (word.empty() || !IsNameStart(word.front())) return false;
  const auto end =
      std::ranges::find_if_not(word, [](char c) { return IsNameStart(c) || IsDigit(c); });
  const std::string_view rest(end, word.end());
  return rest.starts_with('=') || rest.starts_with("+=");
}

/// Splits a command into words in one pass.
class Splitter {
 public:
  explicit Splitter(std::string_view command) : command_(command) {}

  Result<std::vector<std::string>> Split() {
    while (at_ < command_.size()) {
      TRY_VOID(TakeOne());
    }
    TRY_VOID(EndWord());
    return std::move(words_);
  }

 private:
  Result<void> TakeOne() {
    const char c = command_[at_];
    if (IsSpace(c)) {
      TRY_VOID(EndWord());
      if (c == '\n' && IsBetweenWords()) return LineBreak();
      ++at_;
      return {};
    }
    if (c == '\'') return TakeSingleQuoted();
    if (c == '"') return TakeDoubleQuoted();
    if (c == '\\') return TakeEscaped();
    Keep(c, c);
    ++at_;
    return {};
  }

  bool IsBetweenWords() const {
    const std::string_view behind = command_.substr(at_);
    return !words_.empty() && !std::ranges::all_of(behind, IsSpace);
  }

  Result<void> TakeEscaped() {
    if (at_ + 1 == command_.size()) {
      return RefuseCommand("a backslash at the end escapes nothing", R"(write \\ for a backslash)");
    }
    if (command_[at_ + 1] != '\n') Keep(command_[at_ + 1], kQuoted);
    at_ += 2;
    return {};
  }

  Result<void> TakeSingleQuoted() {
    const std::size_t open = at_;
    const std::size_t close = command_.find('\'', open + 1);
    if (close == std::string_view::npos) return Unbalanced(open);
    if (!in_word_) begin_ = open;
    in_word_ = true;
    word_.append(command_.substr(open + 1, close - open - 1));
    plain_.append(std::max<std::size_t>(1, close - open - 1), kQuoted);
    at_ = close + 1;
    return {};
  }

  Result<void> TakeDoubleQuoted() {
    const std::size_t open = at_++;
    if (!in_word_) begin_ = open;
    in_word_ = true;
    plain_.push_back(kQuoted);
    while (at_ < command_.size() && command_[at_] != '"') {
      const bool escapes =
          command_[at_] == '\\' && at_ + 1 < command_.size() &&
          std::string_view("\"\\$`\n").find(command_[at_ + 1]) != std::string_view::npos;
      if (escapes) ++at_;
      if (!escapes || command_[at_] != '\n') Keep(command_[at_], kQuoted);
      ++at_;
    }
    if (at_ == command_.size()) return Unbalanced(open);
    ++at_;
    return {};
  }

  Error Unbalanced(std::size_t open) const {
    return RefuseCommand(
        fmt::format("unbalanced {} at column {}", command_[open], Column(command_, open)),
        "close the quote, or escape it with a backslash");
  }

  /// Adds a character to the current word.
  /// @param plain  the character as a shell interprets it: the character itself, or kQuoted
  void Keep(char c, char plain) {
    if (!in_word_) begin_ = at_;
    in_word_ = true;
    word_.push_back(c);
    plain_.push_back(plain);
  }

  Result<void> EndWord() {
    if (!in_word_) return {};
    if (NeedsShell(plain_)) return ShellSyntax();
    if (words_.empty() && IsAssignment(plain_)) return Assignment();
    words_.push_back(std::exchange(word_, {}));
    plain_.clear();
    in_word_ = false;
    return {};
  }

  /// Returns the word as written, on one line.
  std::string Raw() const {
    return WithoutControls(command_.substr(begin_, at_ - begin_),
                           [](std::string_view) { return "?"; });
  }
  std::string WordAndPlace() const {
    return fmt::format("{} at column {}", Raw(), Column(command_, begin_));
  }

  Error ShellSyntax() const {
    const bool quotes = Raw().find_first_of("'\"\\") != std::string::npos;
    return RefuseCommand(
        WordAndPlace() + " needs a shell, and this command runs without one",
        "add --shell, or quote it" +
            (quotes ? " to pass it to the program as it is" : ": '" + Raw() + "'"));
  }

  /// Returns an error for a line break, which would end the command in a shell.
  Error LineBreak() const {
    return RefuseCommand(
        fmt::format("a line break at column {} needs a shell, and this command runs without one",
                    Column(command_, at_)),
        "add --shell, or end the line with a backslash to continue on the next line");
  }

  Error Assignment() const {
    return RefuseCommand(
        WordAndPlace() + " sets a variable in a shell, and this command runs without one",
        "write --env " + Raw() + ", or add --shell");
  }

  std::string_view command_;
  std::size_t at_ = 0;
  bool in_word_ = false;   // also true for the empty word ''
  std::size_t begin_ = 0;  // start of the word
  std::string word_;
  std::string plain_;  // the word as a shell interprets it, with kQuoted for quoted characters
  std::vector<std::string> words_;
};

}  // namespace

Result<std::vector<std::string>> SplitCommandLine(std::string_view command) {
  if (command.size() > kMaxCommandBytes) {
    return RefuseCommand(fmt::format("{} bytes; the limit is {}", command.size(), kMaxCommandBytes),
                         "put it into a script and run that");
  }
  if (const std::size_t nul = command.find('\0'); nul != std::string_view::npos) {
    return RefuseCommand(fmt::format("a NUL byte at column {}", Column(command, nul)),
                         "remove it; arguments cannot contain NUL");
  }
  auto words = Splitter(command).Split();
  if (!words) return words;
  if (words->empty()) return RefuseCommand("empty", "name the program to run");
  if (words->front().empty()) {
    return RefuseCommand("the first word, which names the program, is empty",
                         "name the program to run");
  }
  return words;
}

}  // namespace benchd
