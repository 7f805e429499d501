#include "fathom/residency/cuda/pinned_lists.hpp"

#include <utility>

namespace fathom {

PinnedListsSupply::PinnedListsSupply(const Context& ctx, const CsrView& csr,
                                     std::shared_ptr<const void> owner, std::size_t page_bytes,
                                     std::optional<ZeroCopyWay> way)
    : HostArraysSupply(csr, std::move(owner), page_bytes),
      ctx_(&ctx),
      way_(way.value_or(ZeroCopyWay::Register)) {}

std::span<const std::byte> PinnedListsSupply::page_memory(bool weights) const {
  const HostBlock* const block = (weights ? weights_ : targets_).block.get();
  if (!block) return HostArraysSupply::page_memory(weights);
  return {static_cast<const std::byte*>(block->data()), block->size()};
}

std::unique_ptr<HostBlock> PinnedListsSupply::copy_of(std::span<const std::byte> arrays) {
  auto block =
      HostBlock::holding(*ctx_, *ctx_->devices()[0].gpu(), way_, arrays.data(), arrays.size());
  for (const Device& device : ctx_->devices().subspan(1)) block->map_for(*device.gpu());
  return block;
}

void PinnedListsSupply::make_ready(bool weights, bool whole, FunctionRef<void()> settle) {
  make_ready(targets_, HostArraysSupply::page_memory(false), whole, settle);
  if (weights) make_ready(weights_, HostArraysSupply::page_memory(true), whole, settle);
}

void PinnedListsSupply::make_ready(Lists& lists, std::span<const std::byte> arrays, bool whole,
                                   FunctionRef<void()> settle) {
  std::string refused;
  try {
    if (!lists.block && lists.refusal.empty()) {
      if (way_ == ZeroCopyWay::Register)
        lists.block = HostBlock::pin(*ctx_->devices()[0].gpu(), arrays.data(), arrays.size());
      if (!lists.block) lists.block = copy_of(arrays);
    }
    if (!whole || !lists.block || !lists.refusal.empty() || lists.block->wait(ctx_->task())) return;
    refused = lists.block->refusal();
    settle();
    lists.block.reset();
    lists.block = copy_of(arrays);
    lists.block->note("the lists were copied, since they could not be registered: " + refused);
  } catch (const Error& e) {
    if (e.code() != ErrorCode::DoesNotFit) throw;
    lists.refusal = e.what();
    if (refused.empty()) return;
    // A part of them is better than nothing.
    lists.block = HostBlock::pin(*ctx_->devices()[0].gpu(), arrays.data(), arrays.size());
    if (lists.block) lists.block->note("not all lists are read in place: " + lists.refusal);
  }
}

std::optional<std::size_t> PinnedListsSupply::reach(bool weights) const {
  const Lists& lists = weights ? weights_ : targets_;
  return lists.block ? lists.block->reach() : 0;
}

void PinnedListsSupply::report_host_memory(HostMemoryReport& report) const {
  for (const Lists* lists : {&targets_, &weights_})
    if (lists->block) report.add(lists->block->report());
}

}  // namespace fathom
