#include "fathom/store/narrow/mapped_narrow.hpp"

#include "fathom/core/parallel.hpp"
#include "fathom/store/narrow/narrow_sections.hpp"

namespace fathom::store {
namespace {

constexpr std::size_t kCheckGrain = std::size_t{1} << 16, kAtOnce = 1024;

}  // namespace

std::optional<NarrowLayout> narrow_layout(MappedSections& sections) {
  const auto format = sections.touch<std::uint32_t>(SectionId::Narrow, 1);
  if (format.empty()) return {};
  return decode_narrow(sections.file(), format);
}

NarrowLists MappedNarrow::lists(int threads) {
  const Header& header = sections_.layout().header;
  NarrowLists lists{layout_,
                    header.vertices,
                    header.edges,
                    sections_.touch<EdgeId>(offsets_, threads).data(),
                    sections_.touch<std::uint64_t>(entries_, threads),
                    sections_.touch<Weight>(SectionId::WeightValues, threads),
                    name_of_section(sections_.file(), entries_)};
  std::call_once(checked_, [&] {
    check_weight_values(sections_.file(), lists.values);
    check_entries_end(sections_.file(), entries_, layout_, lists.edges,
                      lists.words.last(end_words(layout_, lists.edges)));
    parallel_for(
        worker_count(threads), lists.edges, kCheckGrain, [&](std::size_t a, std::size_t b, int) {
          VertexId target[kAtOnce];
          std::uint32_t code[kAtOnce];
          for (; a < b; a += kAtOnce) {
            const std::size_t n = std::min(kAtOnce, b - a);
            const auto codes = std::span(code, layout_.weighted() ? n : 0);
            read_entries(layout_, lists.words, a, std::span(target, n), codes);
            check_entries(lists.name, layout_, header.vertices, a, std::span(target, n), codes);
          }
        });
  });
  return lists;
}

}  // namespace fathom::store
