#include "core/analysis/table_source.h"

namespace benchd {
namespace {

Result<void> TakeAll(MeasurementTableReader& reader, const TakeRow& take) {
  for (;;) {
    const Result<const MeasurementRow*> row = reader.Next();
    if (!row) return row.error();
    if (*row == nullptr) return {};
    if (Result<void> taken = take(**row); !taken) return taken;
  }
}

}  // namespace

Result<void> ReadRows(TableSource& source, MeasurementTableReader& reader, const TakeRow& take) {
  if (Result<void> rewound = source.Rewind(); !rewound) return rewound;
  for (;;) {
    const Result<std::string_view> chunk = source.Read();
    if (!chunk) return chunk.error();
    if (chunk->empty()) {
      reader.Finish();
      return TakeAll(reader, take);
    }
    reader.Feed(*chunk);
    if (Result<void> taken = TakeAll(reader, take); !taken) return taken;
  }
}

}  // namespace benchd
