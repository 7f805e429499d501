#include "fathom/residency/cuda/queued_copies.hpp"

#include <algorithm>

#include "fathom/exec/cuda/pin_host.hpp"

namespace fathom::cuda {
namespace {

/// An answer, not an error: it must not surface as the next kernel's.
bool not_ready(cudaError_t status) {
  if (status != cudaErrorNotReady) return false;
  cudaGetLastError();
  return true;
}

}  // namespace

// Table entries come and go once a sweep each.
QueuedCopies::QueuedCopies(const Context& ctx, const Gpu& gpu, std::size_t pages, Trace* trace)
    : gpu_(gpu), trace_(trace), updates_(gpu, 2 * pages), copies_(ctx, gpu) {
  kernels_ = gpu_.stream();
  check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "creating a stream");
  copied_ = new_event(cudaEventDisableTiming);
  if (!trace_) return;
  zero_ = record(stream_, cudaEventDefault);
  check(cudaEventSynchronize(zero_), "waiting for an event");
  start_ = Trace::Clock::now();
}

QueuedCopies::~QueuedCopies() {
  settle(false);
  for (const auto* events : {&spare_, &passed_})
    for (const cudaEvent_t event : *events) cudaEventDestroy(event);
  for (const cudaEvent_t event : under_way_) cudaEventDestroy(event);
  if (zero_) cudaEventDestroy(zero_);
  cudaEventDestroy(copied_);
  cudaStreamDestroy(stream_);
}

cudaEvent_t QueuedCopies::new_event(unsigned flags) const {
  cudaEvent_t event = nullptr;
  gpu_.activate();
  check(cudaEventCreateWithFlags(&event, flags), "creating an event");
  return event;
}

cudaEvent_t QueuedCopies::record(cudaStream_t stream, unsigned flags) const {
  const cudaEvent_t event = new_event(flags);
  check(cudaEventRecord(event, stream), "recording an event");
  return event;
}

cudaEvent_t QueuedCopies::take_event() {
  if (spare_.empty()) return new_event(cudaEventDisableTiming);
  const cudaEvent_t event = spare_.back();
  spare_.pop_back();
  return event;
}

cudaEvent_t QueuedCopies::begin_span(cudaStream_t stream) const {
  return trace_ ? record(stream, cudaEventDefault) : nullptr;
}

void QueuedCopies::end_span(const char* lane, const char* what, cudaEvent_t from,
                            cudaStream_t stream, std::size_t bytes) {
  if (trace_) spans_.push_back({lane, what, from, record(stream, cudaEventDefault), bytes});
}

void QueuedCopies::record_pass() {
  if (passes_ == passed_.size()) passed_.push_back(new_event(cudaEventDisableTiming));
  check(cudaEventRecord(passed_[passes_++], gpu_.stream()), "recording an event");
}

void QueuedCopies::begin_sweep(std::size_t frames) {
  settle(false);  // of a sweep that was interrupted
  ended_ = 0;
  staged_before_ = copies_.staged_bytes();
  updates_.begin();
  passes_ = passes_ended_ = 0;
  record_pass();
  free_at_.assign(frames, 0);
  readers_.assign(frames, {});
}

void QueuedCopies::copy(std::size_t frame, std::span<const Piece> pieces) {
  bool staged = false;
  for (const Piece& piece : pieces) staged = staged || HostCopies::staged(piece.from, piece.bytes);
  if (!staged) return queue(frame, pieces, "page");
  put_off_.push_back(frame);
  for (const Piece& piece : pieces) {
    transfers_.push_back({piece.to, piece.from, piece.bytes});
    bytes_put_off_ += piece.bytes;
  }
  if (bytes_put_off_ >= HostCopies::kGoodBytes) queue_put_off();
}

void QueuedCopies::queue_put_off() {
  if (put_off_.empty()) return;
  gpu_.activate();
  for (const std::size_t frame : put_off_) wait_for_frame(frame);
  const cudaEvent_t began = begin_span(stream_);
  copies_.queue(stream_, transfers_);
  end_span("copies", "staged pages", began, stream_, bytes_put_off_);
  for (std::size_t k = 0; k < put_off_.size(); ++k) end_copy();
  put_off_.clear();
  transfers_.clear();
  bytes_put_off_ = 0;
}

bool QueuedCopies::forward(FrameCopies& peer, std::size_t peer_frame, std::size_t frame,
                           std::span<const Piece> pieces) {
  auto* const from = dynamic_cast<QueuedCopies*>(&peer);
  if (!from || !gpu_.reaches(from->gpu_)) return false;
  from->queue_put_off();
  if (!from->under_way_.empty())
    check(cudaStreamWaitEvent(stream_, from->under_way_.back(), 0), "ordering two streams");
  queue(frame, pieces, "forwarded page");
  from->readers_[peer_frame].push_back(under_way_.back());
  return true;
}

