#include "daemon/store/json_codec.h"

#include <algorithm>
#include <charconv>

namespace benchd::store {
namespace {

constexpr const char kHexKey[] = "hex";

/// Returns true if JSON can represent the text. Asks the JSON library, so the result always agrees
/// with its behaviour.
bool IsUtf8(const std::string& text) {
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  if (std::all_of(text.begin(), text.end(), is_ascii)) return true;
  try {
    static_cast<void>(Json(text).dump());
    return true;
  } catch (const Json::type_error&) {
    return false;
  }
}

}  // namespace

std::optional<std::string> FromHex(std::string_view hex) {
  if (hex.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  bytes.reserve(hex.size() / 2);
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    unsigned byte = 0;
    const char* const end = hex.data() + i + 2;
    const auto [next, status] = std::from_chars(hex.data() + i, end, byte, 16);
    if (status != std::errc() || next != end) return std::nullopt;
    bytes += static_cast<char>(byte);
  }
  return bytes;
}

Json TextToJson(const std::string& text) {
  if (IsUtf8(text)) return text;
  return Json{{kHexKey, ToHex(text)}};
}

std::optional<std::string> TextFromJson(const Json& json) {
  if (const auto* text = json.get_ptr<const std::string*>()) return *text;
  if (!json.is_object() || json.size() != 1 || !json.contains(kHexKey)) return std::nullopt;
  const auto* hex = json[kHexKey].get_ptr<const std::string*>();
  return hex != nullptr ? FromHex(*hex) : std::nullopt;
}

Json RealToJson(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

std::optional<double> RealFromJson(const Json& json) {
  if (json.is_number()) return json.get<double>();
  if (json == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (json == "inf") return std::numeric_limits<double>::infinity();
  if (json == "-inf") return -std::numeric_limits<double>::infinity();
  return std::nullopt;
}

void JsonReader::Read(const Json& json, std::array<std::uint8_t, 32>& digest) {
  const auto* hex = json.get_ptr<const std::string*>();
  const std::optional<std::string> bytes = hex != nullptr ? FromHex(*hex) : std::nullopt;
  if (!bytes || bytes->size() != digest.size()) return Fail("not a SHA-256 digest");
  std::copy(bytes->begin(), bytes->end(), digest.begin());
}

void JsonReader::Fail(std::string_view why) {
  if (error_) return;
  const std::string place = path_.empty() ? "document" : path_;
  error_ = Error{ErrorCode::kInternal, place + ": " + std::string(why), {}};
}

std::string SpecToJson(const SessionSpec& spec) { return ToJsonText(spec); }

Result<SessionSpec> SpecFromJson(std::string_view json) {
  return FromJsonText<SessionSpec>(json, "spec");
}

std::string SnapshotToJson(const SessionSnapshot& snapshot) { return ToJsonText(snapshot); }

std::string MetricsToJson(const std::vector<MetricInfo>& metrics) { return ToJsonText(metrics); }

Result<SessionSnapshot> SnapshotFromJson(std::string_view json) {
  return FromJsonText<SessionSnapshot>(json, "snapshot");
}

Result<std::vector<MetricInfo>> MetricsFromJson(std::string_view json) {
  return FromJsonText<std::vector<MetricInfo>>(json, "metrics");
}

std::string SummaryToJson(const GateSummary& summary) { return ToJsonText(summary); }

Result<GateSummary> SummaryFromJson(std::string_view json) {
  return FromJsonText<GateSummary>(json, "summary");
}

}  // namespace benchd::store
