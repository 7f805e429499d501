// How certificates refute: one wording for every algorithm.
#pragma once

#include <cstddef>
#include <string>

#include "fathom/core/error.hpp"
#include "fathom/core/platform.hpp"

namespace fathom {

/// @throws Error(VerificationFailed): "ALGORITHM: WHAT".
[[noreturn]] inline void refute(const std::string& algorithm, const std::string& what) {
  throw Error(ErrorCode::VerificationFailed, algorithm + ": " + what);
}

/// @throws Error(VerificationFailed) about one vertex.
[[noreturn]] inline void refute_vertex(const std::string& algorithm, std::size_t v,
                                       const std::string& what) {
  refute(algorithm, "vertex " + std::to_string(v) + " " + what);
}

/// @throws Error(VerificationFailed) naming the vertex, its value and what was expected instead.
[[noreturn]] inline void refute_value(const std::string& algorithm, VertexId v, double is,
                                      const std::string& expected) {
  refute(algorithm,
         "vertex " + std::to_string(v) + " has " + std::to_string(is) + ", expected " + expected);
}

}  // namespace fathom
