#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>

namespace benchd::rpc {

/// The calls that are being served: what a clean stop has to end and an idle exit has to wait for.
///
/// Lives on the loop's thread; must outlive every call.
class LiveCalls {
 public:
  /// One call; ends with the token.
  class Token {
   public:
    Token() = default;
    Token(LiveCalls* calls, std::uint64_t key) : calls_(calls), key_(key) {}
    Token(Token&& other) noexcept;
    Token& operator=(Token&& other) noexcept;
    Token(const Token&) = delete;
    Token& operator=(const Token&) = delete;
    ~Token();

   private:
    LiveCalls* calls_ = nullptr;
    std::uint64_t key_ = 0;
  };

  /// `on_close` is told once that the daemon stops; may be empty for a call that ends by itself.
  [[nodiscard]] Token Begin(std::function<void()> on_close);

  /// Tells every call that the daemon stops. No call should begin after it.
  void Close();
  bool closed() const { return closed_; }

  std::size_t count() const { return calls_.size(); }
  /// How many calls ever began: differs between two looks if anything happened in between.
  std::uint64_t total() const { return next_key_; }

 private:
  std::map<std::uint64_t, std::function<void()>> calls_;
  std::uint64_t next_key_ = 0;
  bool closed_ = false;
};

}  // namespace benchd::rpc
