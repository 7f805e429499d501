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

// What copies that do not lie side by side wait for: so many bytes reach the link's full rate.
constexpr std::size_t kFullRateBytes = std::size_t{16} << 20;

}  // namespace

// Table entries come and go once a sweep each.
QueuedCopies::QueuedCopies(const Context& ctx, const Gpu& gpu, std::size_t pages, Trace* trace)
    : gpu_(gpu),
      trace_(trace),
      pages_(pages),
      updates_(gpu, 2 * pages),
      copies_(ctx, gpu),
      unpacking_(gpu) {
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

void QueuedCopies::order_kernels() {
  check(cudaEventRecord(copied_, stream_), "recording an event");
  check(cudaStreamWaitEvent(gpu_.stream(), copied_, 0), "ordering two streams");
}

void QueuedCopies::begin_sweep(std::size_t frames, const PageTable& table) {
  gpu_.activate();
  drop_put_off();  // of a sweep that was interrupted, like what is under way
  drop_events();
  order_kernels();
  ended_ = 0;
  staged_before_ = copies_.staged_bytes();
  updates_.begin();
  if (!shown_.empty()) clear(table.data, pages_ * sizeof(void*));
  shown_.clear();
  passes_ = passes_ended_ = 0;
  record_pass();
  free_at_.assign(frames, 0);
  if (was_read_) readers_.clear();
  was_read_ = false;
}

/// Whether the pieces go on where the last ones end, in host memory and on the device.
bool QueuedCopies::continues(std::span<const Piece> pieces) const {
  if (put_off_.empty() || pieces[0].encoded) return false;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const Transfer& last = transfers_[run_[i]];
    if (static_cast<std::byte*>(last.to) + last.bytes != pieces[i].to ||
        static_cast<const std::byte*>(last.from) + last.bytes != pieces[i].from)
      return false;
  }
  return true;
}

void QueuedCopies::copy(std::size_t frame, std::span<const Piece> pieces) {
  const bool longer = continues(pieces);
  if (!longer && bytes_put_off_ >= kFullRateBytes) start();
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (pieces[i].encoded) {
      bytes_put_off_ += unpacking_.put_off(pieces[i]);
      continue;
    }
    bytes_put_off_ += pieces[i].bytes;
    if (longer) {
      transfers_[run_[i]].bytes += pieces[i].bytes;
    } else {
      run_[i] = transfers_.size();
      transfers_.push_back({pieces[i].to, pieces[i].from, pieces[i].bytes});
    }
  }
  requests_ += longer ? 0 : 1;
  put_off_.push_back(frame);
}

void QueuedCopies::start() {
  if (put_off_.empty()) return;
  gpu_.activate();
  wait_for_frames(put_off_);
  const cudaEvent_t began = begin_span(stream_);
  if (!transfers_.empty()) copies_.queue(stream_, transfers_);
  unpacking_.queue(stream_, copies_);
  end_span("copies", "pages", began, stream_, bytes_put_off_);
  end_copies(put_off_.size());
  drop_put_off();
}

void QueuedCopies::drop_put_off() noexcept {
  put_off_.clear();
  transfers_.clear();
  unpacking_.drop();
  bytes_put_off_ = 0;
}

bool QueuedCopies::forward(FrameCopies& peer, std::size_t peer_frame, std::size_t frame,
                           std::span<const Piece> pieces) {
  auto& from = static_cast<QueuedCopies&>(peer);  // devices of a context are all of one kind
  if (!gpu_.reaches(from.gpu_)) return false;
  from.start();
  start();
  gpu_.activate();
  if (!from.under_way_.empty())
    check(cudaStreamWaitEvent(stream_, from.under_way_.back().end, 0), "ordering two streams");
  wait_for_frames({&frame, 1});
  const cudaEvent_t began = begin_span(stream_);
  std::size_t bytes = 0;
  for (const Piece& piece : pieces) {
    copies_.queue(stream_, piece.to, piece.from, piece.bytes);
    bytes += piece.bytes;
  }
  end_span("copies", "forwarded page", began, stream_, bytes);
  end_copies(1);
  from.readers_.resize(from.free_at_.size());
  from.readers_[peer_frame].push_back(under_way_.back().end);
  from.was_read_ = true;
  return true;
}

