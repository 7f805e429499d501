// What a program needs to offer an algorithm that it knows nothing of: its names, what it takes and
// gives, what it needs, and how to run it. The command, `fathom plan`, completion and the pages of
// the reference are made from it (docs/adr/0018).
//
// An algorithm describes itself in its own folder (NAME/describe.cpp), and registered.cpp names it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "fathom/exec/context.hpp"
#include "fathom/exec/report.hpp"
#include "fathom/io/result_writer.hpp"
#include "fathom/residency/graph.hpp"
#include "fathom/residency/state_size.hpp"

namespace fathom {

struct OptionInfo {
  enum class Kind { Flag, Count, Real };
  static constexpr std::uint64_t kMost = ~std::uint64_t{0};

  std::string_view name = {};  // without dashes
  Kind kind = Kind::Flag;
  std::string_view value = {};  // what stands for it in help: "N"
  std::string_view meaning = {};
  // Of counts.
  std::uint64_t least = 0, most = kMost;
  // Shown as the default when it is something; the algorithm is given it when nothing else is.
  std::uint64_t count = 0;
  bool shows_default = false;
  double real = 0;
};

struct ColumnInfo {
  std::string_view name;
  std::string_view meaning;
};

/// What a caller chose, by the options' names; the others have their defaults.
class FATHOM_API OptionValues {
 public:
  explicit OptionValues(std::span<const OptionInfo> options);

  // For callers. @throws Error(Internal) when there is no such option of this kind.
  void set_flag(std::string_view name, bool value = true);
  void set_count(std::string_view name, std::uint64_t value);
  void set_real(std::string_view name, double value);

  // For algorithms.
  bool flag(std::string_view name) const;
  std::uint64_t count(std::string_view name) const;
  double real(std::string_view name) const;

  /// Whether anybody will look at the columns: an algorithm may save itself those that cost.
  bool columns = true;

 private:
  using Value = std::variant<bool, std::uint64_t, double>;
  template <class T>
  const T& get(std::string_view name) const;
  template <class T>
  void set(std::string_view name, T value);

  std::map<std::string, Value, std::less<>> values_;
};

/// A number of a result, or a list or a small table of them.
struct Fact {
  struct Table {
    std::vector<std::string> columns;
    std::vector<std::vector<std::uint64_t>> rows;
  };
  using Value = std::variant<std::nullptr_t, std::uint64_t, double, std::vector<std::uint64_t>,
                             std::vector<double>, Table>;
  std::string name;
  Value value;
};

/// What a run gives.
struct Answer {
  RunReport report;
  std::vector<Fact> facts;                // of the whole graph, in the order they are shown
  std::vector<io::ResultColumn> columns;  // one value per vertex each; by the first one, best are
                                          // the largest
  std::string summary;                    // for people: one line, and a table perhaps
  std::shared_ptr<const void> holds;      // what columns show
  /// Checks the answer on any context, and a graph equal to the one it is of.
  /// @throws Error(VerificationFailed) that says what is wrong.
  std::function<void(const Context&, const Graph&)> verify;
};

/// What a typed result answers: its report, and its certificate, verify(ctx, graph, result).
/// Columns and facts are added to it.
template <class Result, class Verify>
Answer answer_of(const std::shared_ptr<const Result>& result, const Verify& verify) {
  Answer answer;
  answer.report = result->report;
  answer.holds = result;
  answer.verify = [result, verify](const Context& ctx, const Graph& graph) {
    verify(ctx, graph, *result);
  };
  return answer;
}

struct Algorithm {
  /// What its state takes on a graph of this kind.
  struct Where {
    bool two_lists = false;  // directed, with in-edges
    bool one_device = true;  // or the host
    double id_bytes = sizeof(VertexId);
  };

  std::string_view name = {};                   // the command's: "kcore"
  std::string_view purpose = {};                // a line
  std::string_view notes = {};                  // what the help ends with: units, loops, columns
  std::vector<std::string_view> examples = {};  // commands, without "fathom NAME"
  std::vector<OptionInfo> options = {};
  std::vector<ColumnInfo> columns = {};
  bool reads_oriented = false;  // degree-oriented lists, and no others
  bool ranks_zero = true;       // --top lists vertices whose value is 0 as well
  bool shows_best = false;      // the summary ends with the best vertices
  StateSize (*state)(const Where& where, const OptionValues& options) = nullptr;
  Answer (*run)(const Context& ctx, const Graph& graph, const OptionValues& options) = nullptr;
};

/// Those of the library, and those that the program has added, in the order they are offered.
/// Thread-safe, but not beside add_algorithm().
FATHOM_API std::span<const Algorithm* const> described_algorithms();
/// Null: there is none.
FATHOM_API const Algorithm* find_algorithm(std::string_view name);

/// Offers an algorithm of the program's own; it outlives every use.
/// @throws Error(Internal) when there is one of its name.
FATHOM_API void add_algorithm(const Algorithm& algorithm);

}  // namespace fathom
