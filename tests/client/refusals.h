#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "tests/support/wording.h"

namespace benchd::client {

/// Expects that a request is refused as invalid, with the words in tests/golden/wording/.
template <typename T>
void ExpectRefused(const Result<T>& outcome, const test::Replacements& replacements = {}) {
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::kInvalidArgument);
  EXPECT_WORDING(outcome.error(), replacements);
}

/// The same of an input that the message does not name: the input stands before the words.
template <typename T>
void ExpectRefused(const std::string& input, const Result<T>& outcome) {
  ASSERT_FALSE(outcome) << input;
  const Error& error = outcome.error();
  EXPECT_EQ(error.code, ErrorCode::kInvalidArgument) << input;
  EXPECT_WORDING("'" + input + "' => " + error.message +
                 (error.hint.empty() ? "" : "\n  hint: " + error.hint));
}

/// Returns the first line of an output that contains `part`. There must be one.
inline std::string LineWith(std::string_view text, std::string_view part) {
  const std::size_t at = text.find(part);
  if (at == std::string_view::npos) {
    ADD_FAILURE() << "no line has '" << part << "':\n" << text;
    return "";
  }
  const std::size_t begin = text.rfind('\n', at) + 1;
  return std::string(text.substr(begin, text.find('\n', at) - begin));
}

}  // namespace benchd::client
