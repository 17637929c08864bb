#include "daemon/wire/codec.h"

#include <bit>
#include <cstring>

#include "core/base/little_endian.h"

namespace benchd::wire {

void Writer::PutInteger(std::uint64_t value, std::size_t width) {
  PutLittleEndian(value, width, bytes_);
}

void Writer::Put(double value) { PutInteger(std::bit_cast<std::uint64_t>(value), 8); }

void Writer::Put(const std::string& value) {
  PutInteger(value.size(), 4);
  bytes_.append(value);
}

void Writer::Put(const std::array<std::uint8_t, 32>& value) {
  for (std::uint8_t byte : value) bytes_.push_back(static_cast<char>(byte));
}

std::uint64_t Reader::GetInteger(std::size_t width) {
  if (rest_.size() < width) {
    Fail();
    return 0;
  }
  const std::uint64_t value = GetLittleEndian(rest_.substr(0, width));
  rest_.remove_prefix(width);
  return value;
}

void Reader::Get(bool& value) {
  const std::uint64_t number = GetInteger(1);
  if (number > 1) return Fail();
  value = number == 1;
}

void Reader::Get(double& value) { value = std::bit_cast<double>(GetInteger(8)); }

void Reader::Get(std::string& value) {
  const std::uint64_t size = GetInteger(4);
  if (size > rest_.size()) return Fail();
  value.assign(rest_.substr(0, size));
  rest_.remove_prefix(size);
}

void Reader::Get(std::array<std::uint8_t, 32>& value) {
  if (rest_.size() < value.size()) return Fail();
  std::memcpy(value.data(), rest_.data(), value.size());
  rest_.remove_prefix(value.size());
}

Result<void> Reader::Finish() const {
  if (failed_) {
    return Error{ErrorCode::kInvalidArgument, "record: truncated or malformed",
                 "install benchd and benchd-runner from the same build and restart both"};
  }
  if (!rest_.empty()) {
    return Error{ErrorCode::kInvalidArgument, "record: unexpected bytes after the last field",
                 "install benchd and benchd-runner from the same build and restart both"};
  }
  return {};
}

}  // namespace benchd::wire
