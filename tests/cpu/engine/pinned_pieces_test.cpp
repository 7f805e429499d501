// Host memory that is pinned behind its use: what is said to be pinned is, nothing stays pinned,
// and refusals, slow drivers and cancellation leave memory that works.
#include "fathom/exec/pinned_pieces.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

#include "fathom/core/error.hpp"
#include "fathom/core/random.hpp"
#include "fathom/exec/host_pins.hpp"

namespace fathom {
namespace {

constexpr std::size_t kPiece = 64;

/// A driver that keeps books: refuses the call `refused`, and lets no more than `allowed` begin.
class FakePinner final : public HostPinner {
 public:
  std::string pin(const std::byte* first, std::size_t bytes) override {
    std::unique_lock lock(mutex_);
    allow_.wait(lock, [&] { return calls_ < allowed_; });
    if (calls_++ == refused_) return "no more memory may be locked";
    for (const auto& [begin, size] : pinned_)
      if (first < begin + size && begin < first + bytes) ++overlaps_;
    pinned_.emplace(first, bytes);
    for (std::size_t i = 0; i < bytes; ++i) sum_ += static_cast<unsigned>(first[i]);
    return "";
  }
  void unpin(const std::byte* first) noexcept override {
    std::unique_lock lock(mutex_);
    ++unpinning_;
    allow_.wait(lock, [&] { return may_unpin_; });
    if (pinned_.erase(first) == 0) ++overlaps_;
  }

  void refuse(std::size_t call) { refused_ = call; }
  void allow(std::size_t calls) {
    {
      const std::lock_guard lock(mutex_);
      allowed_ = calls;
    }
    allow_.notify_all();
  }
  /// Calls of unpin() wait, or no longer.
  void hold_unpins(bool hold) {
    {
      const std::lock_guard lock(mutex_);
      may_unpin_ = !hold;
    }
    allow_.notify_all();
  }
  bool unpinning() const {
    const std::lock_guard lock(mutex_);
    return unpinning_ > 0;
  }
  std::size_t bytes() const {
    const std::lock_guard lock(mutex_);
    std::size_t sum = 0;
    for (const auto& [begin, size] : pinned_) sum += size;
    return sum;
  }
  std::size_t sum() const {
    const std::lock_guard lock(mutex_);
    return sum_;
  }
  std::size_t calls() const {
    const std::lock_guard lock(mutex_);
    return calls_;
  }
  /// Pieces pinned twice, or unpinned that were not pinned.
  std::size_t faults() const { return overlaps_; }

 private:
  mutable std::mutex mutex_;
  std::condition_variable allow_;
  std::map<const std::byte*, std::size_t> pinned_;
  std::size_t calls_ = 0, allowed_ = ~std::size_t{0}, refused_ = ~std::size_t{0};
  std::size_t overlaps_ = 0, sum_ = 0, unpinning_ = 0;
  bool may_unpin_ = true;
};

class PinnedPiecesTest : public ::testing::Test {
 protected:
  PinnedPiecesTest() : memory_(10 * kPiece + 7, std::byte{1}) {}
  ~PinnedPiecesTest() override {
    EXPECT_EQ(driver_->bytes(), 0u) << "left pinned";
    EXPECT_EQ(driver_->faults(), 0u);
  }
  std::unique_ptr<PinnedPieces> pin(std::size_t written = PinnedPieces::kAll) {
    return std::make_unique<PinnedPieces>(driver_, memory_, written, kPiece);
  }
  /// Until the driver has been called so often.
  void until_calls(std::size_t calls) const {
    while (driver_->calls() < calls) std::this_thread::yield();
  }

