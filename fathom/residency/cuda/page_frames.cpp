#include "fathom/residency/cuda/page_frames.hpp"

#include <algorithm>

namespace fathom::cuda {
namespace {

// Copies of 16 MiB and more reach the link's full rate (fathom bench link); a larger batch only
// delays the first kernel. Other sizes of a batch were not compared.
constexpr std::size_t kBatchBytes = std::size_t{64} << 20;

}  // namespace

PageFrames::PageFrames(const Device& device, const HostPages& pages, std::size_t count,
                       PageCache policy)
    : gpu_(*device.gpu()),
      pages_(pages),
      policy_(policy),
      target_(count << pages.page_shift, device.memory()),
      page_(count, kNone),
      used_(count, 0),
      free_at_(count, 0),
      frame_of_(pages.count(), kNone) {
  if (pages.weight) weight_ = Array<Weight>(count << pages.page_shift, device.memory());
  const std::size_t page_bytes = sizeof(VertexId) << pages.page_shift;
  // A batch is shown, one is there already, and one is on its way.
  batch_ =
      std::clamp<std::size_t>(kBatchBytes / page_bytes, 1, std::max<std::size_t>(count / 3, 1));
  if (policy == PageCache::Static && count > 3 * batch_) kept_ = count - 3 * batch_;
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

std::size_t PageFrames::empty() const {
  return static_cast<std::size_t>(std::count(page_.begin(), page_.end(), kNone));
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
  ++sweep_;
  // Empty frames go first, then those longest out of use.
  std::vector<std::size_t> order;
  for (std::size_t f = 0; f < size(); ++f)
    if (page_[f] == kNone || (wanted[page_[f]] == 0 && !keeps(f))) order.push_back(f);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if ((page_[a] == kNone) != (page_[b] == kNone)) return page_[a] == kNone;
    return page_[a] != kNone && used_[a] < used_[b];
  });
  victims_.assign(order.begin(), order.end());
  std::fill(free_at_.begin(), free_at_.end(), 0);
}

void PageFrames::end_pass(const std::vector<std::size_t>& pages) {
  record_pass();
  for (const std::size_t page : pages) {
    const std::size_t frame = frame_of_[page];
    used_[frame] = sweep_;
    free_at_[frame] = passes_ - 1;
    if (!keeps(frame)) victims_.push_back(frame);
  }
}

std::size_t PageFrames::copy(const std::vector<std::size_t>& pages) {
  std::size_t latest = 0, copies = 0;
  for (std::size_t i = 0; i < pages.size(); ++i) latest = std::max(latest, free_at_[victims_[i]]);
  check(cudaStreamWaitEvent(stream_, passed_[latest], 0), "ordering two streams");
  std::size_t run_page = 0, run_frame = 0, run = 0;
  for (const std::size_t page : pages) {
    const std::size_t frame = victims_.front();
    victims_.pop_front();
    if (page_[frame] != kNone) frame_of_[page_[frame]] = kNone;
    page_[frame] = page;
    frame_of_[page] = frame;
    used_[frame] = sweep_;
    if (run > 0 && page == run_page + run && frame == run_frame + run) {
      ++run;
      continue;
    }
    copy_run(run_page, run_frame, run);
    copies += run > 0;
    run_page = page;
    run_frame = frame;
    run = 1;
  }
  copy_run(run_page, run_frame, run);
  return copies + (run > 0);
}

void PageFrames::copy_run(std::size_t page, std::size_t frame, std::size_t count) {
  if (count == 0) return;
  const EdgeId first = pages_.first(page);
  const EdgeId edges =
      std::min(static_cast<EdgeId>(count) << pages_.page_shift, pages_.edges - first);
  const std::size_t to = frame << pages_.page_shift;
  check(cudaMemcpyAsync(target_.data() + to, pages_.target + first, edges * sizeof(VertexId),
                        cudaMemcpyHostToDevice, stream_),
        "copying pages");
  if (weights())
    check(cudaMemcpyAsync(weight_.data() + to, pages_.weight + first, edges * sizeof(Weight),
                          cudaMemcpyHostToDevice, stream_),
          "copying pages");
}

void PageFrames::wait_for_copies() {
  check(cudaEventRecord(copied_, stream_), "recording an event");
  check(cudaStreamWaitEvent(gpu_.stream(), copied_, 0), "ordering two streams");
}

void PageFrames::end_sweep() {
  if (policy_ == PageCache::None) block();
}

VertexId* PageFrames::block() {
  std::fill(page_.begin(), page_.end(), kNone);
  std::fill(frame_of_.begin(), frame_of_.end(), kNone);
  return target_.data();
}

}  // namespace fathom::cuda
