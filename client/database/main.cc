// benchctl-database URL BENCHMARK LIMIT: what `benchctl history --database` reads with.
//
// A program of its own, because libpq and what it loads (TLS, Kerberos, LDAP) have to be those of
// the machine, while benchctl itself may be static. Writes a benchd.v1.ListSummariesResponse to
// stdout; or what is wrong and what to do about it to stderr, a line each, with benchctl's exit
// code.

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
      "benchctl-database: it is benchctl that calls it", "benchctl history --database URL")));
}
