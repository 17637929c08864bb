#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "core/parse/csv.h"

namespace benchd::test {

/// Returns `text` in pieces of that many bytes, each in its own allocation, so that the sanitizer
/// detects reads beyond a piece.
inline ReadPiece InPieces(std::string_view text, std::size_t piece_bytes) {
  return [text = std::string(text), at = std::size_t{0}, piece = std::string(),
          piece_bytes]() mutable -> Result<std::string_view> {
    piece = text.substr(at, piece_bytes);
    piece.shrink_to_fit();
    at += piece.size();
    return std::string_view(piece);
  };
}

}  // namespace benchd::test
