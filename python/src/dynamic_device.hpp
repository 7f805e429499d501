// Batches and questions of a graph in a GPU's memory that are in that memory already.
#pragma once

#include <memory>
#include <optional>

#include "device_arrays.hpp"
#include "dynamic.hpp"

namespace fathom::python {

/// Whether there are columns of edges in the memory of a GPU.
bool any_on_device(const EdgeColumns& edges);
bool any_on_device(const VertexColumns& vertices);
bool any_on_device(const ColumnRef& column);

/// Makes sure that such columns are where the graph is. @throws Error(Usage)
void check_places(const Context& ctx, const EdgeColumns& edges);
void check_places(const Context& ctx, const VertexColumns& vertices);
void check_places(const Context& ctx, const ColumnRef& column);

/// The same columns, those in the memory of a GPU copied.
EdgeColumns on_host(const Context& ctx, const EdgeColumns& edges);
VertexColumns on_host(const Context& ctx, const VertexColumns& vertices);
ColumnRef on_host(const Context& ctx, const ColumnRef& column);

/// Updates in the memory of the GPU.
struct DeviceUpdates {
  Array<EdgeUpdate> edges;
  std::uint64_t rounded_weights = 0;
};
/// Of columns that all are there; nothing where some are not, where edges have fields, where a
/// label is unknown, or one is to be refused: the host finds out which. For work that is alone.
std::optional<DeviceUpdates> updates_on_device(const Context& ctx, const DynamicLabels& labels,
                                               const EdgeColumns& remove,
                                               const EdgeColumns& insert);

// Answers that stay there. @throws Error(BadInput), Error(Usage) as those of the host.
std::shared_ptr<DeviceArray> has_edges_on_device(PyDynamic& graph, const EdgeColumns& edges);
std::shared_ptr<DeviceArray> weights_on_device(PyDynamic& graph, const EdgeColumns& edges);
std::shared_ptr<DeviceArray> degrees_on_device(PyDynamic& graph, const ColumnRef& vertices);

}  // namespace fathom::python