void QueuedCopies::wait_for_frames(std::span<const std::size_t> frames) {
  std::size_t latest = 0;
  for (const std::size_t frame : frames) latest = std::max(latest, free_at_[frame]);
  check(cudaStreamWaitEvent(stream_, passed_[latest], 0), "ordering two streams");
  if (!was_read_) return;
  // An event may stand for a later copy by now: then this waits for longer than it needs to.
  for (const std::size_t frame : frames) {
    for (const cudaEvent_t reader : readers_[frame])
      check(cudaStreamWaitEvent(stream_, reader, 0), "ordering two streams");
    readers_[frame].clear();
  }
}

void QueuedCopies::end_copies(std::size_t count) {
  under_way_.push_back({take_event(), count});
  check(cudaEventRecord(under_way_.back().end, stream_), "recording an event");
}

std::size_t QueuedCopies::ended(std::size_t least) {
  std::size_t queued = ended_;
  for (const Queued& copies : under_way_) queued += copies.copies;
  if (least > queued) start();
  while (!under_way_.empty()) {
    const cudaEvent_t event = under_way_.front().end;
    if (ended_ < least) {
      check(cudaEventSynchronize(event), "waiting for a copy");
    } else {
      const cudaError_t status = cudaEventQuery(event);
      if (not_ready(status)) break;
      check(status, "asking for a copy");
    }
    spare_.push_back(event);
    ended_ += under_way_.front().copies;
    under_way_.pop_front();
  }
  return ended_;
}

const std::byte* QueuedCopies::reachable(const std::byte* host, std::size_t bytes) const {
  if (bytes == 0 || HostCopies::staged(host, bytes)) return nullptr;
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

void QueuedCopies::show_copied() {
  start();
  order_kernels();
}

void QueuedCopies::begin_pass(const PageTable& table, std::span<const PageEntry> entries) {
  pass_began_ = begin_span(gpu_.stream());
  for (const std::size_t page : shown_) updates_.add({page, nullptr, nullptr});
  shown_.clear();
  for (const PageEntry& entry : entries) {
    updates_.add(entry);
    shown_.push_back(entry.page);
  }
  updates_.apply(table);
}

void QueuedCopies::end_pass(std::span<const std::size_t> frames, std::size_t bytes) {
  end_span("kernels", "pass", pass_began_, gpu_.stream(), bytes);
  record_pass();
  for (const std::size_t frame : frames) free_at_[frame] = passes_ - 1;
}

void QueuedCopies::settle(bool passes) noexcept {
  drop_put_off();
  cudaSetDevice(gpu_.ordinal());
  cudaStreamSynchronize(stream_);
  // Of a pass that was interrupted there is no event.
  if (passes) cudaStreamSynchronize(kernels_);
  drop_events();
}

void QueuedCopies::drop_events() noexcept {
  for (const Span& span : spans_) {
    cudaEventDestroy(span.from);
    cudaEventDestroy(span.to);
  }
  spans_.clear();
  for (const Queued& copies : under_way_) spare_.push_back(copies.end);
  under_way_.clear();
}

void QueuedCopies::copy_in_order(void* to, const void* from, std::size_t bytes) {
  copies_.queue(gpu_.stream(), to, from, bytes);
}

void QueuedCopies::clear(void* at, std::size_t bytes) {
  check(cudaMemsetAsync(at, 0, bytes, gpu_.stream()), "clearing device memory");
}

void QueuedCopies::end_sweep() {
  unpacking_.check_faults(stream_);
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
