// Small whole .fg files, and edits of them that fuzzing makes: of which the checksums are put right
// afterwards, since random bytes never match them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "fathom/store/make/repack.hpp"
#include "tests/cpu/store/sample.hpp"
#include "tests/fuzz/shared/fuzzing.hpp"
#include "tests/store_format/reseal.hpp"

namespace fathom::fuzzing {

enum class Seal { None, Header, All };

/// A file to start from, and where it has bytes that are not padding.
class BaseStore {
 public:
  explicit BaseStore(std::vector<std::byte> image) : image_(std::move(image)) {
    const store::Layout layout = store::decode_header("a.fg", image_, image_.size());
    sections_ = layout.sections.size();
    add(0, sizeof(store::DiskHeader) + sections_ * sizeof(store::SectionEntry), kTable);
    for (std::size_t i = 0; i < sections_; ++i)
      add(layout.sections[i].offset, layout.sections[i].bytes, i);
  }
  explicit BaseStore(const store::Sample& sample) : BaseStore(image_of(sample)) {}
  const std::vector<std::byte>& image() const { return image_; }

  /// The file with edits: three bytes each, of a position (low byte first) and a value.
  std::vector<std::byte> edited(std::span<const std::uint8_t> edits, Seal seal) const {
    std::vector<std::byte> file = image_;
    std::vector<bool> changed(sections_, false);
    bool table = false;
    for (; edits.size() >= 3; edits = edits.subspan(3)) {
      const std::size_t at = edits[0] + std::size_t{256} * edits[1];
      const Position& where = position_[at % position_.size()];
      file[where.byte] = std::byte{edits[2]};
      if (where.section == kTable)
        table = true;
      else
        changed[where.section] = true;
    }
    if (seal == Seal::All) store::reseal(file, table ? std::vector<bool>() : changed);
    if (seal == Seal::Header) store::reseal_header(file);
    return file;
  }

  static std::vector<std::byte> slotted_image_of(const store::Sample& sample) {
    const store::TemporaryDirectory directory;
    write_slotted_sample(directory.file("a.fg"), sample, {4096, 3, 3});
    return store::read_file(directory.file("a.fg"));
  }

  static std::vector<std::byte> narrow_image_of(const store::Sample& sample) {
    store::RepackOptions options;
    options.narrow = true;
    return repacked_image_of(sample, options);
  }

  static std::vector<std::byte> packed_image_of(const store::Sample& sample) {
    store::RepackOptions options;
    options.packed = true;
    return repacked_image_of(sample, options);
  }

 private:
  static std::vector<std::byte> repacked_image_of(const store::Sample& sample,
                                                  store::RepackOptions options) {
    const store::TemporaryDirectory directory;
    write_sample(directory.file("a.fg"), sample);
    options.threads = 1;
    store::repack(directory.file("a.fg"), directory.file("b.fg"), options);
    return store::read_file(directory.file("b.fg"));
  }
  static std::vector<std::byte> image_of(const store::Sample& sample) {
    const store::TemporaryDirectory directory;
    write_sample(directory.file("a.fg"), sample);
    return store::read_file(directory.file("a.fg"));
  }
  static constexpr std::size_t kTable = ~std::size_t{0};  // and the header before it
  struct Position {
    std::size_t byte, section;
  };
  void add(std::size_t first, std::size_t bytes, std::size_t section) {
    for (std::size_t i = first; i < first + bytes; ++i) position_.push_back({i, section});
  }
  std::vector<std::byte> image_;
  std::size_t sections_ = 0;
  std::vector<Position> position_;
};

/// One vertex-less file, one with every kind of section, an undirected one, pages; narrow lists and
/// packed ones, with and without weights, the last of several groups.
inline const std::vector<BaseStore>& base_stores() {
  static const std::vector<BaseStore> bases = [] {
    store::Sample undirected;
    undirected.vertices = 3;
    undirected.edges = {{0, 1}, {1, 0}, {1, 2}, {2, 1}, {2, 2}};
    undirected.undirected = true;
    undirected.labels = store::LabelKind::Integers;
    undirected.integers = {3, 17, 90};
    undirected.oriented = {{0, 1}, {2, 1}};
    store::Sample pages = store::random_sample(60, 200, true);
    for (VertexId v = 0; v < 500; ++v) pages.edges.push_back({7, v % 60, 2});
    pages.in_edges = true;
    std::vector<BaseStore> made;
    made.emplace_back(store::Sample());
    made.emplace_back(store::sample_with_everything());
    made.emplace_back(undirected);
    made.emplace_back(BaseStore::slotted_image_of(pages));
    made.emplace_back(BaseStore::narrow_image_of(store::sample_without_edge_fields()));
    made.emplace_back(BaseStore::narrow_image_of(undirected));
    made.emplace_back(BaseStore::packed_image_of(store::sample_without_edge_fields()));
    made.emplace_back(BaseStore::packed_image_of(undirected));
    made.emplace_back(BaseStore::packed_image_of(store::random_sample(300, 2500, true)));
    return made;
  }();
  return bases;
}

/// A .fg file of an input: its first byte says whether the rest is the file itself (0) or edits of
/// a base, sealed partly or fully.
inline std::vector<std::byte> store_of(Input& input) {
  const std::vector<BaseStore>& bases = base_stores();
  const std::size_t mode = input.byte() % (2 * bases.size() + 1);
  if (mode == 0) {
    const auto bytes = std::as_bytes(input.rest());
    return {bytes.begin(), bytes.end()};
  }
  return bases[(mode - 1) / 2].edited(input.rest(), mode % 2 == 0 ? Seal::All : Seal::Header);
}

}  // namespace fathom::fuzzing
