// A tournament tree of losers (Knuth, TAOCP 3, 5.4.1): merges k ascending sequences with
// log2(k) comparisons per record. Among equals, the sequence of lower number comes first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

namespace fathom::graph {

/// `Order` as for ExternalSorter. Refill gives the next piece of a sequence; empty: it ended.
template <class Record, class Order>
class Tournament {
 public:
  using Refill = std::function<std::span<const Record>(std::size_t sequence)>;

  Tournament(const Order& order, std::size_t sequences, Refill refill)
      : order_(order), refill_(std::move(refill)), head_(sequences), loser_(sequences) {
    for (std::size_t i = 0; i < sequences; ++i) load(i);
    winner_ = sequences == 0 ? 0 : play(1);
  }

  bool empty() const { return head_.empty() || head_[winner_].at == head_[winner_].end; }

  /// The sequence that has the smallest record.
  std::size_t winner() const { return winner_; }

  /// Removes and returns the smallest record.
  Record pop() {
    Head& head = head_[winner_];
    const Record record = *head.at++;
    if (head.at == head.end)
      load(winner_);
    else
      head.key = order_.key(*head.at);
    // Only the games on the way from the winner's leaf to the root can change.
    std::size_t winner = winner_;
    for (std::size_t node = (winner + head_.size()) / 2; node > 0; node /= 2)
      if (before(loser_[node], winner)) std::swap(loser_[node], winner);
    winner_ = winner;
    return record;
  }

 private:
  struct Head {
    std::uint64_t key = 0;
    const Record* at = nullptr;
    const Record* end = nullptr;
  };

  void load(std::size_t i) {
    const std::span<const Record> piece = refill_(i);
    head_[i] = {std::numeric_limits<std::uint64_t>::max(), piece.data(),
                piece.data() + piece.size()};
    if (!piece.empty()) head_[i].key = order_.key(piece.front());
  }

  // Leaves are nodes [k, 2k). Plays all games below `node`, returns the winner.
  std::size_t play(std::size_t node) {
    if (node >= head_.size()) return node - head_.size();
    std::size_t a = play(2 * node), b = play(2 * node + 1);
    if (before(b, a)) std::swap(a, b);
    loser_[node] = b;
    return a;
  }

  bool before(std::size_t a, std::size_t b) const {
    const Head &x = head_[a], &y = head_[b];
    if (x.key != y.key) return x.key < y.key;
    if (x.at == x.end || y.at == y.end) return x.at != x.end && (y.at == y.end || a < b);
    if (order_.tie_less(*x.at, *y.at)) return true;
    if (order_.tie_less(*y.at, *x.at)) return false;
    return a < b;
  }

  Order order_;
  Refill refill_;
  std::vector<Head> head_;
  std::vector<std::size_t> loser_;
  std::size_t winner_ = 0;
};

}  // namespace fathom::graph
