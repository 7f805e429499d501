// Damaged, truncated and lying files are refused with an Error(BadInput) that says where.
#include <gtest/gtest.h>

#include <cstring>

#include "fathom/store/store.hpp"
#include "tests/cpu/store/sample.hpp"
#include "tests/store_format/reseal.hpp"
#include "tests/suites/expect_error.hpp"

namespace fathom::store {
namespace {

using testing::expect_error;

void expect_contains(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << "'" << text << "' lacks '" << part << "'";
}

class DamagedStore : public ::testing::Test {
 protected:
  DamagedStore() {
    write_sample(path_, sample_with_everything());
    bytes_ = read_file(path_);
    layout_ = decode_header(path_, bytes_, bytes_.size());
  }

  // The message of the Error(BadInput) that `use` throws for the file made of `bytes`.
  template <class Use>
  std::string refusal(std::span<const std::byte> bytes, const Use& use) const {
    write_file(path_, bytes);
    try {
      use(*Store::open(path_));
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::BadInput) << e.what();
      EXPECT_EQ(std::string(e.what()).rfind(path_ + ": ", 0), 0u) << e.what();
      return e.what();
    }
    return "";
  }
  std::string refusal_at_open(std::span<const std::byte> bytes) const {
    return refusal(bytes, [](Store&) {});
  }
  std::string refusal_by_verify(std::span<const std::byte> bytes) const {
    return refusal(bytes, [](Store& s) { s.verify(1, {}); });
  }

  // The file with a changed header, its checksum right again.
  template <class Change>
  std::vector<std::byte> with_header(const Change& change) const {
    std::vector<std::byte> bytes = bytes_;
    DiskHeader header;
    std::memcpy(&header, bytes.data(), sizeof header);
    change(header);
    std::memcpy(bytes.data(), &header, sizeof header);
    reseal_header(bytes);
    return bytes;
  }
  template <class Change>
  std::vector<std::byte> with_entry(SectionId id, const Change& change) const {
    std::vector<std::byte> bytes = bytes_;
    const auto index = static_cast<std::size_t>(layout_.find(id) - layout_.sections.data());
    SectionEntry entry = layout_.sections[index];
    change(entry);
    std::memcpy(bytes.data() + sizeof(DiskHeader) + index * sizeof entry, &entry, sizeof entry);
    reseal_header(bytes);
    return bytes;
  }
  // The file with another value in a section, all checksums right again.
  template <class T>
  std::vector<std::byte> with_value(SectionId id, std::size_t element, T value) const {
    std::vector<std::byte> bytes = bytes_;
    std::memcpy(bytes.data() + layout_.find(id)->offset + element * sizeof value, &value,
                sizeof value);
    reseal(bytes);
    return bytes;
  }

