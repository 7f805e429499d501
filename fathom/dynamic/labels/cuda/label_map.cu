#include "fathom/dynamic/labels/label_map_gpu.hpp"
#include "fathom/dynamic/lists/cuda/lists.cuh"

namespace fathom::dynamic {
namespace {

template <class Step>
__global__ void __launch_bounds__(gpu::kBlock) run_steps(Step step, std::size_t n) {
  for (std::size_t i = gpu::thread_index(); i < n; i += gpu::thread_count()) step(i);
}

template <class Step>
void run_all(const Context& ctx, const Step& step, std::size_t n) {
  cuda::Gpu& its = *ctx.devices()[0].gpu();
  run_steps<<<gpu::blocks_for(its, n), gpu::kBlock, 0, its.stream()>>>(step, n);
  cuda::check(cudaGetLastError(), "changing a map of labels");
  its.wait();
}

}  // namespace

void run_on_gpu(const Context& ctx, const ClearLabels& step, std::size_t n) {
  run_all(ctx, step, n);
}
void run_on_gpu(const Context& ctx, const InsertLabels& step, std::size_t n) {
  run_all(ctx, step, n);
}
void run_on_gpu(const Context& ctx, const RemoveLabels& step, std::size_t n) {
  run_all(ctx, step, n);
}
void run_on_gpu(const Context& ctx, const FindLabels& step, std::size_t n) {
  run_all(ctx, step, n);
}
void run_on_gpu(const Context& ctx, const TranslateUpdates& step, std::size_t n) {
  run_all(ctx, step, n);
}
void run_on_gpu(const Context& ctx, const MoveLabels& step, std::size_t n) {
  run_all(ctx, step, n);
}
void run_on_gpu(const Context& ctx, const ReadUpdates& step, std::size_t n) {
  run_all(ctx, step, n);
}
void run_on_gpu(const Context& ctx, const ReadQuestions& step, std::size_t n) {
  run_all(ctx, step, n);
}
void run_on_gpu(const Context& ctx, const ReadVertices& step, std::size_t n) {
  run_all(ctx, step, n);
}
void run_on_gpu(const Context& ctx, const MaskAnswers& step, std::size_t n) {
  run_all(ctx, step, n);
}

}  // namespace fathom::dynamic
