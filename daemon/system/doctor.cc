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
  const char* name;
  Check* check;
  /// How much of a run's time it can change, in rough per cent, where nobody has measured it: an
  /// order, no promise.
  int weight;
};

constexpr WeightedCheck kChecks[] = {
    {"other_load", OtherLoad, 100},     // shares the CPU itself
    {"steal", Steal, 100},              // as above, and invisible from inside
    {"throttling", Throttling, 60},     // the frequency falls to a half or less while it lasts
    {"no_settings", NoSettings, 55},    // all of what follows stays as it is
    {"no_isolation", NoIsolation, 50},  // anybody may come at any time
    {"shared_smt", SharedSmt, 40},      // the other thread of a core takes up to half of it
    {"shared_cpus", SharedCpus, 35},    // benchd itself is among the others
    {"governor", Governor, 30},         // from the lowest to the highest frequency within one run
    {"turbo", Turbo, 20},               // by heat and by how many neighbours are busy
    {"interrupts", Interrupts, 10},     // and the caches that they empty
    {"virtual_machine", VirtualMachine, 9},  // whatever the host does
    {"aslr_off", AslrOff, 8},  // no noise but worse: one layout's bias (Mytkowicz et al. 2009)
    {"swap", Swap, 7},         // a page that comes back from a disk costs milliseconds
    {"c_states", CStates, 5},  // up to some 100 us each time that a program waits
    {"competing_daemons", CompetingDaemons, 4},  // change back what was set
    {"apt_timers", AptTimers, 3},                // minutes of load, twice a day
    {"clocksource", Clocksource, 2},             // the clock's own cost and resolution
    {"one_cpu", OneCpu, 1},                      // only for programs of several threads
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

}  // namespace doctor

std::vector<NoiseSource> Diagnose(const KernelFiles& files, const ProfileCpus& cpus,
                                  const std::vector<SettingState>& settings,
                                  const MachineSample& before, const MachineSample& after) {
  const doctor::Patient patient{files, cpus, settings, before, after};
  struct Found {
    NoiseSource source;
    bool by_session;
    int weight;
  };
  std::vector<Found> found;
  for (const auto& [name, check, weight] : doctor::kChecks) {
    auto symptom = check(patient);
    if (!symptom) continue;
    auto& [finding, remedy, effect] = *symptom;
    found.push_back({{.name = name,
                      .finding = std::move(finding),
                      .advice = std::move(remedy.advice),
                      .effect = effect > 0 ? std::optional(effect) : std::nullopt},
                     remedy.by_session,
                     weight});
  }
  std::stable_sort(found.begin(), found.end(), [](const Found& a, const Found& b) {
    if (a.source.effect != b.source.effect) {
      return a.source.effect.value_or(-1) > b.source.effect.value_or(-1);
    }
    if (a.by_session != b.by_session) return b.by_session;
    return a.weight > b.weight;
  });
  std::vector<NoiseSource> sources;
  for (Found& one : found) sources.push_back(std::move(one.source));
  return sources;
}

}  // namespace benchd
