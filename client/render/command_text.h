#pragma once

#include <string>
#include <string_view>

#include "client/render/units.h"
#include "core/base/text.h"

namespace benchd::client {

/// Collects the words of a command line, quoted for a shell.
class CommandText {
 public:
  explicit CommandText(std::string start) : text_(std::move(start)) {}

  void Switch(const char* name, bool on) {
    if (on) text_ += std::string(" ") + name;
  }
  /// Left out where it is what holds without it.
  void Option(const char* name, std::string_view value, std::string_view usual = "") {
    if (value != usual) text_ += std::string(" ") + name + " " + ShellQuoted(value);
  }
  void Number(const char* name, double value) { Option(name, FormatRoundTrip(value)); }
  void Word(const std::string& word) { text_ += " " + ShellQuoted(word); }
  std::string Take() { return std::move(text_); }

 private:
  std::string text_;
};

}  // namespace benchd::client
