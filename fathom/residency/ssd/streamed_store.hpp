// A store whose lists are read from disk as their pages are wanted; nothing is mapped. All its
// lists share one buffer of pages.
#pragma once

#include <memory>
#include <string>

#include "fathom/residency/edge_source.hpp"
#include "fathom/residency/page_supply.hpp"
#include "fathom/residency/paging_options.hpp"

namespace fathom {

class PageBuffer;
struct ListSectionIds;

/// A handle: cheap to copy. Offsets are read when a source is opened.
class FATHOM_API StreamedStore {
 public:
  /// The context outlives the sources. @throws Error(BadInput), Error(Io), Error(Usage).
  StreamedStore(const Context& ctx, const std::string& path, const PagingOptions& options);

  std::unique_ptr<EdgeSource> out() const;
  /// The lists of a symmetric graph are their own transpose.
  std::unique_ptr<EdgeSource> in() const;
  bool has_oriented() const;
  std::unique_ptr<EdgeSource> oriented() const;

  /// The pages of the out-lists, for other sources than PagedSource.
  std::unique_ptr<PageSupply> out_pages() const;
  std::unique_ptr<PageSupply> in_pages() const;
  std::unique_ptr<PageSupply> oriented_pages() const;

 private:
  std::unique_ptr<EdgeSource> source(std::unique_ptr<PageSupply> pages) const;
  std::unique_ptr<PageSupply> supply(const ListSectionIds& sections) const;

  const Context* ctx_;
  PagingOptions options_;
  std::shared_ptr<PageBuffer> buffer_;
};

}  // namespace fathom
