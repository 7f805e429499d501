// Vertex state: one value per vertex, with a replica on every device that knows how to agree again.
//
// Kernels of a device update its own replica. After an operator the replicas may differ; merge()
// makes them equal by the array's merge rule. On one device merge() costs nothing.
#pragma once

#include <algorithm>
#include <concepts>
#include <span>
#include <utility>
#include <vector>

#include "fathom/core/array.hpp"
#include "fathom/exec/context.hpp"
#include "fathom/exec/frontier.hpp"
#include "fathom/exec/replicas.hpp"

namespace fathom {

template <class T, class Merge = MergeNone>
class VertexArray {
 public:
  /// Uninitialised, in the memory of each device. @throws Error(DoesNotFit)
  VertexArray(const Context& ctx, std::size_t size) : ctx_(&ctx), size_(size) {
    for (const Device& device : ctx.devices()) replica_.emplace_back(size, device.memory());
  }
  VertexArray(const Context& ctx, std::size_t size, T fill) : VertexArray(ctx, size) {
    this->fill(fill);
  }

  std::size_t size() const { return size_; }
  /// The replica that kernels of `device` use.
  T* on(const Device& device) { return replica_[index(device)].data(); }
  const T* on(const Device& device) const { return replica_[index(device)].data(); }

  void fill(T value) {
    for (const Device& device : ctx_->devices())
      ctx_->fill(device, on(device), size_, &value, sizeof(T));
  }

  /// Copies values[0 .. size()) to every replica.
  void assign(std::span<const T> values) {
    for (auto& replica : replica_) ctx_->copy(replica.data(), values.data(), values.size_bytes());
  }

  /// Single elements, copied to every replica / from the first: for sources and summaries.
  void set(std::size_t i, T value) {
    for (auto& replica : replica_) ctx_->copy(replica.data() + i, &value, sizeof(T));
  }
  T get(std::size_t i) const {
    T value;
    ctx_->copy(&value, replica_[0].data() + i, sizeof(T));
    return value;
  }

  /// The elements at several places, of the first replica.
  std::vector<T> get(std::span<const std::size_t> at) const {
    std::vector<T> values(at.size());
    ctx_->gather(ctx_->devices()[0], replica_[0].data(), sizeof(T), at, values.data());
    return values;
  }

  /// Makes all replicas equal by the merge rule, on all ranks. With `touched`, only at its vertices
  /// (the others are equal already; a sum must not be taken twice).
  void merge(const Frontier* touched = nullptr) {
    if (replica_.size() > 1 && !merge_without_host(touched)) merge_by_host(touched);
    if (ctx_->ranks() > 1) merge_ranks(touched);
  }

  /// Of several ranks each has written the values of its `own` vertices (EdgeSource::own_lists()):
  /// now all have all of them. Cost: a rank's values sent to each other, which is less than a
  /// merge.
  void share(VertexRange own) {
    if (ctx_->ranks() == 1) return;
    T* values = replica_[0].data();
    if (replica_.size() == 1 &&
        share_ranks_on_gpus(*ctx_, values, size_, sizeof(T), own.first, own.last))
      return;
    Array<T> copy;
    if (ctx_->separate()) {
      copy = host_copy(0);
      values = copy.data();
    }
    share_among_ranks(*ctx_, values, size_, sizeof(T), own.first, own.last);
    if (ctx_->separate())
      for (auto& replica : replica_) ctx_->copy(replica.data(), values, size_ * sizeof(T));
  }

  /// The values, in host memory. Moves when the host is the device, copies otherwise.
  Array<T> take() && {
    if (!ctx_->separate()) return std::move(replica_[0]);
    return host_copy(0);
  }

 private:
  static std::size_t index(const Device& device) {
    return static_cast<std::size_t>(device.index());
  }
  void merge_by_host(const Frontier* touched) {
    Array<T> into = host_copy(0);
    for (std::size_t d = 1; d < replica_.size(); ++d) {
      const Array<T> from = host_copy(d);
      if constexpr (std::invocable<Merge, T, T>) {
        auto one = [&](std::size_t v) { into[v] = Merge{}(into[v], from[v]); };
        if (touched)
          touched->for_each_on_host(one);
        else
          for (std::size_t v = 0; v < size_; ++v) one(v);
      } else {
        Merge{}(into.data(), from.data(), size_);
      }
    }
    for (auto& replica : replica_) ctx_->copy(replica.data(), into.data(), size_ * sizeof(T));
  }

