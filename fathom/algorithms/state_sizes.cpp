#include "fathom/algorithms/state_sizes.hpp"

namespace fathom {
namespace {

constexpr double kBit = 1. / 8;  // of a frontier

}  // namespace

StateSize bfs_state(bool parents, bool pulls, double id_bytes) {
  StateSize size{"bfs"};
  size.result = size.chunk = 4 + (parents ? id_bytes : 0);
  // This frontier and the next one; those unreached, and those of them that hints reach.
  size.whole = size.result + (pulls ? 4 : 2) * kBit;
  size.merged = size.result + kBit;
  size.lists = 2 * id_bytes;
  size.always = 2 * kBit;
  size.in_lists = pulls;
  return size;
}

StateSize multi_search_state(double id_bytes) {
  StateSize size{"multi_bfs"};
  size.whole = 3 * 8 + 4 * kBit;  // sets of searches seen, arrived, arriving
  size.merged = 8 + kBit;
  size.lists = 2 * id_bytes;
  size.in_lists = true;
  return size;
}

StateSize multi_bfs_state(int planes, double id_bytes) {
  StateSize size = multi_search_state(id_bytes);
  size.whole += 8 * planes;  // a bit of every search's depth
  return size;
}

StateSize harmonic_state(double id_bytes) {
  StateSize size = multi_search_state(id_bytes);
  size.algorithm = "harmonic";
  size.whole += 8 + 8;  // sums, and what they are scaled to
  size.result = 8;
  return size;
}

StateSize closeness_state(double id_bytes) {
  StateSize size = multi_search_state(id_bytes);
  size.algorithm = "closeness";
  size.whole += 8 + id_bytes;  // sums of distances, and of how many
  size.result = 8 + 8 + id_bytes;
  return size;
}

StateSize eccentricity_state(bool directed, double id_bytes) {
  StateSize size = multi_search_state(id_bytes);
  size.algorithm = "eccentricity";
  // What there is on the host beside the search: the result, or copies of bounds and sums, and
  // parts, which are made from labels.
  const double beside = directed ? 4 : 3 * 4 + id_bytes;
  size.result = beside + (directed ? 0 : id_bytes);
  size.lists += beside;                     // where the memory is one
  size.whole += directed ? 0 : 3 * 4 + 64;  // bounds and sums, and a row of depths
  // Of each search of a batch: where it begins, and what it found farthest.
  size.fixed = directed ? 0 : 64 * (static_cast<std::uint64_t>(id_bytes) + 4);
  return size;
}

StateSize sssp_state(double length_bytes, double id_bytes) {
  StateSize size{"sssp"};
  size.result = size.chunk = size.source = length_bytes;
  size.always = 3 * kBit;
  size.whole = size.result + size.always;
  size.merged = size.result + kBit;
  size.lists = 2 * id_bytes;
  // Entries of 8 bytes, stale ones among them: of uniform graphs with weights from 1 to 255 19.5
  // bytes per vertex, R-MAT 14, grids and roads next to nothing. With doubles they are of 16.
  const bool wide = length_bytes > sizeof(Weight);
  size.worker_blocks = (wide ? 128 : 64) << 10;
  size.bins = wide ? 40 : 20;
  size.weights = true;
  return size;
}

StateSize bellman_ford_state(double length_bytes, double id_bytes) {
  StateSize size{"bellman-ford"};
  size.result = length_bytes;
  // Lengths, those before a round, rounds; parents where a cycle is looked for; this frontier and
  // the next one.
  size.whole = 2 * length_bytes + 4 + id_bytes + 2 * kBit;
  size.merged = (length_bytes > id_bytes ? length_bytes : id_bytes) + kBit;
  size.lists = 2 * id_bytes;
  size.weights = true;
  return size;
}

StateSize components_state(bool sample, double id_bytes) {
  StateSize size{"cc"};
  size.result = size.merged = size.chunk = size.source = id_bytes;
  size.always = 3 * kBit;
  size.whole = size.result + (sample ? kBit : 0);
  size.in_lists = sample;
  size.split_in_lists = true;
  return size;
}

StateSize scc_state(bool directed, bool has_in, double id_bytes) {
  StateSize size{"scc"};
  size.result = 2 * id_bytes;  // labels, and what counts them
  // Labels and colours; vertices left, this frontier and the next one, those that pull.
  size.whole = 2 * id_bytes + (has_in ? 3 : 4) * kBit;
  size.lists = 3 * id_bytes;  // any of those but the ones that pull
  size.merged = id_bytes;
  size.in_lists = directed && has_in;
  return size;
}

StateSize pagerank_state(const PagerankState& options) {
  StateSize size{"pagerank"};
  const double jump = options.personalized ? 8 : 0;
  size.weights = options.weights;
  size.source = options.share_bytes;
  size.chunk = 8 + 8 + size.source + 8 + jump;  // ranks, sums, shares, out-weights
  const double residuals = options.conjugate ? 8 : 0;
  size.whole = 8 + 8 + residuals + size.source + (options.weights ? 8 : 0) + jump;
  size.saved_here = options.in_place ? 8 : 0;  // sums
  size.result = size.merged = 8;
  size.in_lists = true;
  if (options.walks == 1) return size;
  size.whole = options.walks * (8 + 8 + options.share_bytes) + (options.weights ? 8 : 0);
  size.saved_here = options.in_place ? options.walks * 8 : 0;
  size.merged = 8 * options.walks;
  size.chunk = size.source = 0;
  return size;
}

StateSize power_state(const char* algorithm, bool weights) {
  StateSize size{algorithm};
  size.weights = weights;
  size.source = 8;
  size.chunk = size.whole = 8 + 8;  // values, sums
  size.result = size.merged = 8;
  size.in_lists = true;
  return size;
}

StateSize hits_state(bool weights) {
  StateSize size{"hits"};
  size.weights = weights;
  size.whole = 8 + 8 + 8;  // hubs, authorities, the next hubs
  size.result = 8 + 8;
  size.merged = 8;
  size.in_lists = true;
  return size;
}

StateSize betweenness_state(bool weights, int batch, double id_bytes, bool keeps) {
  StateSize size{"bc"};
  if (weights) {
    // On the way back a level's vertices lie on each device beside its frontier.
    size.whole = 8 + 44 + 8 * kBit + id_bytes;
    size.lists = 2 * id_bytes;  // this frontier and the next one
  } else {
    // Of each search: path counts, coefficients and gains, levels; of all together three masks and
    // what claims them, and the frontiers of a level.
    size.whole = 8 + (keeps ? 36 : 28) * batch + 4 + 3 * kBit;
    // Three frontiers, one of them as a bitmap too, and levels that are kept for the way back.
    size.lists = 4 * id_bytes + kBit;
  }
  size.whole += kBit;  // of targets
  size.result = 8;
  size.merged = 8 * batch + kBit;
  size.in_lists = true;
  size.weights = weights;
  return size;
}

StateSize edge_betweenness_state(bool weights, int batch, double entries, double rows,
                                 double id_bytes) {
  StateSize size = betweenness_state(weights, batch, id_bytes, true);
  size.algorithm = "edge-bc";
  const double searches = size.whole, lists = size.lists;
  // Where entries begin, slots of as many as there are vertices, and whose they are.
  size.whole += 8 + 8 + id_bytes;
  // On a host sums of all entries, which rows get, and whose each is; ends of rows come once the
  // searches are gone, with targets of as many entries as there are vertices.
  const double order = id_bytes + 8, ends = 2 * id_bytes * rows, targets = 2 * id_bytes;
  const double released = searches + lists;
  const double later = ends + targets > released ? ends + targets - released : 0;
  size.beside = 8 * entries + order + later;
  size.result = 8 * entries + order + ends + 8;
  return size;
}

StateSize triangles_state(bool per_vertex) {
  StateSize size{"tc"};
  size.result = per_vertex ? 8 : 0;
  size.per_worker = kBit + (per_vertex ? 4 : 0);
  size.whole = size.result;
  return size;
}

StateSize ktruss_state(std::uint64_t vertices, std::uint64_t edges, bool per_vertex,
                       double id_bytes) {
  StateSize size{"ktruss"};
  const double each =
      vertices == 0 ? 0 : static_cast<double>(edges) / static_cast<double>(vertices);
  // Of an edge both ends, and support; those left, this frontier and the next one.
  size.whole = each * (2 * id_bytes + 4 + 3 * kBit);
  // Where tails begin, and how many there are, degrees; those whose lists are read.
  size.whole += 8 + 2 * id_bytes + kBit;
  // Rows of ends, numbers and layers, and what they are made from; where lists and rows begin, and
  // the longest range of rows, which may be of all vertices.
  size.result =
      each * (2 * id_bytes + 8 + id_bytes + 4) + 8 + 8 + 2 * id_bytes + 4 + (per_vertex ? 4 : 0);
  const double places = 8 + 8 + id_bytes;  // while tails are given theirs
  size.beside = size.result - size.whole > places ? size.result - size.whole : places;
  size.merged = id_bytes * (each > 1 ? each : 1);
  return size;
}

StateSize lcc_state(bool directed, double id_bytes) {
  StateSize size{"lcc"};
  size.result = 8;
  // Links, degrees, shares; a bit of those whose lists are read for degrees.
  size.whole = 8 + id_bytes + 8 + kBit;
  // Edges both ways are found by two oriented lists for each vertex.
  size.in_lists = directed;
  size.per_worker = (directed ? 2 : 1) * (kBit + 4);
  return size;
}

StateSize kcore_state(bool two_lists, bool one_device, double id_bytes) {
  constexpr double kLosses = 4;  // added up where devices are several
  StateSize size{"kcore"};
  size.result = 8;
  size.whole = 8 + (one_device ? 0 : kLosses) + (two_lists ? 5 : 4) * kBit;
  size.lists = (two_lists ? 4 : 3) * id_bytes;
  size.in_lists = two_lists;
  return size;
}

StateSize mis_state(bool directed, bool has_in) {
  StateSize size{"mis"};
  size.result = 4;
  // Keys, which results replace; undecided, ruled out, joining, chosen; of the other direction.
  size.whole = 4 + (directed ? 5 : 4) * kBit;
  size.merged = directed && !has_in ? 4 : kBit;
  size.in_lists = directed && has_in;
  return size;
}

StateSize msf_state(double id_bytes) {
  StateSize size{"msf"};
  size.result = id_bytes + 4;
  // Labels, edges known of two words, who chose; vertices to read again.
  size.whole = size.result + 4 * id_bytes + kBit;
  size.merged = 2 * id_bytes;
  size.weights = true;
  return size;
}

StateSize biconnected_state(double id_bytes) {
  // That of a forest. What comes after is no more, but on a host: parents, numbers, the ends of
  // subtrees, how far these reach, labels while they are copied, and a second copy of the ends.
  StateSize size = msf_state(id_bytes);
  size.algorithm = "biconnected";
  size.weights = false;
  const double numbered = 7 * id_bytes;
  size.lists = numbered > size.whole ? numbered - size.whole : 0;
  size.result = 5 * id_bytes + 4;  // parents, numbers, labels, names, components; marks
  return size;
}

StateSize matching_state(double id_bytes) {
  StateSize size{"matching"};
  size.result = id_bytes + 4;
  // Proposals, suitors, weights; who looks for a place, rivals, who looks next.
  size.whole = 8 + id_bytes + id_bytes + 4 + 3 * kBit;
  size.merged = 8 + id_bytes;
  size.weights = true;
  return size;
}

StateSize color_state(bool directed, bool has_in, bool one_device) {
  StateSize size{"color"};
  size.result = 4;
  // Keys, counts that colours replace, used colours, and arrivals that are added up where devices
  // are several; this frontier and the next one, one that waits for further windows; of the other
  // direction; and those without a colour.
  size.whole = 4 + 4 + 8 + (one_device ? 0 : 4) + (!directed ? 3 : has_in ? 4 : 5) * kBit;
  size.merged = 8 + 4 + kBit;
  size.in_lists = directed && has_in;
  return size;
}

StateSize cdlp_state(bool directed, double id_bytes) {
  StateSize size{"cdlp"};
  size.result = 2 * id_bytes + kBit;  // labels, and those before; what counts them
  // Labels, the next ones; a slot for half of the vertices, and one and a half words to count in
  // for each; those whose slots they are.
  const double slots = 1. / 2, words = 8 * 1.5 * slots;
  size.whole = 2 * id_bytes + id_bytes * slots + words + kBit;
  size.merged = words;
  size.in_lists = directed;
  return size;
}

StateSize similarity_state(bool pairs, bool weighs, double k, double id_bytes) {
  StateSize size{"similarity"};
  // Two sequences of lists: where those of each vertex begin, and half as many members, with where
  // their lists begin, and slots.
  const double sequences = 2 * (8 + (id_bytes + 8 + id_bytes) / 2);
  size.whole = id_bytes + sequences + (weighs ? 8 : 0);  // degrees, terms
  // A frontier, which is sent as a list of half of the vertices.
  size.whole += id_bytes / 2 + kBit;
  size.lists = id_bytes / 2;
  // Offsets, degrees, and where lists of members begin.
  size.beside = 8 + id_bytes + 8;
  size.merged = 8;
  if (pairs) {
    size.whole += (2 * id_bytes + 8) / 2;  // of pairs at a time: vertices and sums
    size.beside += 2 * id_bytes + 4;
    size.result = size.beside;
    return size;
  }
  const double cell = 8 + id_bytes;
  // Candidates, and whose they are; whose neighbours there are.
  size.whole += 2 * cell + 4 + (8 + id_bytes) / 2;
  // Members, neighbours and edges to these; paths, where rows and ranges begin; rows.
  size.beside += (5 * id_bytes + 8) / 2 + 8 + 8 + 4 + k * (2 * id_bytes + 8);
  size.result = size.beside + cell;
  return size;
}

StateSize louvain_state(double id_bytes) {
  StateSize size{"louvain"};
  // Communities, what vertices chose; strengths of both; a slot for each vertex, and one and a half
  // cells to add up in; those who choose, who will, and whose window it is.
  const double cells = 1.5 * (id_bytes + 8);
  size.whole = 2 * id_bytes + 16 + id_bytes + 4 + cells + 3 * kBit;
  // Communities of vertices and their numbers, strengths, weights inside.
  size.result = 3 * id_bytes + 16;
  size.merged = 8 * 1.5;
  size.weights = true;
  return size;
}

StateSize leiden_state(double id_bytes) {
  StateSize size = louvain_state(id_bytes);
  size.algorithm = "leiden";
  size.whole += id_bytes;  // communities, while parts of them are made
  size.lists += id_bytes;  // where the memory is one: communities that another pass begins with
  size.result += 2 * id_bytes;
  return size;
}

StateSize bipartite_state(double id_bytes) {
  StateSize size{"bipartite"};
  size.result = 4;
  // Sides, and ties first, then hops and who is nearer; of a search for a cycle those unreached,
  // this frontier and the next one, those of the other direction.
  const double search = 4 + id_bytes;
  size.whole = 4 + (search > 8 ? search : 8) + 4 * kBit;
  size.lists = id_bytes;  // where the search begins
  size.merged = 8;
  size.in_lists = true;
  return size;
}

StateSize levels_state(bool one_device, double id_bytes) {
  StateSize size{"levels"};
  const double waits = one_device ? 4 : 8;  // and arrivals, added up where devices are several
  // Sources of those without a level come after all others have theirs.
  size.whole = 4 + (waits > id_bytes ? waits : id_bytes) + (one_device ? 2 : 3) * kBit;
  size.lists = 2 * id_bytes;
  size.result = size.merged = id_bytes;
  return size;
}

StateSize radius_state(std::uint32_t sketches, std::uint32_t window) {
  StateSize size{"radius"};
  size.fixed = (sketches * std::size_t{32} + 1) * 8;  // estimates by score
  size.lists = 4;  // where the memory is one: results, while the state they are taken from is there
  size.whole = 2 * 4. * sketches + 4 + 4. * window + 4 + 2 * kBit;
  size.result = 8;
  size.merged = 4. * sketches;
  return size;
}

StateSize degrees_state(bool directed) {
  StateSize size{"degrees"};
  size.result = size.whole = directed ? 16 : 8;
  return size;
}

StateSize assortativity_state(bool rich_club) {
  StateSize size{"assortativity"};
  // Entries of lists, degrees, sums, means; edges to the richer.
  size.whole = 8 + 8 + 8 + 8 + (rich_club ? 8 : 0);
  size.result = size.whole;  // which all come to the host
  size.merged = 8;
  return size;
}

StateSize reciprocity_state(double id_bytes) {
  StateSize size{"reciprocity"};
  size.result = 8;
  // A slot for half of the vertices, one and a half cells for each, and those whose slots they are.
  const double slots = id_bytes / 2;
  size.whole = 8 + slots + 1.5 * slots + kBit;
  size.merged = 1.5 * slots;
  size.in_lists = true;
  return size;
}

StateSize neighborhood_state(double id_bytes) {
  StateSize size{"neighborhood"};
  size.result = 4;
  size.whole = 4 + 3 * kBit;
  size.lists = 3 * id_bytes;
  return size;
}

StateSize subgraph_state() {
  StateSize size{"subgraph"};
  size.whole = 2 * kBit;
  return size;
}

StateSize neighbor_sampling_state() {
  StateSize size{"neighbor-sampling"};
  size.whole = kBit;
  return size;
}

StateSize cross_edges_state() {
  StateSize size{"cross-edges"};
  size.whole = 4 + kBit;
  return size;
}

}  // namespace fathom
