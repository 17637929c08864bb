#include "client/site/feed.h"

#include <fmt/format.h>

#include <optional>

#include "client/present/history.h"
#include "client/present/json_value.h"
#include "client/present/words.h"
#include "client/site/site_paths.h"
#include "core/base/time.h"
#include "proto/convert/convert.h"

namespace benchd::client {
namespace {

constexpr std::size_t kMostItems = 50;

std::string Rfc3339Of(Timestamp time) {
  google::protobuf::Timestamp proto;
  convert::ToProto(time, &proto);
  return Rfc3339(proto);
}

Json ItemOf(const SiteOptions& options, const News& news) {
  const GateSummary& entry = *news.entry;
  const std::string anchor = AnchorOf(*news.series);
  const char* const kind = news.step == nullptr ? "regression" : "step";
  Json item;
  item["id"] =
      fmt::format("{}/{}/{}/{}", news.benchmark->stem, SiteText(entry.session.value), anchor, kind);
  if (!options.address.empty()) {
    item["url"] = options.address + PagePath(news.benchmark->stem) + "#" + anchor;
  }
  if (const auto commit = CommitAddress(options, entry)) item["external_url"] = *commit;
  item["title"] = news.benchmark->name + ", " + MeasureOf(*news.series) + ": " + NewsSentence(news);
  item["content_text"] =
      fmt::format("{} at {} on {}. Session {}.", NewsSentence(news), SiteText(EntryName(entry)),
                  MachineOf(*news.series), SiteText(entry.session.value));
  item["date_published"] = Rfc3339Of(entry.ended_at);
  item["tags"] = {kind};
  return item;
}

}  // namespace

std::string RenderFeed(const Site& site) {
  const std::string& address = site.options.address;
  Json feed;
  feed["version"] = "https://jsonfeed.org/version/1.1";
  feed["title"] = "Benchmarks: regressions and steps";
  if (!address.empty()) {
    feed["home_page_url"] = address;
    feed["feed_url"] = address + std::string(kFeedPath);
  }
  feed["items"] = Json::array();
  for (const News& news : NewestOf(site, kMostItems)) {
    feed["items"].push_back(ItemOf(site.options, news));
  }
  return JsonText(feed, 2) + "\n";
}

}  // namespace benchd::client
