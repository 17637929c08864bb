#include "daemon/rpc/side_batch.h"

#include <asio/post.hpp>
#include <utility>

namespace benchd::rpc {

std::uint64_t SideBatch::Ask(std::function<void()> work, std::function<void()> done) {
  const std::uint64_t key = next_key_++;
  waiting_.emplace(key, Job{std::move(work), std::move(done)});
  Pump();
  return key;
}

bool SideBatch::Withdraw(std::uint64_t key) {
  const bool withdrawn = waiting_.erase(key) > 0;
  if (withdrawn) Pump();
  return withdrawn;
}

void SideBatch::Pump() {
  while (MayBeginAnother()) {
    auto next = waiting_.extract(waiting_.begin());
    Begin(std::move(next.mapped()));
  }
  const bool unused = running_ == 0 && (held_ || waiting_.empty());
  if (turn_ && unused) {
    turn_.reset();
    held_ = false;
  }
  if (!turn_ && !waiting_.empty()) AskForTurn();
}

bool SideBatch::MayBeginAnother() const {
  if (!held_ || waiting_.empty()) return false;
  if (running_ > 0 && running_ == threads_->count()) return false;
  return std::chrono::steady_clock::now() - held_since_ < kLongestTurn;
}

void SideBatch::AskForTurn() {
  turn_ = queue_.AskForTurn([this] {
    held_ = true;
    held_since_ = std::chrono::steady_clock::now();
    Pump();
  });
}

void SideBatch::Begin(Job job) {
  if (!threads_) threads_.emplace("benchd-batch", SideThreads::CpusOfThisThread());
  ++running_;
  threads_->Post([this, job = std::move(job)]() mutable {
    job.work();
    asio::post(loop_, [this, done = std::move(job.done)] {
      --running_;
      // It may ask for another job, or destroy who asked for this one.
      done();
      Pump();
    });
  });
}

}  // namespace benchd::rpc
