#include "fathom/exec/ranks/thread_ranks.hpp"

#include <condition_variable>
#include <cstring>
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "fathom/core/error.hpp"

namespace fathom {
namespace {

/// What another rank's failure throws in those that wait for it.
struct Abandoned {};

/// Where threads meet: what each shows the others, until all have seen it.
class Meeting {
 public:
  explicit Meeting(int ranks) : ranks_(ranks), shown_(static_cast<std::size_t>(ranks)) {}

  struct Shown {
    const void* from = nullptr;
    std::size_t bytes = 0;
    int to = ReplicaGroup::kNobody;
    const char* call = "";  // what all ranks are to call alike, bytes included if they are the same
    bool same_bytes = true;
  };
  void show(int rank, const Shown& what) { shown_[static_cast<std::size_t>(rank)] = what; }
  const Shown& of(int rank) const { return shown_[static_cast<std::size_t>(rank)]; }

  /// Returns when all ranks have come. @throws Abandoned
  void wait() {
    std::unique_lock lock(mutex_);
    if (failed_) throw Abandoned{};
    if (++here_ == ranks_) {
      here_ = 0;
      ++round_;
      all_here_.notify_all();
      return;
    }
    const std::uint64_t round = round_;
    all_here_.wait(lock, [&] { return failed_ || round_ != round; });
    if (round_ == round) throw Abandoned{};
  }
  void fail() {
    const std::scoped_lock lock(mutex_);
    failed_ = true;
    all_here_.notify_all();
  }

 private:
  int ranks_;
  std::vector<Shown> shown_;
  std::mutex mutex_;
  std::condition_variable all_here_;
  int here_ = 0;
  std::uint64_t round_ = 0;
  bool failed_ = false;
};

template <class T>
void combine_as(T* into, const T* from, std::size_t count, MergeRule rule) {
  for (std::size_t i = 0; i < count; ++i) {
    if (rule == MergeRule::Min) into[i] = MergeMin{}(into[i], from[i]);
    if (rule == MergeRule::Sum) into[i] = MergeSum{}(into[i], from[i]);
    if constexpr (std::is_integral_v<T>)
      if (rule == MergeRule::Or) into[i] = MergeOr{}(into[i], from[i]);
  }
}

void combine(void* into, const void* from, std::size_t count, ScalarKind kind, MergeRule rule) {
  const auto as = [&]<class T>(T*) {
    combine_as(static_cast<T*>(into), static_cast<const T*>(from), count, rule);
  };
  switch (kind) {
    case ScalarKind::Int32:
      return as(static_cast<std::int32_t*>(nullptr));
    case ScalarKind::Uint32:
      return as(static_cast<std::uint32_t*>(nullptr));
    case ScalarKind::Uint64:
      return as(static_cast<std::uint64_t*>(nullptr));
    case ScalarKind::Float:
      return as(static_cast<float*>(nullptr));
    case ScalarKind::Double:
      return as(static_cast<double*>(nullptr));
    case ScalarKind::Other:
      break;
  }
}

class ThreadRank final : public ReplicaGroup {
 public:
  ThreadRank(int rank, int ranks, Meeting& meeting)
      : ReplicaGroup(rank, ranks), meeting_(meeting) {}

 private:
  /// Shows the others what this rank has, and calls read() while they show theirs.
  template <class Read>
  void meet(const Meeting::Shown& mine, const Read& read) {
    meeting_.show(rank(), mine);
    meeting_.wait();
    // All of them see who does not agree, and none reads what another takes away.
    const Meeting::Shown& first = meeting_.of(0);
    for (int r = 1; r < ranks(); ++r) {
      const Meeting::Shown& its = meeting_.of(r);
      if (std::strcmp(first.call, its.call) != 0 || (its.same_bytes && first.bytes != its.bytes))
        throw Error(ErrorCode::Internal, "rank " + std::to_string(r) + " calls " + its.call +
                                             " of " + std::to_string(its.bytes) +
                                             " bytes, where rank 0 calls " + first.call + " of " +
                                             std::to_string(first.bytes));
    }
    read();
    meeting_.wait();
  }

