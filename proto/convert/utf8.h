#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace benchd::convert {

/// `bytes` with every byte that is no part of valid UTF-8 replaced by U+FFFD.
///
/// What programs print is bytes; a protobuf string that is not UTF-8 cannot be read by the client.
std::string Utf8Lossy(std::string_view bytes);

/// The first `limit` bytes of `text` at most, cut between two characters; `text` is valid UTF-8.
std::string_view Utf8Prefix(std::string_view text, std::size_t limit);

/// The same from the end.
std::string_view Utf8Suffix(std::string_view text, std::size_t limit);

}  // namespace benchd::convert
