#include "client/present/csv.h"

#include "client/present/exports.h"

namespace benchd::client {

ExportFormat CsvExportFormat() {
  return {.name = "csv",
          .summary = "one row per run",
          .help = "write the runs to FILE, one row per run",
          .table_help = "with --parse, write the values to FILE as a table",
          .of_runs = true,
          .render = [](const v1::Session& session, std::span<const v1::Run> runs) {
            return RunsToCsv(runs, session);
          }};
}

}  // namespace benchd::client
