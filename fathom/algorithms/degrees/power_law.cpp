#include "fathom/algorithms/degrees/power_law.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace fathom {
namespace {

constexpr std::uint64_t kLeastTail = 50;  // below, fits are unreliable (the paper's section 3.3)
constexpr std::size_t kCandidates = 64;
constexpr double kLeastAlpha = 1.0001, kMostAlpha = 20;

struct Tail {
  std::span<const DegreeFrequency> part;  // ascending
  double vertices = 0;
  double logs = 0;  // sum of ln(degree) over the vertices
};

/// Minus the log-likelihood per vertex; convex in alpha.
double cost(const Tail& tail, double alpha) {
  const auto minimum = static_cast<double>(tail.part.front().degree);
  return std::log(hurwitz_zeta(alpha, minimum)) + alpha * tail.logs / tail.vertices;
}

double most_likely_alpha(const Tail& tail) {
  // Golden-section search; the flat bottom of the cost leaves about half of a double's digits.
  constexpr double kRatio = 0.6180339887498949;
  double low = kLeastAlpha, high = kMostAlpha;
  double a = high - kRatio * (high - low), b = low + kRatio * (high - low);
  double cost_a = cost(tail, a), cost_b = cost(tail, b);
  while (high - low > 1e-7) {
    if (cost_a < cost_b) {
      high = b;
      b = a;
      cost_b = cost_a;
      a = high - kRatio * (high - low);
      cost_a = cost(tail, a);
    } else {
      low = a;
      a = b;
      cost_a = cost_b;
      b = low + kRatio * (high - low);
      cost_b = cost(tail, b);
    }
  }
  return (low + high) / 2;
}

/// Both functions are steps or smooth between two degrees that occur, so that their difference is
/// largest at one of them or just before it.
double distance(const Tail& tail, double alpha) {
  const double all = hurwitz_zeta(alpha, static_cast<double>(tail.part.front().degree));
  double upto = 0, farthest = 0;
  for (const auto& [degree, vertices] : tail.part) {
    const double below = 1 - hurwitz_zeta(alpha, static_cast<double>(degree)) / all;
    farthest = std::max(farthest, std::abs(upto / tail.vertices - below));
    upto += static_cast<double>(vertices);
    const double with = 1 - hurwitz_zeta(alpha, static_cast<double>(degree) + 1) / all;
    farthest = std::max(farthest, std::abs(upto / tail.vertices - with));
  }
  return farthest;
}

/// Where tails may begin: indices into the distribution.
std::vector<std::size_t> candidates(std::span<const DegreeFrequency> distribution) {
  std::vector<std::size_t> all;
  std::uint64_t vertices = 0;
  for (std::size_t i = distribution.size(); i-- > 0;) {
    vertices += distribution[i].vertices;
    if (vertices >= kLeastTail && i + 1 < distribution.size()) all.push_back(i);
  }
  std::reverse(all.begin(), all.end());
  if (all.size() <= kCandidates) return all;
  std::vector<std::size_t> some;
  const double first = std::log(static_cast<double>(distribution[all.front()].degree));
  const double last = std::log(static_cast<double>(distribution[all.back()].degree));
  for (std::size_t c = 0, i = 0; c < kCandidates; ++c) {
    const double wanted =
        first + (last - first) * static_cast<double>(c) / static_cast<double>(kCandidates - 1);
    while (i + 1 < all.size() &&
           std::log(static_cast<double>(distribution[all[i]].degree)) < wanted - 1e-9)
      ++i;
    if (some.empty() || some.back() != all[i]) some.push_back(all[i]);
  }
  return some;
}

}  // namespace

double hurwitz_zeta(double s, double q) {
  // Euler-Maclaurin: some terms, then the integral of the rest and its corrections.
  double sum = 0;
  for (; q < 12; ++q) sum += std::pow(q, -s);
  const double term = std::pow(q, -s);
  sum += term * q / (s - 1) + term / 2;
  double factor = s * term / q;
  sum += factor / 12;
  factor *= (s + 1) * (s + 2) / (q * q);
  sum -= factor / 720;
  factor *= (s + 3) * (s + 4) / (q * q);
  sum += factor / 30240;
  factor *= (s + 5) * (s + 6) / (q * q);
  return sum - factor / 1209600;
}

std::optional<PowerLaw> fit_power_law(std::span<const DegreeFrequency> distribution) {
  while (!distribution.empty() && distribution.front().degree == 0)
    distribution = distribution.subspan(1);
  std::optional<PowerLaw> best;
  for (const std::size_t first : candidates(distribution)) {
    Tail tail{distribution.subspan(first)};
    std::uint64_t vertices = 0;
    for (const auto& [degree, count] : tail.part) {
      vertices += count;
      tail.logs += static_cast<double>(count) * std::log(static_cast<double>(degree));
    }
    tail.vertices = static_cast<double>(vertices);
    const double alpha = most_likely_alpha(tail);
    const double away = distance(tail, alpha);
    if (!best || away < best->distance)
      best = PowerLaw{alpha, (alpha - 1) / std::sqrt(tail.vertices), tail.part.front().degree,
                      vertices, away};
  }
  return best;
}

}  // namespace fathom
