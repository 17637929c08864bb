#include "core/parse/line_reader.h"

#include <algorithm>
#include <utility>

#include "core/parse/text.h"

namespace benchd {
namespace {

constexpr std::string_view kBlanks = " \t\r";
constexpr std::string_view kDirectiveHint = "write for example: #! prefer=lower unit=s";

Error RefuseLine(std::string why, std::string_view hint) {
  return Error{ErrorCode::kInvalidArgument, std::move(why), std::string(hint)};
}

/// Reads a text line by line; one object per text.
class LineReader {
 public:
  explicit LineReader(const LineFormat& format) : format_(format), builder_(format.hint) {}

  Result<HarnessOutput> Read(std::string_view text) {
    const auto take = [this](std::string_view line) {
      ++line_;
      return TakeLine(line);
    };
    if (auto read = ForEachLine(text, format_.hint, take); !read) return std::move(read).error();
    return std::move(builder_).Finish(format_.expected);
  }

 private:
  using ReadingKey = std::tuple<std::size_t, std::string, std::string>;

  Result<void> TakeLine(std::string_view line) {
    const std::size_t start = line.find_first_not_of(kBlanks);
    if (start == std::string_view::npos) return {};
    line.remove_prefix(start);
    if (line.starts_with("#!")) return TakeDirective(line.substr(2));
    if (line.starts_with('#')) return {};
    if (HasControlCharacter(line, "\t\r")) {
      return RefuseLine("a control character in " + Quoted(line), format_.hint);
    }
    auto reading = format_.read(WordsOf(line));
    if (!reading) return std::move(reading).error();
    return TakeReading(*reading);
  }

  Result<void> TakeDirective(std::string_view directive) {
    if (HasControlCharacter(directive, "\t\r")) {
      return RefuseLine("a control character in " + Quoted(directive), kDirectiveHint);
    }
    const std::vector<std::string_view> words = WordsOf(directive);
    if (words.empty()) return RefuseLine("expected prefer= or unit= after #!", kDirectiveHint);
    for (const std::string_view word : words) {
      if (auto taken = TakeSetting(word); !taken) return taken;
    }
    return {};
  }

  Result<void> TakeSetting(std::string_view word) {
    if (word == "prefer=lower") {
      better_ = Better::kLower;
    } else if (word == "prefer=higher") {
      better_ = Better::kHigher;
    } else if (word.starts_with("prefer=")) {
      return RefuseLine("expected lower or higher after prefer=, found " + Quoted(word.substr(7)),
                        kDirectiveHint);
    } else if (word.starts_with("unit=") && word.size() > 5) {
      unit_ = word.substr(5);
    } else if (word == "unit=") {
      return RefuseLine("expected a unit after unit=", kDirectiveHint);
    } else {
      return RefuseLine("expected prefer= or unit= after #!, found " + Quoted(word),
                        kDirectiveHint);
    }
    return {};
  }

  Result<void> TakeReading(const LineReading& reading) {
    const HarnessMetric metric{
        {}, reading.name, reading.unit.empty() ? std::string_view(unit_) : reading.unit, better_};
    if (auto added = builder_.Add(metric, reading.number, line_); !added) return added;
    return CheckOnce(*builder_.Find(reading.name), reading);
  }

  Result<void> CheckOnce(const HarnessBuilder::Known& known, const LineReading& reading) {
    const std::string name = Quoted(reading.name);
    const ReadingKey unnumbered{known.metric, {}, {}};
    const bool is_mixed =
        known.values > 1 && (reading.iteration.empty() || lines_.contains(unnumbered));
    const auto [twin, is_first] = lines_.try_emplace(
        {known.metric, std::string(reading.iteration), std::string(reading.sample)}, line_);
    if (is_mixed) {
      return RefuseLine(name + " twice without an iteration number (line " +
                            std::to_string(known.first_line) + ")",
                        format_.number_hint);
    }
    if (!is_first) {
      return RefuseLine(name + " twice with the same iteration number (line " +
                            std::to_string(twin->second) + ")",
                        format_.number_hint);
    }
    return {};
  }

  const LineFormat& format_;
  std::size_t line_ = 0;
  std::string unit_;
  std::optional<Better> better_;
  HarnessBuilder builder_;
  std::map<ReadingKey, std::size_t> lines_;
};

}  // namespace

Result<void> ForEachLine(std::string_view text, std::string_view hint,
                         const std::function<Result<void>(std::string_view)>& take) {
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    Result<void> taken;
    if (line.size() > kMaxLineBytes) {
      taken = RefuseLine(std::to_string(line.size()) + " bytes, " + std::to_string(kMaxLineBytes) +
                             " are possible",
                         hint);
    } else if (const auto invalid = FirstInvalidUtf8(line)) {
      taken = RefuseLine("not valid UTF-8 at byte " + std::to_string(*invalid + 1), hint);
    } else {
      taken = take(line);
    }
    if (!taken) return std::move(taken).error().Within("line " + std::to_string(number));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return {};
}

std::vector<std::string_view> WordsOf(std::string_view line) {
  std::vector<std::string_view> words;
  std::size_t at = 0;
  while ((at = line.find_first_not_of(kBlanks, at)) != std::string_view::npos) {
    const std::size_t end = std::min(line.find_first_of(kBlanks, at), line.size());
    words.push_back(line.substr(at, end - at));
    at = end;
  }
  return words;
}

Result<HarnessOutput> ReadLines(std::string_view text, const LineFormat& format) {
  return LineReader(format).Read(text);
}

}  // namespace benchd
