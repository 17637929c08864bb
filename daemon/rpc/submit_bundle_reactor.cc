#include "daemon/rpc/submit_bundle_reactor.h"

#include <algorithm>
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/post.hpp>
#include <exception>
#include <utility>

#include "core/base/result.h"
#include "daemon/rpc/status_mapping.h"

namespace benchd::rpc {
namespace {

Result<BundleClaim> ClaimOf(const v1::SubmitWithBundleRequest& message) {
  BundleClaim claim;
  claim.bytes = message.bundle_bytes();
  if (message.bundle_sha256().size() != claim.sha256.size()) {
    return InvalidArgument("bundle_sha256", "is not 32 bytes long");
  }
  std::copy(message.bundle_sha256().begin(), message.bundle_sha256().end(), claim.sha256.begin());
  return claim;
}

Error IsStopping() {
  return Error{ErrorCode::kUnavailable, "benchd is stopping", "try again when it is back"};
}

}  // namespace

SubmitBundleReactor::SubmitBundleReactor(const SubmitBundleSources& sources,
                                         std::optional<Caller> caller, v1::SubmitResponse* response)
    : sources_(sources),
      caller_(std::move(caller)),
      response_(response),
      changed_(sources.endpoint.loop) {
  asio::post(sources_.endpoint.loop,
             [this] { asio::co_spawn(sources_.endpoint.loop, Serve(), asio::detached); });
}

void SubmitBundleReactor::OnReadDone(bool ok) {
  asio::post(sources_.endpoint.loop, [this, ok] {
    reading_ = false;
    read_ = ok;
    changed_.Notify();
  });
}

// After Finish(), which is the last thing that the coroutine does.
void SubmitBundleReactor::OnDone() {
  asio::post(sources_.endpoint.loop, [this] { delete this; });
}

asio::awaitable<void> SubmitBundleReactor::Serve() {
  grpc::Status status = sources_.endpoint.Admit(caller_);
  if (status.ok()) {
    token_ = sources_.endpoint.calls.Begin([this] {
      stopping_ = true;
      changed_.Notify();
    });
    try {
      asio::awaitable<Result<void>> taking = Take();
      status = ToStatus(co_await std::move(taking));
    } catch (const std::exception& error) {
      status = ToStatus(Error{ErrorCode::kInternal, std::string("benchd: ") + error.what()});
    }
  }
  Finish(status);
}

asio::awaitable<Result<void>> SubmitBundleReactor::Take() {
  if (!co_await Next()) co_return InvalidArgument("submit", "missing");
  const v1::SubmitRequest submit = std::move(*message_.mutable_submit());
  if (sources_.knows(*caller_, submit.request_id())) {
    asio::awaitable<Result<void>> known = sources_.submit(*caller_, &submit, nullptr, response_);
    co_return co_await std::move(known);
  }
  Result<BundleClaim> claim = ClaimOf(message_);
  if (!claim) co_return std::move(claim).error();
  Result<BundleUpload> upload =
      co_await sources_.store.Do(&Records::BeginBundle, caller_->uid, *claim, sources_.limits);
  if (!upload) co_return std::move(upload).error();
  BundleUpload* const bundle = &*upload;
  while (co_await Next()) {
    std::string data = std::move(*message_.mutable_data());
    Result<void> taken =
        co_await sources_.store.Do(&Records::AppendBundle, bundle, std::move(data));
    if (!taken) co_return taken;
  }
  if (stopping_) co_return IsStopping();
  Result<void> whole = co_await sources_.store.Do(&Records::FinishBundle, bundle);
  if (!whole) co_return whole;
  asio::awaitable<Result<void>> submitting = sources_.submit(*caller_, &submit, bundle, response_);
  co_return co_await std::move(submitting);
}

asio::awaitable<bool> SubmitBundleReactor::Next() {
  reading_ = true;
  StartRead(&message_);
  while (reading_ && !stopping_) co_await changed_.Wait();
  co_return !stopping_ && read_;
}

}  // namespace benchd::rpc
