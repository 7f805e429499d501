// How far ranks that are updated in place go beyond what their neighbours give them (successive
// over-relaxation; Young 1954). Where walks mix slowly that takes fewer sweeps (docs/adr/0048).
//
// The system has to be symmetric: the graph undirected. A sweep that goes no further leaves a share
// r of the error, at most alpha^2; the best factor is 2 / (1 + sqrt(1 - r)), and what a sweep with
// another one leaves tells r (Hageman and Young 1981, chapter 9). So sweeps begin without, and go
// further as the changes show that they are slow.
//
// That holds for one thread. Where many update neighbours at once, ranks may swing: changes fall
// more slowly than without, which is noticed, and they go less far from then on.
#pragma once

#include <algorithm>
#include <cmath>

namespace fathom {

class Relaxation {
 public:
  /// Updates never go further.
  Relaxation() = default;
  /// `alpha`: of the walk, above 0 and below 1.
  explicit Relaxation(double alpha) : alpha_(alpha) {}

  /// By how much of a change a rank goes further than that.
  double further() const { return factor_ - 1; }
  /// What a change counts for, so that the changes of a sweep bound what it leaves as they do where
  /// ranks go no further: that is at most alpha times as much, or 2 where jumps follow the sum.
  double counted() const { return alpha_ > 0 ? factor_ + further() / alpha_ : 1; }

  /// After a sweep, which changed ranks by so much (of their sum), not counting how far they went.
  void swept(double change) {
    const double left = change_ > 0 ? change / change_ : 1;
    change_ = change;
    if (alpha_ == 0 || ++sweeps_ < kFirst || ++since_ < kSettled) return;
    const double rate = std::min(further() > 0 ? rate_of(left) : left, alpha_ * alpha_);
    slowest_ = std::max(slowest_, rate);
    const double most = std::min(swung_, sweeps_ < kMany ? kMost : kMostOfMany);
    if (swings(left))
      go_to(swung_ = factor_ > kLeast ? 1 + further() / 2 : 1);
    else if (const double best = std::min(most, 2 / (1 + std::sqrt(1 - rate)));
             best > std::max(kLeast, factor_ + kWorthIt))
      go_to(best);
  }

 private:
  // Sweeps until the first that tells anything, and until a new factor does.
  static constexpr int kFirst = 4, kSettled = 2;
  // Where walks mix fast but begin at few vertices, the first sweeps leave as much as slow ones do.
  // A factor leaves factor - 1 at least: before so many sweeps none is larger than costs little
  // then. The last one keeps what it adds to rounding small.
  static constexpr int kMany = 24;
  static constexpr double kMost = 1.4, kMostOfMany = 1.8;
  static constexpr double kLeast = 1.08, kWorthIt = .01, kSwings = .1;

  /// r, where the factor leaves so much; 0: it tells nothing, as the best one and those beyond it
  /// leave factor - 1.
  double rate_of(double left) const {
    if (left <= further()) return 0;
    const double root = left + further();
    return root * root / (left * factor_ * factor_);
  }
  /// Whether a sweep that goes no further would leave less. At the best factor changes grow at
  /// first, and fall as fast as they should after some sweeps: both go by 1 / (2 - factor).
  bool swings(double left) const {
    if (further() == 0) return false;
    const double slowness = 1 / (2 - factor_);
    return change_ > (1 + slowness) * from_ ||
           (since_ > 3 * slowness && left > std::max(slowest_, further() + kSwings));
  }
  void go_to(double factor) {
    factor_ = factor;
    from_ = change_;
    since_ = 0;
  }

  double alpha_ = 0;
  double factor_ = 1;
  double swung_ = 2;              // no larger factor since ranks swung
  double slowest_ = 0;            // the largest r that a sweep told of
  double change_ = 0, from_ = 0;  // of the last sweep, and of that which set the factor
  int sweeps_ = 0, since_ = 0;
};

}  // namespace fathom
