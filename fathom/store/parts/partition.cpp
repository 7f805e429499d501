#include "fathom/store/parts/partition.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>

#include "fathom/core/error.hpp"
#include "fathom/core/printable.hpp"
#include "fathom/graph/lists/edge_shares.hpp"
#include "fathom/store/make/graph_output.hpp"
#include "fathom/store/make/stored_lists.hpp"
#include "fathom/store/parts/part_files.hpp"

namespace fathom::store {
namespace {

namespace fs = std::filesystem;

/// The ranges of all parts, as graph::share_begins() cuts them. Cost: one read of the offsets.
std::vector<PartRange> ranges_of(StoredLists& lists, int parts, const Task& task) {
  std::vector<PartRange> range(static_cast<std::size_t>(parts));
  std::size_t next = 1;  // whose begin is looked for
  VertexId v = 0;
  each_offset(lists, task, [&](std::span<const EdgeId> offsets) {
    for (const EdgeId offset : offsets) {
      for (; next < range.size() &&
             offset >= graph::share_begins(lists.edges(), parts, static_cast<int>(next));
           ++next) {
        range[next].first = v;
        range[next].begin = offset;
      }
      ++v;
    }
  });
  for (std::size_t i = 0; i + 1 < range.size(); ++i) {
    range[i].last = range[i + 1].first;
    range[i].end = range[i + 1].begin;
  }
  range.back().last = lists.vertices();
  range.back().end = lists.edges();
  return range;
}

/// One direction of the lists, a part after the other.
class ListParts {
 public:
  ListParts(const StoreFile& file, Lists which, int parts, const Task& task)
      : lists_(StoredLists::open(file, which)),
        which_(which),
        task_(task),
        ranges_(ranges_of(*lists_, parts, task)) {}

  const PartRange& range(std::size_t part) const { return ranges_[part]; }

  void write(std::size_t part, StoreWriter& writer) {
    const PartRange& range = ranges_[part];
    ListSections sections(writer, which_, lists_->vertices(), lists_->weighted());
    sections.announce(range.edges());
    each_offset(*lists_, task_, [&](std::span<const EdgeId> piece) { sections.offsets(piece); });
    for (EdgeId at = range.begin; at < range.end; at += target_.size()) {
      task_.at(at);
      target_.resize(static_cast<std::size_t>(std::min<EdgeId>(kListPiece, range.end - at)));
      weight_.resize(lists_->weighted() ? target_.size() : 0);
      lists_->edges(at, target_, weight_);
      sections.edges(target_, weight_);
    }
    sections.finish();
  }

 private:
  std::unique_ptr<StoredLists> lists_;
  Lists which_;
  const Task& task_;
  std::vector<PartRange> ranges_;
  std::vector<VertexId> target_;
  std::vector<Weight> weight_;
};

}  // namespace

void make_part_directory(const std::string& directory, std::uint32_t parts) {
  if (parts == 0 || parts > kMostParts)
    throw Error(ErrorCode::Usage, fmt::format("expected 1 to {} parts, not {}", kMostParts, parts));
  std::error_code failed;
  fs::create_directories(directory, failed);
  if (failed)
    throw Error(ErrorCode::Io, fmt::format("cannot make the directory {}: {}", printable(directory),
                                           failed.message()));
  for (fs::directory_iterator entry(directory, failed), end; !failed && entry != end;
       entry.increment(failed)) {
    const std::string name = entry->path().filename().string();
    bool its = name.starts_with(".part-");  // left by a process that was killed
    if (name.starts_with("part-"))
      for (std::uint32_t i = 0; i < parts && !its; ++i)
        its = fs::path(part_path(directory, i, parts)).filename() == name;
    if (!its)
      throw Error(ErrorCode::Usage,
                  fmt::format("{}: has other files ({}); the parts of a graph need a directory of "
                              "their own",
                              printable(directory), printable(name)));
  }
  if (failed)
    throw Error(ErrorCode::Io,
                fmt::format("cannot list {}: {}", printable(directory), failed.message()));
}

std::vector<PartLayout> partition(const std::string& input, const std::string& directory,
                                  const PartitionOptions& options) {
  const StoreFile file(input);
  data_memory(options.memory);  // whatever the graph, what is read and written takes a few MiB
  make_part_directory(directory, options.parts);
  Header header = file.layout().header;
  header.provenance = options.provenance;
  const int parts = static_cast<int>(options.parts);
  ListParts out(file, Lists::Out, parts, options.task);
  std::optional<ListParts> in;
  if (header.has_in_edges) in.emplace(file, Lists::In, parts, options.task);
  std::vector<PartLayout> made;
  for (std::uint32_t i = 0; i < options.parts; ++i) {
    PartLayout part{i, options.parts, out.range(i), in ? in->range(i) : PartRange()};
    made.push_back(part);
    if (options.own && (i < options.own->first || i >= options.own->last)) continue;
    StoreWriter writer(part_path(directory, i, options.parts));
    const std::string phase = fmt::format("part {} of {}", i, options.parts);
    options.task.begin(phase, header.edges, "edges");
    out.write(i, writer);
    if (in) in->write(i, writer);
    options.task.end();
    for (const SectionId id :
         {SectionId::VertexWeights, SectionId::VertexTypes, SectionId::LabelIntegers,
          SectionId::LabelOffsets, SectionId::LabelBytes, SectionId::LabelIndexOffsets,
          SectionId::LabelIndexBytes, SectionId::Permutation}) {
      options.task.check();
      copy_section(file, writer, id);
    }
    writer.commit(header, nullptr, &part);
  }
  return made;
}

}  // namespace fathom::store
