// What comes through a pipe, however it is written and taken: all of it, in its order, once.
#include "fathom/dynamic/updates/read_ahead.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <tuple>

#include "tests/suites/expect_error.hpp"
#include "tests/suites/zoo.hpp"

namespace fathom::dynamic {
namespace {

using testing::expect_error;
using namespace std::chrono_literals;

class Pipe {
 public:
  Pipe() { EXPECT_EQ(::pipe(end_), 0); }
  ~Pipe() {
    close_for_writing();
    close_for_reading();
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  int reading() const { return end_[0]; }
  void write(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t put = ::write(end_[1], bytes.data(), bytes.size());
      ASSERT_GT(put, 0);
      bytes.remove_prefix(static_cast<std::size_t>(put));
    }
  }
  void close_for_writing() {
    if (end_[1] >= 0) ::close(end_[1]);
    end_[1] = -1;
  }
  void close_for_reading() {
    if (end_[0] >= 0) ::close(end_[0]);
    end_[0] = -1;
  }

 private:
  int end_[2] = {-1, -1};
};

std::string bytes_of(std::uint64_t seed, std::size_t n) {
  zoo::Dice dice(seed);
  std::string bytes(n, '\0');
  for (char& b : bytes) b = static_cast<char>(dice.roll(256));
  return bytes;
}

TEST(ReadAhead, takes_all_in_order_whatever_is_held) {
  // Less than a block, several of them, and more than is read ahead.
  for (const std::size_t n :
       {std::size_t{0}, std::size_t{1}, ReadAhead::kBlock - 1, ReadAhead::kBlock,
        3 * ReadAhead::kBlock + 17, (ReadAhead::kMostBlocks + 4) * ReadAhead::kBlock})
    for (const std::size_t most_held : {std::size_t{0}, std::size_t{100}, std::size_t{100'000}}) {
      SCOPED_TRACE(std::to_string(n) + " bytes, " + std::to_string(most_held) + " held");
      const std::string all = bytes_of(n, n);
      Pipe pipe;
      std::jthread writer([&] {
        zoo::Dice dice(n);
        for (std::size_t at = 0; at < n;) {
          const std::size_t size = std::min<std::size_t>(1 + dice.roll(300'000), n - at);
          pipe.write(std::string_view(all).substr(at, size));
          at += size;
          if (dice.roll(20) == 0) std::this_thread::sleep_for(1ms);
        }
        pipe.close_for_writing();
      });
      ReadAhead ahead(pipe.reading(), "a pipe");
      HeldBytes held;
      std::size_t taken = 0;
      while (ahead.take(held, {})) {
        const std::string_view view = held.view();
        ASSERT_TRUE(std::string_view(all).substr(taken).starts_with(view));
        const std::size_t done = view.size() - std::min(view.size(), most_held);
        held.first += done;
        taken += done;
      }
      EXPECT_EQ(taken + held.view().size(), n);
      EXPECT_EQ(held.view(), std::string_view(all).substr(taken));
      EXPECT_FALSE(ahead.take(held, {}));
    }
}

TEST(ReadAhead, gives_what_has_come_without_waiting_for_more) {
  Pipe pipe;
  ReadAhead ahead(pipe.reading(), "a pipe");
  HeldBytes held;
  for (const char* const word : {"one", "two", "three"}) {
    pipe.write(word);
    ASSERT_TRUE(ahead.take(held, {}));
    EXPECT_EQ(held.view(), word);
    held.first = held.last;
  }
  pipe.close_for_writing();
  EXPECT_FALSE(ahead.take(held, {}));
}

TEST(ReadAhead, needs_the_descriptor_it_was_given_no_more) {
  Pipe pipe;
  ReadAhead ahead(pipe.reading(), "a pipe");
  pipe.close_for_reading();
  pipe.write("all");
  HeldBytes held;
  ASSERT_TRUE(ahead.take(held, {}));
  EXPECT_EQ(held.view(), "all");
  expect_error(
      ErrorCode::Io, [] { const ReadAhead none(-1, "no file"); }, "no file");
}

TEST(ReadAhead, reads_no_further_ahead_than_it_has_room_for) {
  constexpr std::size_t kAhead = ReadAhead::kMostBlocks * ReadAhead::kBlock;
  Pipe pipe;
  ReadAhead ahead(pipe.reading(), "a pipe");
  std::atomic<std::size_t> written = 0;
  std::jthread writer([&] {
    const std::string some(1 << 16, 'x');
    for (std::size_t at = 0; at < 2 * kAhead; at += some.size()) {
      pipe.write(some);
      written = at + some.size();
    }
    pipe.close_for_writing();
  });
  while (written < kAhead) std::this_thread::sleep_for(1ms);  // it gets there by itself
  std::this_thread::sleep_for(50ms);
  EXPECT_LE(written, kAhead + ReadAhead::kBlock + (std::size_t{2} << 20));  // and what a pipe holds
  HeldBytes held;
  std::size_t taken = 0;
  while (ahead.take(held, {})) {
    taken += held.view().size();
    held.first = held.last;
  }
  EXPECT_EQ(taken, 2 * kAhead);
}

TEST(ReadAhead, ends_while_nothing_comes) {
  Pipe pipe;
  { const ReadAhead unused(pipe.reading(), "a pipe"); }
  ReadAhead ahead(pipe.reading(), "a pipe");
  std::stop_source stop;
  const Task task{stop.get_token()};
  std::jthread stopping([&] {
    std::this_thread::sleep_for(50ms);
    stop.request_stop();
  });
  HeldBytes held;
  expect_error(
      ErrorCode::Interrupted, [&] { ahead.take(held, task); }, "");
}

/// Who else reads the pipe may take what made it ready: nobody waits for the read then.
TEST(ReadAhead, ends_while_it_waits_inside_a_read) {
  Pipe pipe;
  std::atomic<bool> done = false;
  std::jthread thief([&] {
    const int other =
        ::open(("/proc/self/fd/" + std::to_string(pipe.reading())).c_str(), O_RDONLY | O_NONBLOCK);
    ASSERT_GE(other, 0);
    char byte;
    while (!done) std::ignore = ::read(other, &byte, 1);
    ::close(other);
  });
  for (int i = 0; i < 30; ++i) {
    ReadAhead ahead(pipe.reading(), "a pipe");
    pipe.write("x");
    std::stop_source stop;
    stop.request_stop();
    HeldBytes held;
    try {
      while (ahead.take(held, {stop.get_token()})) held.first = held.last;
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::Interrupted);
    }
  }
  done = true;
  thief.join();
  pipe.close_for_writing();  // ends the reads that are left
  std::this_thread::sleep_for(50ms);
}

TEST(ReadAhead, says_what_it_cannot_read_behind_what_it_has_read) {
  HeldBytes held;
  ReadAhead directory(::open("/", O_RDONLY), "a directory");
  for (int again = 0; again < 2; ++again)
    expect_error(
        ErrorCode::Io, [&] { directory.take(held, {}); }, "a directory");
}

}  // namespace
}  // namespace fathom::dynamic
