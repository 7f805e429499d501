// Updates from a file or from standard input, as lines or as binary records, into batches.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/core/function_ref.hpp"
#include "fathom/dynamic/updates/update_lines.hpp"
#include "fathom/dynamic/updates/update_records.hpp"

namespace fathom::dynamic {

/// What it is the first bytes say. Lines are parsed, and records read, by several threads.
class FATHOM_API UpdateInput {
 public:
  /// Bytes that are worth a thread.
  static constexpr std::size_t kLeastPiece = std::size_t{1} << 16;

  /// "-": standard input. Files may be compressed. Nothing is read yet. @throws Error(Io)
  UpdateInput(const std::string& path, Task task, std::size_t least_piece = kLeastPiece)
      : task_(std::move(task)), least_piece_(least_piece), bytes_(InputBytes(path, task_)) {}

  /// The next line or record, as it stands; false after the last one. Not after fill().
  /// @throws what fill() does
  bool next(std::string_view& item);
  /// Adds updates until the batch has `most`; false where there are no more. `taken` is called with
  /// every line or record, in their order, before it is added; empty: with none.
  /// @throws Error(BadInput), naming the line or the record; Error(Io); Error(Interrupted), also
  ///         while it waits
  bool fill(UpdateBatch& batch, std::size_t most,
            std::optional<FunctionRef<void(std::string_view)>> taken = {});

  /// Of the line or record that was taken last, from 1 on.
  std::uint64_t number() const { return lines_ ? lines_->number() : number_; }
  const std::string& name() const { return lines_ ? lines_->name() : bytes_->name(); }
  /// Whether it is made of records, not lines; waits for its first bytes. @throws what fill() does
  bool is_records() {
    begin();
    return header_.has_value();
  }
  const char* item() { return name_of_item(is_records()); }
  static const char* name_of_item(bool record) { return record ? "record" : "line"; }

 private:
  using Taken = std::optional<FunctionRef<void(std::string_view)>>;
  void begin();
  bool next_records(std::string_view& whole);
  bool read_pieces(const UpdateBatch& batch);
  void add_run(UpdateBatch& batch, std::size_t n, const Taken& taken);
  void add_odd(UpdateBatch& batch, std::string_view item);
  std::string_view next_odd();

  Task task_;
  std::size_t least_piece_;
  std::optional<InputBytes> bytes_;      // of records, and before it is known what they are
  std::optional<UpdateLines> lines_;     // if it is lines
  std::optional<RecordsHeader> header_;  // if it is records
  std::uint64_t number_ = 0, read_ = 0;  // records taken; read
  std::vector<UpdatePiece> piece_;       // in use: the first pieces_
  std::size_t pieces_ = 0, at_ = 0, edge_ = 0, odd_ = 0;  // what comes next
  std::size_t odd_taken_ = 0;                             // bytes of odd_
  const char* cursor_ = nullptr;  // behind what was taken, if somebody wants to know
};

}  // namespace fathom::dynamic
