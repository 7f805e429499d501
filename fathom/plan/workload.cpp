#include "fathom/plan/workload.hpp"

#include <string>

#include "fathom/algorithms/described/planned.hpp"
#include "fathom/core/error.hpp"

namespace fathom::plan {
namespace {

/// What algorithms say of their state.
void set_state(Workload& w, const StateSize& size) {
  w.state = size.whole;
  w.state_here = size.whole_here();
  w.lists = size.lists;
  w.beside = size.beside;
  w.result = size.result;
  w.fixed = size.fixed;
  w.merged = size.merged;
  w.split_chunk = size.chunk;
  w.split_source = size.source;
  w.split_always = size.always;
  w.per_worker = size.per_worker;
  w.worker_blocks = size.worker_blocks;
  w.bins = size.bins;
  w.split_in_lists = size.split_in_lists;
}

void set_reads(Workload& w, const Reads& reads, const GraphShape& shape) {
  w.reverse_lists = reads.builds_in && shape.directed && !shape.has_in;
  if (w.reverse_lists) w.in_lists = true;
  w.kind = reads.kind;
  w.out_lists = reads.out_lists;
  w.in_offsets = w.in_lists || reads.in_offsets;
  w.rate = reads.rate.empty() ? w.algorithm : reads.rate;
  w.by_two_paths = reads.by_two_paths;
  w.times = {reads.least_work, reads.most_work};
  w.pace = reads.pace;
  (reads.kind == Reads::Kind::Sweeps ? w.supersteps : w.share) = {reads.least, reads.most};
}

/// What the algorithm says of itself.
void plan_described(Workload& w, const Algorithm& algorithm, const GraphShape& shape,
                    const OptionValues& values, bool whole, bool scarce) {
  Algorithm::Where where{.vertices = shape.vertices,
                         .edges = shape.edges,
                         .directed = shape.directed,
                         .weighted = shape.weighted,
                         .has_in = shape.has_in,
                         .one_device = false,
                         .in_reach = whole,
                         .scarce = scarce,
                         .id_bytes = static_cast<double>(shape.vertex_bytes()),
                         .two_paths = shape.two_paths.value_or(0)};
  // With what several devices need; where one has frontiers as lists, those are smaller by that.
  const StateSize several = algorithm.state(where, values);
  where.one_device = true;
  const StateSize one = algorithm.state(where, values);
  set_state(w, several);
  w.lists = one.lists - (several.whole - one.whole);
  w.rank_lists = one.lists;
  w.sweeps = algorithm.sweeps;
  w.weights = several.weights && shape.weighted;
  w.in_lists = several.in_lists && shape.separate_in();
  set_reads(w, algorithm.reads ? algorithm.reads(where, values) : Reads(), shape);
  if (algorithm.reads_oriented) {
    w.out_lists = w.out_offsets = false;
    w.oriented_lists = true;
    w.mutual_lists = several.in_lists && shape.directed;
    w.in_lists = w.in_offsets = false;
  }
}

}  // namespace

std::vector<std::string_view> planned_algorithms() {
  std::vector<std::string_view> names;
  for (const Algorithm* algorithm : planned_descriptions()) names.push_back(algorithm->name);
  return names;
}

Workload when_split(Workload work, const GraphShape& shape) {
  work.out_lists = true;
  work.in_lists = work.split_in_lists && shape.separate_in();
  work.out_offsets = work.in_offsets = false;
  return work;
}

VertexId longest_list(std::span<const EdgeId> offsets) {
  VertexId found = 0;
  EdgeId longest = 0;
  for (std::size_t v = 0; v + 1 < offsets.size(); ++v)
    if (offsets[v + 1] - offsets[v] > longest) {
      longest = offsets[v + 1] - offsets[v];
      found = static_cast<VertexId>(v);
    }
  return found;
}

Workload workload_of(std::string_view algorithm, const GraphShape& shape,
                     const OptionValues* options, bool whole, bool scarce) {
  const Algorithm* const described = find_planned(algorithm);
  if (!described) {
    std::string known;
    for (const std::string_view name : planned_algorithms())
      known += (known.empty() ? "" : ", ") + std::string(name);
    throw Error(ErrorCode::Usage,
                "no plan for '" + std::string(algorithm) + "'; expected one of " + known);
  }
  Workload w;
  w.algorithm = described->name;
  plan_described(w, *described, shape, options ? *options : OptionValues(described->options), whole,
                 scarce);
  return w;
}

}  // namespace fathom::plan
