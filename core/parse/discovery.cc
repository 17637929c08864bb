#include "core/parse/discovery.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "core/base/shell_words.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "core/parse/adapter.h"
#include "core/parse/adapter_rules.h"
#include "core/parse/harness_builder.h"

namespace benchd {
namespace {

using WordList = std::vector<std::string>;

/// Collects the names of a list, within its limits.
class NameList {
 public:
  Result<void> Add(std::string_view name) {
    if (name.size() > kMaxInnerNameBytes) {
      return Error{
          ErrorCode::kInvalidArgument,
          fmt::format("a name is {} bytes long; the limit is {}", name.size(), kMaxInnerNameBytes),
          "give the benchmark a shorter name"};
    }
    if (HasControlCharacter(name)) {
      return Error{ErrorCode::kInvalidArgument, "a name contains a control character", {}};
    }
    if (!known_.emplace(name).second) return {};
    if (names_.size() == kMaxListed) {
      return Error{ErrorCode::kInvalidArgument, fmt::format("more than {} benchmarks", kMaxListed),
                   "let the command select some of them"};
    }
    names_.emplace_back(name);
    return {};
  }

  WordList Take() { return std::move(names_); }

 private:
  WordList names_;
  std::set<std::string, std::less<>> known_;
};

/// Reads a list line by line. Each harness has its own reader, which sees the lines in order.
class ListReader {
 public:
  virtual ~ListReader() = default;
  virtual Result<void> Take(std::string_view line) = 0;
  virtual Result<void> Finish() { return {}; }

 protected:
  Result<void> Add(std::string_view name) { return names_.Add(name); }

