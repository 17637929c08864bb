#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "core/base/result.h"
#include "tests/fuzz/fuzz.h"

namespace benchd::fuzz {

/// Feeds `text` in pieces of `piece_bytes` to a parser that has Feed(), Next() and Finish(), and
/// hands every record to `take`. The error that ended it, if one did: all of them say where.
template <typename Parser, typename Take>
std::optional<Error> ReadInPieces(Parser& parser, std::string_view text, std::size_t piece_bytes,
                                  Take take) {
  const auto drain = [&parser, &take]() -> std::optional<Error> {
    while (true) {
      const auto record = parser.Next();
      if (!record) {
        CheckMessage(record.error().message);
        FUZZ_CHECK(record.error().message.starts_with("line "));
        FUZZ_CHECK(!record.error().hint.empty());
        return record.error();
      }
      if (*record == nullptr) return std::nullopt;
      take(**record);
    }
  };
  for (std::size_t at = 0; at < text.size(); at += piece_bytes) {
    parser.Feed(text.substr(at, piece_bytes));
    if (auto error = drain()) return error;
  }
  parser.Finish();
  return drain();
}

}  // namespace benchd::fuzz
