#include "fathom/exec/ranks/mpi_ranks.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "fathom/core/error.hpp"
#if FATHOM_WITH_MPI
#include <mpi.h>
#endif

namespace fathom {

bool launched_as_rank() {
  // Of Open MPI, of MPICH and others by PMI, of srun by PMIx.
  for (const char* const name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"})
    if (const char* const size = std::getenv(name)) return std::atoi(size) > 1;
  const char* const tasks = std::getenv("SLURM_STEP_NUM_TASKS");
  return std::getenv("PMIX_RANK") && tasks && std::atoi(tasks) > 1;
}

#if FATHOM_WITH_MPI

namespace {

// Counts are ints: larger arrays go in pieces.
constexpr std::size_t kPiece = std::size_t{1} << 30;

void check(int status, const char* action) {
  if (status == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(status, text, &length);
  throw Error(ErrorCode::Io, std::string("MPI: cannot ") + action + ": " +
                                 std::string(text, static_cast<std::size_t>(length)));
}

MPI_Datatype type_of(ScalarKind kind) {
  switch (kind) {
    case ScalarKind::Int32:
      return MPI_INT32_T;
    case ScalarKind::Uint32:
      return MPI_UINT32_T;
    case ScalarKind::Uint64:
      return MPI_UINT64_T;
    case ScalarKind::Float:
      return MPI_FLOAT;
    case ScalarKind::Double:
      return MPI_DOUBLE;
    case ScalarKind::Other:
      break;
  }
  throw Error(ErrorCode::Internal, "no rule for these elements");
}

MPI_Op operation_of(MergeRule rule) {
  return rule == MergeRule::Sum ? MPI_SUM : rule == MergeRule::Or ? MPI_BOR : MPI_MIN;
}

class MpiRanks final : public ReplicaGroup {
 public:
  MpiRanks(int rank, int ranks, RanksHere here) : ReplicaGroup(rank, ranks), here_(here) {}
  RanksHere here() const { return here_; }
  ~MpiRanks() override { MPI_Finalize(); }

 private:
  /// Calls work(offset, count) for pieces of so many elements.
  template <class Work>
  static void in_pieces(std::size_t count, std::size_t each, const Work& work) {
    const std::size_t most = kPiece / each;
    for (std::size_t at = 0; at < count; at += most)
      work(at, static_cast<int>(std::min(most, count - at)));
  }

  void do_all_gather(const void* mine, std::size_t bytes, void* all) override {
    if (bytes * static_cast<std::size_t>(ranks()) <= kPiece) {
      const int count = static_cast<int>(bytes);
      check(MPI_Allgather(mine, count, MPI_BYTE, all, count, MPI_BYTE, MPI_COMM_WORLD), "gather");
      return;
    }
    std::byte* const to = static_cast<std::byte*>(all);
    std::copy_n(static_cast<const std::byte*>(mine), bytes,
                to + static_cast<std::size_t>(rank()) * bytes);
    for (int r = 0; r < ranks(); ++r)
      do_broadcast(to + static_cast<std::size_t>(r) * bytes, bytes, r);
  }

  void do_all_gather(std::span<const std::byte> mine, std::span<const std::size_t> begin,
                     void* all) override {
    const auto size = [&](int r) {
      const auto i = static_cast<std::size_t>(r);
      return begin[i + 1] - begin[i];
    };
    std::byte* const to = static_cast<std::byte*>(all);
    const bool in_place = mine.data() == to + begin[static_cast<std::size_t>(rank())];
    if (begin.back() <= kPiece) {
      std::vector<int> counts, places;
      for (int r = 0; r < ranks(); ++r) {
        counts.push_back(static_cast<int>(size(r)));
        places.push_back(static_cast<int>(begin[static_cast<std::size_t>(r)]));
      }
      const void* const from = in_place ? MPI_IN_PLACE : mine.data();
      check(MPI_Allgatherv(from, static_cast<int>(mine.size()), MPI_BYTE, all, counts.data(),
                           places.data(), MPI_BYTE, MPI_COMM_WORLD),
            "gather");
      return;
    }
    if (!in_place)
      std::copy_n(mine.data(), mine.size(), to + begin[static_cast<std::size_t>(rank())]);
    for (int r = 0; r < ranks(); ++r)
      do_broadcast(to + begin[static_cast<std::size_t>(r)], size(r), r);
  }

  void do_share(void* values, std::size_t size, std::span<const Place> own) override {
    std::vector<int> counts, places;
    std::size_t end = 0, all = 0;
    for (const auto& [first, last] : own) {
      counts.push_back(static_cast<int>(last - first));
      places.push_back(static_cast<int>(first));
      end = std::max(end, last);
      all += (last - first) * size;
    }
    constexpr std::size_t kMostPlaces = std::numeric_limits<int>::max();
    if (all > kPiece || end > kMostPlaces) {
      for (int r = 0; r < ranks(); ++r) {
        const auto [first, last] = own[static_cast<std::size_t>(r)];
        do_broadcast(static_cast<std::byte*>(values) + first * size, (last - first) * size, r);
      }
      return;
    }
    MPI_Datatype element = MPI_BYTE;  // so that places are counts of these
    check(MPI_Type_contiguous(static_cast<int>(size), MPI_BYTE, &element), "describe elements");
    check(MPI_Type_commit(&element), "describe elements");
    const int status = MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, values, counts.data(),
                                      places.data(), element, MPI_COMM_WORLD);
    MPI_Type_free(&element);
    check(status, "share");
  }

  void do_all_reduce(void* values, std::size_t count, ScalarKind kind, MergeRule rule) override {
    const MPI_Datatype type = type_of(kind);
    const std::size_t size = bytes_of(kind);
    in_pieces(count, size, [&](std::size_t at, int n) {
      check(MPI_Allreduce(MPI_IN_PLACE, static_cast<std::byte*>(values) + at * size, n, type,
                          operation_of(rule), MPI_COMM_WORLD),
            "reduce");
    });
  }

  void do_broadcast(void* values, std::size_t bytes, int from) override {
    in_pieces(bytes, 1, [&](std::size_t at, int n) {
      check(MPI_Bcast(static_cast<std::byte*>(values) + at, n, MPI_BYTE, from, MPI_COMM_WORLD),
            "broadcast");
    });
  }

  void do_exchange(std::span<const std::byte> sent, int to, std::span<std::byte> received,
                   int from) override {
    const auto rank_or_none = [](int rank) { return rank == kNobody ? MPI_PROC_NULL : rank; };
    for (std::size_t at = 0; at < std::max(sent.size(), received.size()); at += kPiece) {
      const auto part = [&](std::size_t size) {
        return static_cast<int>(at < size ? std::min(kPiece, size - at) : 0);
      };
      const int gives = part(sent.size()), takes = part(received.size());
      check(MPI_Sendrecv(gives > 0 ? sent.data() + at : nullptr, gives, MPI_BYTE,
                         gives > 0 ? rank_or_none(to) : MPI_PROC_NULL, 0,
                         takes > 0 ? received.data() + at : nullptr, takes, MPI_BYTE,
                         takes > 0 ? rank_or_none(from) : MPI_PROC_NULL, 0, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE),
            "exchange");
    }
  }

  RanksHere here_;
};

bool running() {
  int begun = 0, ended = 0;
  MPI_Initialized(&begun);
  MPI_Finalized(&ended);
  return begun != 0 && ended == 0;
}

}  // namespace

bool has_mpi() {
  return true;
}

std::shared_ptr<ReplicaGroup> start_mpi_ranks() {
  int given = 0;
  check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &given), "start");
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int rank = 0, ranks = 1;
  check(MPI_Comm_rank(MPI_COMM_WORLD, &rank), "say which rank this is");
  check(MPI_Comm_size(MPI_COMM_WORLD, &ranks), "count the ranks");
  MPI_Comm machine = MPI_COMM_NULL;
  RanksHere here;
  check(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine),
        "say which ranks share a machine");
  check(MPI_Comm_rank(machine, &here.rank), "say which rank of a machine this is");
  check(MPI_Comm_size(machine, &here.ranks), "count the ranks of a machine");
  MPI_Comm_free(&machine);
  return std::make_shared<MpiRanks>(rank, ranks, here);
}