  std::shared_ptr<FakePinner> driver_ = std::make_shared<FakePinner>();
  std::vector<std::byte> memory_;
};

TEST_F(PinnedPiecesTest, PinsEveryByteOnceAndNoneAfterwards) {
  const auto pieces = pin();
  EXPECT_TRUE(pieces->wait());
  EXPECT_TRUE(pieces->complete());
  EXPECT_EQ(pieces->pinned(), memory_.size());
  EXPECT_EQ(driver_->bytes(), memory_.size());
  EXPECT_EQ(driver_->calls(), 11u);
  EXPECT_EQ(pieces->refusal(), "");
}

TEST_F(PinnedPiecesTest, PinsOnePieceAtOnce) {
  const PinnedPieces one(driver_, std::span(memory_).first(kPiece), PinnedPieces::kAll, kPiece);
  EXPECT_TRUE(one.complete());
  EXPECT_TRUE(one.ended());
}

TEST_F(PinnedPiecesTest, StopsAtTheRefusedPieceWhicheverItIs) {
  for (std::size_t refused = 0; refused <= 11; ++refused) {
    SCOPED_TRACE(refused);
    const auto driver = std::make_shared<FakePinner>();
    driver->refuse(refused);
    {
      PinnedPieces pieces(driver, memory_, PinnedPieces::kAll, kPiece);
      EXPECT_EQ(pieces.wait(), refused == 11);
      EXPECT_EQ(pieces.pinned(), std::min(refused * kPiece, memory_.size()));
      EXPECT_EQ(driver->bytes(), pieces.pinned());
      EXPECT_EQ(pieces.refusal(), refused < 11 ? "no more memory may be locked" : "");
    }
    EXPECT_EQ(driver->bytes(), 0u);
    EXPECT_EQ(driver->faults(), 0u);
  }
}

TEST_F(PinnedPiecesTest, CountsAPieceOnlyOnceTheDriverHasIt) {
  driver_->allow(0);
  const auto pieces = pin();
  EXPECT_EQ(pieces->pinned(), 0u);
  for (std::size_t k = 1; k <= 3; ++k) {
    driver_->allow(k);
    until_calls(k);
    while (pieces->pinned() < k * kPiece) std::this_thread::yield();
    EXPECT_EQ(pieces->pinned(), k * kPiece);
    EXPECT_FALSE(pieces->complete());
    EXPECT_FALSE(pieces->ended());
  }
  driver_->allow(PinnedPieces::kAll);
  EXPECT_TRUE(pieces->wait());
}

TEST_F(PinnedPiecesTest, GoesNoFartherThanWhatIsWritten) {
  const auto pieces = pin(0);
  std::size_t sum = 0;
  for (std::size_t first = 0; first < memory_.size(); first += kPiece) {
    // The thread is there, and has time to go too far.
    while (pieces->pinned() < first) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_EQ(driver_->calls(), first / kPiece);
    const std::size_t last = std::min(first + kPiece, memory_.size());
    // A driver that reads what is being written is what the thread sanitizer would see.
    for (std::size_t i = first; i < last; ++i) {
      memory_[i] = static_cast<std::byte>(i % 200);
      sum += i % 200;
    }
    pieces->written_to(last);
  }
  EXPECT_TRUE(pieces->wait());
  EXPECT_EQ(driver_->sum(), sum);
}

TEST_F(PinnedPiecesTest, EndsWhileMemoryIsWrittenOrTheDriverIsAtWork) {
  { const auto never_written = pin(3 * kPiece); }
  EXPECT_EQ(driver_->bytes(), 0u);
  EXPECT_LE(driver_->calls(), 3u) << "pinned what nobody has written, to end sooner";
  driver_->allow(driver_->calls());
  std::thread release;
  {
    const auto slow = pin();
    release = std::thread([&] { driver_->allow(PinnedPieces::kAll); });
  }
  release.join();
}

TEST_F(PinnedPiecesTest, WaitingIsCancelled) {
  driver_->allow(2);
  const auto pieces = pin();
  std::stop_source stop;
  stop.request_stop();
  try {
    pieces->wait({stop.get_token(), nullptr});
    ADD_FAILURE() << "waited";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::Interrupted);
  }
  driver_->allow(PinnedPieces::kAll);
}

TEST_F(PinnedPiecesTest, APinnerThatThrowsRefuses) {
  class Throwing final : public HostPinner {
    std::string pin(const std::byte*, std::size_t) override { throw std::bad_alloc(); }
    void unpin(const std::byte*) noexcept override { std::abort(); }
  };
  PinnedPieces pieces(std::make_shared<Throwing>(), memory_, PinnedPieces::kAll, kPiece);
  EXPECT_FALSE(pieces.wait());
  EXPECT_NE(pieces.refusal(), "");
}

/// Every byte of a range is in one stretch; none crosses a border or says more than is true.
TEST_F(PinnedPiecesTest, StretchesFollowTheBordersOfPieces) {
  using State = HostPins::State;
  HostPins pins;
  driver_->allow(4);
  const std::span<const std::byte> memory(memory_);
  const auto pieces = pins.pin(driver_, memory.subspan(kPiece), PinnedPieces::kAll, kPiece);
  ASSERT_NE(pieces, nullptr);
  while (pieces->pinned() < 4 * kPiece) std::this_thread::yield();
  EXPECT_EQ(pins.of_whole(memory.data() + kPiece), State::Waiting);
  EXPECT_EQ(pins.of_whole(memory.data()), State::Unknown);
  const RandomStream random(1, 0);
  for (std::uint64_t round = 0; round < 300; ++round) {
    std::size_t at = bounded(random.at(2 * round), memory.size());
    std::size_t left = 1 + bounded(random.at(2 * round + 1), memory.size() - at);
    while (left > 0) {
      const auto [state, bytes] = pins.stretch(memory.data() + at, left);
      ASSERT_GT(bytes, 0u);
      ASSERT_LE(bytes, left);
      const State expected = at < kPiece       ? State::Unknown
                             : at < 5 * kPiece ? State::Pinned
                                               : State::Waiting;
      ASSERT_EQ(state, expected) << at;
      if (state == State::Unknown)
        ASSERT_LE(at + bytes, kPiece);
      else
        ASSERT_EQ(at / kPiece, (at + bytes - 1) / kPiece);
      at += bytes;
      left -= bytes;
    }
  }
  driver_->allow(PinnedPieces::kAll);
  EXPECT_TRUE(pieces->wait());
  EXPECT_EQ(pins.of_whole(memory.data() + memory.size() - 1), State::Pinned);
  pins.unpin(memory.data() + kPiece);
  EXPECT_EQ(pins.of_whole(memory.data() + kPiece), State::Unknown);
}

TEST_F(PinnedPiecesTest, NoMemoryIsPinnedTwice) {
  HostPins pins;
  const std::span<const std::byte> memory(memory_);
  const auto pin = [&](std::size_t first, std::size_t bytes) {
    return pins.pin(driver_, memory.subspan(first, bytes), PinnedPieces::kAll, kPiece) != nullptr;
  };
  EXPECT_TRUE(pin(kPiece, 2 * kPiece));
  EXPECT_FALSE(pin(kPiece, 2 * kPiece - 1));
  EXPECT_FALSE(pin(0, kPiece + 1));
  EXPECT_FALSE(pin(2 * kPiece, 4 * kPiece));
  EXPECT_FALSE(pin(0, 5 * kPiece));
  EXPECT_FALSE(pin(0, 0));
  EXPECT_TRUE(pin(0, kPiece));
  EXPECT_TRUE(pin(3 * kPiece, kPiece));
  pins.unpin(memory.data() + kPiece);
  EXPECT_TRUE(pin(kPiece, 2 * kPiece));
  pins.unpin(memory.data() + 9 * kPiece);  // of nobody's
  for (const std::size_t first : {std::size_t{0}, kPiece, 3 * kPiece})
    pins.unpin(memory.data() + first);
}

/// Two graphs over the same lists: what one of them reads stays pinned when the other goes.
TEST_F(PinnedPiecesTest, AMemoryStaysPinnedUntilItsLastHolderHasGivenItBack) {
  HostPins pins;
  const std::span<const std::byte> memory = std::span(memory_).first(2 * kPiece);
  driver_->allow(8);
  const auto mine = pins.pin(driver_, memory, PinnedPieces::kAll, kPiece);
  ASSERT_TRUE(mine && mine->wait());
  EXPECT_EQ(pins.pin(driver_, memory, PinnedPieces::kAll, kPiece), mine);
  pins.unpin(memory.data());
  EXPECT_EQ(pins.of_whole(memory.data()), HostPins::State::Pinned);
  pins.unpin(memory.data());
  EXPECT_EQ(pins.of_whole(memory.data()), HostPins::State::Unknown);
}

/// The driver refuses what is still pinned: who comes while another one goes waits for it.
TEST_F(PinnedPiecesTest, MemoryIsPinnedAnewOnlyWhenItIsNoLongerPinned) {
  HostPins pins;
  const std::span<const std::byte> memory(memory_);
  auto first = pins.pin(driver_, memory.first(2 * kPiece), PinnedPieces::kAll, kPiece);
  ASSERT_TRUE(first && first->wait());
  first.reset();
  driver_->hold_unpins(true);
  std::thread goes([&] { pins.unpin(memory.data()); });
  while (!driver_->unpinning()) std::this_thread::yield();
  EXPECT_EQ(pins.of_whole(memory.data()), HostPins::State::Waiting);
  std::shared_ptr<PinnedPieces> mine, beside;
  std::thread comes(
      [&] { mine = pins.pin(driver_, memory.first(4 * kPiece), PinnedPieces::kAll, kPiece); });
  std::thread elsewhere(
      [&] { beside = pins.pin(driver_, memory.subspan(5 * kPiece), PinnedPieces::kAll, kPiece); });
  elsewhere.join();  // which waits for nobody
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  driver_->hold_unpins(false);
  goes.join();
  comes.join();
  ASSERT_TRUE(mine && beside);
  EXPECT_TRUE(mine->wait()) << mine->refusal();
  pins.unpin(memory.data());
  pins.unpin(memory.data() + 5 * kPiece);
}

/// Users of several memories that come and go: for the thread sanitizer.
TEST_F(PinnedPiecesTest, MemoriesComeAndGoWhileOthersAsk) {
  HostPins pins;
  const std::span<const std::byte> memory(memory_);
  std::atomic<bool> over{false};
  std::thread asks([&] {
    std::size_t seen = 0;
    while (!over)
      for (std::size_t at = 0; at < memory.size(); at += 13)
        seen += pins.stretch(memory.data() + at, 100).bytes;
    EXPECT_GT(seen, 0u);
  });
  std::vector<std::thread> users;
  for (std::size_t u = 0; u < 3; ++u)
    users.emplace_back([&, u] {
      for (int round = 0; round < 50; ++round) {
        const auto mine = memory.subspan(u * 3 * kPiece, 3 * kPiece);
        const auto pieces = pins.pin(driver_, mine, PinnedPieces::kAll, kPiece);
        ASSERT_NE(pieces, nullptr);
        if (round % 2 == 0) {
          EXPECT_TRUE(pieces->wait());
        }
        pins.unpin(mine.data());
      }
    });
  for (std::thread& user : users) user.join();
  over = true;
  asks.join();
}

}  // namespace
}  // namespace fathom
