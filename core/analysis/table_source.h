#pragma once

#include <functional>
#include <string_view>

#include "core/base/result.h"
#include "core/parse/measurement_table.h"

namespace benchd {

/// Where the bytes of a table come from; an analysis reads them more than once.
class TableSource {
 public:
  virtual ~TableSource() = default;

  /// Begins with the first byte again.
  virtual Result<void> Rewind() = 0;

  /// The next bytes, valid until the next call; empty at the end.
  virtual Result<std::string_view> Read() = 0;
};

/// Takes one row; an error ends the reading.
using TakeRow = std::function<Result<void>(const MeasurementRow& row)>;

/// Reads a table from its first byte to its end with a fresh `reader`.
///
/// @errors those of source, reader and take.
Result<void> ReadRows(TableSource& source, MeasurementTableReader& reader, const TakeRow& take);

}  // namespace benchd
