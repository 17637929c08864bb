#include "client/pool/slurm.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "client/present/text.h"
#include "client/present/units.h"
#include "client/request/quantity.h"
#include "core/base/shell_words.h"
#include "core/base/text.h"
#include "core/base/try.h"

namespace benchd::client {
namespace {

using Json = nlohmann::json;

constexpr std::array<std::string_view, 4> kPoolOptions = {"pool", "machines", "pool-folder",
                                                          "dry-run"};

// sbatch parses the #SBATCH lines of the script and interprets quotes, backslashes and, in file
// names, %. Values with such characters cannot be passed.
bool CanBeAskedFor(std::string_view value) {
  return !HasControlCharacter(value) && value.find_first_of("\"'\\%") == std::string_view::npos;
}

Result<std::string> ReadPartition(const std::string& text) {
  constexpr std::string_view kScheme = "slurm";
  const std::string_view rest = text.starts_with(kScheme) ? std::string_view(text).substr(5) : "?";
  const bool named = rest.size() > 1 && rest.front() == ':' && CanBeAskedFor(rest.substr(1)) &&
                     rest.find(' ') == std::string_view::npos;
  if (!rest.empty() && !named) {
    return UsageError("--pool " + Quoted(text) + ": unknown pool",
                      "write --pool slurm or --pool slurm:PARTITION");
  }
  return std::string(named ? rest.substr(1) : "");
}

Result<void> CheckTogether(const ParsedArguments& arguments) {
  for (const GivenOption& option : arguments.options) {
    const bool alone = option.name == "detach" || option.name == "bisect" ||
                       option.name == "show-output" || option.name == "host" ||
                       option.name.starts_with("export-");
    if (!alone) continue;
    return UsageError("--" + option.name + ": conflicts with --pool",
                      option.name.starts_with("export-")
                          ? "the pool's folder has one export per machine"
                          : "leave one of the two out");
  }
  if (IsGiven(arguments, "runs")) return {};
  return UsageError("--pool: missing --runs",
                    "write --runs N: machines that stop at a verdict of their own overestimate "
                    "the change");
}

Result<std::size_t> ReadMachines(const ParsedArguments& arguments) {
  const std::string* text = LastValue(arguments, "machines");
  if (text == nullptr) return std::size_t{4};
  const auto count = ParseCount(*text);
  if (count && *count > 0 && *count <= kMostMachines) return static_cast<std::size_t>(*count);
  return UsageError("--machines " + *text + ": not a valid number of machines",
                    "write --machines 4");
}

// Adds an option to the arguments as it was typed, or in an equivalent form.
void AddOption(const GivenOption& given, std::span<const OptionInfo> known,
               std::vector<std::string>* words) {
  const auto info = std::ranges::find(known, given.name, &OptionInfo::name);
  if (info == known.end()) return;
  words->push_back("--" + given.name);
  if (info->value.empty() || (info->optional && given.value.empty())) return;
  if (info->words == 1) {
    words->back() += "=" + given.value;
    return;
  }
  std::string_view rest = given.value;
  for (int i = 1; i < info->words; ++i) {
    const std::size_t blank = rest.find(' ');
    words->emplace_back(rest.substr(0, blank));
    rest.remove_prefix(blank == std::string_view::npos ? rest.size() : blank + 1);
  }
  words->emplace_back(rest);
}

}  // namespace

Result<PoolOrder> ReadPoolOrder(const ParsedArguments& arguments,
                                std::span<const OptionInfo> known) {
  TRY(auto partition, ReadPartition(*LastValue(arguments, "pool")));
  TRY(auto machines, ReadMachines(arguments));
  TRY_VOID(CheckTogether(arguments));
  PoolOrder order{.partition = std::move(partition), .machines = machines};
  for (const GivenOption& given : arguments.options) {
    if (given.name == "json" || std::ranges::find(kPoolOptions, given.name) != kPoolOptions.end()) {
      continue;
    }
    AddOption(given, known, &order.words);
  }
  order.words.push_back("--");
  order.words.insert(order.words.end(), arguments.positionals.begin(), arguments.positionals.end());
  return order;
}

Result<void> CheckPoolFolders(const PoolOrder& order) {
  for (const std::string* const folder : {&order.cwd, &order.folder}) {
    if (CanBeAskedFor(*folder)) continue;
    return UsageError(
        "--pool: the folder " + Quoted(*folder) + " contains a character that sbatch interprets",
        "use a folder without quotes, backslashes, % or control characters" +
            std::string(folder == &order.folder && order.folder != order.cwd ? ": --pool-folder DIR"
                                                                             : ""));
  }
  return {};
}

// Without srun, the task is the only process of the job and gets the signal before the time limit.
std::string BatchScript(const PoolOrder& order) {
  const std::string name = order.folder.substr(order.folder.rfind('/') + 1);
  std::string script = "#!/bin/sh\n";
  const auto ask = [&script](const std::string& option) { script += "#SBATCH --" + option + "\n"; };
  ask("job-name=" + name);
  if (!order.partition.empty()) ask("partition=" + order.partition);
  ask(fmt::format("array=1-{}", order.machines));
  ask("nodes=1");
  ask("ntasks=1");
  ask("exclusive");
  ask("requeue");
  ask("open-mode=append");
  ask("signal=B:TERM@120");
  ask("chdir=\"" + order.cwd + "\"");
  ask("output=\"" + order.folder + "/task-%a.log\"");
  script += "benchctl=" + ShellQuoted(order.program) + "\n";
  script += "[ -x \"$benchctl\" ] || benchctl=benchctl\n";
  script += "exec \"$benchctl\" pool-task -- " + ShellQuoted(order.folder) +
            " \"$SLURM_ARRAY_TASK_ID\" compare \\\n ";
  for (const std::string& word : order.words) script += " " + ShellQuoted(word);
  return script + "\n";
}

namespace {

std::string SlurmNumber(const Json& job, const char* name) {
  const auto found = job.find(name);
  if (found == job.end()) return "";
  if (found->is_number_integer()) return std::to_string(found->get<long>());
  if (!found->is_object() || !found->value("set", true)) return "";
  const auto number = found->find("number");
  return number != found->end() && number->is_number_integer() ? std::to_string(number->get<long>())
                                                               : "";
}

std::string SlurmWord(const Json& job, const char* name) {
  const auto found = job.find(name);
  if (found == job.end()) return "";
  if (found->is_string()) return found->get<std::string>();
  const bool list = found->is_array() && !found->empty() && found->front().is_string();
  return list ? found->front().get<std::string>() : "";
}

bool HasEndedInSlurm(const std::string& state) {
  constexpr std::array<std::string_view, 9> kEnded = {"COMPLETED", "CANCELLED", "FAILED",
                                                      "TIMEOUT",   "NODE_FAIL", "PREEMPTED",
                                                      "BOOT_FAIL", "DEADLINE",  "OUT_OF_MEMORY"};
  return std::ranges::find(kEnded, state) != kEnded.end();
}

}  // namespace

Result<SlurmView> ReadSqueue(std::string_view text, const std::vector<std::string>& jobs) {
  const Json said = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  const auto list = said.is_object() ? said.find("jobs") : said.end();
  if (!said.is_object() || list == said.end() || !list->is_array()) {
    return ConnectionError("squeue --json: unexpected output",
                           "install Slurm's plugin serializer/json (slurm-wlm-basic-plugins)");
  }
  SlurmView view;
  for (const Json& job : *list) {
    if (!job.is_object()) continue;
    const std::string array = SlurmNumber(job, "array_job_id");
    const std::string id = array.empty() || array == "0" ? SlurmNumber(job, "job_id") : array;
    if (std::ranges::find(jobs, id) == jobs.end()) continue;
    const std::string state = SlurmWord(job, "job_state");
    if (state == "PENDING") {
      ++view.pending;
      view.reason = SlurmWord(job, "state_reason");
    } else if (!HasEndedInSlurm(state)) {
      ++view.running;
    } else if (const auto task = ParseCount(SlurmNumber(job, "array_task_id"));
               task && *task <= kMostMachines) {
      view.ended[static_cast<int>(*task)] = state;
    }
  }
  return view;
}

namespace {

constexpr std::array<std::string_view, 4> kTaskKinds = {"running", "done", "taken", "failed"};

}  // namespace

std::string TaskStateText(const TaskState& state) {
  const Json said = {{"task", state.task},
                     {"node", state.node},
                     {"state", kTaskKinds.at(static_cast<std::size_t>(state.kind))},
                     {"exit_code", state.exit_code},
                     {"update", state.update}};
  return said.dump(-1, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace) + "\n";
}

Result<TaskState> ReadTaskState(std::string_view text) {
  const Json said = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  TaskState state;
  std::string kind;
  try {
    said.at("task").get_to(state.task);
    said.at("node").get_to(state.node);
    said.at("state").get_to(kind);
    said.at("exit_code").get_to(state.exit_code);
    said.at("update").get_to(state.update);
  } catch (const Json::exception&) {
    kind.clear();
  }
  const auto found = std::ranges::find(kTaskKinds, kind);
  if (found == kTaskKinds.end()) return UsageError("not a task state");
  state.kind = static_cast<TaskState::Kind>(found - kTaskKinds.begin());
  return state;
}

namespace {

// Returns "30 runs  +0.3 % (-0.7 % to +0.9 %)", or an empty string if it is not known yet.
std::string NewestInterval(const std::string& update) {
  const Json said = Json::parse(update, nullptr, /*allow_exceptions=*/false);
  if (!said.is_object() || !said.contains("comparisons")) return "";
  try {
    const Json& first = said.at("comparisons").at(0);
    const Json& change = first.at("change");
    const double lo = change.at("lo").get<double>();
    const double hi = change.at("hi").get<double>();
    const int decimals = PercentDecimals(lo, hi);
    return Counted(first.at("n_candidate").get<std::uint64_t>(), "run") + "  " +
           FormatChange(change.at("estimate").get<double>(), decimals) + " (" +
           FormatChange(lo, decimals) + " to " + FormatChange(hi, decimals) + ")";
  } catch (const Json::exception&) {
    return "";  // not known yet
  }
}

}  // namespace

std::string TaskLine(const TaskState& state) {
  std::string line = Printable(state.node) + "  " +
                     std::string(kTaskKinds.at(static_cast<std::size_t>(state.kind)));
  if (state.kind == TaskState::Kind::kFailed) {
    line += fmt::format(" (exit code {})", state.exit_code);
  }
  const std::string interval = NewestInterval(state.update);
  return interval.empty() ? line : line + "  " + interval;
}

int TaskExit(int compare, int restarts) {
  switch (static_cast<ExitCode>(compare)) {
    case ExitCode::kPass:
    case ExitCode::kRegression:
    case ExitCode::kUndecided:
      return 0;
    case ExitCode::kRefused:
      return restarts < kMostRestarts ? kTaskRequeue : compare;
    default:
      return compare;
  }
}

}  // namespace benchd::client
