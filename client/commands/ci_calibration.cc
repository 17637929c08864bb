#include "client/commands/ci_calibration.h"

#include <iostream>
#include <memory>
#include <utility>

#include "client/ci/calibration.h"
#include "client/commands/compare.h"
#include "client/present/text.h"
#include "client/present/words.h"
#include "client/session/follow.h"
#include "client/session/submission.h"
#include "client/terminal/interrupts.h"
#include "core/base/try.h"

namespace benchd::client {
namespace {

// Returns why a session has no result.
std::string WhyUnfinished(const v1::Session& session) {
  if (session.state() == v1::SESSION_STATE_FAILED) return session.failed().error();
  const std::string& by = session.cancelled().by();
  return "session " + session.session() + " was cancelled" + (by.empty() ? "" : " by " + by);
}

Result<CiCalibration> RunCalibration(const CommandContext& context, const CiPlan& plan) {
  // Created before the threads of gRPC, which inherit its signal mask.
  Interrupts interrupts;
  std::unique_ptr<DaemonLink> link;
  auto read = ReadSubmission(context, &link, Purpose::kCompare);
  // The comparison itself reports what is wrong with the options.
  if (!read && read.error().code == ErrorCode::kInvalidArgument) return CiCalibration{};
  TRY(auto submission, std::move(read));
  if (!context.json) std::cerr << "benchctl: calibration: " << plan.calibration << "\n";
  v1::SessionSpec& spec = submission.spec;
  spec.mutable_limits()->set_max_time_seconds(plan.calibrate_seconds);
  v1::SessionSpec calibration = spec;
  calibration.clear_environment();
  v1::Session session = SessionToFollow(spec);
  TRY_VOID(OpenOnce(context.link, &link));
  const Bundle* const bundle = submission.bundle ? &*submission.bundle : nullptr;
  const auto sent = [&interrupts] { interrupts.Defer(); };
  TRY(auto submitted,
      SubmitSession(*link, std::move(spec), {.bundle = bundle, .sent = sent, .follows = true}));
  session.set_session(submitted.session());
  const bool quiet = context.json || IsGiven(context.arguments, "quiet");
  const Following following{.progress = quiet ? Progress::kQuiet : Progress::kTold,
                            .may_detach = false};
  TRY(const auto followed, FollowSession(*link, session, following, interrupts));
  CiCalibration result{
      .outlook = {}, .session = submitted.session(), .interrupted = followed.interrupted};
  if (followed.interrupted) return result;
  if (followed.session.state() != v1::SESSION_STATE_DONE) {
    return Error{ErrorCode::kFailedPrecondition, WhyUnfinished(followed.session)};
  }
  TRY(result.outlook,
      OutlookOf(calibration, followed.session.report(), submission.planned.value()));
  return result;
}

}  // namespace

CiCalibration CalibrateRunner(const CommandContext& context, const CiPlan& plan) {
  CommandContext of_calibration = context;
  of_calibration.arguments = CalibratedArguments(plan.compared);
  auto result = RunCalibration(of_calibration, plan);
  if (!result) {
    std::cerr << "warning: calibration: " << Printable(OneLine(result.error().message))
              << "; the comparison follows without one\n";
    return {};
  }
  if (!result->outlook) return *std::move(result);
  if (context.json) {
    std::cout << OutlookJson(*result->outlook, result->session, Now()) << std::endl;
    return *std::move(result);
  }
  for (const std::string& sentence : OutlookSentences(*result->outlook)) {
    std::cerr << "benchctl: " << sentence << "\n";
  }
  return *std::move(result);
}

}  // namespace benchd::client
