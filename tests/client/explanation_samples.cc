#include "tests/client/explanation_samples.h"

#include <string>

#include "tests/client/samples.h"

namespace benchd::client {
namespace {

v1::Effect EffectOf(double estimate, double half) {
  v1::Effect effect;
  effect.set_estimate(estimate);
  effect.set_lo(estimate - half);
  effect.set_hi(estimate + half);
  return effect;
}

struct FunctionNumbers {
  double reference = 0;
  double candidate = 0;
  double half = 0;
  double callees_reference = 0;
  double callees_candidate = 0;
};

v1::FunctionChange* AddFunction(v1::Explanation* to, const std::string& name,
                                const FunctionNumbers& n, bool changed) {
  v1::FunctionChange* function = to->add_functions();
  function->set_function(name);
  function->set_presence(v1::PRESENCE_BOTH);
  function->set_self_reference(n.reference);
  function->set_self_candidate(n.candidate);
  *function->mutable_self() = EffectOf(n.candidate - n.reference, n.half);
  function->set_total_reference(n.reference + n.callees_reference);
  function->set_total_candidate(n.candidate + n.callees_candidate);
  *function->mutable_total() =
      EffectOf(n.candidate + n.callees_candidate - n.reference - n.callees_reference, 2 * n.half);
  function->set_changed(changed);
  return function;
}

v1::Explanation ExplanationOf(double reference, double candidate, double half) {
  v1::Explanation explanation;
  explanation.set_benchmark("main");
  explanation.set_reference("base");
  explanation.set_candidate("candidate");
  explanation.set_blocks(23);
  explanation.set_samples_reference(24012);
  explanation.set_samples_candidate(26166);
  explanation.set_seconds_reference(reference);
  explanation.set_seconds_candidate(candidate);
  *explanation.mutable_change() = EffectOf(candidate - reference, half);
  explanation.set_confidence(0.99);
  return explanation;
}

void AddStack(v1::Run* run, const std::string& stack, double count) {
  v1::Sample* sample = run->add_samples();
  sample->set_metric("stack");
  sample->set_inner_benchmark(stack);
  sample->set_value(count);
}

}  // namespace

v1::Explanation SampleExplanation() {
  v1::Explanation explanation = ExplanationOf(1.044, 1.1373, 0.011);
  explanation.set_lost(3);
  explanation.set_explained_seconds(0.0858);
  explanation.set_explained(0.92);
  explanation.set_compared(6);
  explanation.set_rest_reference(0.0031);
  explanation.set_rest_candidate(0.0034);
  explanation.set_unnamed(0.021);
  v1::FunctionChange* parse = AddFunction(&explanation, "parse_line(char const*)",
                                          {0.1203, 0.2058, 0.0055, 0.05, 0.0541}, true);
  parse->set_instructions_reference(2.1e8);
  parse->set_instructions_candidate(3.4e8);
  AddFunction(&explanation, "hash_step", {0.0301, 0, 0.0021, 0, 0}, true)
      ->set_presence(v1::PRESENCE_GONE);
  AddFunction(&explanation, "fill", {0, 0.0224, 0.0019, 0, 0}, true)
      ->set_presence(v1::PRESENCE_NEW);
  v1::FunctionChange* read =
      AddFunction(&explanation, "Reader<unsigned long>::next()", {0.04, 0.048, 0.0031, 0, 0}, true);
  read->set_matched("Reader<unsigned int>::next()");
  read->set_presence(v1::PRESENCE_INLINED);
  AddFunction(&explanation, "main", {0.81, 0.8167, 0.0122, 0.2404, 0.3303}, false);
  AddFunction(&explanation, "[libc.so.6+0x9d2f0]", {0.0412, 0.041, 0.0018, 0, 0}, false);
  return explanation;
}

v1::Explanation UnchangedExplanation() {
  v1::Explanation explanation = ExplanationOf(1.044, 1.0461, 0.011);
  explanation.set_compared(2);
  AddFunction(&explanation, "main", {0.81, 0.8127, 0.0122, 0.2, 0.2}, false);
  AddFunction(&explanation, "parse_line(char const*)", {0.2, 0.1994, 0.0055, 0, 0}, false);
  return explanation;
}

v1::Session SampledSession() {
  v1::Session session = SampleSession();
  session.set_session("q4r8s2tv");
  v1::SessionSpec* spec = session.mutable_spec();
  spec->mutable_profile()->set_frequency_hz(1000);
  spec->mutable_profile()->set_call_graph(v1::CALL_GRAPH_FRAME_POINTERS);
  spec->mutable_profile()->set_explains("k3x9m2pq");
  spec->mutable_limits()->set_runs(23);
  v1::Benchmark* benchmark = spec->mutable_benchmarks(0);
  benchmark->clear_gates();
  benchmark->mutable_arms(1)->clear_env();
  v1::Update* report = session.mutable_report();
  report->clear_warnings();
  *report->add_explanations() = SampleExplanation();
  return session;
}

std::vector<v1::Run> SampledRuns() {
  std::vector<v1::Run> runs;
  for (int block = -1; block < 2; ++block) {
    for (const bool base : {true, false}) {
      v1::Run& run = runs.emplace_back();
      run.set_benchmark("main");
      run.set_arm(base ? "base" : "candidate");
      run.set_phase(block < 0 ? v1::RUN_PHASE_WARMUP : v1::RUN_PHASE_MEASURED);
      run.set_block(static_cast<std::uint64_t>(std::max(block, 0)));
      AddStack(&run, "main", base ? 400 : 405);
      AddStack(&run, "main;parse_line(char const*)", base ? 60 : 105);
      AddStack(&run, "main;parse_line(char const*);read_[i]", 20);
      if (base) AddStack(&run, "main;hash_step", 15);
      if (!base) AddStack(&run, "main;fill", 11);
      AddStack(&run,
               base ? "main;Reader<unsigned int>::next()" : "main;Reader<unsigned long>::next()",
               base ? 20 : 24);
      v1::Sample* sample = run.add_samples();
      sample->set_metric("lost_samples");
      sample->set_value(1);
    }
  }
  return runs;
}

}  // namespace benchd::client
