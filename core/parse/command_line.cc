#include "core/parse/command_line.h"

#include <algorithm>
#include <array>
#include <utility>

namespace benchd {
namespace {

Error RefuseCommand(std::string why, std::string_view hint = {}) {
  return InvalidArgument("command", why, hint);
}

/// Column of the byte at `offset` as an editor counts it: characters, from 1.
std::size_t Column(std::string_view text, std::size_t offset) {
  std::size_t column = 1;
  for (const char c : text.substr(0, offset)) {
    const bool continues_character = (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
    if (!continues_character) ++column;
  }
  return column;
}

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// What nearly always means that a shell was expected; passed on, `cat f > x` would measure a cat
/// that cannot find the file ">". Words that merely contain one may be a pattern or a program.
bool IsOperator(std::string_view word) {
  constexpr std::array<std::string_view, 8> kOperators{">",  ">>", "<", "|",
                                                       "&&", "||", ";", "2>&1"};
  return std::ranges::find(kOperators, word) != kOperators.end();
}

/// One pass over the command, collecting words.
class Splitter {
 public:
  explicit Splitter(std::string_view command) : command_(command) {}

  Result<std::vector<std::string>> Split() {
    while (at_ < command_.size()) {
      if (auto taken = TakeOne(); !taken) return std::move(taken).error();
    }
    if (auto ended = EndWord(); !ended) return std::move(ended).error();
    return std::move(words_);
  }

 private:
  Result<void> TakeOne() {
    const char c = command_[at_];
    if (IsSpace(c)) {
      Result<void> ended = EndWord();
      ++at_;
      return ended;
    }
    if (c == '\'') return TakeSingleQuoted();
    if (c == '"') return TakeDoubleQuoted();
    if (c == '\\') return TakeEscaped();
    Keep(c);
    ++at_;
    return {};
  }

  Result<void> TakeEscaped() {
    if (at_ + 1 == command_.size()) {
      return RefuseCommand("a backslash at the end escapes nothing", R"(write \\ for a backslash)");
    }
    quoted_ = true;
    if (command_[at_ + 1] != '\n') Keep(command_[at_ + 1]);
    at_ += 2;
    return {};
  }

  Result<void> TakeSingleQuoted() {
    const std::size_t open = at_;
    const std::size_t close = command_.find('\'', open + 1);
    if (close == std::string_view::npos) return Unbalanced(open);
    in_word_ = quoted_ = true;
    word_.append(command_.substr(open + 1, close - open - 1));
    at_ = close + 1;
    return {};
  }

  Result<void> TakeDoubleQuoted() {
    const std::size_t open = at_++;
    in_word_ = quoted_ = true;
    while (at_ < command_.size() && command_[at_] != '"') {
      const bool escapes =
          command_[at_] == '\\' && at_ + 1 < command_.size() &&
          std::string_view("\"\\$`\n").find(command_[at_ + 1]) != std::string_view::npos;
      if (escapes) ++at_;
      if (!escapes || command_[at_] != '\n') Keep(command_[at_]);
      ++at_;
    }
    if (at_ == command_.size()) return Unbalanced(open);
    ++at_;
    return {};
  }

  Error Unbalanced(std::size_t open) const {
    return RefuseCommand(std::string("unbalanced ") + command_[open] + " at column " +
                             std::to_string(Column(command_, open)),
                         "close the quote, or escape it with a backslash");
  }

  void Keep(char c) {
    in_word_ = true;
    word_.push_back(c);
  }

  Result<void> EndWord() {
    if (in_word_ && !quoted_ && IsOperator(word_)) {
      return RefuseCommand(word_ + " at column " +
                               std::to_string(Column(command_, at_ - word_.size())) +
                               " needs a shell, and this command runs without one",
                           "add --shell; to pass it to the program, write '" + word_ + "'");
    }
    if (in_word_) words_.push_back(std::exchange(word_, {}));
    in_word_ = quoted_ = false;
    return {};
  }

  std::string_view command_;
  std::size_t at_ = 0;
  bool in_word_ = false;  // '' is a word too
  bool quoted_ = false;   // the word, in part at least
  std::string word_;
  std::vector<std::string> words_;
};

}  // namespace

Result<std::vector<std::string>> SplitCommandLine(std::string_view command) {
  if (command.size() > kMaxCommandBytes) {
    return RefuseCommand(std::to_string(command.size()) + " bytes, " +
                             std::to_string(kMaxCommandBytes) + " are allowed",
                         "put it into a script and run that");
  }
  if (const std::size_t nul = command.find('\0'); nul != std::string_view::npos) {
    return RefuseCommand("a NUL byte at column " + std::to_string(Column(command, nul)),
                         "no program can be given one; remove it");
  }
  auto words = Splitter(command).Split();
  if (!words) return words;
  if (words->empty()) return RefuseCommand("empty", "name the program to run");
  if (words->front().empty()) {
    return RefuseCommand("its first word, the program, is empty", "name the program to run");
  }
  return words;
}

}  // namespace benchd
