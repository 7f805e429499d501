#include "fathom/dynamic/log/batch_record.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "fathom/core/error.hpp"
#include "fathom/core/printable.hpp"

namespace fathom::dynamic {
namespace {

constexpr std::size_t kLongestNumber = 10;  // bytes of 64 bits, 7 at a time

[[noreturn]] void refuse_payload(const std::string& what) {
  throw Error(ErrorCode::BadInput, what);
}

/// Takes a payload apart, never beyond its end.
class RecordFields {
 public:
  explicit RecordFields(std::span<const std::byte> bytes) : rest_(bytes) {}

  std::uint64_t number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 7 * kLongestNumber; shift += 7) {
      const auto byte = std::to_integer<std::uint64_t>(take(1)[0]);
      const std::uint64_t bits = byte & 0x7f;
      if (shift == 63 && bits > 1) break;
      value |= bits << shift;
      if (byte < 0x80) return value;
    }
    refuse_payload("it has a number of more than 64 bits");
  }
  std::uint64_t number_below(std::uint64_t limit, const char* what) {
    const std::uint64_t value = number();
    if (value >= limit)
      refuse_payload(std::string(what) + " in it is " + std::to_string(value) + ", of " +
                     std::to_string(limit));
    return value;
  }
  /// How many there are of what takes at least so many bytes each.
  std::size_t count(std::size_t bytes) {
    const std::uint64_t value = number();
    if (value > rest_.size() / bytes)
      refuse_payload("it says that it has more than it has bytes for");
    return static_cast<std::size_t>(value);
  }
  template <class T>
  T fixed() {
    T value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  Weight weight() {
    const auto value = fixed<Weight>();
    if (!std::isfinite(value)) refuse_payload("it has a weight that is not finite");
    return value;
  }
  std::uint32_t type() {
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
    return static_cast<std::uint32_t>(number_below(kMost + 1, "a type"));
  }
  std::string_view text() {
    const std::span<const std::byte> from = take(number());
    return {reinterpret_cast<const char*>(from.data()), from.size()};
  }
  bool empty() const { return rest_.empty(); }

 private:
  std::span<const std::byte> take(std::uint64_t bytes) {
    if (bytes > rest_.size()) refuse_payload("it ends in the middle");
    const std::span<const std::byte> taken = rest_.first(static_cast<std::size_t>(bytes));
    rest_ = rest_.subspan(taken.size());
    return taken;
  }
  std::span<const std::byte> rest_;
};

}  // namespace

std::byte* RecordBytes::room(std::size_t most) {
  if (bytes_.size() - size_ < most) bytes_.resize(2 * bytes_.size() + most);
  return bytes_.data() + size_;
}

void RecordBytes::number(std::uint64_t value) {
  std::byte* at = room(kLongestNumber);
  for (; value >= 0x80; value >>= 7) *at++ = static_cast<std::byte>(value | 0x80);
  *at++ = static_cast<std::byte>(value);
  size_ = static_cast<std::size_t>(at - bytes_.data());
}

void RecordBytes::text(std::string_view value) {
  number(value.size());
  std::memcpy(room(value.size() + 1), value.data(), value.size());
  size_ += value.size();
}

template <class T>
void RecordBytes::fixed(T value) {
  std::memcpy(room(sizeof value), &value, sizeof value);
  size_ += sizeof value;
}

void BatchEncoder::name(VertexId v) {
  if (v >= place_.size()) place_.resize(std::max<std::size_t>(v + 1, 2 * place_.size()));
  const std::size_t at = place_[v];
  if (at < named_.size() && named_[at] == v) return;
  place_[v] = static_cast<std::uint32_t>(named_.size());
  named_.push_back(v);
}

void BatchEncoder::put_labels(const NamedBatch& named, const VertexLabels& labels) {
  const std::size_t fresh = named.new_vertices.size();
  for (std::size_t i = 0; i < named_.size(); ++i) {
    if (labels.strings()) {
      bytes_.text(i < fresh ? *named.new_labels[i] : labels.text(named_[i]));
    } else if (i < fresh) {
      bytes_.number(named.new_integers[i]);
    } else {
      bytes_.number(labels.integer(named_[i]));
    }
  }
}

void BatchEncoder::put_edges(const LogKind& kind, const GraphBatch& batch) {
  for (std::size_t i = 0; i < batch.edges.size(); ++i) {
    const EdgeUpdate& e = batch.edges[i];
    bytes_.number(2 * place(e.source) + (e.deletion ? 1 : 0));
    bytes_.number(place(e.target));
    if (e.deletion || kind.edges == EdgeKind::Simple) continue;
    bytes_.fixed(e.weight);
    if (kind.edges != EdgeKind::Semantic) continue;
    const EdgeFields fields = batch.fields.empty() ? EdgeFields{} : batch.fields[i];
    for (const std::uint64_t value : {std::uint64_t{fields.type}, fields.t1, fields.t2})
      bytes_.number(value);
  }
}

