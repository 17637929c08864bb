#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace benchd::client {

// What pictures are drawn with: SVG as text. Pure; shapes and scales, no statistics.

/// `text` as character data or an attribute's value, of HTML and XML alike: it is text whatever it
/// says, one line, without what XML cannot have. Everything that a user named goes through here.
std::string EscapeMarkup(std::string_view text);

/// From values to places.
class AxisScale {
 public:
  /// @param logarithmic  low is above 0
  AxisScale(double low, double high, double begin, double end, bool logarithmic = false);

  double operator()(double value) const;
  /// Round values inside, ascending: steps of 1, 2 or 5; on a logarithmic scale 1, 2 and 5 of each
  /// power of ten. About as many as asked for.
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

/// One of an arm that is not a reference; they repeat.
Shape ShapeOfCandidate(std::size_t number);

/// Is drawn onto from the back to the front. Classes are those of PictureStyle(); coordinates are
/// in pixels of its own width, to a tenth; what is no finite number is drawn nowhere.
class Svg {
 public:
  /// @param id  letters, digits and "-", unique in its page
  Svg(std::string id, double width, double height);

  void Line(double x1, double y1, double x2, double y2, std::string_view style,
            std::string_view title = {});
  void Rect(double x, double y, double width, double height, std::string_view style,
            std::string_view title = {});
  void Mark(Shape shape, double x, double y, double radius, std::string_view style,
            std::string_view title = {});
  /// Points x0, y0, x1, y1...; `closed` is a surface.
  void Curve(const std::vector<double>& points, bool closed, std::string_view style,
             std::string_view title = {});
  void Text(double x, double y, std::string_view text, std::string_view style,
            Anchor anchor = Anchor::kStart);
  /// The same, cut with an ellipsis to about `room` pixels; whole as its title.
  void ShortText(double x, double y, double room, std::string_view text, std::string_view style);
  /// What is drawn until the next EndClip() is seen in that rectangle only.
  void BeginClip(double x, double y, double width, double height);
  void EndClip();
  /// Draws `other` with its upper left corner there.
  void Place(double x, double y, const Svg& other);

  double width() const { return width_; }
  double height() const { return height_; }

  /// As part of a page, which has the style; name and description are for those who cannot see it.
  std::string Inline(std::string_view name, std::string_view description) const;
  /// As a file of its own.
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
  std::string body_;
};

/// Pixels that `text` takes in a picture, roughly.
double TextWidth(std::string_view text);

/// The style sheet of pictures: colours of both schemes and of paper as custom properties of the
/// root, which a page may use as well, and the classes.
std::string_view PictureStyle();

}  // namespace benchd::client
