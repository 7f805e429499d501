// What convert() and generate() share: lists, derived sections and header of a new .fg file.
#pragma once

#include <string>

#include "fathom/core/function_ref.hpp"
#include "fathom/graph/stream_build.hpp"
#include "fathom/store/make/convert.hpp"
#include "fathom/store/make/list_sections.hpp"

namespace fathom::store {

/// What a memory bound leaves for data: the program itself, and a mebibyte for each section that is
/// being written, are part of what the operating system counts.
/// @throws Error(DoesNotFit) when that is too little to work with.
std::size_t data_memory(std::size_t bound);

/// Of the workers asked for, as many as may hold 2 MiB each in `memory`; at least one.
int workers_within(int threads, std::size_t memory);

struct RepackOptions;

/// @throws Error(Usage) for layouts that do not go together.
void check_together(const RepackOptions& options);

/// Has make(lists) write a CSR file without a name beside `output`, repacks it as the options say.
Header make_repacked(const std::string& output, const ConvertOptions& options,
                     FunctionRef<void(AtomicFile lists)> make);

// Sections that come after the labels, and the header.
class Output {
 public:
  Output(AtomicFile file, const ConvertOptions& options, bool directed, bool weighted)
      : writer_(std::move(file)), options_(options) {
    if (options.interleave_weights && !weighted)
      throw Error(ErrorCode::Usage, "interleaved weights were asked for, but there are no weights");
    header_.directed = directed;
    header_.policies = options.build;
    header_.policies.undirected = !directed;
    header_.policies.weighted = weighted;
    header_.provenance = options.provenance;
  }

  /// What write_lists() holds beside the builder: a block for each thread that writes.
  std::size_t writer_bytes() const { return static_cast<std::size_t>(writers()) * kBlockBytes; }

  StoreWriter& writer() { return writer_; }
  Header& header() { return header_; }

  /// Streams the sorted edges out of `builder`; `relabel` may be null.
  void write_lists(graph::StreamBuilder& builder, VertexId vertices, graph::Relabel* relabel) {
    header_.vertices = vertices;
    ListSections out(writer_, Lists::Out, vertices, header_.policies.weighted, writers());
    InSections in(writer_, vertices, header_.policies.weighted, out, writers());
    const bool want_in = header_.directed && options_.build.in_edges;
    if (options_.build.duplicates == graph::Duplicates::Keep) out.announce(builder.records());
    header_.report = relabel ? builder.finish(vertices, out, want_in ? &in : nullptr, *relabel)
                             : builder.finish(vertices, out, want_in ? &in : nullptr);
    header_.symmetric = header_.report.happens_symmetric;
  }

  Header commit(std::size_t memory) {
    if (options_.interleave_weights)
      writer_.append_pairs(workers_within(options_.build.threads, memory / 2));
    if (options_.triangle_lists) {
      graph::BuildOptions sorting = options_.build;
      sorting.memory = memory;
      write_oriented_lists(writer_, header_.vertices, header_.symmetric, sorting);
    }
    options_.build.task.check();
    return writer_.commit(header_);
  }

 private:
  int writers() const { return workers_within(options_.build.threads, options_.build.memory / 8); }

  // In-lists have as many edges as the out-lists, which are finished before the first of them.
  class InSections final : public graph::ListSink {
   public:
    InSections(StoreWriter& writer, VertexId vertices, bool weighted, const ListSections& out,
               int writers)
        : sections_(writer, Lists::In, vertices, weighted, writers), out_(out) {}
    void offsets(std::span<const EdgeId> offset) override {
      sections_.announce(out_.edges_written());
      sections_.offsets(offset);
    }
    void edges(std::span<const VertexId> target, std::span<const Weight> weight) override {
      sections_.announce(out_.edges_written());
      sections_.edges(target, weight);
    }
    void parts(std::span<const graph::EdgePart> parts) override {
      sections_.announce(out_.edges_written());
      sections_.parts(parts);
    }
    void finish() override { sections_.finish(); }

   private:
    ListSections sections_;
    const ListSections& out_;
  };

  StoreWriter writer_;
  const ConvertOptions& options_;
  Header header_;
};

}  // namespace fathom::store
