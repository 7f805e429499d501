// The options of an algorithm that describes itself, and what a caller chose of them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "fathom/core/platform.hpp"

namespace fathom {

struct CheckpointOptions;

struct OptionInfo {
  enum class Kind {
    Flag,
    Count,
    Real,
    Mode,      // one of some words
    Vertex,    // by its label
    Vertices,  // one or several, by their labels
    Masses,    // a file that gives vertices a value of at least 0 (io::read_masses)
    Pairs,     // a file of pairs of vertices (io::read_pairs)
    Table,     // a file that gets the answer's table of the same name
  };
  static constexpr std::uint64_t kMost = ~std::uint64_t{0}, kMost32 = ~std::uint32_t{0};

  std::string_view name = {};  // without dashes
  Kind kind = Kind::Flag;
  std::string_view value = {};  // what stands for it in help: "N"; of a mode nothing, its words do
  std::string_view meaning = {};
  // Of counts.
  std::uint64_t least = 0, most = kMost;
  bool positive = false;  // of counts and reals: greater than 0
  // Shown as the default when it is something; the algorithm is given it when nothing else is.
  std::uint64_t count = 0;
  bool shows_default = false;
  double real = 0;
  // Of modes.
  std::vector<std::string_view> choices = {};
  std::string_view mode = {};  // when none is chosen
  // Of any.
  bool required = false;
  std::string_view excludes = {};  // an option above it that cannot go with it
  bool many_columns = false;       // with it no value per vertex is the one to rank by
  bool planned = false;            // state or reads depend on it: `fathom plan` takes it too
};

/// Vertices, as their caller calls them.
struct ChosenVertices {
  std::vector<std::string> labels;
  std::vector<VertexId> ids;  // one per label
};

using VertexPairs = std::vector<std::pair<VertexId, VertexId>>;

/// What a caller chose, by the options' names; the others have their defaults.
class FATHOM_API OptionValues {
 public:
  explicit OptionValues(std::span<const OptionInfo> options);

  // For callers. @throws Error(Internal) when there is no such option of this kind.
  void set_flag(std::string_view name, bool value = true);
  void set_count(std::string_view name, std::uint64_t value);
  void set_real(std::string_view name, double value);
  void set_mode(std::string_view name, std::string value);
  void set_vertices(std::string_view name, ChosenVertices value);
  void set_masses(std::string_view name, std::vector<double> value);
  void set_pairs(std::string_view name, VertexPairs value);
  /// The same as in `others`, which may be of another algorithm.
  void set_as_in(const OptionValues& others, std::string_view name);

  // For algorithms.
  bool flag(std::string_view name) const;
  std::uint64_t count(std::string_view name) const;
  double real(std::string_view name) const;
  const std::string& mode(std::string_view name) const;
  /// Of a vertex: one. Empty: not given.
  const ChosenVertices& vertices(std::string_view name) const;
  /// [vertices]; empty: not given.
  std::span<const double> masses(std::string_view name) const;
  /// Whether a file of pairs was given, which may have none.
  bool given(std::string_view name) const;
  const VertexPairs& pairs(std::string_view name) const;

  /// Whether anybody will look at the columns: an algorithm may save itself those that cost.
  bool columns = true;

  /// What a vertex is called in what people read; its id unless the caller knows labels.
  std::function<std::string(VertexId)> label_of = [](VertexId v) { return std::to_string(v); };

  /// [vertices]: the place of each vertex in the order of results, before any reordering; empty:
  /// its id. While the algorithm runs.
  std::span<const VertexId> rows;

  /// Where to write checkpoints and go on from, by algorithms that can; null: nowhere.
  const CheckpointOptions* checkpoint = nullptr;

 private:
  using Value = std::variant<bool, std::uint64_t, double, std::string, ChosenVertices,
                             std::vector<double>, std::optional<VertexPairs>>;
  template <class T>
  const T& get(std::string_view name) const;
  template <class T>
  void set(std::string_view name, T value);

  std::map<std::string, Value, std::less<>> values_;
};

}  // namespace fathom
