// The duplicate policies: what one weight several edges between the same endpoints become.
#pragma once

#include <cmath>
#include <string>
#include <string_view>

#include "fathom/core/error.hpp"
#include "fathom/graph/build.hpp"

namespace fathom::graph {

/// Folds a group of equal edges presented in ascending order of weight (First: in input order).
class WeightFold {
 public:
  /// `input`: what messages call the origin of the edges.
  explicit WeightFold(Duplicates policy, std::string_view input = {})
      : policy_(policy), input_(input) {}

  void start(Weight w) {
    value_ = w;
    sum_ = static_cast<double>(w);
  }
  void add(Weight w) {
    if (policy_ == Duplicates::Max) value_ = w;
    sum_ += static_cast<double>(w);
  }
  /// @throws Error(BadInput) when a sum leaves the range of Weight.
  Weight get() const {
    if (policy_ != Duplicates::Sum) return value_;
    const auto sum = static_cast<Weight>(sum_);
    if (!std::isfinite(sum))
      throw Error(ErrorCode::BadInput,
                  std::string(input_) + (input_.empty() ? "" : ": ") +
                      "the sum of the weights of duplicate edges is too large");
    return sum;
  }

 private:
  Duplicates policy_;
  std::string_view input_;
  Weight value_ = 0;
  double sum_ = 0;
};

}  // namespace fathom::graph
