#include "client/report/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

#include "client/present/text.h"
#include "core/base/printable.h"
#include "core/base/text.h"

namespace benchd::client {
namespace {

constexpr double kFarthest = 1e5;       // browsers lose precision beyond this
constexpr double kPixelsPerCell = 6.4;  // average for the font of pictures
constexpr double kBoldPerCell = 8;

bool Drawable(std::initializer_list<double> values) {
  return std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
}

// Rounds to a tenth and omits a trailing ".0".
std::string Pixels(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f", std::clamp(value, -kFarthest, kFarthest));
  std::string pixels = text.data();
  if (pixels.ends_with(".0")) pixels.resize(pixels.size() - 2);
  return pixels == "-0" ? "0" : pixels;
}

std::string Point(double x, double y) { return Pixels(x) + " " + Pixels(y); }

// U+FFFE and U+FFFF are valid in UTF-8 but not in XML.
void RemoveNonCharacters(std::string* text) {
  for (const std::string_view forbidden : {"\xEF\xBF\xBE", "\xEF\xBF\xBF"}) {
    for (std::size_t at = 0; (at = text->find(forbidden, at)) != std::string::npos;) {
      text->replace(at, forbidden.size(), "\xEF\xBF\xBD");
    }
  }
}

}  // namespace

std::string EscapeMarkup(std::string_view text) {
  std::string clean = WithoutControls(Utf8Lossy(text), [](std::string_view) { return " "; });
  RemoveNonCharacters(&clean);
  std::string escaped;
  escaped.reserve(clean.size());
  for (const char c : clean) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

AxisScale::AxisScale(double low, double high, double begin, double end, bool logarithmic)
    : low_(low), high_(high), begin_(begin), end_(end), logarithmic_(logarithmic && low > 0) {
  if (high_ > low_) return;
  // A single value is shown in the middle.
  const double around = low_ == 0 ? 1 : std::abs(low_) / 20;
  low_ -= around;
  high_ = low_ + 2 * around;
}

double AxisScale::operator()(double value) const {
  // The quotient of the ends may exceed all numbers.
  const double share = logarithmic_
                           ? (std::log(value) - std::log(low_)) / (std::log(high_) - std::log(low_))
                           : value / (high_ - low_) - low_ / (high_ - low_);
  return begin_ + share * (end_ - begin_);
}

std::vector<double> AxisScale::Ticks(int about) const {
  std::vector<double> ticks;
  const double span = high_ - low_;
  if (!std::isfinite(span) || about < 1) return ticks;
  if (logarithmic_) {
    const bool coarse = std::log10(high_) - std::log10(low_) > about / 2.0;
    for (double ten = std::pow(10, std::floor(std::log10(low_))); ten <= high_; ten *= 10) {
      for (const double times : {1, 2, 5}) {
        const double tick = ten * times;
        if (tick >= low_ && tick <= high_ && (times == 1 || !coarse)) ticks.push_back(tick);
      }
    }
    return ticks;
  }
  const double rough = span / about;
  const double ten = std::pow(10, std::floor(std::log10(rough)));
  const double times = rough / ten;
  const double step = ten * (times < 1.42 ? 1 : times < 3.17 ? 2 : times < 7.08 ? 5 : 10);
  const double first = std::ceil(low_ / step - 1e-9);
  for (int i = 0; i <= 2 * about + 2; ++i) {
    const double tick = (first + i) * step;
    if (tick > high_ + span * 1e-9) break;
    ticks.push_back(tick == 0 ? 0 : tick);
  }
  return ticks;
}

Shape ShapeOfCandidate(std::size_t number) {
  static constexpr std::array kShapes = {Shape::kTriangle, Shape::kDiamond, Shape::kSquare};
  return kShapes[number % kShapes.size()];
}

double TextWidth(std::string_view text) { return kPixelsPerCell * Width(text); }

Svg::Svg(std::string id, double width, double height)
    : id_(std::move(id)), width_(width), height_(height) {}

void Svg::Open(std::string_view element, std::string_view style) {
  body_ += "<" + std::string(element) + " class=\"" + std::string(style) + "\"";
}

void Svg::Attribute(std::string_view name, double value) {
  body_ += " " + std::string(name) + "=\"" + Pixels(value) + "\"";
}

void Svg::Close(std::string_view element, std::string_view title) {
  body_ += title.empty()
               ? "/>\n"
               : "><title>" + EscapeMarkup(title) + "</title></" + std::string(element) + ">\n";
}

void Svg::Line(double x1, double y1, double x2, double y2, std::string_view style,
               std::string_view title) {
  if (!Drawable({x1, y1, x2, y2})) return;
  Open("path", style);
  body_ += " d=\"M" + Point(x1, y1) + "L" + Point(x2, y2) + "\"";
  Close("path", title);
}

void Svg::Rect(double x, double y, double width, double height, std::string_view style,
               std::string_view title) {
  if (!Drawable({x, y, width, height}) || width < 0 || height < 0) return;
  Open("rect", style);
  Attribute("x", x);
  Attribute("y", y);
  Attribute("width", width);
  Attribute("height", height);
  Close("rect", title);
}

void Svg::Mark(Shape shape, double x, double y, double radius, std::string_view style,
               std::string_view title) {
  if (!Drawable({x, y, radius})) return;
  if (shape == Shape::kCircle) {
    Open("circle", style);
    Attribute("cx", x);
    Attribute("cy", y);
    Attribute("r", radius);
    return Close("circle", title);
  }
  const std::string r = Pixels(radius);
  const std::string two = Pixels(2 * radius);
  Open("path", style);
  body_ += " d=\"M";
  if (shape == Shape::kTriangle) {
    body_ += Point(x, y - 1.15 * radius) + "l" + r + " " + two + "h-" + two + "z";
  } else if (shape == Shape::kDiamond) {
    body_ +=
        Point(x, y - radius) + "l" + r + " " + r + "l-" + r + " " + r + "l-" + r + " -" + r + "z";
  } else if (shape == Shape::kSquare) {
    body_ += Point(x - radius, y - radius) + "h" + two + "v" + two + "h-" + two + "z";
  } else {
    body_ += Point(x - radius, y - radius) + "l" + two + " " + two + "m0 -" + two + "l-" + two +
             " " + two;
  }
  body_ += "\"";
  Close("path", title);
}

void Svg::Curve(const std::vector<double>& points, bool closed, std::string_view style,
                std::string_view title) {
  std::string path;
  for (std::size_t i = 0; i + 1 < points.size(); i += 2) {
    if (!Drawable({points[i], points[i + 1]})) continue;
    path += (path.empty() ? "M" : "L") + Point(points[i], points[i + 1]);
  }
  if (path.empty()) return;
  Open("path", style);
  body_ += " d=\"" + path + (closed ? "z\"" : "\"");
  Close("path", title);
}

void Svg::Text(double x, double y, std::string_view text, std::string_view style, Anchor anchor) {
  if (!Drawable({x, y})) return;
  Open("text", style);
  Attribute("x", x);
  Attribute("y", y);
  if (anchor == Anchor::kMiddle) body_ += " text-anchor=\"middle\"";
  if (anchor == Anchor::kEnd) body_ += " text-anchor=\"end\"";
  body_ += ">" + EscapeMarkup(text) + "</text>\n";
}

void Svg::ShortText(double x, double y, double room, std::string_view text,
                    std::string_view style) {
  if (!Drawable({x, y, room})) return;
  const int cells = static_cast<int>(
      std::clamp(room / (style == "strong" ? kBoldPerCell : kPixelsPerCell), 1.0, 1000.0));
  const std::string shown = Shorten(Printable(Utf8Lossy(text)), cells, Style());
  Open("text", style);
  Attribute("x", x);
  Attribute("y", y);
  body_ += ">" + EscapeMarkup(shown);
  if (Width(text) > cells) body_ += "<title>" + EscapeMarkup(text) + "</title>";
  body_ += "</text>\n";
}

void Svg::BeginClip(double x, double y, double width, double height) {
  const std::string clip = fmt::format("{}-clip{}", id_, ++clips_);
  body_ += "<clipPath id=\"" + clip + "\"><rect x=\"" + Pixels(x) + "\" y=\"" + Pixels(y) +
           "\" width=\"" + Pixels(width) + "\" height=\"" + Pixels(height) +
           "\"/></clipPath>\n<g clip-path=\"url(#" + clip + ")\">\n";
}

void Svg::EndClip() { body_ += "</g>\n"; }

void Svg::Place(double x, double y, const Svg& other) {
  body_ += "<g transform=\"translate(" + Point(x, y) + ")\">\n" + other.body_ + "</g>\n";
}

std::string Svg::Element(std::string_view name, std::string_view description, bool file) const {
  const std::string size = Pixels(width_) + " " + Pixels(height_);
  std::string text = "<svg class=\"picture\"";
  if (file) {
    text += " xmlns=\"http://www.w3.org/2000/svg\" width=\"" + Pixels(width_) + "\" height=\"" +
            Pixels(height_) + "\"";
  }
  text += " viewBox=\"0 0 " + size + "\" role=\"img\" aria-labelledby=\"" + id_ + "-name " + id_ +
          "-about\">\n<title id=\"" + id_ + "-name\">" + EscapeMarkup(name) +
          "</title>\n<desc id=\"" + id_ + "-about\">" + EscapeMarkup(description) + "</desc>\n";
  if (file) text += "<style>" + std::string(PictureStyle()) + "</style>\n";
  if (!rules_.empty()) text += "<style>" + rules_ + "</style>\n";
  return text + body_ + "</svg>\n";
}

std::string Svg::Inline(std::string_view name, std::string_view description) const {
  return Element(name, description, false);
}

std::string Svg::File(std::string_view name, std::string_view description) const {
  return Element(name, description, true);
}

std::string_view PictureStyle() {
  // Text and arms have a contrast of at least 4.5:1 in both schemes (WCAG 2.1, AA).
  static constexpr std::string_view kStyle = R"(
:root{color-scheme:light dark;--ground:#fff;--raised:#f6f7f9;--ink:#1c2128;--quiet:#57606a;--rule:#d6dbe1;--reference:#5b6673;--candidate:#0b5cad;--pass:#176a35;--regression:#b3261e;--undecided:#7d5400}
@media (prefers-color-scheme:dark){:root{--ground:#12161c;--raised:#1a2028;--ink:#e4e8ed;--quiet:#9ba6b3;--rule:#333c47;--reference:#a3adb9;--candidate:#6db3ff;--pass:#5fce86;--regression:#ff8f87;--undecided:#e0b04c}}
@media print{:root{--ground:#fff;--raised:#fff;--ink:#000;--quiet:#444;--rule:#bbb;--reference:#555;--candidate:#0b4a8f;--pass:#176a35;--regression:#a01c15;--undecided:#6b4800}}
.picture{color:var(--ink);font:12px system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;font-variant-numeric:tabular-nums}
.picture text{fill:currentColor}
.picture .small{fill:var(--quiet);font-size:11px}
.picture .strong{font-weight:600}
.picture .axis{stroke:var(--rule)}
.picture .zero{stroke:var(--quiet)}
.picture .margin{stroke:var(--regression);stroke-dasharray:4 3}
.picture .step{stroke:currentColor;stroke-dasharray:4 3}
.picture .beyond{fill:var(--regression);opacity:.07}
.picture .reference{fill:var(--reference)}
.picture .candidate{fill:var(--candidate)}
.picture .bar{opacity:.35}
.picture .band{opacity:.18}
.picture .curve{fill:none;stroke:var(--candidate);stroke-width:1.6;stroke-linejoin:round}
.picture .curve.reference{stroke:var(--reference)}
.picture .run,.picture .unit{opacity:.75}
.picture .run.reference.open,.picture .open.reference{stroke:var(--reference)}
.picture .open{fill:var(--ground);stroke:var(--candidate);stroke-width:1.2;opacity:1}
.picture .span{stroke-width:2;stroke-linecap:round;fill:none}
.picture .span.reference{stroke:var(--reference)}
.picture .span.candidate{stroke:var(--candidate)}
.picture .ground{fill:var(--ground)}
.picture .run.span,.picture .unit.span{opacity:.3}
.picture .flagged{fill:none;stroke:currentColor;stroke-width:1.2}
)";
  return kStyle;
}

}  // namespace benchd::client
