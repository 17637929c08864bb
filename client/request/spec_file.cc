#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <iterator>

#include "client/request/spec_input.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/base/toml.h"

namespace benchd::client {
namespace {

std::string Spelled(std::string_view key) {
  std::string option(key);
  std::ranges::replace(option, '_', '-');
  return option;
}

template <typename Number>
std::string Shortest(Number value) {
  char text[40];
  const auto end = std::to_chars(std::begin(text), std::end(text), value).ptr;
  return {text, end};
}

class Reader {
 public:
  Reader(const std::string& name, const std::string& directory)
      : name_(name), directory_(directory) {}

  Result<SpecInput> Read(const toml::table& root) {
    input_.templates = true;
    input_.origin = name_;
    for (const auto& [key, node] : root) {
      Result<void> read;
      if (key == "defaults") {
        read = ReadDefaults(node);
      } else if (key == "confirm") {
        // It is about the verdict of the whole file, so it may stand at the top.
        read = ReadOption(key, node, /*own=*/false, {}, &at_top_);
      } else if (key == "arm") {
        read = ReadTables(node, "arm", "arm", [this](const toml::table& table) {
          return ReadArm(table, &input_.arms);
        });
      } else if (key == "benchmark") {
        read = ReadTables(node, "benchmark", "benchmark",
                          [this](const toml::table& table) { return ReadBenchmark(table); });
      } else {
        read = Unknown(key, {"defaults", "arm", "benchmark", "confirm"});
      }
      if (!read) return std::move(read).error();
    }
    for (auto& [name, values] : at_top_) {
      if (input_.options.contains(name)) {
        return UsageError(values.front().origin + ": also in [defaults]", "keep one of the two");
      }
      input_.options[name] = std::move(values);
    }
    if (input_.benchmarks.empty()) input_.benchmarks.push_back({"", "", {}, name_});
    return std::move(input_);
  }

 private:
  std::string At(const toml::source_region& region, std::string_view what) const {
    return fmt::format("{}:{}:{}: {}", name_, region.begin.line, region.begin.column, what);
  }

  Error Unknown(const toml::key& key, std::vector<std::string_view> known) const {
    return UsageError(At(key.source(), key.str()) + ": unknown key",
                      HintForUnknown(key.str(), known, ""));
  }

  Result<void> ReadDefaults(const toml::node& node) {
    const toml::table* table = node.as_table();
    if (table == nullptr) return UsageError(At(node.source(), "defaults") + ": expected a table");
    for (const auto& [key, value] : *table) {
      auto read = ReadOption(key, value, /*own=*/false, {}, &input_.options);
      if (!read) return read;
    }
    return {};
  }

  template <typename Read>
  Result<void> ReadTables(const toml::node& node, const std::string& what, const std::string& path,
                          const Read& read) const {
    const toml::array* array = node.as_array();
    const std::string where = At(node.source(), what);
    if (array == nullptr)
      return UsageError(where + ": expected a list of tables", "write [[" + path + "]]");
    for (const toml::node& entry : *array) {
      const toml::table* table = entry.as_table();
      if (table == nullptr)
        return UsageError(where + ": expected a table", "write [[" + path + "]]");
      auto done = read(*table);
      if (!done) return done;
    }
    return {};
  }

  Result<void> ReadArm(const toml::table& table, std::vector<ArmInput>* arms) const {
    ArmInput arm;
    arm.origin = At(table.source(), "arm");
    std::string dir = ".";
    for (const auto& [key, value] : table) {
      std::string* target = key == "name"      ? &arm.name
                            : key == "role"    ? &arm.role
                            : key == "command" ? &arm.command
                            : key == "dir"     ? &dir
                                               : nullptr;
      auto read =
          target != nullptr ? ReadText(key, value, target) : ReadOwnValue(key, value, &arm.options);
      if (!read) return read;
    }
    if (arm.name.empty()) return UsageError(arm.origin + ": missing name", "add name = \"base\"");
    // After "base/." or "base/", the trailing slash is removed so that {dir}/bench has only one
    // slash.
    std::filesystem::path full = (std::filesystem::path(directory_) / dir).lexically_normal();
    if (!full.has_filename() && full.has_parent_path()) full = full.parent_path();
    arm.dir = full.string();
    arm.origin += " " + arm.name;
    arms->push_back(std::move(arm));
    return {};
  }

  // Reads an option of one arm. Only env may have several values.
  Result<void> ReadOwnValue(const toml::key& key, const toml::node& value,
                            OptionValues* options) const {
    std::vector<std::string_view> known = {"name", "role", "command", "dir"};
    const std::string spelled = Spelled(key.str());
    for (const SessionOption& option : SessionOptions()) {
      if (!option.per_arm) continue;
      known.push_back(option.info.name);
      if (option.info.name != spelled) continue;
      SessionOption own = option;
      own.info.repeatable = spelled == "env";
      return ReadValues(key, value, own, false, &(*options)[spelled]);
    }
    return Unknown(key, std::move(known));
  }

  Result<void> ReadBenchmark(const toml::table& table) {
    BenchmarkInput benchmark;
    benchmark.origin = At(table.source(), "benchmark");
    for (const auto& [key, value] : table) {
      Result<void> read;
      if (key == "name") {
        read = ReadText(key, value, &benchmark.name);
      } else if (key == "command") {
        read = ReadText(key, value, &benchmark.command);
      } else if (key == "arm") {
        read = ReadTables(value, "arm", "benchmark.arm",
                          [&](const toml::table& arm) { return ReadArm(arm, &benchmark.arms); });
      } else {
        read = ReadOption(key, value, /*own=*/true, {"name", "command", "arm"}, &benchmark.options);
      }
      if (!read) return read;
    }
    if (!benchmark.name.empty()) benchmark.origin += " " + benchmark.name;
    input_.benchmarks.push_back(std::move(benchmark));
    return {};
  }

