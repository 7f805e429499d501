#include "fathom/algorithms/neighbor_sampling/choose.hpp"

#include <bit>
#include <numeric>
#include <string>

namespace fathom {
namespace {

// Up to so many draws are kept in order as they are made; more are looked up in a hash set.
constexpr EdgeId kFewDraws = 64;
constexpr EdgeId kFree = ~EdgeId{0};

}  // namespace

void ListChooser::refuse_weight(const ListRule& rule, const ListToSample& list, EdgeId i,
                                Weight w) {
  const bool named = rule.options && rule.options->label_of;
  throw Error(ErrorCode::BadInput,
              "neighbors are drawn by weights that are finite and not negative: edge " +
                  std::to_string(i) + " of the list of vertex " +
                  (named ? rule.options->label_of(list.vertex) : std::to_string(list.vertex)) +
                  " has " + std::to_string(w));
}

EdgeId ListChooser::choose_alike(const ListRule& rule, const ListToSample& list, EdgeId* into) {
  if (rule.times && rule.temporal == TemporalChoice::Last) return latest(rule, list, into);
  EdgeId among = list.degree;
  if (rule.times) {
    among = 0;
    for (EdgeId i = 0; i < list.degree; ++i) among += in_time(rule, list, i) ? 1 : 0;
  }
  const EdgeId count = rule.most(among);
  if (rule.fan_out < 0 || (!rule.replace && count == among))
    std::iota(into, into + count, EdgeId{0});
  else
    draw(count, among, rule.replace, list.random, into);
  if (among == list.degree) return count;
  // So far these are places among the edges in time.
  EdgeId place = 0;
  for (EdgeId i = 0, n = 0; n < count; ++i) {
    if (!in_time(rule, list, i)) continue;
    for (; n < count && into[n] == place; ++n) into[n] = i;
    ++place;
  }
  return count;
}

EdgeId ListChooser::draw(EdgeId count, EdgeId among, bool replace, const RandomStream& random,
                         EdgeId* into) {
  if (replace) {
    for (EdgeId n = 0; n < count; ++n) into[n] = bounded(random.at(n), among);
    std::sort(into, into + count);
  } else if (count > kFewDraws) {
    draw_many(count, among, random, into);
  } else {
    EdgeId* end = into;
    for (EdgeId n = 0, top = among - count; n < count; ++n, ++top) {
      const EdgeId i = bounded(random.at(n), top + 1);
      EdgeId* const at = std::lower_bound(into, end, i);
      if (at != end && *at == i) {
        *end++ = top;  // which no draw before could have been
      } else {
        std::copy_backward(at, end, end + 1);
        *at = i;
        ++end;
      }
    }
  }
  return count;
}

/// The same draws as those of few.
void ListChooser::draw_many(EdgeId count, EdgeId among, const RandomStream& random, EdgeId* into) {
  const std::size_t capacity = std::bit_ceil(static_cast<std::size_t>(2 * count));
  taken_.resize(capacity);
  std::fill_n(taken_.data(), capacity, kFree);
  const auto add = [&](EdgeId i) {
    for (std::size_t at = mix64(i) & (capacity - 1); taken_[at] != i;
         at = (at + 1) & (capacity - 1)) {
      if (taken_[at] != kFree) continue;
      taken_[at] = i;
      return true;
    }
    return false;
  };
  for (EdgeId n = 0, top = among - count; n < count; ++n, ++top) {
    into[n] = bounded(random.at(n), top + 1);
    if (!add(into[n])) add(into[n] = top);
  }
  std::sort(into, into + count);
}

EdgeId ListChooser::latest(const ListRule& rule, const ListToSample& list, EdgeId* into) {
  const std::int64_t* const time = rule.times + list.first;
  const auto later = [&](EdgeId a, EdgeId b) {
    return time[a] != time[b] ? time[a] > time[b] : a > b;
  };
  const EdgeId most = rule.most(list.degree);
  EdgeId count = 0;
  for (EdgeId i = 0; i < list.degree; ++i) {
    if (!in_time(rule, list, i)) continue;
    if (count < most) {
      into[count++] = i;
      std::push_heap(into, into + count, later);  // the earliest first
    } else if (later(i, into[0])) {
      std::pop_heap(into, into + count, later);
      into[count - 1] = i;
      std::push_heap(into, into + count, later);
    }
  }
  std::sort(into, into + count);
  return count;
}

}  // namespace fathom
