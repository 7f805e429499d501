// Rates between GPUs: copies from one to another, and merges of replicas that all of them hold.
#include <chrono>
#include <utility>
#include <vector>

#include "cli/machine/probes.hpp"
#include "fathom/core/error.hpp"
#include "fathom/exec/vertex_array.hpp"

namespace fathom::cli {
namespace {

constexpr std::size_t kPeerFloats = std::size_t{1} << 26;  // 256 MiB on each device
constexpr int kPeerRounds = 3;

/// The least seconds that work() takes, after a round that is not counted.
template <class Work>
double least_seconds(const Task& task, const Work& work) {
  double least = 0;
  for (int round = 0; round <= kPeerRounds; ++round) {
    task.check();
    const auto start = std::chrono::steady_clock::now();
    work();
    const double took =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (round == 1 || (round > 1 && took < least)) least = took;
  }
  return least;
}

Json merge_rate(std::vector<int> ordinals, CudaOptions::Nccl nccl, const Task& task) {
  const bool by_nccl = nccl == CudaOptions::Nccl::Always;
  Json rate = {
      {"way", by_nccl ? "nccl" : "kernels"}, {"bytes_per_second", nullptr}, {"why", nullptr}};
  CudaOptions options;
  options.devices = std::move(ordinals);
  options.nccl = nccl;
  options.task = task;
  try {
    const Context ctx = Context::cuda(options);
    if (by_nccl && !ctx.merges_by_nccl()) {
      rate["why"] = ctx.why_not_nccl();
      return rate;
    }
    VertexArray<float, MergeMin> array(ctx, kPeerFloats, 1.0F);
    const double seconds = least_seconds(task, [&] {
      array.merge();
      ctx.wait();
    });
    rate["bytes_per_second"] = kPeerFloats * sizeof(float) / seconds;
  } catch (const Error& e) {
    if (e.code() == ErrorCode::Interrupted) throw;
    rate["why"] = e.what();
  }
  return rate;
}

}  // namespace

Json probe_peers(std::size_t devices, const Task& task) {
  if (devices < 2) return nullptr;
  Json found = {{"links", Json::array()}, {"merges", Json::array()}, {"why", nullptr}};
  try {
    std::vector<int> ordinals;
    for (std::size_t i = 0; i < devices && i < Context::kMostGpus; ++i)
      ordinals.push_back(static_cast<int>(i));
    CudaOptions options;
    options.devices = ordinals;
    options.task = task;
    {
      const Context ctx = Context::cuda(options);
      VertexArray<float> array(ctx, kPeerFloats, 1.0F);
      for (const Device& from : ctx.devices())
        for (const Device& to : ctx.devices()) {
          if (from.index() == to.index()) continue;
          const double seconds = least_seconds(
              task, [&] { ctx.copy(array.on(to), array.on(from), kPeerFloats * sizeof(float)); });
          found["links"].push_back({{"from", from.index()},
                                    {"to", to.index()},
                                    {"bytes_per_second", kPeerFloats * sizeof(float) / seconds}});
        }
    }
    for (const auto nccl : {CudaOptions::Nccl::Never, CudaOptions::Nccl::Always})
      found["merges"].push_back(merge_rate(ordinals, nccl, task));
  } catch (const Error& e) {
    if (e.code() == ErrorCode::Interrupted) throw;
    found["why"] = e.what();
  }
  return found;
}

}  // namespace fathom::cli
