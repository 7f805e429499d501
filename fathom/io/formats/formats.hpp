// The readers behind open_edges, one per format family.
#pragma once

#include <memory>
#include <vector>

#include "fathom/io/formats/detect.hpp"
#include "fathom/io/reader.hpp"

namespace fathom::io {

using ReaderPtr = std::unique_ptr<EdgeReader>;

ReaderPtr open_edge_list(const std::vector<Head>& parts, const ReadOptions& options);
ReaderPtr open_graphalytics(const std::vector<Head>& pair, const ReadOptions& options);
ReaderPtr open_matrix_market(const Head& head, const ReadOptions& options);
ReaderPtr open_dimacs(const Head& head, const ReadOptions& options);
ReaderPtr open_metis(const Head& head, const ReadOptions& options);
ReaderPtr open_gap(const Head& head, const ReadOptions& options);
ReaderPtr open_galois(const Head& head, const ReadOptions& options);
ReaderPtr open_npz(const Head& head, const ReadOptions& options);

}  // namespace fathom::io
