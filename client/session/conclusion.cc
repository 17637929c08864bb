#include "client/session/conclusion.h"

#include <iostream>
#include <span>

#include "client/app/output.h"
#include "client/link/daemon_link.h"
#include "client/present/exports.h"
#include "client/present/findings.h"
#include "client/present/words.h"
#include "client/session/follow.h"
#include "client/session/session_runs.h"
#include "core/base/try.h"

namespace benchd::client {

Progress ProgressOf(bool json, const ResultChoice& choice) {
  if (json) return Progress::kJson;
  return choice.detail == Detail::kVerdict ? Progress::kQuiet : Progress::kTold;
}

Result<void> WriteExports(const ExportFiles& files, const v1::Session& session,
                          std::span<const v1::Run> runs) {
  return files.Write([&](const ExportFormat& format) { return format.render(session, runs); });
}

namespace {

Result<void> ExportSession(DaemonLink& link, const ExportFiles& files, const std::string& id) {
  TRY(auto session, GetSession(link, id));
  TRY(auto runs, ReadRunsOf(link, session, {.measured = files.WantsRuns()}));
  return WriteExports(files, session, runs.measured);
}

}  // namespace

ExitCode ConcludeWatch(DaemonLink& link, const ExportFiles& files, const Followed& followed,
                       bool json, const ResultChoice& choice) {
  const std::string& id = followed.session.session();
  const bool ended = HasEnded(followed.session.state());
  const ExitCode code = ReportEnd(followed, json, choice);
  if (!json && !choice.bisect && choice.detail == Detail::kAll) {
    std::cout << RenderWorstRuns(followed.session.report(), choice.StyleOfStdout());
  }
  if (files.empty()) return code;
  if (!ended) {
    std::cerr << "benchctl: nothing was exported: session " << id
              << " has not ended; export it later: benchctl export " << id << " --format F\n";
    return code;
  }
  std::cout << std::flush;
  const Result<void> written = ExportSession(link, files, id);
  return written ? code : OutputFailed(written.error());
}

}  // namespace benchd::client
