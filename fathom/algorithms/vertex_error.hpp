// What is wrong with vertices is found by who knows their ids, and told by who knows their labels.
#pragma once

#include <string>
#include <vector>

#include "fathom/core/error.hpp"
#include "fathom/core/function_ref.hpp"

namespace fathom {

/// An error whose message names vertices; what() does so by their ids.
class FATHOM_API VertexError : public Error {
 public:
  using LabelOf = FunctionRef<std::string(VertexId)>;

  /// `text` has "{}" in the place of each of the vertices.
  VertexError(ErrorCode code, std::string text, std::vector<VertexId> vertices);

  /// The message with what the vertices are called. Labels are made printable.
  std::string message(LabelOf label_of) const;

 private:
  std::string text_;
  std::vector<VertexId> vertices_;
};

/// What `work` gives. @throws Error where that throws a VertexError, with labels of the vertices.
template <class Work>
auto with_labels_in_errors(VertexError::LabelOf label_of, Work&& work) {
  try {
    return work();
  } catch (const VertexError& e) {
    throw Error(e.code(), e.message(label_of));
  }
}

}  // namespace fathom
