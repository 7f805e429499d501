// Strategy S of a StreamSource (GTS, section 4.2): every page goes to all devices, which hold a
// chunk of the vertex state each. A pass shows few vertices, so that what is read at the sources of
// its edges (offsets, and read-only attributes) is copied along with its pages.
#include <algorithm>
#include <numeric>

#include "fathom/residency/paged/stream_source.hpp"

namespace fathom {

std::size_t StreamSource::frame_bytes(bool weights) const {
  return supply_->page_bytes() * (weights && supply_->weight_pages() ? 2 : 1);
}

void StreamSource::refuse_if_split() const {
  if (vertices() > 0 && (split_ || strategy_ == Strategy::Scalability))
    throw Error(ErrorCode::Usage,
                "strategy s splits vertex state, and this computation cannot: bfs, sssp, cc, "
                "pagerank and rwr can (strategy p has all vertex state on each device)");
}

void StreamSource::begin_split(bool split) {
  split_ = was_split_ = split;
  if (split)
    for (DevicePages& d : devices_) d.offset = {};
}

void StreamSource::end_split() {
  split_ = false;
  for (DevicePages& d : devices_) d.shown = {};
}

const EdgeId* StreamSource::host_offsets() {
  if (const auto lists = supply_->arrays()) return lists->offset;
  if (host_offset_.empty()) {
    Array<EdgeId> loaded(static_cast<std::size_t>(vertices()) + 1, ctx_->host_memory());
    supply_->for_each_offsets([&](std::size_t first, std::span<const EdgeId> offset) {
      std::copy(offset.begin(), offset.end(), loaded.begin() + first);
    });
    host_offset_ = std::move(loaded);  // whole, or not there
  }
  return host_offset_.data();
}

EdgeId StreamSource::degree_sum_on_host(const Frontier& frontier) {
  if (frontier.form() == Frontier::Form::All) return edges();
  const EdgeId* const offset = host_offsets();
  EdgeId sum = 0;
  frontier.for_each_on_host([&](std::size_t v) { sum += offset[v + 1] - offset[v]; });
  return sum;
}

StreamSource::Pages StreamSource::wanted_pages_on_host(const Context& ctx, const Frontier& active,
                                                       EdgeId first) {
  Pages pages;
  if (active.form() == Frontier::Form::All && first == kWholeList) {
    pages.resize(pages_);
    std::iota(pages.begin(), pages.end(), std::size_t{0});
    return pages;
  }
  FrontierRef on_host = active.on(*devices_[0].device);
  Array<std::uint64_t> bits;
  if (on_host.form == Frontier::Form::Bitmap) {
    bits =
        Array<std::uint64_t>((static_cast<std::size_t>(vertices()) + 63) / 64, ctx.host_memory());
    ctx.copy(bits.data(), on_host.bits, bits.size() * sizeof(std::uint64_t));
    on_host.bits = bits.data();
  }
  std::vector<std::uint64_t> marked((pages_ + 63) / 64, 0);
  mark_pages(nullptr, on_host, first, marked.data());
  for (std::size_t p = 0; p < pages_; ++p)
    if ((marked[p / 64] >> (p % 64) & 1) != 0) pages.push_back(p);
  return pages;
}

void StreamSource::sweep_split(const Context& ctx, Frontier& active, const SweepOptions& options,
                               VertexId most, FunctionRef<void(const Pass&)> pass) {
  if (!split_) throw Error(ErrorCode::Internal, "a split sweep of a source that is not split");
  if (active.empty() || pages_ == 0) return;
  if (active.form() == Frontier::Form::List) active.make_bitmap();
  SweepOptions shown = options;
  shown.weights = options.weights && weighted();
  const bool weights = shown.weights && supply_->weight_pages();
  host_offsets();  // reading them while pages are on their way would give these up
  make_ready(weights, false);
  Wanted all{wanted_pages_on_host(ctx, active, options.first), std::vector<std::uint32_t>(pages_)};
  for (const std::size_t page : all.pages) all.lines[page] = 1;
  const std::vector<Wanted> wanted(devices_.size(), all);
  for (DevicePages& d : devices_) {
    if (d.shown.size() <= most)
      d.shown = Array<EdgeId>(static_cast<std::size_t>(most) + 1, d.device->memory());
    obtain_frames(d, weights, [&] { return frame_room(d); });
  }
  note_cache_bytes();
  deliver(
      ctx, wanted, shown,
      [&](DevicePages& d, const Pages& pages) {
        Pages sorted = pages;
        std::sort(sorted.begin(), sorted.end());
        by_technique(entries_of(d, sorted, weights), [&](Technique technique, const Entries& some) {
          show_split(ctx, d, some, shown, most, technique, pass);
        });
      },
      [](DevicePages&, const Entries&) {});
}

void StreamSource::show_split(const Context& ctx, DevicePages& d, const Entries& pages,
                              const SweepOptions& options, VertexId most, Technique technique,
                              FunctionRef<void(const Pass&)> pass) {
  const PageTable table = page_table(*d.device, options.weights && supply_->weight_pages());
  const EdgeId* const offset = host_offsets();
  d.copies->begin_pass(table, pages);
  // Passes have no vertex in common, since each sees all of these pages; between them are vertices
  // without edges on any.
  const VertexId end = end_of(pages.back().page);
  VertexId at = 0;
  for (const PageEntry& entry : pages)
    while (at < end_of(entry.page)) {
      const VertexId first = std::max(at, first_on(entry.page));
      const auto last =
          static_cast<VertexId>(std::min<std::uint64_t>(end, std::uint64_t{first} + most));
      const std::size_t bytes = (std::size_t{last} - first + 1) * sizeof(EdgeId);
      ctx.send(*d.device, d.shown.data(), offset + first, bytes);
      d.first_shown = first;
      ++d.passes;
      Pass shown{*d.device, view(*d.device, options), first, last};
      shown.technique = technique;
      pass(shown);
      at = last;
    }
  d.copies->end_pass(frames_of(d, pages), pages.size() * supply_->page_bytes());
}

}  // namespace fathom
