// What gRPC guarantees, told to the thread sanitizer: Debian's is built without it, so that the
// order in which it hands a call from thread to thread is not seen. Linked into rpc_test in that
// build only. These functions stand before gRPC's of the same names (its own C interface, which
// libgrpc++ calls), say what comes before what, and go on to it.

#include <dlfcn.h>
#include <grpc/grpc.h>

#include <cstddef>

// NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" void __tsan_acquire(void* address);
extern "C" void __tsan_release(void* address);
// NOLINTEND(bugprone-reserved-identifier)

namespace {

/// What was done before a server started is known to whoever serves its calls.
char server_started;

/// gRPC's own function; `name` is that of a function of ours before it.
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

/// First thing of every handler of a call.
void grpc_call_ref(grpc_call* call) {
  static auto* const next = Next<decltype(grpc_call_ref)>("grpc_call_ref");
  __tsan_acquire(&server_started);
  __tsan_acquire(call);
  next(call);
}

/// What was done before an operation of a call was begun is known to the callback that tells of its
/// end ...
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
