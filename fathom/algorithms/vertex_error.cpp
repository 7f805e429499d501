#include "fathom/algorithms/vertex_error.hpp"

#include <string_view>
#include <utility>

#include "fathom/core/printable.hpp"

namespace fathom {
namespace {

constexpr std::string_view kPlace = "{}";

std::string filled(std::string_view text, const std::vector<VertexId>& vertices,
                   VertexError::LabelOf label_of) {
  std::string message;
  for (const VertexId v : vertices) {
    const std::size_t place = text.find(kPlace);
    message.append(text.substr(0, place)).append(label_of(v));
    text.remove_prefix(place + kPlace.size());
  }
  return message.append(text);
}

}  // namespace

VertexError::VertexError(ErrorCode code, std::string text, std::vector<VertexId> vertices)
    : Error(code, filled(text, vertices, [](VertexId v) { return std::to_string(v); })),
      text_(std::move(text)),
      vertices_(std::move(vertices)) {}

std::string VertexError::message(LabelOf label_of) const {
  return filled(text_, vertices_, [&](VertexId v) { return printable(label_of(v)); });
}

}  // namespace fathom