  /// With the replicas of other ranks, once those of this one are equal.
  void merge_ranks(const Frontier* touched) {
    if (touched && touched->form() == Frontier::Form::All) touched = nullptr;
    if (touched && touched->empty()) return;
    if (merge_ranks_without_host(touched)) return;
    Array<T> copy;
    T* values = replica_[0].data();
    if (ctx_->separate()) {
      copy = host_copy(0);
      values = copy.data();
    }
    // A rule over whole arrays takes all of them.
    if (touched && std::invocable<Merge, T, T>) {
      Array<T> few(touched->size(), ctx_->host_memory());
      touched->for_each_piece_on_host([&](std::size_t at, std::span<const VertexId> vertices) {
        for (const VertexId v : vertices) few[at++] = values[v];
      });
      merge_host_arrays(few.data(), few.size());
      touched->for_each_piece_on_host([&](std::size_t at, std::span<const VertexId> vertices) {
        for (const VertexId v : vertices) values[v] = few[at++];
      });
    } else {
      merge_host_arrays(values, size_);
    }
    if (ctx_->separate())
      for (auto& replica : replica_) ctx_->copy(replica.data(), values, size_ * sizeof(T));
  }

  /// On a GPU of each rank, for the rules that NCCL has.
  bool merge_ranks_without_host(const Frontier* touched) {
    using Scalar = typename ScalarOf<T>::type;
    if (replica_.size() > 1) return false;
    if constexpr (requires { &Merge::on_ranks; }) {
      return Merge::on_ranks(*ctx_, replica_[0].data(), size_);
    } else if constexpr (has_rule<Merge>() && scalar_kind<Scalar>() != ScalarKind::Other) {
      constexpr MergeRule kRule = rule_of<Merge>();
      constexpr std::size_t kScalars = ScalarOf<T>::kCount;
      // What is equal already stays what it is in whole arrays, unless it is summed.
      if (touched && kScalars > 1 && kRule == MergeRule::Sum) return false;
      return merge_ranks_on_gpus(*ctx_, replica_[0].data(), size_ * kScalars, scalar_kind<Scalar>(),
                                 kRule, kScalars == 1 ? touched : nullptr);
    } else {
      return false;
    }
  }

  void merge_host_arrays(T* values, std::size_t count) {
    using Scalar = typename ScalarOf<T>::type;
    if constexpr (has_rule<Merge>() && scalar_kind<Scalar>() != ScalarKind::Other) {
      merge_among_ranks(*ctx_, values, count * ScalarOf<T>::kCount, scalar_kind<Scalar>(),
                        rule_of<Merge>());
    } else {
      join_among_ranks(*ctx_, values, count, sizeof(T),
                       [](void* into, const void* from, std::size_t n) {
                         T* const to = static_cast<T*>(into);
                         const T* const its = static_cast<const T*>(from);
                         if constexpr (std::invocable<Merge, T, T>)
                           for (std::size_t i = 0; i < n; ++i) to[i] = Merge{}(to[i], its[i]);
                         else
                           Merge{}(to, its, n);
                       });
    }
  }

  /// On GPUs, for the rules that have kernels.
  bool merge_without_host(const Frontier* touched) {
    using Scalar = typename ScalarOf<T>::type;
    constexpr std::size_t kScalars = ScalarOf<T>::kCount;
    if constexpr (requires { &Merge::on_gpus; }) {
      std::vector<T*> at;
      for (auto& replica : replica_) at.push_back(replica.data());
      return !touched && Merge::on_gpus(*ctx_, std::span<T* const>(at), size_);
    } else if constexpr (has_rule<Merge>()) {
      std::vector<void*> at;
      for (auto& replica : replica_) at.push_back(replica.data());
      if (touched && kScalars > 1) return false;
      return merge_on_gpus(*ctx_, at, size_ * kScalars, scalar_kind<Scalar>(), rule_of<Merge>(),
                           touched);
    } else {
      return false;
    }
  }
  Array<T> host_copy(std::size_t d) const {
    Array<T> copy(size_, ctx_->host_memory());
    ctx_->copy(copy.data(), replica_[d].data(), size_ * sizeof(T));
    return copy;
  }

  const Context* ctx_;
  std::size_t size_;
  std::vector<Array<T>> replica_;
};

/// Makes the replicas of several arrays agree: what a driver calls after an operator.
template <class... Arrays>
void merge(Arrays&... arrays) {
  (arrays.merge(), ...);
}

}  // namespace fathom
