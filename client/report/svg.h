#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace benchd::client {

// Draws pictures as SVG text: shapes and scales, without statistics. Pure.

/// Escapes `text` for use as character data or an attribute value in HTML and XML. The result is
/// one line without the characters that XML forbids. All text from users must pass through here.
std::string EscapeMarkup(std::string_view text);

/// Maps values to coordinates.
class AxisScale {
 public:
  /// @param logarithmic  requires low > 0; otherwise the scale is linear
  AxisScale(double low, double high, double begin, double end, bool logarithmic = false);

  double operator()(double value) const;
  /// Returns about `about` round values in the range, in ascending order: multiples of 1, 2 or 5
  /// times a power of ten; on a logarithmic scale, 1, 2 and 5 times each power of ten.
  std::vector<double> Ticks(int about) const;

  double low() const { return low_; }
  double high() const { return high_; }

 private:
  double low_;
  double high_;
  double begin_;
  double end_;
  bool logarithmic_;
};

enum class Anchor { kStart, kMiddle, kEnd };
enum class Shape { kCircle, kTriangle, kDiamond, kSquare, kCross };

/// Returns the shape for the candidate with that number. Shapes repeat.
Shape ShapeOfCandidate(std::size_t number);

/// A picture that is drawn from back to front. The classes are those of PictureStyle(). Coordinates
/// are in pixels, rounded to a tenth. Shapes with a coordinate that is not finite are left out.
class Svg {
 public:
  /// @param id  letters, digits and "-"; unique in the page
  Svg(std::string id, double width, double height);

  void Line(double x1, double y1, double x2, double y2, std::string_view style,
            std::string_view title = {});
  void Rect(double x, double y, double width, double height, std::string_view style,
            std::string_view title = {});
  void Mark(Shape shape, double x, double y, double radius, std::string_view style,
            std::string_view title = {});
  /// @param points  x0, y0, x1, y1...
  /// @param closed  fills the area
  void Curve(const std::vector<double>& points, bool closed, std::string_view style,
             std::string_view title = {});
  void Text(double x, double y, std::string_view text, std::string_view style,
            Anchor anchor = Anchor::kStart);
  /// Draws text, shortened with an ellipsis to about `room` pixels. The title has the whole text.
  void ShortText(double x, double y, double room, std::string_view text, std::string_view style);
  /// Limits drawing to the rectangle until the next EndClip().
  void BeginClip(double x, double y, double width, double height);
  void EndClip();
  /// Adds rules to the style sheet of this picture. They hold for the whole page of an inline
  /// picture, so their classes must not be those of PictureStyle().
  void AddStyle(std::string_view rules) { rules_ += rules; }
  /// Draws `other` with its upper left corner at (x, y).
  void Place(double x, double y, const Svg& other);

  double width() const { return width_; }
  double height() const { return height_; }

  /// Returns the element for a page that includes PictureStyle(). Screen readers read the name and
  /// the description.
  std::string Inline(std::string_view name, std::string_view description) const;
  /// Returns a separate SVG file.
  std::string File(std::string_view name, std::string_view description) const;

 private:
  void Open(std::string_view element, std::string_view style);
  void Attribute(std::string_view name, double value);
  void Close(std::string_view element, std::string_view title);
  std::string Element(std::string_view name, std::string_view description, bool file) const;

  std::string id_;
  double width_;
  double height_;
  int clips_ = 0;
  std::string rules_;
  std::string body_;
};

/// Returns the approximate width of `text` in a picture, in pixels.
double TextWidth(std::string_view text);

/// Returns the style sheet of pictures: the classes, and the colours for light and dark screens and
/// for paper. The colours are custom properties of the root, which the page may also use.
std::string_view PictureStyle();

}  // namespace benchd::client
