// Reports gRPC's guarantees to the thread sanitizer. Debian's gRPC is built without it, so the
// sanitizer does not see the order in which a call is handed from thread to thread. Linked only
// into the sanitizer's build of rpc_test. These functions replace gRPC's of the same names (its own
// C interface, which libgrpc++ calls), report the order, and call the originals.

#include <dlfcn.h>
#include <grpc/grpc.h>

#include <cstddef>

// NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" void __tsan_acquire(void* address);
extern "C" void __tsan_release(void* address);
// NOLINTEND(bugprone-reserved-identifier)

namespace {

/// Work before a server's start happens before its calls are served.
char server_started;

/// gRPC's own function of that name, which ours replaces.
template <typename Function>
Function* Next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

void grpc_server_start(grpc_server* server) {
  static auto* const next = Next<decltype(grpc_server_start)>("grpc_server_start");
  __tsan_release(&server_started);
  next(server);
}

/// The first call in every handler.
void grpc_call_ref(grpc_call* call) {
  static auto* const next = Next<decltype(grpc_call_ref)>("grpc_call_ref");
  __tsan_acquire(&server_started);
  __tsan_acquire(call);
  next(call);
}

/// Work before an operation of a call begins happens before the callback at its end ...
grpc_call_error grpc_call_start_batch(grpc_call* call, const grpc_op* ops, std::size_t count,
                                      void* tag, void* reserved) {
  static auto* const next = Next<decltype(grpc_call_start_batch)>("grpc_call_start_batch");
  __tsan_release(call);
  return next(call, ops, count, tag, reserved);
}

/// ... which libgrpc++ calls right after this.
void grpc_call_unref(grpc_call* call) {
  static auto* const next = Next<decltype(grpc_call_unref)>("grpc_call_unref");
  __tsan_acquire(call);
  next(call);
}

}  // extern "C"
