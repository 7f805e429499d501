// From files or a generator to a .fg file, within a memory bound, atomically.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fathom/core/atomic_file.hpp"
#include "fathom/generate/generate.hpp"
#include "fathom/graph/build.hpp"
#include "fathom/io/reader.hpp"
#include "fathom/store/store.hpp"

namespace fathom::store {

struct ConvertOptions {
  io::ReadOptions read;
  graph::BuildOptions build;  // `weighted` is set from the input
  /// Unset: what the file says, else directed.
  std::optional<bool> undirected;
  std::optional<SlottedOptions> slotted;  // store slotted pages
  bool packed = false;                    // store packed lists
  bool narrow = false;                    // store narrow lists; none of the three: CSR
  bool interleave_weights = false;        // also store {target, weight} pairs
  bool triangle_lists = false;            // also store the degree-oriented lists
  std::string provenance;
};

/// Reads `inputs` (see io::open_edges), maps labels to dense ids, writes `output`. Resident memory
/// stays within options.build.memory + 10 %; the output appears under its name only when whole.
/// Other layouts than CSR are made of a CSR file that takes its place beside the output meanwhile.
/// A single .fg file as input is repacked: its lists stay what they are (see repack()).
/// @throws Error(BadInput), Error(Io), Error(DoesNotFit), Error(Interrupted); Error(Usage) for
///         narrow lists of more distinct weights than kMostNarrowWeights; nothing is left.
FATHOM_API Header convert(const std::vector<std::string>& inputs, const std::string& output,
                          const ConvertOptions& options);

/// The same into any file, of files that are no .fg file, as CSR.
FATHOM_API Header convert(const std::vector<std::string>& inputs, AtomicFile output,
                          const ConvertOptions& options);

/// The same of edges that any reader delivers. `name` is what messages call their origin.
/// @throws Error(Usage) for other layouts than CSR, which only the conversion of files makes.
FATHOM_API Header convert(std::unique_ptr<io::EdgeReader> reader, const std::string& name,
                          AtomicFile output, const ConvertOptions& options);

/// Whether a file begins like a .fg file.
FATHOM_API bool is_store(const std::string& path);

/// Writes a generated graph; the same bytes for any thread count and memory bound.
FATHOM_API Header generate(const generate::Generator& generator, const std::string& output,
                           const ConvertOptions& options);

}  // namespace fathom::store
