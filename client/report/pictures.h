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

// The pictures of a report, each with the table of what it shows. Pure: numbers in, shapes out.

/// What an axis counts: fractions as percentages, or values in a unit as in the messages.
struct AxisUnit {
  bool relative = false;
  std::string unit;
  bool ratio = false;  ///< ratios, 1 being no change; on a logarithmic scale
};

/// A picture and what stands around it.
struct Picture {
  Svg svg;
  std::string name;         ///< a heading
  std::string description;  ///< a sentence for those who cannot see it
  std::string note;         ///< what the picture leaves out or how it is read; may be empty
  Rows table;               ///< the first row is the heading

  std::string Inline() const { return svg.Inline(name, description); }
};

/// Where a change begins to count.
struct MarginLine {
  double at = 0;            ///< as drawn: below 0 where higher is better
  bool worse_above = true;  ///< on which side of it a regression lies
};

/// One comparison.
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

/// Intervals below each other, with zero and the margins. Not empty.
Picture DrawIntervals(const std::string& id, const std::vector<IntervalRow>& rows,
                      const AxisUnit& axis);

/// The interval of one comparison as it went.
struct IntervalPoint {
  std::uint64_t runs = 0;
  double estimate = 0;
  double lo = 0;
  double hi = 0;
};
struct IntervalHistory {
  std::vector<IntervalPoint> points;  ///< by runs, not empty
  std::optional<MarginLine> margin;
  std::optional<std::uint64_t> decided_at;  ///< runs
};
Picture DrawHistory(const std::string& id, const IntervalHistory& history, const AxisUnit& axis);

/// One build of an arm, or one machine, beside others that were measured alike.
struct UnitOfPicture {
  std::vector<std::string> cells;  ///< its name, then what table and title say of it
  double value = 0;
  std::optional<double> lo;
  std::optional<double> hi;
};
/// Units, and what they come to together.
struct UnitGroup {
  std::string label;
  std::string numbers;  ///< of the mean, as text
  bool reference = false;
  std::vector<UnitOfPicture> units;  ///< not empty
  UnitOfPicture mean;                ///< with the interval that the verdict is from
  std::optional<std::pair<double, double>> prediction;  ///< where one more unit would be
  std::optional<MarginLine> margin;
};
struct UnitsOfPicture {
  std::string name;
  std::string note;
  std::vector<std::string> heading;  ///< of the cells
  AxisUnit axis;
  std::vector<UnitGroup> groups;  ///< below each other on one axis, not empty
};

/// How far builds or machines are apart beside what they come to: a mark for each, below them their
/// mean with its interval, and the margin.
Picture DrawUnits(const std::string& id, const UnitsOfPicture& units);

/// One value of a series.
struct SeriesEntry {
  std::vector<std::string> cells;  ///< its name, then what table and title say of it
  double value = 0;
  bool regression = false;
};
/// Entries that have one mean: up to the next step, or the next change of the machine.
struct SeriesLevel {
  std::size_t begin = 0;  ///< the first of its entries
  double mean = 0;
  std::string why;    ///< what is other than before; empty of the first
  bool step = false;  ///< the values changed; else the machine
};
struct SeriesOfPicture {
  std::string name;
  std::string note;
  std::vector<std::string> heading;  ///< of the cells
  std::string unit;
  std::vector<SeriesEntry> entries;  ///< oldest first, not empty
  std::vector<SeriesLevel> levels;   ///< likewise; the first begins with the first entry
};

/// Values in the order in which they were measured, with the mean of each level and a line where
/// one begins.
Picture DrawSeries(const std::string& id, const SeriesOfPicture& series);

/// One arm in one metric.
struct ArmOfPicture {
  std::string name;
  bool reference = false;
  std::size_t number = 0;      ///< among the candidates: its shape
  std::vector<double> values;  ///< measured ones, in order of execution; finite
};

/// Histogram and density of each arm below each other, on one axis. Not without values.
Picture DrawDistributions(const std::string& id, const std::vector<ArmOfPicture>& arms,
                          const std::string& unit, double resolution);

/// One run in one metric.
struct RunOfPicture {
  std::size_t arm = 0;
  std::uint64_t order = 0;  ///< of execution, from 1
  double value = 0;         ///< finite
  bool warmup = false;
  std::uint32_t disturbances = 0;
  std::uint32_t layout = 0;  ///< which build of the arm; 0 where there is only one
};

/// Runs in order of execution, those of each arm with its own mark; warm-ups are open, outliers
/// (Tukey's fences of the arm) ringed, disturbed ones marked below. With more than `most_marks`
/// runs each mark is the range of one arm's runs in a stretch. Not empty.
///
/// @param runs  by order
Picture DrawRuns(const std::string& id, const std::vector<ArmOfPicture>& arms,
                 const std::vector<RunOfPicture>& runs, const std::string& unit,
                 std::size_t most_marks);

}  // namespace benchd::client