  TemporaryDirectory directory_;
  std::string path_ = directory_.file("a.fg");
  std::vector<std::byte> bytes_;
  Layout layout_;
};

TEST_F(DamagedStore, IsRefusedAtOpenWhenTruncatedAtAnyLength) {
  write_file(path_, bytes_);
  for (std::size_t length = bytes_.size(); length-- > 0;) {
    if (length > 4200 && length % 4096 > 3 && length % 29 != 0) continue;
    std::filesystem::resize_file(path_, length);
    SCOPED_TRACE(std::to_string(length) + " of " + std::to_string(bytes_.size()) + " bytes");
    expect_error(
        ErrorCode::BadInput, [&] { Store::open(path_); },
        length < 8 ? "not a .fg file" : "truncated");
  }
}

TEST_F(DamagedStore, IsRefusedAtOpenWhenTooLong) {
  std::vector<std::byte> longer = bytes_;
  longer.push_back({});
  expect_contains(refusal_at_open(longer), "too long");
}

TEST_F(DamagedStore, IsDetectedWhereverAByteFlips) {
  write_file(path_, bytes_);
  const std::size_t header = sizeof(DiskHeader) + layout_.sections.size() * sizeof(SectionEntry);
  std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
  auto put = [&](std::size_t at, std::byte value) {
    file.seekp(static_cast<std::streamoff>(at));
    file.put(static_cast<char>(value)).flush();
  };
  for (std::size_t at = 0; at < bytes_.size(); ++at) {
    // All of what has meaning, and a sample of the padding.
    if (at > header && bytes_[at] == std::byte{0} && at % 17 != 0 && (at + 1) % 4096 != 0) continue;
    put(at, bytes_[at] ^ std::byte{static_cast<unsigned char>(1u << at % 8)});
    EXPECT_THROW(Store::open(path_)->verify(1, {}), Error) << "byte " << at;
    put(at, bytes_[at]);
  }
  Store::open(path_)->verify(1, {});  // whole again
}

TEST_F(DamagedStore, IsDetectedAtFirstTouchNamingSectionAndBytes) {
  const SectionEntry& targets = *layout_.find(SectionId::OutTargets);
  std::vector<std::byte> bytes = bytes_;
  bytes[targets.offset + 2] ^= std::byte{1};
  EXPECT_EQ(refusal_at_open(bytes), "");
  const std::string message = refusal(bytes, [](Store& s) { s.out(); });
  expect_contains(message, "section 'out.targets': bytes " + std::to_string(targets.offset) +
                               " to " + std::to_string(targets.offset + 4095));
  EXPECT_EQ(refusal(bytes, [](Store& s) { s.in(); }), "");
  bytes = bytes_;
  bytes[layout_.find(SectionId::LabelBytes)->offset] ^= std::byte{1};
  expect_contains(refusal(bytes, [](Store& s) { s.label(1); }), "section 'labels.bytes'");
  bytes = bytes_;
  bytes[layout_.find(SectionId::LabelIndexOffsets)->offset] ^= std::byte{1};
  expect_contains(refusal(bytes, [](Store& store) { store.find("a"); }),
                  "section 'labels.index.offsets'");
}

TEST_F(DamagedStore, NamesDamagedChecksums) {
  std::vector<std::byte> bytes = bytes_;
  bytes[layout_.checksums_offset] ^= std::byte{1};
  expect_contains(refusal_by_verify(bytes), "its checksums at bytes");
}

TEST_F(DamagedStore, IsRefusedWhenItIsSomethingElse) {
  expect_contains(refusal_at_open({}), "not a .fg file");
  expect_contains(refusal_at_open(std::as_bytes(std::span("1 2\n3 4\n", 8))), "not a .fg file");
  EXPECT_THROW(Store::open(directory_.file("absent.fg")), Error);
  EXPECT_THROW(Store::open(directory_.file("")), Error);
}

TEST_F(DamagedStore, IsRefusedWhenNewerOrOfAnotherWidth) {
  const auto newer = with_header([](DiskHeader& h) { h.version = 4; });
  expect_contains(refusal_at_open(newer),
                  "written by a newer Fathom: format 4, this program reads up to 3");
  expect_contains(refusal_at_open(with_header([](DiskHeader& h) { h.version = 2; })),
                  "the sections are not those of format 2");
  expect_contains(refusal_at_open(with_header([](DiskHeader& h) { h.id_bits = 96 - kIdBits; })),
                  "-bit vertex ids, this build of Fathom reads");
  EXPECT_NE(refusal_at_open(with_header([](DiskHeader& h) { h.version = 0; })), "");
}

TEST_F(DamagedStore, IsRefusedAtOpenWhenTheHeaderLies) {
  using Change = void (*)(DiskHeader&);
  const Change changes[] = {
      [](DiskHeader& h) { h.vertices = ~std::uint64_t{0}; },
      [](DiskHeader& h) { h.vertices = 0xffffffff; },
      [](DiskHeader& h) { h.vertices = 0xfffffffe; },
      [](DiskHeader& h) { h.edges = ~std::uint64_t{0}; },
      [](DiskHeader& h) { h.edges += 1; },
      [](DiskHeader& h) { h.edges = std::uint64_t{1} << 62; },
      [](DiskHeader& h) { h.header_bytes = 8192; },
      [](DiskHeader& h) { h.file_bytes = ~std::uint64_t{0}; },
      [](DiskHeader& h) { h.section_count = 0; },
      [](DiskHeader& h) { h.section_count -= 1; },
      [](DiskHeader& h) { h.section_count += 1; },
      [](DiskHeader& h) { h.section_count = ~0u; },
      [](DiskHeader& h) { h.checksums_offset += 8; },
      [](DiskHeader& h) { h.checksums_offset = ~std::uint64_t{7}; },
      [](DiskHeader& h) { h.flags |= 256; },
      [](DiskHeader& h) { h.flags &= ~kFlagWeighted; },
      [](DiskHeader& h) { h.flags &= ~kFlagInEdges; },
      [](DiskHeader& h) { h.flags &= ~kFlagDirected; },
      [](DiskHeader& h) { h.label_kind = 4; },
      [](DiskHeader& h) { h.label_kind = 0; },
      [](DiskHeader& h) { h.label_base = ~std::uint64_t{0}; },
      [](DiskHeader& h) { h.duplicates = 9; },
      [](DiskHeader& h) { h.fingerprint += 1; },
  };
  for (std::size_t i = 0; i < std::size(changes); ++i)
    EXPECT_NE(refusal_at_open(with_header(changes[i])), "") << "change " << i;
}

TEST_F(DamagedStore, IsRefusedAtOpenWhenTheSectionTableLies) {
  using Change = void (*)(SectionEntry&);
  const Change changes[] = {
      [](SectionEntry& s) { s.offset = kPageBytes; },  // overlaps the first section
      [](SectionEntry& s) { s.offset += 4096; },
      [](SectionEntry& s) { s.offset += 1; },
      [](SectionEntry& s) { s.offset = ~std::uint64_t{4095}; },
      [](SectionEntry& s) { s.bytes = ~std::uint64_t{3}; },
      [](SectionEntry& s) { s.bytes += 4; },
      [](SectionEntry& s) { s.bytes -= 1; },
      [](SectionEntry& s) { s.bytes += 1 << 20; },
      [](SectionEntry& s) { s.bytes = 0; },
      [](SectionEntry& s) { s.element_bytes = 12 - sizeof(VertexId); },
      [](SectionEntry& s) { s.element_bytes = 0; },
      [](SectionEntry& s) { s.element_bytes = 2; },
      [](SectionEntry& s) { s.reserved = 1; },
      [](SectionEntry& s) { s.first_checksum += 1; },
      [](SectionEntry& s) { s.name[0] = 0; },
      [](SectionEntry& s) { s.name[0] = 'x'; },
      [](SectionEntry& s) { std::memset(s.name, 'x', sizeof s.name); },
      [](SectionEntry& s) { std::memcpy(s.name, "in.targets", 11); },
      [](SectionEntry& s) { s.name[sizeof s.name - 2] = 'x'; },
      [](SectionEntry& s) { s.checksum_hash += 1; },
  };
  for (std::size_t i = 0; i < std::size(changes); ++i)
    EXPECT_NE(refusal_at_open(with_entry(SectionId::OutTargets, changes[i])), "") << "change " << i;
  const std::string message =
      refusal_at_open(with_entry(SectionId::OutTargets, [](SectionEntry& s) { s.offset += 4096; }));
  expect_contains(message, "section 'out.targets'");
}

TEST_F(DamagedStore, IsRefusedAtOpenWhenASectionThatNobodyKnowsHasANameThatATerminalObeys) {
  const auto named = [&](const char* name) {
    return with_entry(SectionId::Provenance, [&](SectionEntry& s) {
      std::memset(s.name, 0, sizeof s.name);
      std::strncpy(s.name, name, sizeof s.name - 1);
    });
  };
  EXPECT_EQ(refusal_at_open(named("of.another.version")), "");
  for (const char* name : {"\x1b[31m", "a b", "\x9b", "\u202e", "a\n"})
    expect_contains(refusal_at_open(named(name)), "not a name");
}

TEST_F(DamagedStore, IsRefusedAtOpenWhenItHasSomeFieldsOnly) {
  for (const SectionId id : {SectionId::OutTypes, SectionId::OutTimes, SectionId::VertexWeights,
                             SectionId::VertexTypes}) {
    const std::string other =
        refusal_at_open(with_entry(id, [](SectionEntry& s) { s.name[sizeof("out.t")] = '?'; }));
    expect_contains(other, "is missing");
    expect_contains(refusal_at_open(with_entry(id, [](SectionEntry& s) { s.bytes -= 16; })),
                    "elements, expected");
  }
  // Of a graph that says that it has no weights.
  expect_contains(refusal_at_open(with_header([](DiskHeader& h) { h.flags &= ~kFlagWeighted; })),
                  "contradicts");
}

TEST_F(DamagedStore, IsFoundOutByVerifyWhenAnEdgeSaysSomethingElseBackwards) {
  Sample s;
  s.vertices = 3;
  s.edges = {{0, 1, 2}, {1, 0, 2}, {1, 1, 5}};
  s.weighted = s.undirected = true;
  const auto stored = [&](const EdgeFields& back) {
    StoreWriter writer(path_);
    writer.append_lists(Lists::Out, out_of(s).view());
    const std::vector<EdgeFields> fields{{7, 8, 9}, back, {1, 2, 3}};
    write_fields(writer, fields, {}, 1);
    Header header;
    header.vertices = s.vertices;
    header.directed = false;
    header.symmetric = true;
    writer.commit(header);
    return read_file(path_);
  };
  EXPECT_EQ(refusal_by_verify(stored({7, 8, 9})), "");
  for (const EdgeFields& other : {EdgeFields{6, 8, 9}, {7, 9, 8}, {7, 8, 1}})
    expect_contains(refusal_by_verify(stored(other)), "out.types, out.times");
}

TEST_F(DamagedStore, CannotLeadAWalkOutOfItsLists) {
  auto out = [](Store& s) { s.out(); };
  expect_contains(refusal(with_value<EdgeId>(SectionId::OutOffsets, 0, 1), out), "element 0");
  expect_contains(refusal(with_value<EdgeId>(SectionId::OutOffsets, 2, 9), out), "out.offsets");
  expect_contains(refusal(with_value<EdgeId>(SectionId::OutOffsets, 5, 6), out), "element 5");
  expect_contains(refusal(with_value<VertexId>(SectionId::OutTargets, 6, 5), out), "element 6");
  expect_contains(
      refusal(with_value<VertexId>(SectionId::OutPairs, 2, 5), [](Store& s) { s.interleaved(); }),
      "out.pairs");
  expect_contains(
      refusal(with_value<EdgeId>(SectionId::LabelOffsets, 1, 99), [](Store& s) { s.label(3); }),
      "labels.offsets");
}

TEST_F(DamagedStore, IsFoundOutByVerifyWhenOnlyTheMeaningIsWrong) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  ASSERT_EQ(refusal_by_verify(bytes_), "");
  expect_contains(refusal_by_verify(with_value<Weight>(SectionId::OutWeights, 0, nan)), "finite");
  expect_contains(refusal_by_verify(with_value<Weight>(SectionId::OutWeights, 1, 8)), "sorted");
  expect_contains(refusal_by_verify(with_value<VertexId>(SectionId::OutTargets, 0, 3)), "sorted");
  expect_contains(refusal_by_verify(with_value<VertexId>(SectionId::InTargets, 0, 1)), "transpose");
  expect_contains(refusal_by_verify(with_value<Weight>(SectionId::InWeights, 0, 0.75f)),
                  "transpose");
  expect_contains(refusal_by_verify(with_value<Weight>(SectionId::OutPairs, 1, 9)), "out.pairs");
  expect_contains(refusal_by_verify(with_value<VertexId>(SectionId::Permutation, 0, 3)),
                  "permutation");
  expect_contains(refusal_by_verify(with_value<std::uint64_t>(SectionId::Degrees, 2, 9)),
                  "degrees");
  expect_contains(refusal_by_verify(with_value<std::uint64_t>(SectionId::Degrees, 75, 9)),
                  "in-edges");
  expect_contains(refusal_by_verify(with_value<Weight>(SectionId::VertexWeights, 2, nan)),
                  "weight of vertex 2");
  expect_contains(refusal_by_verify(with_value<char>(SectionId::LabelBytes, 0, 'c')), "labels");
  expect_contains(refusal_by_verify(with_value<EdgeId>(SectionId::LabelOffsets, 0, 1)),
                  "labels.offsets");
  expect_contains(refusal_by_verify(with_value<EdgeId>(SectionId::LabelIndexOffsets, 1, 1)),
                  "labels");
}

