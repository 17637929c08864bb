#include "core/analysis/table_shape.h"

#include <algorithm>
#include <utility>

#include "core/base/error.h"

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

namespace {

// What only the first reading has to remember of a benchmark.
struct Progress {
  std::optional<std::uint64_t> pair;
  std::optional<std::uint64_t> order;
};

class ShapeBuilder {
 public:
  explicit ShapeBuilder(const MeasurementTableReader& reader) : reader_(reader) {}

  Result<void> Take(const MeasurementRow& row) {
    if (Result<void> room = MakeRoom(row); !room) return room;
    BenchmarkShape& benchmark = shape_.benchmarks[row.benchmark];
    for (std::size_t m = 0; m < row.values.size(); ++m) {
      if (row.values[m]) benchmark.has_metric[m] = true;
    }
    if (shape_.IsWarmup(row)) return {};
    benchmark.arms.Add(row.arm);
    if (Result<void> role = TakeRole(benchmark.roles, row); !role) return role;
    if (row.started_at) Widen(benchmark.times, row.arm, *row.started_at);
    Progress& progress = progress_[row.benchmark];
    if (row.order) {
      benchmark.in_order = benchmark.in_order && row.order >= progress.order;
      progress.order = row.order;
    }
    const bool pair_goes_on = row.pair && row.pair == progress.pair;
    const bool pair_is_next = row.pair && (!progress.pair || *row.pair > *progress.pair);
    benchmark.pairs_in_stretches =
        benchmark.pairs_in_stretches && (pair_goes_on || pair_is_next || !row.pair);
    if (row.pair) progress.pair = row.pair;
    return {};
  }

  TableShape Finish() && {
    shape_.arms = reader_.arms();
    shape_.metrics = reader_.metrics();
    for (std::size_t b = 0; b < shape_.benchmarks.size(); ++b) {
      shape_.benchmarks[b].name = reader_.benchmarks()[b];
    }
    return std::move(shape_);
  }

 private:
  Result<void> MakeRoom(const MeasurementRow& row) {
    if (shape_.benchmarks.empty()) {
      shape_.has_pairs = reader_.has_pairs();
      shape_.is_export = reader_.is_export();
    }
    const std::size_t benchmarks = std::max(shape_.benchmarks.size(), row.benchmark + 1);
    if (benchmarks * (reader_.arms().size() + reader_.metrics().size()) > kMaxTableCells) {
      return InvalidArgument(
          "line " + std::to_string(row.line),
          "over " + std::to_string(kMaxTableCells) +
              " combinations of a benchmark with an arm or a metric",
          "analyze fewer benchmarks at a time, or leave out the columns that do not matter");
    }
    while (shape_.benchmarks.size() < benchmarks) {
      shape_.benchmarks.emplace_back().has_metric.resize(reader_.metrics().size());
      progress_.emplace_back();
    }
    return {};
  }

  Result<void> TakeRole(std::vector<std::optional<ArmRole>>& roles, const MeasurementRow& row) {
    if (!row.role) return {};
    if (row.arm >= roles.size()) roles.resize(row.arm + 1);
    std::optional<ArmRole>& role = roles[row.arm];
    if (role && role != row.role) {
      return InvalidArgument("line " + std::to_string(row.line),
                             "another role of '" + reader_.arms()[row.arm] + "' than before",
                             "an arm has one role in a benchmark");
    }
    role = row.role;
    return {};
  }

  static void Widen(std::vector<std::optional<TimeSpan>>& times, std::size_t arm, Timestamp at) {
    if (arm >= times.size()) times.resize(arm + 1);
    std::optional<TimeSpan>& span = times[arm];
    span = span ? TimeSpan{std::min(span->first, at), std::max(span->last, at)} : TimeSpan{at, at};
  }

  const MeasurementTableReader& reader_;
  TableShape shape_;
  std::vector<Progress> progress_;  // by benchmark
};

}  // namespace

Result<TableShape> ReadShape(TableSource& source, const std::vector<std::string>& references) {
  MeasurementTableReader reader(references);
  ShapeBuilder builder(reader);
  Result<void> read =
      ReadRows(source, reader, [&builder](const MeasurementRow& row) { return builder.Take(row); });
  if (!read) return std::move(read).error();
  return std::move(builder).Finish();
}

}  // namespace benchd
