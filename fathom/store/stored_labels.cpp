#include "fathom/store/stored_labels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>

namespace fathom::store {
namespace {

std::optional<std::uint64_t> parse_integer(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return {};
  return value;
}

// The first i in [first, last) for which `before(i)` is false.
template <class Before>
std::uint64_t partition_point(std::uint64_t first, std::uint64_t last, const Before& before) {
  while (first < last) {
    const std::uint64_t middle = first + (last - first) / 2;
    if (before(middle))
      first = middle + 1;
    else
      last = middle;
  }
  return first;
}

}  // namespace

std::string_view LabelTable::index_string(std::uint64_t k) {
  const std::string_view entry =
      string_at(SectionId::LabelIndexOffsets, SectionId::LabelIndexBytes, k);
  // A search that trusts an index of other labels misses what is there.
  const std::uint64_t row = k * kLabelIndexStride;
  if (entry != string(static_cast<VertexId>(row)))
    throw_bad_store(sections_.file().path(),
                    fmt::format("labels: vertex {}: differs from the label index", row));
  return entry;
}

std::string_view LabelTable::string_at(SectionId offsets, SectionId bytes, std::uint64_t i) {
  const auto bounds = sections_.touch_range<std::uint64_t>(offsets, i, 2);
  if (bounds[0] > bounds[1])
    throw_bad_store(sections_.file().path(), fmt::format("section '{}': element {} is smaller than "
                                                         "its predecessor",
                                                         name_of(offsets), i + 1));
  const auto text = sections_.touch_range<char>(bytes, bounds[0], bounds[1] - bounds[0]);
  return {text.data(), text.size()};
}

std::string LabelTable::label(VertexId v) {
  if (v >= header().vertices)
    throw Error(ErrorCode::Usage, fmt::format("{}: no vertex {}, there are {}",
                                              sections_.file().path(), v, header().vertices));
  std::string text;
  append_of_row(row_of(v), text);
  return text;
}

void LabelTable::append_of_row(VertexId row, std::string& out) {
  const auto append = [&](std::uint64_t integer) {
    fmt::format_to(std::back_inserter(out), "{}", integer);
  };
  switch (header().labels) {
    case LabelKind::Identity:
      return append(row);
    case LabelKind::Offset:
      return append(row + header().label_base);
    case LabelKind::Integers:
      return append(integer(row));
    case LabelKind::Strings:
      out += string(row);
      return;
  }
  throw Error(ErrorCode::Internal, "unknown kind of labels");
}

VertexId LabelTable::row_of(VertexId v) {
  if (!sections_.layout().find(SectionId::Permutation)) return v;
  const VertexId row = sections_.touch_range<VertexId>(SectionId::Permutation, v, 1)[0];
  if (row >= header().vertices)
    throw_bad_store(sections_.file().path(),
                    fmt::format("section 'permutation': element {} names vertex {}", v, row));
  return row;
}

VertexId LabelTable::vertex_of(VertexId row) {
  if (!sections_.layout().find(SectionId::Permutation)) return row;
  std::call_once(order_read_,
                 [&] { order_ = first_order(sections_.file().path(), MemoryPool::unlimited()); });
  return order_.vertex[row];
}

std::optional<VertexId> LabelTable::find(std::string_view label) {
  const std::optional<VertexId> row = find_row(label);
  return row ? std::optional(vertex_of(*row)) : row;
}

std::optional<VertexId> LabelTable::find_row(std::string_view label) {
  if (header().labels == LabelKind::Strings) return find_string(label);
  const std::optional<std::uint64_t> integer = parse_integer(label);
  if (!integer) return {};
  if (header().labels == LabelKind::Integers) return find_integer(*integer);
  const std::uint64_t base = header().labels == LabelKind::Offset ? header().label_base : 0;
  if (*integer < base || *integer - base >= header().vertices) return {};
  return static_cast<VertexId>(*integer - base);
}

std::optional<VertexId> LabelTable::find_integer(std::uint64_t label) {
  const std::uint64_t v = partition_point(0, header().vertices, [&](std::uint64_t i) {
    return integer(static_cast<VertexId>(i)) < label;
  });
  if (v == header().vertices || integer(static_cast<VertexId>(v)) != label) return {};
  return static_cast<VertexId>(v);
}

std::optional<VertexId> LabelTable::find_string(std::string_view label) {
  const std::uint64_t n = header().vertices;
  const std::uint64_t entries = (n + kLabelIndexStride - 1) / kLabelIndexStride;
  // The label is in the stretch of the last entry that is not greater.
  const std::uint64_t after =
      partition_point(0, entries, [&](std::uint64_t k) { return index_string(k) <= label; });
  if (after == 0) return {};
  const std::uint64_t last = std::min<std::uint64_t>(n, after * kLabelIndexStride);
  const std::uint64_t v =
      partition_point((after - 1) * kLabelIndexStride, last,
                      [&](std::uint64_t i) { return string(static_cast<VertexId>(i)) < label; });
  if (v == last || string(static_cast<VertexId>(v)) != label) return {};
  return static_cast<VertexId>(v);
}

void LabelTable::verify(const Task& task) {
  const VertexId n = header().vertices;
  auto require = [&](bool ok, VertexId v, const char* what) {
    if (!ok)
      throw_bad_store(sections_.file().path(), fmt::format("labels: vertex {}: {}", v, what));
  };
  auto each_vertex = [&](const auto& body) {
    task.begin("labels", n, "labels");
    for (VertexId v = 0; v < n; ++v) {
      if (v % (1u << 16) == 0) task.at(v);
      body(v);
    }
    task.end();
  };
  if (header().labels == LabelKind::Integers) {
    each_vertex([&](VertexId v) {
      require(v == 0 || integer(v - 1) < integer(v), v, "not greater than its predecessor");
    });
  } else if (header().labels == LabelKind::Strings) {
    auto require_whole = [&](SectionId offsets, SectionId bytes, std::uint64_t entries) {
      const auto end = sections_.touch_range<std::uint64_t>(offsets, entries, 1)[0];
      const auto begin = sections_.touch_range<std::uint64_t>(offsets, 0, 1)[0];
      if (begin != 0 || end != sections_.layout().find(bytes)->bytes)
        throw_bad_store(sections_.file().path(), fmt::format("section '{}': does not cover '{}'",
                                                             name_of(offsets), name_of(bytes)));
    };
    require_whole(SectionId::LabelOffsets, SectionId::LabelBytes, n);
    require_whole(SectionId::LabelIndexOffsets, SectionId::LabelIndexBytes,
                  (std::uint64_t{n} + kLabelIndexStride - 1) / kLabelIndexStride);
    each_vertex([&](VertexId v) {
      require(v == 0 || string(v - 1) < string(v), v, "not greater than its predecessor");
      if (v % kLabelIndexStride == 0) index_string(v / kLabelIndexStride);
    });
  }
}

}  // namespace fathom::store
