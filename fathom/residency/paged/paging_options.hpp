// How edges are streamed in pages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "fathom/core/trace.hpp"
#include "fathom/exec/link_profile.hpp"
#include "fathom/residency/access.hpp"
#include "fathom/residency/ssd/block_reader.hpp"

namespace fathom {

/// Which pages stay when others need their place, in a buffer in host memory or in frames.
enum class PageCache {
  Lru,     // those used last (GTS, section 3.3)
  Static,  // those that came first
  None,    // no page outlives its superstep
};

/// What devices share out among them (GTS, section 4).
enum class Strategy {
  Auto,         // Scalability where the vertex state of an algorithm that can be split does not fit
                // one device, else Performance
  Performance,  // P: pages; each device has all vertex state, and replicas are merged
  Scalability,  // S: vertex state; each device has a chunk of it at a time and sees every page
};

/// How a page reaches a device: copied into a frame, read in place in host memory over the link, or
/// whichever the cost formula says of the page and superstep (PageChoice).
enum class PageMove { Auto, Copy, InPlace };

struct PagingOptions {
  std::size_t page_bytes = std::size_t{1} << 20;  // of targets; a power of two of at least 4
  /// Per device; 0: what its memory leaves. On the host, where pages are used in place: how many
  /// are shown at a time.
  std::size_t frames = 0;
  PageCache cache = PageCache::Lru;  // of pages of a disk in host memory, and of pages in frames
  std::size_t sources = 1;           // directions of a graph that share a GPU's memory for frames
  /// Of devices with memories of their own.
  Strategy strategy = Strategy::Auto;
  /// Strategy::Scalability: chunks of vertex state that each device takes in turn, with a stream of
  /// all pages for each; 0: as few as fit.
  std::uint32_t chunks = 0;
  PageMove page_move = PageMove::Auto;  // where vertex state is not split
  /// What PageMove::Auto assumes of the link to emulated devices; null: they copy every page. GPUs
  /// have a measured one.
  std::shared_ptr<const LinkProfile> emulated_link = nullptr;
  Technique technique = Technique::ByLength;  // of a GPU's kernels
  Access access = Access::Aligned;            // of those to pages that they read in place
  /// A store's pages are read from its file through a buffer in host memory even where GPUs could
  /// have all lists in host memory. On the host they always are. Lists that come in arrays are
  /// brought page by page as if they were.
  bool from_disk = false;
  IoOptions io = {};
  /// Directories that the store's pages are dealt to (store::stripe), in that order; empty: the
  /// store's own file is read.
  std::vector<std::string> ssd = {};
  std::shared_ptr<Trace> trace = nullptr;  // of reads, copies and kernels; null: none is kept
};

}  // namespace fathom
