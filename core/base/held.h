#pragma once

#include <cstdint>
#include <utility>

namespace benchd {

/// A handle to one entry in an owner's list, such as a subscription or a place in a queue.
/// Destroying or reassigning the handle removes the entry by calling `Owner::GiveUp(key)`, so Held
/// must be a friend of the owner. A handle can be moved but not copied. It must not outlive the
/// owner, and may only be used in the owner's thread.
template <typename Owner>
class Held {
 public:
  Held() = default;
  Held(Owner* owner, std::uint64_t key) : owner_(owner), key_(key) {}
  Held(Held&& other) noexcept : owner_(std::exchange(other.owner_, nullptr)), key_(other.key_) {}
  Held& operator=(Held&& other) noexcept {
    if (this != &other) {
      if (owner_ != nullptr) owner_->GiveUp(key_);
      owner_ = std::exchange(other.owner_, nullptr);
      key_ = other.key_;
    }
    return *this;
  }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held() {
    if (owner_ != nullptr) owner_->GiveUp(key_);
  }

 private:
  Owner* owner_ = nullptr;
  std::uint64_t key_ = 0;
};

}  // namespace benchd
