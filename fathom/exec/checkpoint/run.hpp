// What a driver needs to be stopped and gone on from: it names the parts of its state, asks where
// to go on from, and says when the state is that of an iteration.
//
//   CheckpointRun saved(ctx, options.checkpoint, {...});
//   saved.add("rank", rank);
//   iterations = saved.resume(most);
//   saved.run([&] {
//     while (...) {
//       ...                        // the state is that of the last iteration
//       saved.changes();           // from here on it is none's
//       ...
//       saved.reached(++iterations);
//     }
//     saved.end();
//   });
//
// Without options none of it costs anything.
#pragma once

#include <chrono>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "fathom/core/function_ref.hpp"
#include "fathom/exec/checkpoint/file.hpp"
#include "fathom/exec/checkpoint/options.hpp"
#include "fathom/exec/split_array.hpp"

namespace fathom {

class FATHOM_API CheckpointRun {
 public:
  /// What state is of.
  struct Subject {
    std::string algorithm;
    std::uint64_t vertices = 0, edges = 0;
    CheckpointSettings settings = {};
  };

  /// `options` null: no checkpoints.
  CheckpointRun(const Context& ctx, const CheckpointOptions* options, Subject subject);

  // Parts of the state, which outlive the run. Replicas are equal whenever the state is that of an
  // iteration, on all ranks once before_writing() has been called.
  template <class T, class Merge>
  void add(const char* name, VertexArray<T, Merge>& array) {
    static_assert(std::is_trivially_copyable_v<T>);
    add_part({name, sizeof(T), array.size(),
              [this, &array](std::uint64_t first, std::span<std::byte> to) {
                ctx_.copy(to.data(), array.on(ctx_.devices()[0]) + first, to.size());
              },
              [this, &array](std::uint64_t first, std::span<const std::byte> from) {
                for (const Device& d : ctx_.devices())
                  ctx_.copy(array.on(d) + first, from.data(), from.size());
              }});
  }
  template <class T, class Merge>
  void add(const char* name, const Split& split, SplitArray<T, Merge>& array) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (!split.on()) return add(name, array.whole());
    add_part({name, sizeof(T), array.size(),
              [&array](std::uint64_t first, std::span<std::byte> to) {
                array.change_on_host([&](std::span<T> values) {
                  std::memcpy(to.data(), values.data() + first, to.size());
                });
              },
              [&array](std::uint64_t first, std::span<const std::byte> from) {
                array.change_on_host([&](std::span<T> values) {
                  std::memcpy(values.data() + first, from.data(), from.size());
                });
              }});
  }
  template <class T>
  void add(const char* name, T& scalar) {
    static_assert(std::is_trivially_copyable_v<T>);
    add_part({name, sizeof(T), 1,
              [&scalar](std::uint64_t, std::span<std::byte> to) {
                if (!to.empty()) std::memcpy(to.data(), &scalar, to.size());
              },
              [&scalar](std::uint64_t, std::span<const std::byte> from) {
                if (!from.empty()) std::memcpy(&scalar, from.data(), from.size());
              }});
  }
  /// An element from the start, and one of each iteration that was reached, the same on all ranks.
  template <class T>
  void add(const char* name, std::vector<T>& list) {
    static_assert(std::is_trivially_copyable_v<T>);
    Part part{name, sizeof(T), 0,
              [&list](std::uint64_t first, std::span<std::byte> to) {
                if (!to.empty()) std::memcpy(to.data(), list.data() + first, to.size());
              },
              [&list](std::uint64_t first, std::span<const std::byte> from) {
                if (!from.empty()) std::memcpy(list.data() + first, from.data(), from.size());
              }};
    part.length = [&list] { return std::uint64_t{list.size()}; };
    part.resize = [&list](std::uint64_t elements) {
      list.resize(static_cast<std::size_t>(elements));
    };
    add_part(std::move(part));
  }
  /// What makes the parts the same on all ranks.
  void before_writing(std::function<void()> share) { share_ = std::move(share); }

  /// Whether anything is to be written or read: what only that needs can be left out otherwise.
  bool on() const { return options_ != nullptr; }

  /// Sets the state to that of the checkpoint to go on from. Returns its iteration; 0: there is
  /// none, and nothing was set. `most`: the last iteration that a run can go on from.
  /// @throws as CheckpointOptions says.
  std::uint32_t resume(std::uint32_t most);

  void changes() { consistent_ = false; }
  /// Amid an iteration, before the task is asked: ranks that are cancelled end together, and leave
  /// what was reached last. @throws Error(Interrupted), Error(Io)
  void check();
  /// The state is that after `iteration`. Writes it when it is due, or any rank is cancelled.
  /// @throws Error(Interrupted) then, on all ranks; Error(Io).
  void reached(std::uint32_t iteration);
  /// No more iterations, although there could be: writes the last one if it is not written yet.
  void end();
  /// Calls work(), which iterates. Cancelled amid an iteration, it leaves what was reached last.
  template <class Work>
  void run(const Work& work) {
    try {
      work();
    } catch (const Error& e) {
      if (e.code() != ErrorCode::Interrupted || !writes()) throw;
      interrupted();
      throw Error(ErrorCode::Interrupted, what_is_left());
    }
  }

 private:
  struct Part {
    std::string name;
    std::uint32_t element_bytes = 0;
    std::uint64_t elements = 0;
    std::function<void(std::uint64_t first, std::span<std::byte> to)> read;
    std::function<void(std::uint64_t first, std::span<const std::byte> from)> restore;
    // Of a list: its elements are those of the moment. Empty: there are always as many.
    std::function<std::uint64_t()> length = {};
    std::function<void(std::uint64_t elements)> resize = {};

    /// Elements of a rank.
    std::uint64_t first_of(int rank, int ranks) const;
    bool is_in(const CheckpointSlice& slice, std::uint64_t iteration,
               const ReplicaGroup& group) const;
  };
  using Clock = std::chrono::steady_clock;

  void add_part(Part part) {
    if (on()) parts_.push_back(std::move(part));
  }
  bool writes() const { return on() && !options_->write.empty(); }
  bool due(std::uint32_t iteration) const;
  void agree(bool due);
  void interrupted();
  /// For who was interrupted: what to go on from.
  std::string what_is_left() const;
  void write();
  void write_file(const std::string& path);
  void check_subject(const CheckpointReader& file) const;
  void restore(const CheckpointReader& file);
  void restore(const CheckpointReader& file, std::size_t part);

  const Context& ctx_;
  const CheckpointOptions* options_;
  Subject subject_;
  std::vector<Part> parts_;
  std::function<void()> share_;
  std::uint64_t run_ = 0;  // 0: not drawn yet
  bool consistent_ = false;
  std::uint32_t reached_ = 0, written_ = 0;
  Clock::time_point last_ = Clock::now();  // that anything was written
  double took_ = 0;                        // to write it
};

/// What the checkpoint that a run is to go on from says of one of its settings: empty where nothing
/// is to be gone on from, or cannot be read, which resume() says. Reads the file.
FATHOM_API std::string setting_to_resume(const Context& ctx, const CheckpointOptions* options,
                                         const std::string& name);

/// Of values that are too many to be told: a hash.
FATHOM_API std::string checkpoint_digest(std::span<const std::byte> bytes);

}  // namespace fathom