TEST_F(DamagedStore, IsFoundOutByASearchForALabelThatTheIndexMisplaces) {
  Sample s = sample_with_everything();
  s.strings = {"a", "ab", "b", "c", "d"};
  write_sample(path_, s);
  bytes_ = read_file(path_);
  layout_ = decode_header(path_, bytes_, bytes_.size());
  expect_contains(refusal(with_value<char>(SectionId::LabelIndexBytes, 0, 'z'),
                          [](Store& store) { store.find("a"); }),
                  "vertex 0: differs from the label index");
}

TEST_F(DamagedStore, IsFoundOutByVerifyWhenOrientedListsAreNotTheGraph) {
  const std::vector<std::vector<Edge>> wrong = {
      {{0, 1}, {0, 2}},                  // one missing
      {{0, 1}, {0, 2}, {1, 2}, {2, 1}},  // both directions
      {{0, 1}, {0, 2}, {1, 2}, {1, 2}},  // twice
      {{0, 1}, {0, 2}, {1, 2}, {3, 3}},  // a loop
      {{0, 1}, {0, 2}, {1, 2}, {1, 4}},  // not an edge
  };
  for (const std::vector<Edge>& oriented : wrong) {
    Sample s = sample_with_everything();
    s.oriented = oriented;
    write_sample(path_, s);
    expect_contains(refusal_by_verify(read_file(path_)), "oriented");
  }
}

TEST_F(DamagedStore, IsFoundOutByVerifyWhenNotSymmetricAsItClaims) {
  Sample s = sample_with_everything();
  s.symmetric = true;
  write_sample(path_, s);
  expect_contains(refusal_by_verify(read_file(path_)), "symmetric");
}

}  // namespace
}  // namespace fathom::store