 private:
  friend Result<WordList> ReadList(ListReader& reader, std::string_view text);
  NameList names_;
};

Result<WordList> ReadList(ListReader& reader, std::string_view text) {
  const auto take = [&reader](std::string_view line) { return reader.Take(WithoutReturn(line)); };
  TRY_VOID(ForEachLine(WithoutByteOrderMark(text), {}, take));
  TRY_VOID(reader.Finish());
  return reader.names_.Take();
}

/// Google Benchmark prints one name per line.
class GoogleBenchmarkList final : public ListReader {
  Result<void> Take(std::string_view line) override {
    return line.empty() ? Result<void>() : Add(line);
  }
};

/// `-test.list` prints tests, benchmarks, examples and fuzz tests, and `go test` adds a line `ok`.
class GoList final : public ListReader {
  Result<void> Take(std::string_view line) override {
    constexpr std::string_view kPrefix = "Benchmark";
    const bool is_name = line.starts_with(kPrefix) && line.find_first_of(" \t") == line.npos;
    if (!is_name) return {};
    const std::string_view rest = line.substr(kPrefix.size());
    const bool lower = !rest.empty() && rest.front() >= 'a' && rest.front() <= 'z';
    return lower ? Result<void>() : Add(line);
  }
};

/// Catch2 indents names by two blanks, their continuation lines by four, and tags by six.
class Catch2List final : public ListReader {
  Result<void> Take(std::string_view line) override {
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    if (indent == 4 && !name_.empty()) {
      name_.append(" ").append(line.substr(indent));
      return {};
    }
    TRY_VOID(Finish());
    // A name of blanks alone cannot be selected.
    if (indent == 2 && line.size() > indent) name_ = line.substr(indent);
    return {};
  }
  Result<void> Finish() override {
    const std::string name = std::exchange(name_, {});
    return name.empty() ? Result<void>() : Add(name);
  }
  std::string name_;
};

/// `pytest --collect-only -q` prints the IDs of the tests until an empty line.
class PytestList final : public ListReader {
  Result<void> Take(std::string_view line) override {
    if (line.empty()) ended_ = any_;
    if (ended_ || line.find("::") == line.npos || line.starts_with(' ')) return {};
    any_ = true;
    return Add(line);
  }
  bool any_ = false;
  bool ended_ = false;
};

/// JMH prints the names after the line "Benchmarks:".
class JmhList final : public ListReader {
  Result<void> Take(std::string_view line) override {
    const std::vector<std::string_view> words = WordsOf(line);
    if (words.size() != 1) return {};
    if (words.front() == "Benchmarks:") {
      begun_ = true;
      return {};
    }
    return begun_ ? Add(words.front()) : Result<void>();
  }
  bool begun_ = false;
};

/// libtest and Criterion print `NAME: benchmark`, or `NAME: bench` in older versions.
class LibtestList final : public ListReader {
  Result<void> Take(std::string_view line) override {
    for (const std::string_view end : {": benchmark", ": bench"}) {
      if (!line.ends_with(end)) continue;
      const std::string_view name = line.substr(0, line.size() - end.size());
      return name.empty() ? Result<void>() : Add(name);
    }
    return {};
  }
};

template <typename Reader>
Result<WordList> ReadListOf(std::string_view text) {
  Reader reader;
  return ReadList(reader, text);
}

/// Puts a backslash before each character of `special`.
std::string Escaped(std::string_view name, std::string_view special) {
  std::string escaped;
  for (const char c : name) {
    if (special.find(c) != special.npos) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

using NameSpan = std::span<const std::string>;

/// Returns a regular expression that matches exactly these names, in the syntaxes of POSIX
/// (extended), ECMAScript, Java, Go and Rust: each permits these escapes.
std::string WholeName(NameSpan names) {
  const auto escaped = [](const std::string& name) { return Escaped(name, "\\.[]{}()*+?|^$"); };
  const std::string all = Join(names, "|", escaped);
  return names.size() == 1 ? "^" + all + "$" : "^(" + all + ")$";
}

WordList RunGoogleBenchmark(NameSpan names) { return {"--benchmark_filter=" + WholeName(names)}; }

/// Go splits the expression at slashes, one part per level of sub-benchmarks. Several names have no
/// slash (CanShare()).
WordList RunGo(NameSpan names) {
  if (names.size() > 1) return {"-test.run", "^$", "-test.bench", WholeName(names)};
  std::string_view name = names.front();
  std::string filter;
  while (true) {
    const std::size_t slash = name.find('/');
    const std::string level(name.substr(0, slash));
    filter += WholeName({&level, 1});
    if (slash == name.npos) break;
    filter += '/';
    name.remove_prefix(slash + 1);
  }
  return {"-test.run", "^$", "-test.bench", filter};
}

/// Catch2 runs the test cases of a list that commas divide.
WordList RunCatch2(NameSpan names) {
  const auto selected = [](const std::string& name) {
    const bool special = name.starts_with('~') || name.starts_with('-') || name.starts_with('*');
    return (special ? "\\" : "") + Escaped(name, "\\,[]\"");
  };
  return {Join(names, ",", selected)};
}

WordList RunPytest(NameSpan names) { return {names.begin(), names.end()}; }
WordList RunJmh(NameSpan names) { return {WholeName(names)}; }
WordList RunLibtest(NameSpan names) {
  WordList words{"--bench", "--exact"};
  words.insert(words.end(), names.begin(), names.end());
  return words;
}
WordList RunCriterion(NameSpan names) { return {"--bench", WholeName(names)}; }

/// How commands of a harness are formed.
struct HarnessRow {
  std::string_view name;
  std::string_view format;
  bool any_exit = false;
  Result<WordList> (*read)(std::string_view text);
  WordList (*run)(NameSpan names);
  std::array<std::string_view, 4> list;    ///< words that list; empty words are unused
  std::array<std::string_view, 6> output;  ///< words that make a run print the format
  /// Whether the report of the harness itself must be kept off stdout, where the format is.
  bool aside = false;
  bool replaces_selection = false;  ///< see WithoutSelection()
  std::string_view hint;            ///< for a list without a benchmark
};

constexpr std::string_view kBenchTarget =
    "the command must be a bench target, such as `cargo bench --no-run` builds";

constexpr std::string_view kGo = "go";

constexpr std::array kHarnessRows{
    HarnessRow{.name = "google-benchmark",
               .format = "google-benchmark",
               .read = &ReadListOf<GoogleBenchmarkList>,
               .run = &RunGoogleBenchmark,
               .list = {"--benchmark_list_tests"},
               .output = {"--benchmark_format=json"},
               .hint = "the command must be a program of Google Benchmark"},
    HarnessRow{.name = kGo,
               .format = "go",
               .read = &ReadListOf<GoList>,
               .run = &RunGo,
               .list = {"-test.list", "."},
               .hint = "the command must be a test program of Go, such as `go test -c` builds"},
    HarnessRow{.name = "catch2",
               .format = "catch2",
               .any_exit = true,
               .read = &ReadListOf<Catch2List>,
               .run = &RunCatch2,
               .list = {"[!benchmark]", "--list-tests"},
               .hint = "test cases are listed by their tag [!benchmark]"},
    // An absolute verbosity, because a second -q would print only the numbers of tests.
    HarnessRow{.name = "pytest-benchmark",
               .format = "pytest-benchmark",
               .read = &ReadListOf<PytestList>,
               .run = &RunPytest,
               .list = {"--collect-only", "--verbosity=-1"},
               .output = {"--benchmark-json=/dev/fd/3"},
               .aside = true,
               .replaces_selection = true,
               .hint = "the command must be pytest, in the folder that its test IDs begin in"},
    HarnessRow{.name = "jmh",
               .format = "jmh",
               .read = &ReadListOf<JmhList>,
               .run = &RunJmh,
               .list = {"-l"},
               .output = {"-rf", "json", "-rff", "/dev/stdout", "-o", "/dev/null"},
               .hint = "the command must be a program of JMH, such as `java -jar benchmarks.jar`"},
    HarnessRow{.name = "libtest",
               .format = "libtest",
               .read = &ReadListOf<LibtestList>,
               .run = &RunLibtest,
               .list = {"--list"},
               .hint = kBenchTarget},
    HarnessRow{.name = "criterion",
               .format = "libtest",
               .read = &ReadListOf<LibtestList>,
               .run = &RunCriterion,
               .list = {"--list", "--bench"},
               .output = {"--output-format", "bencher"},
               .hint = kBenchTarget},
};

const HarnessRow* FindRow(std::string_view name) {
  const auto* const row = std::ranges::find(kHarnessRows, name, &HarnessRow::name);
  return row == kHarnessRows.end() ? nullptr : row;
}

/// Returns the row of a harness that is not an adapter.
const HarnessRow& CommandsOf(const Harness& harness) { return *FindRow(harness.name); }

/// The lines of an adapter's list that match its expression.
class AdapterList final : public ListReader {
 public:
  explicit AdapterList(const DiscoverRule& rule) : rule_(rule) {}

 private:
  Result<void> Take(std::string_view line) override {
    const auto groups = rule_.match.Match(line);
    if (!groups) return {};
    const auto name = groups->find("name");
    return name == groups->end() || name->second.empty() ? Result<void>() : Add(name->second);
  }
  const DiscoverRule& rule_;
};

/// Returns the words that run one benchmark, by the rule of an adapter.
WordList RunByRule(const DiscoverRule& rule, std::string_view name) {
  constexpr std::string_view kMark = "{name}";
  WordList words = rule.run;
  for (std::string& word : words) {
    for (std::size_t at = word.find(kMark); at != word.npos; at = word.find(kMark, at)) {
      word.replace(at, kMark.size(), name);
      at += name.size();
    }
  }
  return words;
}

/// Returns the harness that an adapter describes.
Result<Harness> HarnessOfAdapter(std::string_view format, std::string_view adapter) {
  const ShippedAdapter* const shipped = FindShippedAdapter(format);
  const std::string_view text = adapter.empty() && shipped != nullptr ? shipped->text : adapter;
  if (text.empty()) {
    return Error{ErrorCode::kInvalidArgument, "harness: adapter is given without an adapter",
                 "write --parse FILE.toml beside it"};
  }
  auto rules = ParseAdapterRules(text);
  if (!rules) return std::move(rules).error().Within(format);
  if (!rules->discover) {
    return Error{ErrorCode::kInvalidArgument,
                 "harness: the adapter " + Quoted(format) + " has no [discover]",
                 "docs/adapters.md describes it"};
  }
  return Harness{.name = std::string(kAdapterHarness),
                 .format = std::string(format),
                 .rule = std::make_shared<const DiscoverRule>(*std::move(rules->discover))};
}

template <std::size_t N>
WordList WordsIn(const std::array<std::string_view, N>& list) {
  WordList words;
  for (const std::string_view word : list) {
    if (!word.empty()) words.emplace_back(word);
  }
  return words;
}

constexpr std::size_t kScript = 2;  // in the argv of a script

/// Returns the words of a command, without regard to quotes in a script.
WordList WordsOfCommand(const ExecutedCommand& command) {
  if (!command.shell) return command.argv;
  WordList words;
  for (const std::string_view word : WordsOf(command.argv[kScript])) words.emplace_back(word);
  return words;
}

/// Returns whether cargo starts the program, by its place in the command: first, or after what may
/// stand before a command in a script.
bool StartsCargo(const WordList& words) {
  constexpr std::array<std::string_view, 9> kBefore{"&&",   "||", ";",    "(",  "{",
                                                    "then", "do", "exec", "env"};
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (word.substr(word.find_last_of('/') + 1) != "cargo") continue;
    const std::string_view before = i == 0 ? std::string_view(";") : words[i - 1];
    if (std::ranges::count(kBefore, before) > 0 || before.ends_with(';')) return true;
    // VARIABLE=value before it, or a program that starts it, such as taskset -c 1.
    const bool assigned = before.find('=') != before.npos && !before.starts_with('-');
    const bool subcommand = i + 1 < words.size() && words[i + 1].find_first_of("&|;-/") != 0;
    if (assigned || subcommand) return true;
  }
  return false;
}

/// Adapts the words that are added to what the command already has: cargo needs `--` before the
/// words of the program and adds --bench itself, and programs refuse --bench twice.
WordList Fitting(WordList added, const ExecutedCommand& command) {
  const WordList given = WordsOfCommand(command);
  const bool cargo = StartsCargo(given);
  if (cargo || std::ranges::count(given, "--bench") > 0) std::erase(added, "--bench");
  if (cargo && std::ranges::count(given, "--") == 0) added.insert(added.begin(), "--");
  return added;
}

void AddWords(const WordList& words, ExecutedCommand& command) {
  if (!command.shell) {
    command.argv.insert(command.argv.end(), words.begin(), words.end());
    return;
  }
  std::string& script = command.argv[kScript];
  // A newline at the end would end the command before its words.
  script.erase(std::min(script.size(), script.find_last_not_of(" \t\n") + 1));
  for (const std::string& word : words) script.append(" ").append(ShellQuoted(word));
}

/// Sends what the command prints on stdout to /dev/null, and its descriptor 3 to stdout.
void PutAside(ExecutedCommand& command) {
  constexpr std::string_view kAside = "3>&1 >/dev/null";
  if (command.shell) {
    std::string& script = command.argv[kScript];
    script = fmt::format("{{ {}\n}} {}", script, kAside);
    return;
  }
  const WordList shell{"/bin/sh", "-c", fmt::format("exec \"$@\" {}", kAside), "sh"};
  command.argv.insert(command.argv.begin(), shell.begin(), shell.end());
}

/// Returns a path without dots and double slashes, as far as its text shows.
std::string WithoutDots(std::string_view path) {
  WordList parts;
  for (std::string_view rest = path; !rest.empty();) {
    const std::string_view part = rest.substr(0, rest.find('/'));
    rest.remove_prefix(std::min(rest.size(), part.size() + 1));
    if (part == ".." && !parts.empty()) {
      parts.pop_back();
    } else if (!part.empty() && part != ".") {
      parts.emplace_back(part);
    }
  }
  return (path.starts_with('/') ? "/" : "") + Join(parts, "/");
}

/// Returns the word of a command as a listed name has it: relative to the working directory, and
/// without dots. The directory itself is empty.
std::string AsListed(std::string_view word, std::string_view cwd) {
  const std::size_t test = std::min(word.find("::"), word.size());
  std::string name = WithoutDots(word.substr(0, test)) + "/";
  const std::string place = WithoutDots(cwd) + "/";
  if (name.starts_with(place)) name.erase(0, place.size());
  if (name == "/") name.clear();
  if (name.ends_with('/')) name.pop_back();
  return name.append(word.substr(test));
}

/// Returns whether a selection, as AsListed() returns it, contains a listed benchmark: the test
/// itself, its file, or a folder of files.
bool Selects(std::string_view word, std::string_view name) {
  if (word.empty()) return true;
  if (!name.starts_with(word)) return false;
  const std::string_view rest = name.substr(word.size());
  return rest.empty() || rest.starts_with('/') || rest.starts_with("::") || rest.starts_with('[');
}

/// Options of pytest whose value is the next word.
constexpr std::array<std::string_view, 15> kWithValue{
    "-m",         "-k",         "-p",           "-c",           "-o",       "-W",
    "-n",         "-r",         "--rootdir",    "--confcutdir", "--ignore", "--ignore-glob",
    "--deselect", "--basetemp", "--import-mode"};

/// Removes the words that select benchmarks, but never the program itself.
void RemoveSelection(std::span<const std::string> listed, const std::string& cwd,
                     ExecutedCommand& command) {
  if (command.shell) return;  // a script cannot be taken apart
  WordList kept;
  for (std::size_t i = 0; i < command.argv.size(); ++i) {
    const std::string& word = command.argv[i];
    const bool value = i > 0 && std::ranges::count(kWithValue, command.argv[i - 1]) > 0;
    // `python -m pytest`: the program is a value, too.
    const bool plain = i > 0 && !value && !word.empty() && !word.starts_with('-');
    const std::string path = plain ? AsListed(word, cwd) : std::string();
    const auto selects = [&path](const std::string& name) { return Selects(path, name); };
    if (!plain || std::ranges::none_of(listed, selects)) kept.push_back(word);
  }
  command.argv = std::move(kept);
}

}  // namespace

std::vector<std::string_view> HarnessNames() {
  std::vector<std::string_view> names;
  for (const HarnessRow& row : kHarnessRows) names.push_back(row.name);
  return names;
}

Result<Harness> FindHarness(std::string_view name, std::string_view format,
                            std::string_view adapter) {
  if (name == kAdapterHarness) return HarnessOfAdapter(format, adapter);
  if (const HarnessRow* const row = FindRow(name)) {
    return Harness{std::string(row->name), std::string(row->format), row->any_exit};
  }
  std::vector<std::string_view> known = HarnessNames();
  known.push_back(kAdapterHarness);
  return Error{ErrorCode::kInvalidArgument, "harness: unknown harness " + Quoted(name),
               HintForUnknown(name, known)};
}

std::string ListFormatOf(const Harness& harness) {
  std::string format = std::string(kListFormat) + harness.name;
  return harness.rule ? format + ":" + harness.format : format;
}

ExecutedCommand ListCommand(const Harness& harness, ExecutedCommand command) {
  const WordList added =
      harness.rule ? harness.rule->list : Fitting(WordsIn(CommandsOf(harness).list), command);
  AddWords(added, command);
  return command;
}

Result<std::vector<std::string>> ParseBenchmarkList(const Harness& harness, std::string_view text) {
  if (harness.rule) {
    AdapterList reader(*harness.rule);
    TRY(auto names, ReadList(reader, text));
    if (!names.empty()) return names;
    return Error{ErrorCode::kInvalidArgument, "no benchmark is listed",
                 "match in the [discover] of the adapter matches no line"};
  }
  const HarnessRow& row = CommandsOf(harness);
  TRY(auto names, row.read(text));
  if (!names.empty()) return names;
  return Error{ErrorCode::kInvalidArgument, "no benchmark is listed", std::string(row.hint)};
}

ExecutedCommand WithoutSelection(const Harness& harness, ExecutedCommand command,
                                 std::span<const std::string> listed, const std::string& cwd) {
  const bool replaces = !harness.rule && CommandsOf(harness).replaces_selection;
  if (replaces) RemoveSelection(listed, cwd, command);
  return command;
}

bool CanShare(const Harness& harness, std::string_view name) {
  if (harness.rule) return false;
  return harness.name != kGo || name.find('/') == name.npos;
}

ExecutedCommand RunCommand(const Harness& harness, ExecutedCommand command,
                           std::span<const std::string> names, bool printed) {
  if (harness.rule) {
    AddWords(RunByRule(*harness.rule, names.front()), command);
    return command;
  }
  const HarnessRow& row = CommandsOf(harness);
  WordList added = row.run(names);
  if (printed) {
    const WordList output = WordsIn(row.output);
    added.insert(added.begin(), output.begin(), output.end());
  }
  added = Fitting(std::move(added), command);
  AddWords(added, command);
  if (printed && row.aside) PutAside(command);
  return command;
}

ExecutedCommand RunCommand(const Harness& harness, ExecutedCommand command, std::string_view name,
                           bool printed) {
  const std::string alone(name);
  return RunCommand(harness, std::move(command), std::span(&alone, 1), printed);
}

}  // namespace benchd
