#include <grpc/support/log.h>

#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "client/app/dispatch.h"
#include "client/app/standard_output.h"

#ifdef BENCHD_COVERAGE
extern "C" void __gcov_dump();  // _Exit() would lose the counters
#endif

int main(int argc, char** argv) {
  benchd::client::FillStandardDescriptors();
  std::setlocale(LC_CTYPE, "");  // to detect non-ASCII terminals; numbers keep the format of C
  // gRPC's own log messages are not for users; failures are returned as a status.
  gpr_set_log_function([](gpr_log_func_args*) {});
  const std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
  auto code = benchd::client::ExitCode::kRefused;
  if (benchd::client::AsksForBisect(words)) code = benchd::client::ForBisect(code);
  try {
    code = benchd::client::RunBenchctl(words);
  } catch (const std::exception& error) {
    std::cerr << "error: benchctl: " << error.what() << "\n";
  }
  // Destructors are skipped, because the kernel closes everything faster.
  std::cout.flush();
  std::fflush(nullptr);
#ifdef BENCHD_COVERAGE
  __gcov_dump();
#endif
  std::_Exit(static_cast<int>(code));
}