std::span<const std::byte> BatchEncoder::encode(const LogKind& kind, const NamedBatch& named,
                                                const VertexLabels& labels,
                                                const UpdatePosition& at) {
  const GraphBatch& changes = named.batch;
  named_.clear();
  for (const VertexId v : named.new_vertices) name(v);
  for (const EdgeUpdate& e : changes.edges) {
    name(e.source);
    name(e.target);
  }
  for (const VertexId v : changes.deleted_vertices) name(v);
  for (const VertexUpdate& u : changes.vertex_updates) name(u.vertex);

  bytes_.clear();
  bytes_.number(named.updates);
  bytes_.number(at.line);
  bytes_.fixed(at.hash);
  for (const std::size_t count : {named_.size(), named.new_vertices.size(), changes.edges.size(),
                                  changes.deleted_vertices.size(), changes.vertex_updates.size()})
    bytes_.number(count);
  put_labels(named, labels);
  put_edges(kind, changes);
  for (const VertexId v : changes.deleted_vertices) bytes_.number(place(v));
  for (const VertexUpdate& u : changes.vertex_updates) {
    bytes_.number(place(u.vertex));
    bytes_.fixed(u.fields.weight);
    bytes_.number(u.fields.type);
  }
  return bytes_.all();
}

LoggedBatch::LoggedBatch(const LogKind& kind, std::span<const std::byte> payload) : kind_(kind) {
  RecordFields from(payload);
  updates_ = from.number();
  position_.line = from.number();
  position_.hash = from.fixed<std::uint64_t>();
  const std::size_t vertices = from.count(1);
  new_vertices_ = static_cast<std::size_t>(
      from.number_below(std::uint64_t{vertices} + 1, "a count of new vertices"));
  const std::size_t edges = from.count(2), gone = from.count(1), said = from.count(2);
  const auto place = [&] {
    return static_cast<std::uint32_t>(from.number_below(vertices, "a vertex"));
  };
  label_.reserve(vertices);
  for (std::size_t i = 0; i < vertices; ++i) {
    Label label;
    if (kind.strings)
      label.text = from.text();
    else
      label.integer = from.number();
    label_.push_back(label);
  }
  edge_.reserve(edges);
  if (kind.edges == EdgeKind::Semantic) fields_.resize(edges);
  for (std::size_t i = 0; i < edges; ++i) {
    PlacedEdge e;
    const std::uint64_t source = from.number_below(2 * std::uint64_t{vertices}, "a vertex");
    e.source = static_cast<std::uint32_t>(source / 2);
    e.deletion = source % 2 != 0;
    e.target = place();
    if (!e.deletion && kind.edges != EdgeKind::Simple) e.weight = from.weight();
    if (!e.deletion && kind.edges == EdgeKind::Semantic) {
      fields_[i].type = from.type();
      fields_[i].t1 = from.number();
      fields_[i].t2 = from.number();
    }
    edge_.push_back(e);
  }
  for (std::size_t i = 0; i < gone; ++i) gone_.push_back(place());
  for (std::size_t i = 0; i < said; ++i) {
    PlacedFields fields;
    fields.vertex = place();
    fields.fields.weight = from.weight();
    fields.fields.type = from.type();
    said_.push_back(fields);
  }
  if (!from.empty()) refuse_payload("it has more bytes than it says");
}

std::optional<VertexId> LoggedBatch::find(const VertexLabels& labels, const Label& label) const {
  return kind_.strings ? labels.find(label.text) : labels.find_integer(label.integer);
}

std::string LoggedBatch::shown(const Label& label) const {
  return kind_.strings ? in_quotes(label.text) : std::to_string(label.integer);
}

/// Of the vertices it names.
std::vector<VertexId> LoggedBatch::indices(const DynamicGraph& graph,
                                           const VertexLabels& labels) const {
  std::vector<VertexId> vertex = graph.next_vertices(static_cast<VertexId>(new_vertices_));
  vertex.reserve(label_.size());
  for (std::size_t i = new_vertices_; i < label_.size(); ++i) {
    const auto there = find(labels, label_[i]);
    if (!there)
      refuse_payload("it names the vertex " + shown(label_[i]) + ", which the graph does not have");
    vertex.push_back(*there);
  }
  return vertex;
}

BatchReport LoggedBatch::apply(DynamicGraph& graph, VertexLabels& labels) const {
  const std::vector<VertexId> vertex = indices(graph, labels);
  std::vector<EdgeUpdate> edges;
  edges.reserve(edge_.size());
  for (const PlacedEdge& e : edge_)
    edges.push_back({vertex[e.source], vertex[e.target], e.weight, e.deletion});
  std::vector<VertexId> gone;
  std::vector<bool> goes(label_.size());
  for (const std::uint32_t place : gone_) {
    gone.push_back(vertex[place]);
    goes[place] = true;
  }
  std::vector<VertexUpdate> said;
  for (const PlacedFields& s : said_) said.push_back({vertex[s.vertex], s.fields});

  const BatchReport report =
      graph.apply({static_cast<VertexId>(new_vertices_), edges, gone, false, fields_, said});
  for (const VertexId v : gone) labels.remove(v);
  for (std::size_t i = 0; i < new_vertices_; ++i) {
    if (goes[i]) continue;
    if (find(labels, label_[i]))
      refuse_payload("it brings the vertex " + shown(label_[i]) + ", which the graph has");
    if (kind_.strings)
      labels.set(vertex[i], label_[i].text);
    else
      labels.set_integer(vertex[i], label_[i].integer);
  }
  return report;
}

}  // namespace fathom::dynamic
