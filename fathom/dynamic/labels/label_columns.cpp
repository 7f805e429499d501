#include "fathom/dynamic/labels/label_columns.hpp"

#include "fathom/core/parallel.hpp"
#include "fathom/dynamic/labels/label_map_gpu.hpp"

namespace fathom::dynamic {
namespace {

constexpr std::size_t kColumnGrain = 1024;

bool by_kernels(const Context& ctx) {
  return ctx.on_gpu() && ctx.devices().size() == 1;
}

template <class Step>
void run_there(const Context& ctx, const Step& step, std::size_t n) {
  if (n == 0) return;
  if (by_kernels(ctx)) return run_on_gpu(ctx, step, n);
  parallel_for(ctx.threads(), n, kColumnGrain, [&](std::size_t a, std::size_t b, int) {
    for (std::size_t i = a; i < b; ++i) step(i);
  });
}

/// What steps count.
class Counters {
 public:
  explicit Counters(const Context& ctx)
      : ctx_(ctx), its_(2, by_kernels(ctx) ? ctx.devices()[0].memory() : ctx.host_memory()) {
    const unsigned long long none[2] = {0, 0};
    ctx.copy(its_.data(), none, sizeof(none));
  }
  unsigned long long* refused() { return its_.data(); }
  unsigned long long* rounded() { return its_.data() + 1; }
  void read(unsigned long long (&to)[2]) const { ctx_.copy(to, its_.data(), sizeof(to)); }
  bool any_refused() const {
    unsigned long long now[2];
    read(now);
    return now[0] != 0;
  }

 private:
  const Context& ctx_;
  Array<unsigned long long> its_;
};

}  // namespace

std::optional<std::uint64_t> read_updates(const Context& ctx, const LabelNames& names,
                                          const LabelledEdges& edges, bool deletion,
                                          EdgeUpdate* to) {
  if (!edges.source.is_label_type() || !edges.target.is_label_type()) return std::nullopt;
  Counters counters(ctx);
  run_there(ctx, ReadUpdates{edges, names, deletion, to, counters.refused(), counters.rounded()},
            edges.size);
  unsigned long long now[2];
  counters.read(now);
  if (now[0] != 0) return std::nullopt;
  return now[1];
}

bool read_questions(const Context& ctx, const LabelNames& names, const LabelledEdges& edges,
                    Edge* to, std::uint8_t* known) {
  if (!edges.source.is_label_type() || !edges.target.is_label_type()) return false;
  Counters counters(ctx);
  run_there(ctx, ReadQuestions{edges, names, to, known, counters.refused()}, edges.size);
  return !counters.any_refused();
}

bool read_vertices(const Context& ctx, const LabelNames& names, const ValueColumn& labels,
                   std::size_t size, VertexId* to) {
  if (!labels.is_label_type()) return false;
  Counters counters(ctx);
  run_there(ctx, ReadVertices{labels, names, to, counters.refused()}, size);
  return !counters.any_refused();
}

void mask_answers(const Context& ctx, const MaskAnswers& answers, std::size_t size) {
  run_there(ctx, answers, size);
}

}  // namespace fathom::dynamic
