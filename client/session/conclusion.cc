#include "client/session/conclusion.h"

#include <iostream>
#include <span>
#include <utility>
#include <vector>

#include "client/app/output.h"
#include "client/link/daemon_link.h"
#include "client/present/exports.h"
#include "client/present/gates.h"
#include "client/present/words.h"
#include "client/session/follow.h"
#include "client/session/session_runs.h"
#include "core/base/try.h"

namespace benchd::client {
namespace {

// The data for the output and the exports of an ended session, in addition to the watched events.
struct Aftermath {
  v1::Session session;
  RunsOfSession runs;
};

Result<Aftermath> ReadAftermath(DaemonLink& link, const std::string& id, RunsWanted wanted) {
  TRY(auto session, GetSession(link, id));
  TRY(auto runs, ReadRunsOf(link, session, wanted));
  return Aftermath{std::move(session), std::move(runs)};
}

}  // namespace

Progress ProgressOf(bool json, const ResultChoice& choice) {
  if (json) return Progress::kJson;
  return choice.detail == Detail::kVerdict ? Progress::kQuiet : Progress::kTold;
}

Result<void> WriteExports(const ExportFiles& files, const v1::Session& session,
                          std::span<const v1::Run> runs) {
  return files.Write([&](const ExportFormat& format) { return format.render(session, runs); });
}

ExitCode ConcludeWatch(DaemonLink& link, const ExportFiles& files, const Followed& followed,
                       bool json, const ResultChoice& choice) {
  const std::string& id = followed.session.session();
  const bool ended = HasEnded(followed.session.state());
  const bool ordered = !json && !choice.bisect && choice.detail != Detail::kVerdict &&
                       followed.session.state() == v1::SESSION_STATE_DONE &&
                       SeveralCandidates(followed.session.report());
  const bool exports = !files.empty() && ended;
  const bool explained = !json && !choice.bisect && choice.detail == Detail::kAll && ended;
  Result<Aftermath> after = Aftermath();
  if (ordered || exports || explained) {
    after = ReadAftermath(
        link, id, {.measured = exports && files.WantsRuns(), .pairs = ordered, .worst = explained});
  }
  const ExitCode code =
      ReportEnd(followed, json, choice, after ? after->runs.pairs : std::vector<ArmPairs>());
  if (after && after->runs.worst) std::cout << after->runs.worst->Render(choice.StyleOfStdout());
  if (files.empty()) return code;
  if (!ended) {
    std::cerr << "benchctl: nothing was exported: session " << id
              << " has not ended; export it later: benchctl export " << id << " --format F\n";
    return code;
  }
  std::cout << std::flush;
  const Result<void> written = after ? WriteExports(files, after->session, after->runs.measured)
                                     : Result<void>(after.error());
  return written ? code : OutputFailed(written.error());
}

}  // namespace benchd::client
