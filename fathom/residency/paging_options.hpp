// How edges are streamed in pages.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "fathom/core/trace.hpp"
#include "fathom/residency/ssd/block_reader.hpp"

namespace fathom {

/// Which pages stay when others need their place, in a buffer in host memory or in frames.
enum class PageCache {
  Lru,     // those used last (GTS, section 3.3)
  Static,  // those that came first
  None,    // no page outlives its superstep
};

struct PagingOptions {
  std::size_t page_bytes = std::size_t{1} << 20;  // of targets; a power of two of at least 4
  /// Per device; 0: what its memory leaves. On the host, where pages are used in place: how many
  /// are shown at a time.
  std::size_t frames = 0;
  PageCache cache = PageCache::Lru;  // of pages of a disk in host memory
  IoOptions io = {};
  /// Directories that the store's pages are dealt to (store::stripe), in that order; empty: the
  /// store's own file is read.
  std::vector<std::string> ssd = {};
  std::shared_ptr<Trace> trace = nullptr;  // of reads, copies and kernels; null: none is kept
};

}  // namespace fathom
