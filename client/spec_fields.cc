#include "client/spec_fields.h"

#include <array>
#include <filesystem>

#include "client/quantity.h"

namespace benchd::client {
namespace {

template <typename E>
struct Choice {
  std::string_view name;
  E value;
};

template <typename E, std::size_t N>
Outcome<E> Choose(std::string_view text, const std::array<Choice<E>, N>& choices) {
  std::string list;
  for (std::size_t i = 0; i < N; ++i) {
    if (choices[i].name == text) return choices[i].value;
    if (i > 0) list += i + 1 == N ? " or " : ", ";
    list += choices[i].name;
  }
  return UsageError("unknown value", "write " + list);
}

constexpr std::array kMethods = {Choice<v1::Method>{"paired", v1::METHOD_PAIRED},
                                 Choice<v1::Method>{"welch", v1::METHOD_WELCH},
                                 Choice<v1::Method>{"exact-t", v1::METHOD_EXACT_T},
                                 Choice<v1::Method>{"fixed", v1::METHOD_FIXED}};
constexpr std::array kSides = {Choice<v1::Sided>{"two", v1::SIDED_TWO},
                               Choice<v1::Sided>{"one", v1::SIDED_ONE}};
constexpr std::array kLimitVerdicts = {Choice<v1::AtLimit>{"undecided", v1::AT_LIMIT_UNDECIDED},
                                       Choice<v1::AtLimit>{"estimate", v1::AT_LIMIT_ESTIMATE}};
constexpr std::array kSchedules = {Choice<v1::ScheduleKind>{"pairs", v1::SCHEDULE_KIND_PAIRS},
                                   Choice<v1::ScheduleKind>{"coin", v1::SCHEDULE_KIND_COIN}};
constexpr std::array kIsolations = {Choice<v1::Isolation>{"strict", v1::ISOLATION_STRICT},
                                    Choice<v1::Isolation>{"best-effort", v1::ISOLATION_BEST_EFFORT},
                                    Choice<v1::Isolation>{"off", v1::ISOLATION_OFF}};
constexpr std::array kEstimators = {
    Choice<v1::EstimatorKind>{"mean", v1::ESTIMATOR_KIND_MEAN},
    Choice<v1::EstimatorKind>{"hl", v1::ESTIMATOR_KIND_HODGES_LEHMANN},
    Choice<v1::EstimatorKind>{"median", v1::ESTIMATOR_KIND_MEDIAN},
    Choice<v1::EstimatorKind>{"quantile:P", v1::ESTIMATOR_KIND_QUANTILE},
    Choice<v1::EstimatorKind>{"lognormal-mean", v1::ESTIMATOR_KIND_LOGNORMAL_MEAN},
    Choice<v1::EstimatorKind>{"subselection", v1::ESTIMATOR_KIND_SUBSELECTION}};

Outcome<bool> ParseSwitch(std::string_view text) {
  return Choose(text, std::array{Choice<bool>{"true", true}, Choice<bool>{"false", false}});
}

// Assigns what a grammar gave, or hands its error on.
template <typename T, typename Set>
Outcome<void> Put(Outcome<T> value, Set set) {
  if (!value) return std::move(value).error();
  set(*std::move(value));
  return {};
}

Outcome<void> SetEstimator(std::string_view text, v1::Estimator* estimator) {
  constexpr std::string_view kQuantile = "quantile:";
  if (text.starts_with(kQuantile)) {
    estimator->set_kind(v1::ESTIMATOR_KIND_QUANTILE);
    return Put(ParseProbability(text.substr(kQuantile.size()), "quantile:0.95"),
               [estimator](double p) { estimator->set_quantile(p); });
  }
  if (text == "quantile:P") return UsageError("unknown value", "write quantile:0.95");
  return Put(Choose(text, kEstimators),
             [estimator](v1::EstimatorKind k) { estimator->set_kind(k); });
}

Outcome<void> SetRule(std::string_view text, v1::Rule* rule) {
  constexpr std::string_view kPrecision = "precision:";
  if (text == "margin") return {};
  if (!text.starts_with(kPrecision))
    return UsageError("unknown value", "write margin or precision:1%");
  auto width = ParseFraction(text.substr(kPrecision.size()));
  if (!width) return std::move(width).error();
  if (!(*width > 0)) return UsageError("the width must be above zero", "write precision:1%");
  rule->set_precision_width(*width);
  return {};
}

Outcome<void> AddLabel(std::string_view text, v1::SessionSpec* spec) {
  return Put(ParseAssignment(text), [spec](const std::pair<std::string, std::string>& label) {
    (*spec->mutable_labels())[label.first] = label.second;
  });
}

Outcome<void> AddGate(const std::string& text, v1::Benchmark* benchmark) {
  return Put(ParseMetricGate(text), [benchmark](const MetricGate& metric) {
    v1::Gate* gate = benchmark->add_gates();
    gate->set_metric(metric.name);
    if (metric.ratio) gate->set_ratio(*metric.ratio);
    if (metric.absolute) gate->set_absolute(*metric.absolute);
    if (metric.better) {
      gate->set_better(*metric.better == Direction::kLower ? v1::BETTER_LOWER : v1::BETTER_HIGHER);
    }
  });
}

Outcome<void> SetOutput(const std::string& text, const std::string& cwd, v1::Benchmark* benchmark) {
  if (text.empty()) return UsageError("it names no file", "write null, log or FILE");
  if (text == "null") {
    benchmark->set_output(v1::OUTPUT_KIND_DISCARD);
  } else if (text == "log") {
    benchmark->set_output(v1::OUTPUT_KIND_LOG);
  } else {
    benchmark->set_output(v1::OUTPUT_KIND_FILE);
    benchmark->set_output_path(Absolute(text, cwd));
  }
  return {};
}

}  // namespace

std::string Absolute(const std::string& path, const std::string& base) {
  return (std::filesystem::path(base) / path).lexically_normal().string();
}

Outcome<void> ApplyToSession(const std::string& name, const std::string& text,
                             v1::SessionSpec* spec) {
  v1::Limits* limits = spec->mutable_limits();
  if (name == "margin") return Put(ParseMargin(text), [spec](double m) { spec->set_margin(m); });
  if (name == "confidence") {
    return Put(ParseProbability(text, "99% or 0.99"),
               [spec](double c) { spec->set_alpha(AlphaFromConfidence(c)); });
  }
  if (name == "alpha") {
    return Put(ParseProbability(text, "1% or 0.01"), [spec](double a) { spec->set_alpha(a); });
  }
  if (name == "sided")
    return Put(Choose(text, kSides), [spec](v1::Sided s) { spec->set_sided(s); });
  if (name == "method")
    return Put(Choose(text, kMethods), [spec](v1::Method m) { spec->set_method(m); });
  if (name == "estimator") return SetEstimator(text, spec->mutable_estimator());
  if (name == "rule") return SetRule(text, spec->mutable_rule());
  if (name == "at-limit") {
    return Put(Choose(text, kLimitVerdicts), [limits](v1::AtLimit a) { limits->set_at_limit(a); });
  }
  if (name == "fail-fast")
    return Put(ParseSwitch(text), [limits](bool on) { limits->set_fail_fast(on); });
  if (name == "schedule") {
    return Put(Choose(text, kSchedules), [spec](v1::ScheduleKind s) { spec->set_schedule(s); });
  }
  if (name == "warmup") return Put(ParseCount(text), [spec](auto n) { spec->set_warmup(n); });
  if (name == "min-runs")
    return Put(ParseCount(text), [limits](auto n) { limits->set_min_runs(n); });
  if (name == "max-runs")
    return Put(ParseCount(text), [limits](auto n) { limits->set_max_runs(n); });
  if (name == "runs") return Put(ParseCount(text), [limits](auto n) { limits->set_runs(n); });
  if (name == "max-time") {
    return Put(ParseDuration(text), [limits](double s) { limits->set_max_time_seconds(s); });
  }
  if (name == "timeout") {
    return Put(ParseDuration(text), [limits](double s) { limits->set_timeout_seconds(s); });
  }
  if (name == "seed") return Put(ParseCount(text), [spec](auto n) { spec->set_seed(n); });
  if (name == "placebo") return Put(ParseSwitch(text), [spec](bool on) { spec->set_placebo(on); });
  if (name == "isolation") {
    return Put(Choose(text, kIsolations), [spec](v1::Isolation i) { spec->set_isolation(i); });
  }
  if (name == "priority") return Put(ParseInteger(text), [spec](auto n) { spec->set_priority(n); });
  if (name == "label") return AddLabel(text, spec);
  if (name == "machine-profile") spec->set_machine_profile(text);
  if (name == "cpus") spec->set_cpus(text);
  return {};
}

Outcome<void> ApplyToBenchmark(const std::string& name, const std::string& text,
                               const std::string& cwd, v1::Benchmark* benchmark, ArmSettings* arm) {
  v1::Hooks* hooks = benchmark->mutable_hooks();
  if (name == "metric") return AddGate(text, benchmark);
  if (name == "output") return SetOutput(text, cwd, benchmark);
  if (name == "shell") {
    return Put(ParseSwitch(text), [arm, hooks](bool on) {
      arm->shell = on;
      hooks->set_shell(on);
    });
  }
  if (name == "ignore-failure") {
    return Put(ParseSwitch(text), [benchmark](bool on) { benchmark->set_ignore_failure(on); });
  }
  if (name == "env") {
    return Put(ParseAssignment(text), [arm](const std::pair<std::string, std::string>& variable) {
      arm->env[variable.first] = variable.second;
    });
  }
  if ((name == "cwd" || name == "input") && text.empty()) return UsageError("it names no path");
  if (name == "cwd") arm->cwd = text;
  if (name == "input" && text != "null") benchmark->set_input(Absolute(text, cwd));
  if (name == "parse") benchmark->set_parse(text);
  if (name == "setup") hooks->set_setup(text);
  if (name == "prepare") hooks->set_prepare(text);
  if (name == "conclude") hooks->set_conclude(text);
  if (name == "cleanup") hooks->set_cleanup(text);
  return {};
}

}  // namespace benchd::client
