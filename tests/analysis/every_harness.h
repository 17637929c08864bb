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

/// A list for github-action-benchmark.
inline std::string PrintedForGithub(const PrintedValues& values, const std::string& unit) {
  return "[" +
         Joined(values, ",",
                [&unit](const auto& n, const auto& v) {
                  return R"({"name":")" + n + R"(","unit":")" + unit + R"(","value":)" + v + "}";
                }) +
         "]";
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
    {"bmf",
     [](const PrintedValues& values) {
       return "{" +
              Joined(values, ",",
                     [](const auto& n, const auto& v) {
                       return "\"" + n + R"(":{"latency":{"value":)" + v + "}}";
                     }) +
              "}";
     }},
    {"libtest",
     [](const PrintedValues& values) {
       return Joined(values, "", [](const auto& n, const auto& v) {
         return "test " + n + " ... bench: " + v + " ns/iter (+/- 1)\n";
       });
     }},
    {"criterion",
     [](const PrintedValues& values) {
       return Joined(values, "\n", [](const auto& n, const auto& v) {
         return R"({"reason":"benchmark-complete","id":")" + n +
                R"(","iteration_count":[1],"measured_values":[)" + v + R"(],"unit":"ns"})";
       });
     }},
    {"catch2",
     [](const PrintedValues& values) {
       return "benchmark name      samples   iterations   estimated\n" + std::string(40, '-') +
              "\n" + Joined(values, "", [](const auto& n, const auto& v) {
                return n + std::string(20 - n.size(), ' ') + "100   2   1 ms\n" +
                       std::string(20, ' ') + v + " us   1 us   99 us\n\n";
              });
     }},
    {"nanobench",
     [](const PrintedValues& values) {
       return "| ns/op | total | t\n" + Joined(values, "", [](const auto& n, const auto& v) {
                return "| " + v + " | 0.01 | `" + n + "`\n";
              });
     }},
    {"vitest",
     [](const PrintedValues& values) {
       return R"({"files":[{"groups":[{"fullName":"g","benchmarks":[)" +
              Joined(values, ",",
                     [](const auto& n, const auto& v) {
                       return R"({"name":")" + n + R"(","mean":)" + v + "}";
                     }) +
              "]}]}]}";
     }},
    {"tinybench",
     [](const PrintedValues& values) {
       return R"({"tasks":[)" +
              Joined(values, ",",
                     [](const auto& n, const auto& v) {
                       return R"({"name":")" + n + R"(","result":{"latency":{"mean":)" + v + "}}}";
                     }) +
              "]}";
     }},
    {"mitata",
     [](const PrintedValues& values) {
       return R"({"benchmarks":[{"runs":[)" +
              Joined(values, ",",
                     [](const auto& n, const auto& v) {
                       return R"({"name":")" + n + R"(","stats":{"avg":)" + v + "}}";
                     }) +
              "]}]}";
     }},
    {"benchmarkdotnet",
     [](const PrintedValues& values) {
       return R"({"Benchmarks":[)" +
              Joined(values, ",",
                     [](const auto& n, const auto& v) {
                       return R"({"FullName":"b.)" + n + R"(","Statistics":{"Mean":)" + v + "}}";
                     }) +
              "]}";
     }},
    {"pyperf",
     [](const PrintedValues& values) {
       return R"({"benchmarks":[)" +
              Joined(values, ",",
                     [](const auto& n, const auto& v) {
                       return R"({"metadata":{"name":")" + n + R"("},"runs":[{"values":[)" + v +
                              "]}]}";
                     }) +
              "]}";
     }},
    {"github-smaller", [](const PrintedValues& values) { return PrintedForGithub(values, "ms"); }},
    {"github-bigger",
     [](const PrintedValues& values) { return PrintedForGithub(values, "req/s"); }}};

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
