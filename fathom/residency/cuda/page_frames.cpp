#include "fathom/residency/cuda/page_frames.hpp"

#include <algorithm>

namespace fathom::cuda {
PageFrames::PageFrames(const Device& device, HostCopies& copies, const HostPages& pages,
                       std::size_t count, PageCache policy)
    : gpu_(*device.gpu()),
      copies_(copies),
      pages_(pages),
      table_(count, pages.count(), sizeof(VertexId) << pages.page_shift, policy),
      target_(count << pages.page_shift, device.memory()),
      free_at_(count, 0) {
  if (pages.weight) weight_ = Array<Weight>(count << pages.page_shift, device.memory());
  gpu_.activate();
  check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "creating a stream");
  check(cudaEventCreateWithFlags(&copied_, cudaEventDisableTiming), "creating an event");
}

PageFrames::~PageFrames() {
  cudaSetDevice(gpu_.ordinal());
  cudaStreamSynchronize(stream_);
  for (const cudaEvent_t event : passed_) cudaEventDestroy(event);
  cudaEventDestroy(copied_);
  cudaStreamDestroy(stream_);
}

void PageFrames::record_pass() {
  if (passes_ == passed_.size()) {
    cudaEvent_t event = nullptr;
    gpu_.activate();
    check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "creating an event");
    passed_.push_back(event);
  }
  check(cudaEventRecord(passed_[passes_++], gpu_.stream()), "recording an event");
}

void PageFrames::begin_sweep(const std::vector<std::uint32_t>& wanted) {
  wait_for_copies();  // of a sweep that was interrupted
  passes_ = 0;
  record_pass();
  table_.begin_sweep([&](std::size_t page) { return wanted[page] > 0; });
  std::fill(free_at_.begin(), free_at_.end(), 0);
}

void PageFrames::end_pass(const std::vector<std::size_t>& pages) {
  record_pass();
  for (const std::size_t page : pages) {
    free_at_[table_.frame_of(page)] = passes_ - 1;
    table_.shown(page);
  }
}

std::size_t PageFrames::copy(const std::vector<std::size_t>& pages) {
  std::vector<std::size_t> frames;
  std::size_t latest = 0, copies = 0;
  for (const std::size_t page : pages) {
    frames.push_back(table_.take(page));
    latest = std::max(latest, free_at_[frames.back()]);
  }
  check(cudaStreamWaitEvent(stream_, passed_[latest], 0), "ordering two streams");
  transfers_.clear();
  std::size_t run_page = 0, run_frame = 0, run = 0;
  for (std::size_t i = 0; i < pages.size(); ++i) {
    const std::size_t page = pages[i], frame = frames[i];
    if (run > 0 && page == run_page + run && frame == run_frame + run) {
      ++run;
      continue;
    }
    add_run(run_page, run_frame, run);
    copies += run > 0;
    run_page = page;
    run_frame = frame;
    run = 1;
  }
  add_run(run_page, run_frame, run);
  copies_.queue(stream_, transfers_);
  return copies + (run > 0);
}

void PageFrames::add_run(std::size_t page, std::size_t frame, std::size_t count) {
  if (count == 0) return;
  const EdgeId first = pages_.first(page);
  const EdgeId edges =
      std::min(static_cast<EdgeId>(count) << pages_.page_shift, pages_.edges - first);
  const std::size_t to = frame << pages_.page_shift;
  transfers_.push_back({target_.data() + to, pages_.target + first, edges * sizeof(VertexId)});
  if (weights())
    transfers_.push_back({weight_.data() + to, pages_.weight + first, edges * sizeof(Weight)});
}

void PageFrames::wait_for_copies() {
  check(cudaEventRecord(copied_, stream_), "recording an event");
  check(cudaStreamWaitEvent(gpu_.stream(), copied_, 0), "ordering two streams");
}

VertexId* PageFrames::block() {
  wait_for_copies();  // of a sweep that was interrupted
  table_.forget_all();
  return target_.data();
}

}  // namespace fathom::cuda
