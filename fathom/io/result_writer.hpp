// Writing results: one row per vertex, or other rows, as text or as a NumPy array, whole or not at
// all.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "fathom/core/platform.hpp"
#include "fathom/core/task.hpp"
#include "fathom/io/byte_sink.hpp"

namespace fathom::io {

enum class ResultKind { Tsv, Csv, Npy };

/// Told by the suffix .tsv, .csv or .npy; ask before long work. @throws Error(Usage) for others.
FATHOM_API ResultKind result_kind(const std::string& path);

/// One value per vertex, by internal ids, or per row.
struct ResultColumn {
  std::string name;
  std::variant<std::span<const std::uint32_t>, std::span<const std::int64_t>,
               std::span<const float>, std::span<const double>, std::span<const std::uint64_t>>
      values;
  /// The value of an unsigned column that means "none": written as -1, in text and in .npy.
  std::optional<std::uint64_t> none = std::nullopt;
  /// In text files, appends what to write for the value of a vertex instead of the number (the
  /// label of a parent, say). Not asked for vertices that hold `none`.
  std::function<void(std::size_t vertex, std::string& out)> text = nullptr;
  /// Of an unsigned column whose values are ids: write ids[value] instead of the value, where no
  /// text stands for it. Empty: the value itself.
  std::span<const VertexId> ids = {};
};

/// The content of a result file: one row per vertex, or rows that are not vertices.
///
/// .tsv and .csv: a header line "vertex<TAB>name...", then label and values. Floats are printed
/// with the fewest digits that read back as the same value; infinity is `inf`. A label or name that
/// would not be read as one field (io/table_writer.hpp) is quoted as in CSV.
///
/// .npy (format 1.0, little endian): values only, no labels: row i is internal id i, or
/// vertices[i]. One column is a 1-d array, several are a structured array with the columns' names
/// (their bytes as Latin-1); dtype u4, i8, f4, f8 or u8, and i8 for an unsigned column with a
/// `none`.
class FATHOM_API ResultRows {
 public:
  /// Appends the caller's label of a row's vertex, given its id.
  using Label = std::function<void(std::size_t vertex, std::string& out)>;

  /// @param label  null: rows are not vertices, and there is no column of labels.
  /// @param columns, vertices  live as long as this. `vertices`: the id of each row's vertex, where
  ///         its values are; empty: ids are rows.
  /// @throws Error(Usage) for a column, or an order, of another length.
  ResultRows(ResultKind kind, std::size_t rows, Label label, std::span<const ResultColumn> columns,
             std::span<const VertexId> vertices = {});

  std::size_t count() const { return rows_; }
  /// What they are, for progress.
  const char* what() const { return label_ ? "vertices" : "rows"; }

  /// Appends what comes before the first row, or rows [first, last). Thread-safe where label and
  /// texts of columns are.
  void append_header(std::string& out) const;
  void append(std::size_t first, std::size_t last, std::string& out) const;

 private:
  char separator() const { return kind_ == ResultKind::Tsv ? '\t' : ','; }
  void append_text(std::size_t vertex, std::string& out) const;

  ResultKind kind_;
  std::size_t rows_;
  Label label_;
  std::span<const ResultColumn> columns_;
  std::span<const VertexId> vertices_;
};

/// Writes all of them into `sink`, which is finished. @throws Error(Io), Error(Interrupted)
FATHOM_API void write_results(ByteSink& sink, const ResultRows& rows, const Task& task = {});

/// Writes a row per vertex to `path`, atomically (core/atomic_file.hpp).
/// @throws Error(Usage) as ResultRows does, and for another suffix; Error(Io), Error(Interrupted)
FATHOM_API void write_results(const std::string& path, std::size_t rows, ResultRows::Label label,
                              std::span<const ResultColumn> columns, const Task& task = {},
                              std::span<const VertexId> vertices = {});

}  // namespace fathom::io