  Result<void> ReadText(const toml::key& key, const toml::node& value, std::string* target) const {
    const auto* text = value.as_string();
    if (text == nullptr) {
      return UsageError(At(key.source(), key.str()) + ": expected a string", "put it in quotes");
    }
    *target = text->get();
    return {};
  }

  // Reads an option. `own` is true inside [[benchmark]], where only some options are allowed.
  Result<void> ReadOption(const toml::key& key, const toml::node& value, bool own,
                          std::vector<std::string_view> also_known, OptionValues* options) const {
    std::vector<std::string> names;
    const SessionOption* found = nullptr;
    const std::string spelled = Spelled(key.str());
    for (const SessionOption& option : SessionOptions()) {
      if (own && !option.per_benchmark) continue;
      names.emplace_back(option.info.name);
      std::ranges::replace(names.back(), '-', '_');
      if (option.info.name == spelled) found = &option;
    }
    if (found == nullptr) {
      if (own && FindSessionOption(spelled) != nullptr) {
        return UsageError(At(key.source(), key.str()) + ": applies to the whole session",
                          "move it to [defaults]");
      }
      also_known.insert(also_known.end(), names.begin(), names.end());
      return Unknown(key, std::move(also_known));
    }
    return ReadValues(key, value, *found, own, &(*options)[spelled]);
  }

  // Reads the values of an option. `own` is true inside [[benchmark]].
  Result<void> ReadValues(const toml::key& key, const toml::node& value,
                          const SessionOption& option, bool own,
                          std::vector<OptionValue>* values) const {
    const std::string where = At(key.source(), key.str());
    const auto add = [&where, values](std::string text) {
      std::string origin = where + " = " + text;
      values->push_back({std::move(text), std::move(origin)});
    };
    // The value is NAME=VALUE, or NAME and its values for an option of several words.
    const bool words = option.info.words > 1;
    const bool named = words || option.info.value.find('=') != std::string_view::npos;
    if (option.info.repeatable && named && value.is_table()) {
      for (const auto& [name, node] : *value.as_table()) {
        const auto text = words ? ListOrScalar(node, option.info) : Scalar(node);
        if (!text) return UsageError(where + ": expected a string for " + std::string(name.str()));
        add(std::string(name.str()) + (words ? " " : "=") + *text);
      }
      return {};
    }
    if (option.info.repeatable && value.is_array()) {
      for (const toml::node& node : *value.as_array()) {
        const auto text = Scalar(node);
        if (!text) return UsageError(where + ": expected a list of strings");
        add(*text);
      }
      return {};
    }
    const auto text = Scalar(value);
    if (!text) return UsageError(where + ": expected a string or a number");
    const bool may_be_switch = option.info.optional || (own && option.switch_in_benchmark);
    if (!may_be_switch && option.info.value.empty() != value.is_boolean()) {
      return UsageError(where + (value.is_boolean() ? ": expected a value, not true or false"
                                                    : ": expected true or false"));
    }
    add(*text);
    return {};
  }

  // Converts a value to the text of a command line: { size = [1, 2] } becomes `1,2`, or `1 2` for
  // an option of more than two words.
  static std::optional<std::string> ListOrScalar(const toml::node& node, const OptionInfo& option) {
    const toml::array* list = node.as_array();
    if (list == nullptr) return Scalar(node);
    const bool commas = option.words == 2;
    std::string joined;
    const char* separator = "";
    for (const toml::node& entry : *list) {
      auto text = Scalar(entry);
      if (!text) return std::nullopt;
      for (std::size_t at = text->find(','); commas && at != std::string::npos;
           at = text->find(',', at + 2)) {
        text->insert(at, 1, '\\');
      }
      if (commas && text->empty()) *text = "\"\"";
      joined += separator + *text;
      separator = commas ? "," : " ";
    }
    return joined;
  }

  static std::optional<std::string> Scalar(const toml::node& node) {
    if (const auto* text = node.as_string()) return text->get();
    if (const auto* integer = node.as_integer()) return Shortest(integer->get());
    if (const auto* number = node.as_floating_point()) return Shortest(number->get());
    if (const auto* boolean = node.as_boolean()) return boolean->get() ? "true" : "false";
    return std::nullopt;
  }

  const std::string& name_;
  const std::string& directory_;
  SpecInput input_;
  OptionValues at_top_;  // options outside of all tables
};

}  // namespace

Result<SpecInput> ParseSpecFile(std::string_view text, const std::string& name,
                                const std::string& directory) {
  const toml::parse_result parsed = toml::parse(text, name);
  if (parsed) return Reader(name, directory).Read(parsed.table());
  const toml::parse_error& error = parsed.error();
  return UsageError(fmt::format("{}:{}:{}: not valid TOML: {}", name, error.source().begin.line,
                                error.source().begin.column, error.description()));
}

Result<SpecInput> ReadSpecFile(const std::string& path, const std::string& cwd, bool remote) {
  const bool is_stdin = path == "-";
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return UsageError(path + ": is a directory");
  const UniqueFd file(is_stdin ? dup(STDIN_FILENO) : open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return UsageError(path + ": " + std::strerror(errno));
  const Result<std::string> text = ReadAll(file.get(), path);
  if (!text) return UsageError(text.error().message);
  if (is_stdin || remote) return ParseSpecFile(*text, is_stdin ? "stdin" : path, cwd);
  const std::filesystem::path full = (std::filesystem::path(cwd) / path).lexically_normal();
  return ParseSpecFile(*text, path, full.parent_path().string());
}

}  // namespace benchd::client
