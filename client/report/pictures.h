#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "client/present/text.h"
#include "client/report/svg.h"

namespace benchd::client {

// Functions that draw the pictures of a report, each with a table of its data. Pure.

/// The scale of an axis: fractions shown as percentages, or values in a unit.
struct AxisUnit {
  bool relative = false;
  std::string unit;
  bool ratio = false;  ///< ratios on a logarithmic scale; 1 means no change
};

/// A picture with its heading, texts and table.
struct Picture {
  Svg svg;
  std::string name;         ///< the heading
  std::string description;  ///< a sentence for screen readers
  std::string note;         ///< how to read the picture, or what it leaves out; may be empty
  Rows table;               ///< the first row is the heading

  std::string Inline() const { return svg.Inline(name, description); }
};

/// The margin of a gate.
struct MarginLine {
  double at = 0;            ///< below 0 if higher is better or the margin is negative, but not both
  bool worse_above = true;  ///< whether a regression lies above `at`
};

/// A comparison in DrawIntervals().
struct IntervalRow {
  std::string label;
  std::string numbers;  ///< estimate and interval as text
  std::string verdict;  ///< "pass"; may be empty
  double estimate = 0;
  std::optional<double> lo;
  std::optional<double> hi;
  std::optional<MarginLine> margin;
  Shape shape = Shape::kTriangle;
};

/// Draws intervals one below the other, with zero and the margins.
///
/// @param rows     must not be empty
/// @param of_axis  the rows of all pictures that have the same axis; empty: `rows`
Picture DrawIntervals(const std::string& id, const std::vector<IntervalRow>& rows,
                      const AxisUnit& axis, const std::vector<IntervalRow>& of_axis = {});

/// The interval of one comparison after `runs` runs of each arm.
struct IntervalPoint {
  std::uint64_t runs = 0;
  double estimate = 0;
  double lo = 0;
  double hi = 0;
};
struct IntervalHistory {
  std::vector<IntervalPoint> points;  ///< ordered by runs; not empty
  std::optional<MarginLine> margin;
  std::optional<std::uint64_t> decided_at;  ///< runs of each arm
};
Picture DrawHistory(const std::string& id, const IntervalHistory& history, const AxisUnit& axis);

/// A build of an arm with several builds, or one of several machines.
struct UnitOfPicture {
  std::vector<std::string> cells;  ///< the name, then the other cells of the table and the title
  double value = 0;
  std::optional<double> lo;
  std::optional<double> hi;
};
/// Several units and their mean.
struct UnitGroup {
  std::string label;
  std::string numbers;  ///< the mean as text
  bool reference = false;
  std::vector<UnitOfPicture> units;                     ///< not empty
  UnitOfPicture mean;                                   ///< with the interval of the verdict
  std::optional<std::pair<double, double>> prediction;  ///< interval for one more unit
  std::optional<MarginLine> margin;
};
struct UnitsOfPicture {
  std::string name;
  std::string note;
  std::vector<std::string> heading;  ///< headings of the cells
  AxisUnit axis;
  std::vector<UnitGroup> groups;  ///< drawn one below the other on one axis; not empty
};

/// Draws one mark per build or machine, and below the marks their mean with its interval and the
/// margin.
Picture DrawUnits(const std::string& id, const UnitsOfPicture& units);

/// An entry of a series, or several consecutive ones that are drawn as one mark.
struct SeriesEntry {
  std::vector<std::string> cells;  ///< the name, then the other cells of the table and the title
  double value = 0;                ///< the mean of several entries
  bool regression = false;         ///< of at least one of them
  std::size_t count = 1;
  std::optional<std::pair<double, double>> range = std::nullopt;  ///< of several entries
};
/// Consecutive entries with a common mean, up to the next step or change of the machine.
struct SeriesLevel {
  std::size_t begin = 0;  ///< number of entries before it, including those that share a mark
  double mean = 0;
  std::size_t count = 0;  ///< of values in the mean; 0: each control changed, the first one stands
  std::string why;        ///< what changed before this level; empty for the first one
  bool step = false;      ///< the values changed, not the machine
};
struct SeriesOfPicture {
  std::string name;
  std::string note;
  std::vector<std::string> heading;  ///< headings of the cells
  std::string unit;
  std::vector<SeriesEntry> entries;  ///< oldest first; not empty
  std::vector<SeriesLevel> levels;   ///< oldest first; the first one begins at entry 0
};

/// Draws values in the order of measurement, with the mean of each level and a line where each
/// level begins. Several entries that are drawn as one have a line from their smallest to their
/// largest value.
Picture DrawSeries(const std::string& id, const SeriesOfPicture& series);

/// The values of one arm in one metric.
struct ArmOfPicture {
  std::string name;
  bool reference = false;
  std::size_t number = 0;      ///< index among the candidates; determines the shape
  std::vector<double> values;  ///< one per measured run, in order of execution; finite
};

/// Draws the histogram and density of each arm, one below the other on one axis. Needs at least one
/// value.
Picture DrawDistributions(const std::string& id, const std::vector<ArmOfPicture>& arms,
                          const std::string& unit, double resolution);

/// The value of one run in one metric.
struct RunOfPicture {
  std::size_t arm = 0;
  std::uint64_t order = 0;  ///< position in the order of execution, from 1
  double value = 0;         ///< finite
  bool warmup = false;
  std::uint32_t disturbances = 0;
  std::uint32_t layout = 0;  ///< number of the build of the arm; 0 if there is only one
  std::optional<std::uint64_t> block = std::nullopt;  ///< absent if the runs have no blocks
};

/// Draws runs in order of execution. Each arm has a different mark. Warm-up runs have open marks,
/// outliers (by Tukey's fences of the arm) a ring, and disturbed runs a cross below. With more than
/// `most_marks` runs, each mark is the range of consecutive runs of one arm.
///
/// @param runs  in order of execution; must not be empty
Picture DrawRuns(const std::string& id, const std::vector<ArmOfPicture>& arms,
                 const std::vector<RunOfPicture>& runs, const std::string& unit,
                 std::size_t most_marks);

}  // namespace benchd::client
