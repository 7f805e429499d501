#include "fathom/residency/paged/frame_copies.hpp"

#include <vector>

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

  void begin_sweep(std::size_t, const PageTable& table) override {
    copies_ = passes_ = 0;
    write(table, {});
  }
  void copy(std::size_t, std::span<const Piece> pieces) override {
    std::size_t bytes = 0;
    for (const Piece& piece : pieces) bytes += piece.bytes;
    const TraceScope span(trace_, "copies", "page", bytes);
    for (const Piece& piece : pieces) {
      if (piece.encoded)
        decode(piece);
      else
        ctx_.copy(piece.to, piece.from, piece.bytes);
    }
    ++copies_;
    ++requests_;
  }
  bool forward(FrameCopies&, std::size_t, std::size_t, std::span<const Piece>) override {
    return false;
  }
  void start() override {}
  std::size_t ended(std::size_t) override { return copies_; }
  std::uint64_t requests() const override { return requests_; }
  const LinkProfile* link() const override { return nullptr; }
  const std::byte* reachable(const std::byte* host, std::size_t) const override { return host; }
  void show_copied() override {}
  void begin_pass(const PageTable& table, std::span<const PageEntry> entries) override {
    write(table, entries);
    began_ = Trace::Clock::now();
  }
  void end_pass(std::span<const std::size_t>, std::size_t bytes) override {
    if (trace_) trace_->add("kernels", "pass", began_, Trace::Clock::now(), bytes);
    ++passes_;
  }
  std::size_t passes() const override { return passes_; }
  std::size_t passes_ended(std::size_t) override { return passes_; }
  void settle(bool) noexcept override {}
  void end_sweep() override {}
  void copy_in_order(void* to, const void* from, std::size_t bytes) override {
    ctx_.copy(to, from, bytes);
  }
  void clear(void* at, std::size_t bytes) override {
    const std::byte none{0};
    ctx_.fill(device_, at, bytes, &none, sizeof(none));
  }
  void fetch(void* to, const void* from, std::size_t bytes) const override {
    ctx_.copy(to, from, bytes);
  }

 private:
  void decode(const Piece& piece) {
    decoded_.resize(piece.bytes);
    if (piece.weights)
      piece.encoded->decode_weights(ctx_.threads(), reinterpret_cast<Weight*>(decoded_.data()));
    else
      piece.encoded->decode_targets(ctx_.threads(), reinterpret_cast<VertexId*>(decoded_.data()));
    ctx_.copy(piece.to, decoded_.data(), piece.bytes);
  }

  /// Entries in place of those that are there.
  void write(const PageTable& table, std::span<const PageEntry> entries) {
    if (shown_.empty() && entries.empty()) return;
    std::vector<std::size_t> shown;
    for (const PageEntry& e : entries) shown.push_back(e.page);
    ctx_.launch(device_, [&] {
      for (const std::size_t page : shown_) table.data[page] = nullptr;
      for (const PageEntry& e : entries) {
        table.data[e.page] = e.data;
        if (table.weight) table.weight[e.page] = e.weight;
      }
    });
    shown_ = std::move(shown);
  }

  const Context& ctx_;
  const Device& device_;
  Trace* trace_;
  Trace::Clock::time_point began_;
  std::size_t copies_ = 0, passes_ = 0;
  std::uint64_t requests_ = 0;
  std::vector<std::size_t> shown_;  // pages that have an entry
  std::vector<std::byte> decoded_;
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
