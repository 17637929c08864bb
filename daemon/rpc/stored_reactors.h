#pragma once

#include <asio/awaitable.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "benchd/v1/session.pb.h"
#include "daemon/rpc/endpoint.h"
#include "daemon/rpc/stream_reactor.h"
#include "daemon/rpc/watch_reactor.h"
#include "daemon/store/store.h"

namespace benchd::rpc {

/// The dependencies of an export. The references must outlive the server.
struct ListSamplesSources {
  Endpoint endpoint;
  Store& store;
  FindSession find;
};

/// The stream of SessionService.ListSamples: sends a session's runs in order of execution. It loads
/// some MiB at a time and sends messages of about half a MiB, one after the other.
class ListSamplesReactor final : public StreamReactor<v1::ListSamplesResponse> {
 public:
  static constexpr std::uint64_t kRunsPerLoad = 256;
  static constexpr std::size_t kMessageBytes = std::size_t{512} * 1024;

  ListSamplesReactor(const ListSamplesSources& sources, Entry entry,
                     const v1::ListSamplesRequest& request);

 private:
  void Started() override {
    Await([this] { return Open(); });
  }
  void Written() override;
  asio::awaitable<Result<void>> Open();
  asio::awaitable<Result<void>> Load();
  /// Sends loaded runs, or ends the stream after the last run. @return false if more must be loaded
  bool Send();
  bool FillMessage();

  const ListSamplesSources& sources_;
  const std::string session_;
  const bool with_warmup_;
  const bool with_metrics_;
  const bool with_stacks_;
  SessionId id_;
  SessionSpec spec_;
  std::vector<Run> runs_;
  std::size_t used_ = 0;      ///< number of runs_ already used
  std::uint64_t loaded_ = 0;  ///< number of the session's runs loaded so far
  bool exhausted_ = false;
};

/// The stream of SessionService.GetBundle: sends the bundle of a session piece by piece, to the
/// same callers that ListSamples admits.
class GetBundleReactor final : public StreamReactor<v1::GetBundleResponse> {
 public:
  static constexpr std::size_t kPieceBytes = std::size_t{256} * 1024;

  GetBundleReactor(const ListSamplesSources& sources, Entry entry, std::string session);

 private:
  void Started() override {
    Await([this] { return Open(); });
  }
  void Written() override {
    Await([this] { return Load(); });
  }
  asio::awaitable<Result<void>> Open();
  asio::awaitable<Result<void>> Load();

  const ListSamplesSources& sources_;
  const std::string session_;
  SessionId id_;
  std::uint64_t sent_ = 0;
};

}  // namespace benchd::rpc
