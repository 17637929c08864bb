#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "core/base/result.h"
#include "daemon/launch/event_loop.h"
#include "daemon/launch/helper_process.h"
#include "daemon/launch/host.h"
#include "daemon/launch/launch_plan.h"
#include "daemon/launch/process_tree.h"
#include "daemon/wire/messages.h"

namespace benchd {

/// How long a benchd-helper may read what runs have written, in nanoseconds.
inline constexpr std::int64_t kParseTimeout = 10'000'000'000;

/// What a run printed, and how to parse it. `adapter` and `spec` must live until it is parsed.
struct UnparsedOutput {
  std::string stream;                    ///< "stdout" or "stderr", for messages
  UniqueFd memory;                       ///< a memory file
  std::string format;                    ///< harness format or adapter
  const std::string* adapter = nullptr;  ///< text of the adapter; null if `format` is a name
  std::string file;                      ///< the file to which benchd-helper copies it; empty: none
  const LaunchSpec* spec = nullptr;      ///< whose caller and working directory benchd-helper has
};

/// Returns what a run has instead of values, as an encoded ParsedOutput.
std::string Unparsed(Error why);

class OutputParserOwner {
 public:
  /// Called when the outputs have been parsed.
  /// @param all  false: benchd-helper failed, and only some of the runs are left, whose outputs
  /// have
  ///             been dealt with
  virtual void OnOutputsParsed(bool all) = 0;

 protected:
  ~OutputParserOwner() = default;
};

/// Parses the outputs of several runs of one caller with one benchd-helper, because starting a
/// process takes longer than parsing a short output. If that fails, each output has a benchd-helper
/// of its own, so that the failure is that of one run.
class OutputParser final : public HelperOwner {
 public:
  OutputParser(EventLoop& loop, const Host& host, ProcessTree& tree, OutputParserOwner& owner)
      : loop_(loop), host_(host), tree_(tree), owner_(owner) {}

  /// Adds the output of a run, which is parsed later.
  /// @param run  the index of the run
  void Add(std::size_t run, UnparsedOutput output);

  /// Whether no output is waiting.
  bool empty() const { return waiting_.empty(); }
  /// Whether the waiting outputs must be parsed before the next run: there is a limit on their
  /// size, and what follows a run may read the file with its output.
  bool due() const;

  /// Parses the waiting outputs. Requires an output that is waiting, and that no other call is in
  /// progress. The owner is always called, perhaps before this function returns. The results have
  /// kHelperAnswerBytes together, or less.
  /// @param runs  the runs by their indexes, which receive the results
  void Start(std::vector<wire::RunFigures>& runs);

  /// Ends the parsing, and removes all runs from the first one that has not been parsed. The owner
  /// is not called.
  void Drop(std::vector<wire::RunFigures>& runs);

  /// Forgets that outputs needed a benchd-helper each. Call this before children change.
  void Renew() { alone_ = false; }

 private:
  struct Waiting {
    std::size_t run;
    std::size_t bytes;  ///< of the output and of its adapter
    UnparsedOutput output;
  };

  void OnHelperDone(HelperProcess& helper, Result<std::string> answer) override;

  std::size_t CountTogether() const;
  void ParseNext();
  Result<HelperOrder> OrderFor(std::size_t count);
  Result<UniqueFd> TakeInput(std::size_t count);
  Result<void> Take(const std::string& answer);
  void Fail(Error why);
  void End(bool all);

  EventLoop& loop_;
  const Host& host_;
  ProcessTree& tree_;
  OutputParserOwner& owner_;
  std::vector<Waiting> waiting_;
  std::vector<wire::RunFigures>* runs_ = nullptr;
  std::size_t asked_ = 0;  ///< how many of the waiting outputs the helper has
  std::int64_t alone_since_ = 0;
  std::size_t answered_bytes_ = 0;
  bool alone_ = false;  ///< each output needs a process of its own
  std::optional<HelperProcess> helper_;
};

}  // namespace benchd
