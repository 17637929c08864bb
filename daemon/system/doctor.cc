#include "daemon/system/doctor.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "daemon/system/doctor_checks.h"

namespace benchd {
namespace doctor {
namespace {

struct WeightedCheck {
  Check* check;
  /// How much of a run's time it can change, in rough per cent, where nobody has measured it: an
  /// order, no promise.
  int weight;
};

constexpr WeightedCheck kChecks[] = {
    {OtherLoad, 100},       // shares the CPU itself
    {Steal, 100},           // as above, and invisible from inside
    {Throttling, 60},       // the frequency falls to a half or less while it lasts
    {NoSettings, 55},       // all of what follows stays as it is
    {NoIsolation, 50},      // anybody may come at any time
    {SharedSmt, 40},        // the other thread of a core takes up to half of it
    {SharedCpus, 35},       // benchd itself is among the others
    {Governor, 30},         // from the lowest to the highest frequency within one run
    {Turbo, 20},            // by heat and by how many neighbours are busy
    {Interrupts, 10},       // and the caches that they empty
    {VirtualMachine, 9},    // whatever the host does
    {AslrOff, 8},           // no noise but worse: one layout's bias (Mytkowicz et al. 2009)
    {Swap, 7},              // a page that comes back from a disk costs milliseconds
    {CStates, 5},           // up to some 100 us each time that a program waits
    {CompetingDaemons, 4},  // change back what was set
    {AptTimers, 3},         // minutes of load, twice a day
    {Clocksource, 2},       // the clock's own cost and resolution
    {OneCpu, 1},            // only for programs of several threads
};

}  // namespace

const SettingState* FindState(const Patient& patient, std::string_view setting) {
  const auto found =
      std::find_if(patient.settings.begin(), patient.settings.end(),
                   [setting](const SettingState& state) { return state.setting == setting; });
  return found == patient.settings.end() ? nullptr : &*found;
}

bool IsHeld(const Patient& patient, std::string_view setting) {
  const SettingState* state = FindState(patient, setting);
  return state != nullptr && state->held;
}

Remedy RemedyFor(const Patient& patient, const Cure& cure) {
  const std::string by_hand = "by hand: " + cure.by_hand;
  const std::string line(cure.line);
  if (NoSettings(patient)) return {by_hand, false};  // told why once
  const SettingState* state = FindState(patient, cure.setting);
  if (state == nullptr) {
    return {"put " + line + " into the machine profile; " + by_hand, false};
  }
  if (!cure.value.empty() && state->wanted != cure.value) {
    return {"the machine profile wants it so (" + state->wanted + "): put " + line + " there",
            false};
  }
  if (state->held) return {std::string(cure.when_held), false};
  if (!state->why.empty()) {
    return {"benchd could not take " + state->setting + " (" + state->why + "); " + by_hand, false};
  }
  return {"nothing: a session sets it when it starts; 'benchctl machine apply' does so now", true};
}

Symptom Unmeasured(std::string name, std::string finding, std::string advice) {
  return {.source = {.name = std::move(name),
                     .finding = std::move(finding),
                     .advice = std::move(advice),
                     .effect = {}},
          .session_cures_it = false};
}

Symptom Unmeasured(std::string name, std::string finding, Remedy remedy) {
  Symptom symptom = Unmeasured(std::move(name), std::move(finding), std::move(remedy.advice));
  symptom.session_cures_it = remedy.by_session;
  return symptom;
}

std::string ReadText(const Patient& patient, const std::string& path) {
  return patient.files.Read(path).value_or("");
}

std::string CpuPath(int cpu, std::string_view name) {
  return "sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/" + std::string(name);
}

}  // namespace doctor

std::vector<NoiseSource> Diagnose(const KernelFiles& files, const ProfileCpus& cpus,
                                  const std::vector<SettingState>& settings,
                                  const MachineSample& before, const MachineSample& after) {
  const doctor::Patient patient{files, cpus, settings, before, after};
  std::vector<std::pair<doctor::Symptom, int>> found;
  for (const auto& [check, weight] : doctor::kChecks) {
    if (auto symptom = check(patient)) found.emplace_back(std::move(*symptom), weight);
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
    const auto& [first, first_weight] = a;
    const auto& [second, second_weight] = b;
    if (first.source.effect != second.source.effect) {
      return first.source.effect.value_or(-1) > second.source.effect.value_or(-1);
    }
    if (first.session_cures_it != second.session_cures_it) return second.session_cures_it;
    return first_weight > second_weight;
  });
  std::vector<NoiseSource> sources;
  for (auto& [symptom, weight] : found) sources.push_back(std::move(symptom.source));
  return sources;
}

}  // namespace benchd
