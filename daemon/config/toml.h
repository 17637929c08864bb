#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "core/base/text.h"
#include "core/base/toml.h"

namespace benchd {

/// Returns true if the key consists of ASCII letters, digits, _ and -. TOML allows these in a key
/// without quotes, and the kernel uses them in its names.
inline bool IsPlainWord(std::string_view key) {
  return !key.empty() && std::all_of(key.begin(), key.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  });
}

/// Returns a key in the form that messages show: quoted and on one line, unless it is a plain word.
inline std::string ShownKey(std::string_view key) {
  return IsPlainWord(key) ? std::string(key) : Quoted(key);
}

}  // namespace benchd
