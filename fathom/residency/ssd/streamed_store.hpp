// A store whose lists, of either layout, are read from disk as their pages are wanted; nothing is
// mapped. All its lists share one buffer of pages.
#pragma once

#include <memory>
#include <string>

#include "fathom/residency/edge_source.hpp"
#include "fathom/residency/paged/page_supply.hpp"
#include "fathom/residency/paged/paging_options.hpp"
#include "fathom/store/writer.hpp"

namespace fathom {

class PageBuffer;

/// A handle: cheap to copy. Offsets are read when a source is opened.
class FATHOM_API StreamedStore {
 public:
  /// The context outlives the sources. Slotted pages have the size that the store says.
  /// @throws Error(BadInput), Error(Io), Error(Usage).
  StreamedStore(const Context& ctx, const std::string& path, const PagingOptions& options);

  std::unique_ptr<EdgeSource> out() const;
  std::unique_ptr<EdgeSource> in() const;
  bool has_oriented() const;
  std::unique_ptr<EdgeSource> oriented() const;

  /// The pages of lists, for other sources than those of out() and in().
  std::unique_ptr<PageSupply> out_pages() const { return pages(store::Lists::Out); }
  std::unique_ptr<PageSupply> in_pages() const { return pages(in_lists()); }
  std::unique_ptr<PageSupply> oriented_pages() const { return pages(store::Lists::Oriented); }

 private:
  std::unique_ptr<PageSupply> pages(store::Lists lists) const;
  std::unique_ptr<EdgeSource> source(store::Lists lists) const;
  store::Lists in_lists() const;  // those of a symmetric graph are their own transpose

  const Context* ctx_;
  PagingOptions options_;
  std::shared_ptr<PageBuffer> buffer_;
};

}  // namespace fathom