RanksHere ranks_on_this_machine(const ReplicaGroup& group) {
  const auto* const mpi = dynamic_cast<const MpiRanks*>(&group);
  return mpi ? mpi->here() : RanksHere{};
}

bool all_mpi_ranks_failed(int status) {
  if (!running()) return true;
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  // Messages, not an exchange: who has not failed does not answer. The first rank collects what
  // others failed with, and tells them when it was the same on all.
  constexpr int kFailed = 1, kAllFailed = 2;  // tags that exchanges do not use
  const auto came = [](int from, int tag, std::chrono::milliseconds patience) {
    const auto until = std::chrono::steady_clock::now() + patience;
    for (;;) {
      int there = 0;
      MPI_Iprobe(from, tag, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
      if (there != 0 || std::chrono::steady_clock::now() > until) return there != 0;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  };
  const auto receive = [](int from, int tag) {
    int value = 0;
    MPI_Recv(&value, 1, MPI_INT, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return value;
  };
  if (rank > 0) {
    MPI_Request sent = MPI_REQUEST_NULL;
    MPI_Isend(&status, 1, MPI_INT, 0, kFailed, MPI_COMM_WORLD, &sent);
    const bool all = came(0, kAllFailed, std::chrono::milliseconds(2000));
    if (!all) return false;  // and the request is left to who ends all of them
    receive(0, kAllFailed);
    MPI_Wait(&sent, MPI_STATUS_IGNORE);
    return true;
  }
  for (int r = 1; r < ranks; ++r)
    if (!came(r, kFailed, std::chrono::milliseconds(1000)) || receive(r, kFailed) != status)
      return false;
  for (int r = 1; r < ranks; ++r) MPI_Send(&status, 1, MPI_INT, r, kAllFailed, MPI_COMM_WORLD);
  return true;
}

void abort_mpi_ranks(int status) {
  if (running()) MPI_Abort(MPI_COMM_WORLD, status);
}

#else

bool has_mpi() {
  return false;
}

std::shared_ptr<ReplicaGroup> start_mpi_ranks() {
  throw Error(ErrorCode::Device,
              "this program was built without MPI: it cannot work together with other ranks "
              "(configure with the preset mpi, or -DFATHOM_MPI=ON)");
}

RanksHere ranks_on_this_machine(const ReplicaGroup&) {
  return {};
}

bool all_mpi_ranks_failed(int) {
  return true;
}

void abort_mpi_ranks(int) {}

#endif

}  // namespace fathom