  void do_all_gather(const void* mine, std::size_t bytes, void* all) override {
    meet({mine, bytes, kNobody, "all_gather"}, [&] {
      for (int r = 0; r < ranks(); ++r)
        std::memcpy(static_cast<std::byte*>(all) + static_cast<std::size_t>(r) * bytes,
                    meeting_.of(r).from, bytes);
    });
  }
  void do_all_gather(std::span<const std::byte> mine, std::span<const std::size_t> begin,
                     void* all) override {
    meet({mine.data(), mine.size(), kNobody, "all_gather of pieces", false}, [&] {
      for (int r = 0; r < ranks(); ++r)
        if (void* const to = static_cast<std::byte*>(all) + begin[static_cast<std::size_t>(r)];
            meeting_.of(r).bytes > 0 && meeting_.of(r).from != to)
          std::memcpy(to, meeting_.of(r).from, meeting_.of(r).bytes);
    });
  }
  void do_share(void* values, std::size_t size, std::span<const Place> own) override {
    meet({values, size, kNobody, "share"}, [&] {
      for (int r = 0; r < ranks(); ++r) {
        const auto [first, last] = own[static_cast<std::size_t>(r)];
        if (r != rank() && first < last)
          std::memcpy(static_cast<std::byte*>(values) + first * size,
                      static_cast<const std::byte*>(meeting_.of(r).from) + first * size,
                      (last - first) * size);
      }
    });
  }
  void do_all_reduce(void* values, std::size_t count, ScalarKind kind, MergeRule rule) override {
    const std::size_t bytes = count * bytes_of(kind);
    std::vector<std::byte> all(bytes);
    meet({values, bytes, kNobody, "all_reduce"}, [&] {
      std::memcpy(all.data(), meeting_.of(0).from, bytes);
      for (int r = 1; r < ranks(); ++r) combine(all.data(), meeting_.of(r).from, count, kind, rule);
    });
    std::memcpy(values, all.data(), bytes);
  }
  void do_broadcast(void* values, std::size_t bytes, int from) override {
    meet({values, bytes, kNobody, "broadcast"}, [&] {
      if (rank() != from) std::memcpy(values, meeting_.of(from).from, bytes);
    });
  }
  void do_exchange(std::span<const std::byte> sent, int to, std::span<std::byte> received,
                   int from) override {
    meet({sent.data(), sent.size(), to, "exchange", false}, [&] {
      if (from == kNobody || received.empty()) return;
      const Meeting::Shown& its = meeting_.of(from);
      if (its.to != rank() || its.bytes != received.size())
        throw Error(ErrorCode::Internal, "ranks that do not agree on what they exchange");
      std::memcpy(received.data(), its.from, its.bytes);
    });
  }

  Meeting& meeting_;
};

}  // namespace

void run_thread_ranks(int ranks, FunctionRef<void(const std::shared_ptr<ReplicaGroup>&)> body) {
  if (ranks < 1) throw Error(ErrorCode::Usage, "a group has at least one rank");
  Meeting meeting(ranks);
  std::mutex mutex;
  std::exception_ptr first;
  const auto run = [&](int rank) {
    try {
      body(std::make_shared<ThreadRank>(rank, ranks, meeting));
    } catch (const Abandoned&) {  // who failed says why
    } catch (...) {
      const std::scoped_lock lock(mutex);
      if (!first) first = std::current_exception();
      meeting.fail();
    }
  };
  std::vector<std::jthread> threads;
  for (int r = 1; r < ranks; ++r) threads.emplace_back(run, r);
  run(0);
  threads.clear();
  if (first) std::rethrow_exception(first);
}

}  // namespace fathom
