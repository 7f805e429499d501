#include "fathom/exec/pinned_pieces.hpp"

#include <algorithm>
#include <chrono>
#include <system_error>

namespace fathom {
namespace {

struct Leave {
  int& waiters;
  ~Leave() { --waiters; }
};

}  // namespace

PinnedPieces::PinnedPieces(std::shared_ptr<HostPinner> pinner, std::span<const std::byte> memory,
                           std::size_t written, std::size_t piece_bytes)
    : pinner_(std::move(pinner)), memory_(memory), piece_bytes_(piece_bytes), written_(written) {
  if (memory_.size() <= piece_bytes_ && written_ >= memory_.size()) {
    run();
    return;
  }
  try {
    thread_ = std::thread([this] { run(); });
  } catch (const std::system_error& e) {  // it works without; nobody else knows of it yet
    refusal_ = e.what();
    ended_ = true;
  }
}

void PinnedPieces::end() noexcept {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
  const std::size_t pinned = pinned_.exchange(0, std::memory_order_acq_rel);
  for (std::size_t first = 0; first < pinned; first += piece_bytes_)
    pinner_->unpin(memory_.data() + first);
}

void PinnedPieces::written_to(std::size_t bytes) {
  {
    const std::lock_guard lock(mutex_);
    written_ = bytes;
  }
  changed_.notify_all();
}

void PinnedPieces::run() noexcept {
  std::string refusal;
  try {
    while (pin_next()) {
    }
  } catch (const std::exception& e) {
    refusal = e.what();
  }
  {
    const std::lock_guard lock(mutex_);
    if (!refusal.empty()) refusal_ = std::move(refusal);
    ended_ = true;
  }
  changed_.notify_all();
}

bool PinnedPieces::pin_next() {
  const std::size_t first = pinned_.load(std::memory_order_relaxed);
  const std::size_t bytes = std::min(piece_bytes_, memory_.size() - first);
  if (bytes == 0) return false;
  {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, pause_, [&] { return stop_ || waiters_ > 0; });
    changed_.wait(lock, [&] { return stop_ || written_ >= first + bytes; });
    if (stop_) return false;
  }
  const auto start = std::chrono::steady_clock::now();
  std::string refusal = pinner_->pin(memory_.data() + first, bytes);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  pause_ = took;
  const bool done = refusal.empty();
  if (done) pinned_.store(first + bytes, std::memory_order_release);
  const std::lock_guard lock(mutex_);
  seconds_ += took.count();
  refusal_ = std::move(refusal);
  return done;
}

bool PinnedPieces::wait(const Task& task) {
  constexpr auto kBetweenLooks = std::chrono::milliseconds(20);
  std::unique_lock lock(mutex_);
  ++waiters_;
  changed_.notify_all();
  const Leave leave{waiters_};  // before the lock goes
  while (!ended_) {
    task.check();
    changed_.wait_for(lock, kBetweenLooks);
  }
  return complete();
}

bool PinnedPieces::ended() const {
  const std::lock_guard lock(mutex_);
  return ended_;
}

std::string PinnedPieces::refusal() const {
  const std::lock_guard lock(mutex_);
  return refusal_;
}

double PinnedPieces::seconds() const {
  const std::lock_guard lock(mutex_);
  return seconds_;
}

}  // namespace fathom
