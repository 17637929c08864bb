#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/parse/harness_output.h"

// The output of every harness, for tests that apply to all formats.

namespace benchd {

using PrintedValues = std::vector<std::pair<std::string, double>>;  // by inner benchmark

inline std::string Joined(
    const PrintedValues& values, const std::string& separator,
    const std::function<std::string(const std::string&, const std::string&)>& one) {
  std::string text;
  for (const auto& [name, value] : values) {
    text += (text.empty() ? "" : separator) + one(name, std::to_string(value));
  }
  return text;
}

/// The output of each harness for these measurements.
inline const std::map<std::string, std::function<std::string(const PrintedValues&)>> kPrinters{
    {"lines",
     [](const PrintedValues& values) {
       return "#! prefer=lower unit=ms\n" +
              Joined(values, "", [](const auto& n, const auto& v) { return n + " " + v + "\n"; });
     }},
    {"mmtests",
     [](const PrintedValues& values) {
       return "#! prefer=lower unit=ms\n" + Joined(values, "", [](const auto& n, const auto& v) {
                return n + " 1 1 " + v + "\n";
              });
     }},
    {"go",
     [](const PrintedValues& values) {
       return Joined(values, "", [](const auto& n, const auto& v) {
         return "Benchmark" + n + "-8   \t 1000\t " + v + " ns/op\n";
       });
     }},
    {"google-benchmark",
     [](const PrintedValues& values) {
       return R"({"benchmarks":[)" +
              Joined(values, ",",
                     [](const auto& n, const auto& v) {
                       return R"({"name":")" + n + R"(","run_type":"iteration","real_time":)" + v +
                              R"(,"cpu_time":)" + v + R"(,"time_unit":"ms"})";
                     }) +
              "]}";
     }},
    {"hyperfine",
     [](const PrintedValues& values) {
       return R"({"results":[)" +
              Joined(values, ",",
                     [](const auto& n, const auto& v) {
                       return R"({"command":")" + n + R"(","user":0.1,"system":0.1,"times":[)" + v +
                              "]}";
                     }) +
              "]}";
     }},
    {"jmh",
     [](const PrintedValues& values) {
       return "[" +
              Joined(values, ",",
                     [](const auto& n, const auto& v) {
                       return R"({"benchmark":"b.)" + n +
                              R"(","mode":"avgt","primaryMetric":{"score":)" + v +
                              R"(,"scoreUnit":"ms/op","rawData":[[)" + v + "]]}}";
                     }) +
              "]";
     }},
    {"pytest-benchmark",
     [](const PrintedValues& values) {
       return R"({"benchmarks":[)" +
              Joined(values, ",",
                     [](const auto& n, const auto& v) {
                       return R"({"name":")" + n + R"(","fullname":")" + n +
                              R"(","stats":{"data":[)" + v + "]}}";
                     }) +
              "]}";
     }},
    {"bmf", [](const PrintedValues& values) {
       return "{" +
              Joined(values, ",",
                     [](const auto& n, const auto& v) {
                       return "\"" + n + R"(":{"latency":{"value":)" + v + "}}";
                     }) +
              "}";
     }}};

/// The formats that the product lists itself, so that a new one is not forgotten.
inline std::vector<std::string> Formats() {
  const auto refused = CheckHarnessFormat("no such format");
  const std::string& hint = refused.error().hint + refused.error().message;
  std::vector<std::string> formats;
  std::string words = hint.substr(hint.find("available: ") + 11);
  words = words.substr(0, words.find_first_of(";)"));
  for (std::size_t at = 0; at != std::string::npos;) {
    const std::size_t end = words.find(", ", at);
    formats.push_back(words.substr(at, end == std::string::npos ? end : end - at));
    at = end == std::string::npos ? end : end + 2;
  }
  return formats;
}

inline PrintedValues MeasuredValues(int run, const std::vector<std::string>& names) {
  PrintedValues values;
  for (const std::string& name : names) values.emplace_back(name, 20 + 0.01 * ((run * 7) % 5));
  return values;
}

}  // namespace benchd
