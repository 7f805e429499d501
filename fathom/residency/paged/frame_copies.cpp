#include "fathom/residency/paged/frame_copies.hpp"

#include "fathom/core/trace.hpp"
#if FATHOM_WITH_CUDA
#include "fathom/residency/cuda/queued_copies.hpp"
#endif

namespace fathom {
namespace {

/// Everything at once, one after the other.
class ImmediateCopies final : public FrameCopies {
 public:
  ImmediateCopies(const Context& ctx, const Device& device, Trace* trace)
      : ctx_(ctx), device_(device), trace_(trace) {}

  void begin_sweep(std::size_t) override { copies_ = passes_ = 0; }
  void copy(std::size_t, std::span<const Piece> pieces) override {
    std::size_t bytes = 0;
    for (const Piece& piece : pieces) bytes += piece.bytes;
    const TraceScope span(trace_, "copies", "page", bytes);
    for (const Piece& piece : pieces) ctx_.copy(piece.to, piece.from, piece.bytes);
    ++copies_;
  }
  bool forward(FrameCopies&, std::size_t, std::size_t, std::span<const Piece>) override {
    return false;
  }
  std::size_t ended(std::size_t) override { return copies_; }
  const LinkProfile* link() const override { return nullptr; }
  const std::byte* reachable(const std::byte* host) const override { return host; }
  void begin_pass(const PageTable& table, std::span<const PageEntry> entries) override {
    write(table, entries, true);
    began_ = Trace::Clock::now();
  }
  void end_pass(const PageTable& table, std::span<const PageEntry> entries,
                std::span<const std::size_t>, std::size_t bytes) override {
    if (trace_) trace_->add("kernels", "pass", began_, Trace::Clock::now(), bytes);
    write(table, entries, false);
    ++passes_;
  }
  std::size_t passes() const override { return passes_; }
  std::size_t passes_ended(std::size_t) override { return passes_; }
  void settle(bool) noexcept override {}
  void end_sweep() override {}

 private:
  void write(const PageTable& table, std::span<const PageEntry> entries, bool there) {
    ctx_.launch(device_, [&] {
      for (const PageEntry& e : entries) {
        table.data[e.page] = there ? e.data : nullptr;
        if (table.weight) table.weight[e.page] = there ? e.weight : nullptr;
      }
    });
  }

  const Context& ctx_;
  const Device& device_;
  Trace* trace_;
  Trace::Clock::time_point began_;
  std::size_t copies_ = 0, passes_ = 0;
};

}  // namespace

std::unique_ptr<FrameCopies> FrameCopies::of(const Context& ctx, const Device& device,
                                             [[maybe_unused]] std::size_t pages, Trace* trace) {
#if FATHOM_WITH_CUDA
  if (device.gpu()) return std::make_unique<cuda::QueuedCopies>(ctx, *device.gpu(), pages, trace);
#endif
  return std::make_unique<ImmediateCopies>(ctx, device, trace);
}

}  // namespace fathom
