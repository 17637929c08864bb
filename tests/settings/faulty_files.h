#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/result.h"
#include "daemon/kernel/kernel_files.h"

namespace benchd {

/// A tree that fails like a kernel, unlike a plain folder: at the N-th write, at every write to a
/// file, or by accepting a value and changing it. Counts the writes.
class FaultyFiles : public KernelFiles {
 public:
  using KernelFiles::KernelFiles;

  /// The write with this number fails; 1 is the first.
  void RefuseWrite(int number, int errno_value) { refused_writes_[number] = errno_value; }
  /// The write with this number succeeds, and the file then has `text`.
  void TurnWrite(int number, std::string text) { turned_writes_[number] = std::move(text); }
  /// The write with this number succeeds and changes nothing.
  void IgnoreWrite(int number) { ignored_writes_.insert(number); }
  /// Every write to this file fails.
  void RefusePath(std::string path, int errno_value) {
    refused_paths_[std::move(path)] = errno_value;
  }
  /// Every write to this file succeeds, and the file then has `text`.
  void TurnPath(std::string path, std::string text) {
    turned_paths_[std::move(path)] = std::move(text);
  }
  void RefuseReading(std::string path, int errno_value) {
    unreadable_[std::move(path)] = errno_value;
  }
  void ForgetFaults() {
    refused_writes_.clear();
    turned_writes_.clear();
    ignored_writes_.clear();
    refused_paths_.clear();
    turned_paths_.clear();
    unreadable_.clear();
  }

  /// Called before and after each write with its number.
  void WatchWrites(std::function<void(int number, bool done)> watcher) {
    watcher_ = std::move(watcher);
  }

  int writes() const { return writes_; }

  Result<std::string> Read(std::string_view path) const override {
    const auto refused = unreadable_.find(path);
    if (refused != unreadable_.end()) return SystemError(FullPath(path), refused->second);
    return KernelFiles::Read(path);
  }

  Result<void> Write(std::string_view path, std::string_view text) const override {
    const int number = ++writes_;
    if (watcher_) watcher_(number, false);
    auto written = Answer(path, text, number);
    if (watcher_) watcher_(number, true);
    return written;
  }

 private:
  Result<void> Answer(std::string_view path, std::string_view text, int number) const {
    if (const int refusal = Refusal(path, number); refusal != 0) {
      return SystemError(FullPath(path), refusal);
    }
    if (ignored_writes_.count(number) != 0) return {};
    return KernelFiles::Write(path, Turned(path, text, number));
  }

  int Refusal(std::string_view path, int number) const {
    if (const auto found = refused_writes_.find(number); found != refused_writes_.end()) {
      return found->second;
    }
    const auto found = refused_paths_.find(path);
    return found == refused_paths_.end() ? 0 : found->second;
  }

  std::string_view Turned(std::string_view path, std::string_view text, int number) const {
    if (const auto found = turned_writes_.find(number); found != turned_writes_.end()) {
      return found->second;
    }
    const auto found = turned_paths_.find(path);
    return found == turned_paths_.end() ? text : std::string_view(found->second);
  }

  std::map<int, int> refused_writes_;
  std::map<int, std::string> turned_writes_;
  std::set<int> ignored_writes_;
  std::map<std::string, int, std::less<>> refused_paths_;
  std::map<std::string, std::string, std::less<>> turned_paths_;
  std::map<std::string, int, std::less<>> unreadable_;
  std::function<void(int, bool)> watcher_;
  mutable int writes_ = 0;
};

}  // namespace benchd