void QueuedCopies::wait_for_frame(std::size_t frame) {
  check(cudaStreamWaitEvent(stream_, passed_[free_at_[frame]], 0), "ordering two streams");
  // An event may stand for a later copy by now: then this waits for longer than it needs to.
  for (const cudaEvent_t reader : readers_[frame])
    check(cudaStreamWaitEvent(stream_, reader, 0), "ordering two streams");
  readers_[frame].clear();
}

void QueuedCopies::end_copy() {
  under_way_.push_back(take_event());
  check(cudaEventRecord(under_way_.back(), stream_), "recording an event");
}

void QueuedCopies::queue(std::size_t frame, std::span<const Piece> pieces, const char* what) {
  queue_put_off();
  gpu_.activate();
  wait_for_frame(frame);
  const cudaEvent_t began = begin_span(stream_);
  std::size_t bytes = 0;
  for (const Piece& piece : pieces) {
    copies_.queue(stream_, piece.to, piece.from, piece.bytes);
    bytes += piece.bytes;
  }
  end_span("copies", what, began, stream_, bytes);
  end_copy();
}

std::size_t QueuedCopies::ended(std::size_t least) {
  if (least > ended_ + under_way_.size()) queue_put_off();
  while (!under_way_.empty()) {
    const cudaEvent_t event = under_way_.front();
    if (ended_ < least) {
      check(cudaEventSynchronize(event), "waiting for a copy");
    } else {
      const cudaError_t status = cudaEventQuery(event);
      if (not_ready(status)) break;
      check(status, "asking for a copy");
    }
    spare_.push_back(event);
    under_way_.pop_front();
    ++ended_;
  }
  return ended_;
}

const std::byte* QueuedCopies::reachable(const std::byte* host) const {
  // A page may be larger than a piece of what is being pinned.
  if (host_pins().of_whole(host) == HostPins::State::Waiting) return nullptr;
  gpu_.activate();
  cudaPointerAttributes attributes{};
  check(cudaPointerGetAttributes(&attributes, host), "asking whose memory it is");
  return attributes.type == cudaMemoryTypeHost
             ? static_cast<const std::byte*>(attributes.devicePointer)
             : nullptr;
}

std::size_t QueuedCopies::passes_ended(std::size_t least) {
  while (passes_ended_ < passes()) {
    const cudaEvent_t event = passed_[passes_ended_ + 1];
    if (passes_ended_ < least) {
      check(cudaEventSynchronize(event), "waiting for a pass");
    } else {
      const cudaError_t status = cudaEventQuery(event);
      if (not_ready(status)) break;
      check(status, "asking for a pass");
    }
    ++passes_ended_;
  }
  return passes_ended_;
}

void QueuedCopies::begin_pass(const PageTable& table, std::span<const PageEntry> entries) {
  queue_put_off();
  check(cudaEventRecord(copied_, stream_), "recording an event");
  check(cudaStreamWaitEvent(gpu_.stream(), copied_, 0), "ordering two streams");
  pass_began_ = begin_span(gpu_.stream());
  for (const PageEntry& entry : entries) updates_.add(entry);
  updates_.apply(table);
}

void QueuedCopies::end_pass(const PageTable& table, std::span<const PageEntry> entries,
                            std::span<const std::size_t> frames, std::size_t bytes) {
  for (const PageEntry& entry : entries) updates_.add({entry.page, nullptr, nullptr});
  updates_.apply(table);
  end_span("kernels", "pass", pass_began_, gpu_.stream(), bytes);
  record_pass();
  for (const std::size_t frame : frames) free_at_[frame] = passes_ - 1;
}

void QueuedCopies::settle(bool passes) noexcept {
  put_off_.clear();
  transfers_.clear();
  bytes_put_off_ = 0;
  cudaStreamSynchronize(stream_);
  // Of a pass that was interrupted there is no event.
  if (passes) cudaStreamSynchronize(kernels_);
  for (const Span& span : spans_) {
    cudaEventDestroy(span.from);
    cudaEventDestroy(span.to);
  }
  spans_.clear();
  spare_.insert(spare_.end(), under_way_.begin(), under_way_.end());
  under_way_.clear();
}

void QueuedCopies::end_sweep() {
  if (copies_.staged_bytes() == staged_before_) copies_.drop_ring();
  if (!trace_) return;
  check(cudaStreamSynchronize(stream_), "waiting for copies");
  check(cudaStreamSynchronize(gpu_.stream()), "waiting for kernels");
  const auto at = [&](cudaEvent_t event) {
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, zero_, event), "reading a clock");
    return start_ + std::chrono::duration_cast<Trace::Clock::duration>(
                        std::chrono::duration<float, std::milli>(milliseconds));
  };
  for (const Span& span : spans_)
    trace_->add(span.lane, span.what, at(span.from), at(span.to), span.bytes);
  settle(false);
}

}  // namespace fathom::cuda
