#include "daemon/rpc/history_service.h"

#include <string>
#include <utility>
#include <vector>

#include "proto/convert/summary.h"

namespace benchd::rpc {

grpc::ServerUnaryReactor* HistoryService::ListSummaries(grpc::CallbackServerContext* context,
                                                        const v1::ListSummariesRequest* request,
                                                        v1::ListSummariesResponse* response) {
  return Answer(endpoint_, context, [this, request, response](Caller caller) {
    return RunList(std::move(caller), request, response);
  });
}

asio::awaitable<Result<void>> HistoryService::RunList(Caller caller,
                                                      const v1::ListSummariesRequest* request,
                                                      v1::ListSummariesResponse* response) {
  Result<SummaryQuery> query = convert::FromProto(*request);
  if (!query) co_return std::move(query).error();
  if (!request->all()) {
    query->uid = caller.uid;
  } else if (Result<void> may = CheckMayReadAll(access_, caller); !may) {
    co_return std::move(may).error();
  }
  const std::uint64_t page_size = query->limit++;  // one more tells whether there is another page
  const SummaryQuery asked = *query;
  Result<std::vector<GateSummary>> found = co_await store_.Do(&Records::ListSummaries, asked);
  if (!found) co_return std::move(found).error().Within("reading the history");
  const bool more = found->size() > page_size;
  if (more) found->pop_back();
  for (const GateSummary& summary : *found) convert::ToProto(summary, response->add_summaries());
  if (more) response->set_next_page_token(std::to_string(found->back().number));
  co_return Result<void>();
}

}  // namespace benchd::rpc
