// benchctl-database URL BENCHMARK LIMIT: the helper program of `benchctl history --database`.
//
// It is a separate program because libpq and the libraries that it loads (TLS, Kerberos, LDAP) must
// be the machine's own, while benchctl may be linked statically. Writes a
// benchd.v1.ListSummariesResponse to stdout. On failure it writes the error and the hint to stderr,
// on one line each, and exits with benchctl's exit code.

#include <charconv>
#include <cstring>
#include <iostream>
#include <string>

#include "benchd/v1/history.pb.h"
#include "client/app/exit_code.h"
#include "client/database/postgres_history.h"
#include "proto/convert/convert.h"

namespace {

using benchd::client::ExitCode;

ExitCode Fail(const benchd::Error& error) {
  std::cerr << error.message << "\n" << error.hint << "\n";
  return benchd::client::ExitFor(error);
}

ExitCode Run(const char* url, const char* benchmark, const char* limit) {
  benchd::SummaryQuery query;
  query.benchmark = benchmark;
  std::from_chars(limit, limit + std::strlen(limit), query.limit);
  const auto summaries = benchd::client::ReadFromDatabase(url, query);
  if (!summaries) return Fail(summaries.error());
  benchd::v1::ListSummariesResponse response;
  for (const benchd::GateSummary& summary : *summaries) {
    benchd::convert::ToProto(summary, response.add_summaries());
  }
  response.SerializeToOstream(&std::cout);
  std::cout.flush();
  return std::cout ? ExitCode::kPass : ExitCode::kOutput;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 4) return static_cast<int>(Run(argv[1], argv[2], argv[3]));
  return static_cast<int>(Fail(benchd::client::UsageError(
      "benchctl-database: not meant to be run directly", "run benchctl history --database URL")));
}
