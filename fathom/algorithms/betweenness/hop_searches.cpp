#include "fathom/algorithms/betweenness/hop_searches.hpp"

#include "fathom/algorithms/check_sources.hpp"
#include "fathom/ops/advance.hpp"
#include "fathom/ops/compute.hpp"
#include "fathom/ops/gather.hpp"

namespace fathom {
namespace {

// Clear the rows of all vertices, in order, instead of those of more than this share of them.
constexpr VertexId kFillRowsShare = 3;

// Searches that take so many levels without seeing half of the vertices seldom meet: their rows
// would be read once for each of them.
constexpr std::uint32_t kManySearchLevels = 64;

/// Whether searches one by one cost no more reads from a disk.
bool may_part(const Context& ctx, const Graph& graph) {
  return one_host(ctx) && graph.out().comes_whole();
}

}  // namespace

template <int K>
HopSearches<K>::HopSearches(const Context& ctx, const Graph& graph, const Targets& targets,
                            bool keeps)
    : ctx_(ctx),
      graph_(graph),
      targets_(targets),
      keeps_(keeps),
      n_(graph.vertices()),
      paths_(ctx, n_),
      active_(ctx, n_, {}),
      gain_(ctx, n_, {}),
      kept_(ctx, keeps ? n_ : 0),
      level_of_(ctx, n_),
      now_(ctx, n_, 0),
      seen_(ctx, n_),
      above_(ctx, n_),
      claim_(ctx, n_ / 4 + std::size_t{1}, 0),
      overflow_(ctx, 1, 0) {}

template <int K>
bool HopSearches<K>::run(std::span<const VertexId> sources, Scores& score, Recorder& record) {
  HopLevels levels(ctx_);
  start(sources);
  if (!count_paths(sources, levels, record)) return false;
  if (overflow_.get(0) != 0) throw_too_many_paths();
  add_dependencies(levels, score, record);
  return true;
}

template <int K>
void HopSearches<K>::start(std::span<const VertexId> sources) {
  all_ = static_cast<Mask>((1u << sources.size()) - 1);
  LevelRow<K> none;
  std::fill_n(none.of, K, kUnfound);
  level_of_.fill(none);
  seen_.fill(0);
  for (const VertexId s : distinct(sources)) {
    Row<K> row{};
    LevelRow<K> levels = none;
    unsigned mask = 0;
    for (std::size_t k = 0; k < sources.size(); ++k) {
      if (sources[k] != s) continue;
      row.of[k] = 1;
      levels.of[k] = 0;
      mask |= 1u << k;
    }
    if (keeps_) {
      paths_.set(s, row);
      level_of_.set(s, levels);
    }
    active_.set(s, row);
    now_.set(s, static_cast<Mask>(mask));
    seen_.set(s, static_cast<Mask>(mask));
  }
}

template <int K>
bool HopSearches<K>::count_paths(std::span<const VertexId> sources, HopLevels& levels,
                                 Recorder& record) {
  Frontier now(ctx_, n_), next(ctx_, n_), open(ctx_, n_);
  now.assign(distinct(sources));
  EdgeId seen = 0;
  for (std::uint32_t level = 1; !now.empty(); ++level) {
    seen += now.size();
    if (level == kManySearchLevels && seen < n_ / 2 && may_part(ctx_, graph_)) return false;
    const EdgeId edges = graph_.out().degree_sum(ctx_, now);
    levels.push(now, edges);
    const bool pull = graph_.has_in() && edges > graph_.edges() / kPullShare;
    if (pull) {
      find_open(open);
      gather(ctx_, graph_.in(), open, &next, [&](const Device& d) {
        return CountPull<K>{now_.on(d), seen_.on(d), active_.on(d), gain_.on(d), all_};
      });
    } else {
      now.make_list();
      advance(ctx_, graph_.out(), now, &next, [&](const Device& d) {
        return CountPush<K>{now_.on(d), seen_.on(d), active_.on(d), gain_.on(d), claim_.on(d)};
      });
    }
    merge(gain_);
    retire(now);
    settle(next, level);
    record.step(now.size(), edges, pull ? "pull" : "push", graph_.traffic());
    std::swap(now, next);
  }
  return true;
}

template <int K>
void HopSearches<K>::find_open(Frontier& open) {
  Frontier everyone(ctx_, n_);
  everyone.fill();
  filter(ctx_, everyone, open, [&](const Device& d) { return NotSeenByAll{seen_.on(d), all_}; });
}

template <int K>
void HopSearches<K>::retire(const Frontier& vertices) {
  if (vertices.size() > n_ / kFillRowsShare) {
    active_.fill({});
    now_.fill(0);
    return;
  }
  compute(ctx_, vertices, [&](const Device& d) { return Retire<K>{now_.on(d), active_.on(d)}; });
}

template <int K>
void HopSearches<K>::settle(const Frontier& next, std::uint32_t level) {
  compute(ctx_, next, [&](const Device& d) {
    return Settle<K>{gain_.on(d),     now_.on(d),   seen_.on(d),     paths_.on(d),
                     level_of_.on(d), claim_.on(d), overflow_.on(d), level};
  });
  std::swap(active_, gain_);
}

template <int K>
void HopSearches<K>::add_dependencies(const HopLevels& levels, Scores& score, Recorder& record) {
  Frontier here(ctx_, n_), below(ctx_, n_);
  for (std::size_t level = levels.size(); level-- > 1;) {
    find_level(levels, level, here);
    if (level + 1 < levels.size())
      gather(ctx_, graph_.out(), here, nullptr, [&](const Device& d) {
        return DependencyPull<K>{above_.on(d), now_.on(d), active_.on(d), gain_.on(d)};
      });
    merge(gain_);
    retire(below);
    collect(here, score);
    record.step(here.size(), levels.edges(level), "back", graph_.traffic());
    std::swap(here, below);
  }
  retire(below);
}

template <int K>
void HopSearches<K>::find_level(const HopLevels& levels, std::size_t level, Frontier& here) {
  const auto make = [&](const Device& d) {
    return AtLevel<K>{above_.on(d), level_of_.on(d), static_cast<std::uint32_t>(level)};
  };
  if (levels.kept()) {
    levels.load(level, here);
    compute(ctx_, here, make);
  } else {
    Frontier everyone(ctx_, n_);
    everyone.fill();
    filter(ctx_, everyone, here, make);
    here.set_size(levels.vertices(level));
  }
}

template <int K>
void HopSearches<K>::collect(const Frontier& here, Scores& score) {
  compute(ctx_, here, [&](const Device& d) {
    return Collect<K>{now_.on(d),    above_.on(d), paths_.on(d),
                      gain_.on(d),   score.on(d),  keeps_ ? kept_.on(d) : nullptr,
                      targets_.on(d)};
  });
  std::swap(active_, gain_);
}

template class HopSearches<1>;
template class HopSearches<2>;
template class HopSearches<4>;
template class HopSearches<8>;

}  // namespace fathom
