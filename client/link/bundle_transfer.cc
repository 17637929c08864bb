#include "client/link/bundle_transfer.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "client/git/bundle.h"
#include "client/link/daemon_link.h"
#include "core/base/affinity.h"
#include "core/base/file.h"
#include "core/base/try.h"

namespace benchd::client {
namespace {

// Fills `piece` with the bytes from `offset` on. Returns false at the end of the file and after a
// read error.
bool ReadPiece(const Bundle& bundle, std::uint64_t offset, std::string* piece) {
  constexpr std::size_t kPieceBytes = std::size_t{256} * 1024;
  piece->resize(kPieceBytes);
  const ssize_t count =
      pread(bundle.file.get(), piece->data(), piece->size(), static_cast<off_t>(offset));
  piece->resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  return !piece->empty();
}

Result<void> Download(const LinkOptions& options, const std::string& session, int file) {
  // DaemonLink moves this process to the housekeeping CPUs, but the build that follows may use all.
  const KeptAffinity kept;
  TRY(auto link, DaemonLink::Open(options));
  v1::SessionService::Stub stub(link->channel());
  grpc::ClientContext context;
  v1::GetBundleRequest request;
  request.set_session(session);
  const auto reader = stub.GetBundle(&context, request);
  v1::GetBundleResponse message;
  Result<void> written;
  while (written && reader->Read(&message)) {
    written = WriteAll(file, message.data(), "the bundle");
  }
  if (!written) context.TryCancel();
  const grpc::Status status = reader->Finish();
  if (!written) return written;
  if (!status.ok()) return FromStatus(status);
  return {};
}

}  // namespace

grpc::Status SendWithBundle(v1::SessionService::StubInterface& stub, grpc::ClientContext* context,
                            const v1::SubmitRequest& request, const Bundle& bundle,
                            const std::function<void()>& sent, v1::SubmitResponse* response) {
  const auto writer = stub.SubmitWithBundle(context, response);
  v1::SubmitWithBundleRequest message;
  *message.mutable_submit() = request;
  message.set_bundle_bytes(bundle.bytes);
  message.set_bundle_sha256(bundle.sha256.data(), bundle.sha256.size());
  // Write fails once the daemon has answered, because it refuses or does not need the bundle.
  bool wanted = writer->Write(message);
  message.Clear();
  for (std::uint64_t offset = 0; wanted && ReadPiece(bundle, offset, message.mutable_data());) {
    offset += message.data().size();
    wanted = writer->Write(message);
  }
  sent();
  writer->WritesDone();
  return writer->Finish();
}

Result<bool> ReceiveCommits(const LinkOptions& options, const WorktreePlan& plan) {
  const ReceivedRepository repository(plan.repository);
  const std::vector<std::string> commits = CommitsOf(plan);
  if (repository.Has(commits)) return false;
  const char* session = std::getenv("BENCHD_SESSION");
  if (session == nullptr) return UsageError("--socket: BENCHD_SESSION is not set");
  // A file without a name leaves nothing behind, even after a crash. git inherits the descriptor.
  std::string path = plan.root + "/.bundle-XXXXXX";
  const UniqueFd file(mkstemp(path.data()));
  if (!file) return UsageError(path + ": " + std::strerror(errno));
  unlink(path.c_str());
  TRY_VOID(Download(options, session, file.get()));
  TRY_VOID(repository.Take(fmt::format("/proc/self/fd/{}", file.get()), commits));
  return true;
}

}  // namespace benchd::client
