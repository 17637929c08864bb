#include "tests/rpc/rpc_support.h"

#include <grp.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/server_builder.h>
#include <grpcpp/server_posix.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <iostream>
#include <stdexcept>

namespace benchd::rpc {

OpenFolder::OpenFolder() { ::chmod(path().c_str(), 0755); }

UniqueFd ListenAt(const std::string& path) {
  UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof(address.sun_path) - 1);
  if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0 ||
      ::chmod(path.c_str(), 0777) != 0 || ::listen(fd.get(), 128) != 0) {
    throw std::runtime_error("listening at " + path);
  }
  return fd;
}

std::shared_ptr<grpc::Channel> ConnectTo(const std::string& path) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetMaxReceiveMessageSize(-1);
  arguments.SetServiceConfigJSON(R"({"methodConfig": [{"name": [{}], "timeout": "120s"}]})");
  return grpc::CreateCustomChannel("unix:" + path, grpc::InsecureChannelCredentials(), arguments);
}

StubService::StubService(const Endpoint& endpoint, EventHub& hub, const Clock& clock, Store& store)
    : endpoint_(endpoint),
      watch_{endpoint, hub, clock,
             [this](const Caller&, std::string id, const std::stop_token&) { return Find(id); }},
      samples_{endpoint, store,
               [this](const Caller&, std::string id, const std::stop_token&) { return Find(id); }} {
}

grpc::ServerUnaryReactor* StubService::Get(grpc::CallbackServerContext* context,
                                           const v1::GetSessionRequest* request,
                                           v1::Session* response) {
  response->set_session(context->peer());
  return Answer(endpoint_, endpoint_.Enter(*context, *request), response,
                [response](Asker asker) -> asio::awaitable<Result<void>> {
                  response->set_uid(asker.caller.uid);
                  co_return Result<void>();
                });
}

grpc::ServerWriteReactor<v1::SessionEvent>* StubService::Watch(grpc::CallbackServerContext* context,
                                                               const v1::WatchRequest* request) {
  return new WatchReactor(watch_, endpoint_.Enter(*context, *request, Limit::kWatchesAUser),
                          request->session());
}

grpc::ServerWriteReactor<v1::ListSamplesResponse>* StubService::ListSamples(
    grpc::CallbackServerContext* context, const v1::ListSamplesRequest* request) {
  return new ListSamplesReactor(samples_, endpoint_.Enter(*context, *request), *request);
}

asio::awaitable<Result<SessionRecord>> StubService::Find(std::string id) const {
  const auto it = records.find(id);
  if (it != records.end()) co_return it->second;
  co_return Error{ErrorCode::kNotFound, "no session matches '" + id + "'",
                  "`benchctl list` shows yours"};
}

StubDaemon::StubDaemon()
    : service(Endpoint{[this](std::uint32_t /*uid*/) { return loop.executor(); },
                       peers,
                       calls,
                       rate,
                       budget,
                       refusals,
                       {},
                       [this] { ++noted; }},
              hub, clock, store) {
  grpc::ServerBuilder builder;
  builder.RegisterService(&service);
  server = builder.BuildAndStart();
  loop.Run([this] {
    listener = std::make_unique<Listener>(
        loop.executor(), ListenAt(socket()), peers,
        [this](int fd) { grpc::AddInsecureChannelFromFd(server.get(), fd); },
        [](const std::string& why) { std::cerr << why << "\n"; });
    listener->Start();
  });
}

StubDaemon::~StubDaemon() {
  loop.Run([this] {
    listener->Close();
    calls.Close();
  });
  server->Shutdown(std::chrono::system_clock::now());
  server->Wait();
  loop.Run([] {});  // the handler of the closed listener has run by now
}

void StubDaemon::Publish(SessionSnapshot snapshot) {
  loop.Run([this, &snapshot] {
    service.records[snapshot.id.value].snapshot = snapshot;
    hub.Publish(std::move(snapshot));
  });
}

int ClientMain(const std::vector<std::string>& arguments) {
  const auto uid = static_cast<uid_t>(std::stoul(arguments.at(0)));
  if (uid != ::getuid() &&
      (::setgroups(0, nullptr) != 0 || ::setgid(uid) != 0 || ::setuid(uid) != 0)) {
    return 99;
  }
  const auto stub = v1::SessionService::NewStub(ConnectTo(arguments.at(1)));
  grpc::ClientContext context;
  context.set_wait_for_ready(true);
  if (arguments.at(2) == "whoami") {
    v1::Session session;
    const grpc::Status status = stub->Get(&context, v1::GetSessionRequest(), &session);
    std::cout << session.session() << " " << session.uid() << std::endl;
    return status.ok() ? 0 : 1;
  }
  v1::WatchRequest request;
  request.set_session("abc");
  const auto reader = stub->Watch(&context, request);
  v1::SessionEvent event;
  if (!reader->Read(&event)) return 1;
  std::cout << "watching" << std::endl;
  while (reader->Read(&event)) {
  }
  return 0;
}

}  // namespace benchd::rpc
