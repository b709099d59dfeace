/// Small containers that all broker threads use, bounded whatever the tree does.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

namespace pmg::adapters::broker {

/// A set that several threads add to and ask. Its size is bounded: a tree cannot exhaust the
/// broker.
template <class T>
class SharedSet {
 public:
  /// Ignored where it is full.
  void insert(T value) {
    const std::lock_guard lock(mutex_);
    if (values_.size() < kLimit) {
      values_.insert(std::move(value));
    }
  }
  [[nodiscard]] bool is_full() const {
    const std::lock_guard lock(mutex_);
    return values_.size() >= kLimit;
  }
  [[nodiscard]] bool contains(const T& value) const {
    const std::lock_guard lock(mutex_);
    return values_.count(value) != 0;
  }
  /// Removes those for which `is_over` holds.
  template <class Predicate>
  void remove_if(const Predicate& is_over) {
    const std::lock_guard lock(mutex_);
    std::erase_if(values_, is_over);
  }

 private:
  static constexpr std::size_t kLimit = 16384;
  mutable std::mutex mutex_;
  std::set<T> values_;
};

/// A map that several threads set and ask.
template <class Key, class T>
class SharedMap {
 public:
  void set(const Key& key, T value) {
    const std::lock_guard lock(mutex_);
    if (values_.size() >= kLimit) {
      values_.clear();  // only a convenience is lost; memory stays bounded
    }
    values_.insert_or_assign(key, std::move(value));
  }
  [[nodiscard]] std::optional<T> get(const Key& key) const {
    const std::lock_guard lock(mutex_);
    const auto found = values_.find(key);
    return found == values_.end() ? std::nullopt : std::optional<T>(found->second);
  }

 private:
  static constexpr std::size_t kLimit = 4096;
  mutable std::mutex mutex_;
  std::map<Key, T> values_;
};

}  // namespace pmg::adapters::broker
