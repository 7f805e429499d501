#include "fathom/store/parts/verify_parts.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "fathom/store/edge_sums.hpp"
#include "fathom/store/parts/part_files.hpp"
#include "fathom/store/parts/part_store.hpp"
#include "fathom/store/section_hash.hpp"
#include "fathom/store/store_file.hpp"

namespace fathom::store {
namespace {

/// Sums of the edges of a part, and the hashes that its sections add to.
class Together {
 public:
  void add_out(const PartLists& lists) {
    targets_.append(std::as_bytes(std::span(lists.target, lists.range.edges())));
    if (lists.weight) weights_.append(std::as_bytes(std::span(lists.weight, lists.range.edges())));
    weighted_ = lists.weight != nullptr;
    out_ = out_ + sums_of(lists);
  }
  void add_in(const PartLists& lists) { in_ = in_ + sums_of(lists); }

  std::uint64_t fingerprint(const Header& header, std::uint64_t offsets) {
    return content_fingerprint(header.vertices, header.edges, offsets, targets_.finish(),
                               weighted_ ? weights_.finish() : 0);
  }
  bool symmetric() const { return out_.forward == out_.backward; }
  bool transposed() const { return in_.backward == out_.forward; }

 private:
  static EdgeSums sums_of(const PartLists& lists) {
    EdgeSums sums;
    EdgeId e = 0;
    for (VertexId u = lists.range.first; u < lists.range.last; ++u)
      for (; e < lists.offset[u + 1] - lists.range.begin; ++e) {
        const Weight w = lists.weight ? lists.weight[e] : 1;
        sums.forward += edge_hash(u, lists.target[e], w);
        sums.backward += edge_hash(lists.target[e], u, w);
      }
    return sums;
  }

  SectionHash targets_, weights_;
  bool weighted_ = false;
  EdgeSums out_, in_;
};

/// Of all offsets, which every part has.
std::uint64_t hash_of(std::span<const EdgeId> offsets) {
  SectionHash hash;
  hash.append(std::as_bytes(offsets));
  return hash.finish();
}

}  // namespace

VerifiedParts verify_parts(const std::string& directory, int threads, const Task& task) {
  VerifiedParts all;
  all.parts = parts_in(directory);
  if (all.parts == 0) throw_bad_store(directory, "has no parts of a graph");
  Together together;
  std::shared_ptr<PartStore> before;
  std::uint64_t offsets = 0, in_offsets = 0, labels = 0;
  for (std::uint32_t i = 0; i < all.parts; ++i) {
    const std::string path = part_path(directory, i, all.parts);
    if (!std::filesystem::exists(path)) throw_bad_store(path, "is missing");
    const auto part = PartStore::open(path);
    if (!part->part() || part->part()->index != i || part->part()->parts != all.parts)
      throw_bad_store(path, fmt::format("is not part {} of {}, as its name says", i, all.parts));
    part->verify(threads, task);
    for (const SectionInfo& section : part->sections()) all.bytes += section.bytes;
    if (i == 0) all.header = part->header();
    if (part->header().fingerprint != all.header.fingerprint)
      throw_bad_store(path, "is a part of another graph than part 0 is");
    const StoreFile file(path, Parts::Allowed);
    const std::uint64_t its_labels = identity_of_labels(file);
    if (i == 0) labels = its_labels;
    if (its_labels != labels)
      throw_bad_store(path, "is a part of a graph whose vertices have other labels");
    if (before && (before->part()->out.last != part->part()->out.first ||
                   before->part()->in.last != part->part()->in.first))
      throw_bad_store(path,
                      fmt::format("its lists do not begin where those of part {} end", i - 1));
    const std::uint64_t its = hash_of(part->out_offsets(threads));
    const std::uint64_t its_in = hash_of(part->in_offsets(threads));
    if (i > 0 && (its != offsets || its_in != in_offsets))
      throw_bad_store(path, "has other offsets than part 0");
    offsets = its;
    in_offsets = its_in;
    together.add_out(part->part_out(threads));
    if (const auto in = part->part_in(threads)) together.add_in(*in);
    before = part;
  }
  if (together.fingerprint(all.header, offsets) != all.header.fingerprint)
    throw_bad_store(directory,
                    "the parts are not those of one graph: its fingerprint does not match "
                    "their lists");
  if (all.header.symmetric && !together.symmetric())
    throw_bad_store(directory, "marked as symmetric, but some edge has no reverse of equal weight");
  if (!all.header.symmetric && all.header.has_in_edges && !together.transposed())
    throw_bad_store(directory, "the in-edges are not the transpose of the out-edges");
  return all;
}

}  // namespace fathom::store
