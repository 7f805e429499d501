// A graph as it is to who cares for some of its edges only.
#pragma once

#include "fathom/residency/filtered/edge_filter.hpp"
#include "fathom/residency/graph.hpp"

namespace fathom {

/// The graph that has all vertices of `graph` and those of its edges that the filter keeps: every
/// algorithm gives what it gives on a file that has only them. Where all edges are kept, `graph`
/// itself. Of a graph that changes, as it is now.
///
/// Cost: a read of the types or timestamps that the filter asks for, once. On the host, lists stay
/// where they are, beside a bit per edge and direction and 8 bytes per vertex, and as much again
/// where so few are kept that a copy takes no more; those that are
/// streamed are filtered as their pages come; those in the host's memory by its residency, and
/// those of GPUs, are a copy of the kept edges.
/// @throws Error(Usage) where edges have no types and timestamps; Error(DoesNotFit),
///         Error(BadInput), Error(Io), Error(Interrupted).
FATHOM_API Graph filtered(const Graph& graph, const EdgeFilter& filter);

namespace detail {

/// What filtered() gives of a graph over an opened store whose edges have types and timestamps, in
/// CSR; nothing where all edges are kept.
std::optional<Graph> filtered_store(const Context& ctx, const std::shared_ptr<store::Store>& store,
                                    const ResidencyOptions& wanted, const EdgeFilter& filter);

}  // namespace detail

}  // namespace fathom
