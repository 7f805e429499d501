#include "fathom/dynamic/updates/update_input.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "fathom/core/error.hpp"
#include "fathom/core/parallel.hpp"

namespace fathom::dynamic {
namespace {

constexpr std::size_t kRecordBlock = std::size_t{1} << 21;

std::string_view first_line(std::string_view text) {
  return text.substr(0, text.find('\n'));
}

}  // namespace

/// Finds out what it is made of.
void UpdateInput::begin() {
  if (lines_ || header_) return;
  while (begins_records(bytes_->held()) || bytes_->held().empty()) {
    if (bytes_->held().size() >= kRecordsHeaderBytes) {
      header_ =
          decoded_records_header(bytes_->name(), bytes_->held().substr(0, kRecordsHeaderBytes));
      bytes_->take(kRecordsHeaderBytes);
      return;
    }
    if (!bytes_->read_more(kRecordBlock)) break;
  }
  if (bytes_->held().size() >= 2 && begins_records(bytes_->held()))
    decoded_records_header(bytes_->name(), bytes_->held());  // which ends too soon
  lines_.emplace(*std::move(bytes_));
  bytes_.reset();
}

/// Whole records, at least one, as many as are there; false behind the last one.
bool UpdateInput::next_records(std::string_view& whole) {
  const std::size_t size = header_->record_bytes();
  while (bytes_->held().size() < size && bytes_->read_more(kRecordBlock)) {
  }
  const std::string_view held = bytes_->held();
  const bool to_the_end = header_->updates == RecordsHeader::kToTheEnd;
  if (!held.empty() && read_ == header_->updates)
    io::fail_file(name(), fmt::format("it goes on behind the {} updates that its header announces",
                                      header_->updates));
  if (!held.empty() && held.size() < size)
    io::fail_file(name(), fmt::format("it ends inside update {}, {} of its {} bytes", read_ + 1,
                                      held.size(), size));
  if (held.empty()) {
    if (!to_the_end && read_ < header_->updates)
      io::fail_file(name(), fmt::format("it ends after {} updates of the {} that its header "
                                        "announces",
                                        read_, header_->updates));
    return false;
  }
  const std::uint64_t n = std::min<std::uint64_t>(held.size() / size, header_->updates - read_);
  whole = held.substr(0, static_cast<std::size_t>(n) * size);
  bytes_->take(whole.size());
  read_ += n;
  return true;
}

bool UpdateInput::next(std::string_view& item) {
  begin();
  if (lines_) return lines_->next(item);
  if (cursor_ == nullptr) {
    std::string_view whole;
    if (!next_records(whole)) return false;
    if (piece_.empty()) piece_.resize(1);
    piece_[0].begin(whole);
    cursor_ = whole.data();
  }
  // One at a time: who passes over records does not want them read.
  const std::size_t size = header_->record_bytes();
  const std::string_view text = piece_[0].text;
  item = text.substr(static_cast<std::size_t>(cursor_ - text.data()), size);
  cursor_ += size;
  ++number_;
  if (cursor_ == text.data() + text.size()) cursor_ = nullptr;
  return true;
}

/// Reads more, in pieces for the threads; false at the end.
bool UpdateInput::read_pieces(const UpdateBatch& batch) {
  std::string_view whole;
  if (header_ && cursor_ != nullptr) {  // the rest of what next() gave
    const std::string_view text = piece_[0].text;
    whole = text.substr(static_cast<std::size_t>(cursor_ - text.data()));
  } else if (lines_ ? !lines_->next_block(whole) : !next_records(whole)) {
    return false;
  }
  const std::size_t unit = lines_ ? 1 : header_->record_bytes();
  const std::size_t wanted = std::clamp<std::size_t>(whole.size() / least_piece_, 1,
                                                     static_cast<std::size_t>(batch.threads()));
  const std::size_t share = (whole.size() / wanted + unit - 1) / unit * unit;
  if (piece_.size() < wanted) piece_.resize(wanted);
  for (pieces_ = 0; !whole.empty(); ++pieces_) {
    std::size_t end = pieces_ + 1 == wanted ? whole.size() : std::min(share, whole.size());
    if (lines_) end = std::min(whole.find('\n', end - 1), whole.size() - 1) + 1;
    piece_[pieces_].begin(whole.substr(0, end));
    whole.remove_prefix(end);
  }
  const UpdateKind kind{batch.graph().weighted(), batch.graph().semantic(),
                        batch.labels().strings() || batch.labels().may_become_strings()};
  parallel_for(batch.threads(), pieces_, 1, [&](std::size_t first, std::size_t last, int) {
    for (std::size_t i = first; i < last; ++i) {
      if (lines_)
        read_lines(piece_[i], kind);
      else
        read_records(piece_[i], *header_, kind);
    }
  });
  at_ = edge_ = odd_ = odd_taken_ = 0;
  cursor_ = piece_[0].text.data();
  return true;
}

void UpdateInput::add_run(UpdateBatch& batch, std::size_t n, const Taken& taken) {
  const UpdatePiece& p = piece_[at_];
  if (taken) {
    std::string_view rest(cursor_,
                          static_cast<std::size_t>(p.text.data() + p.text.size() - cursor_));
    for (std::size_t i = 0; i < n; ++i) {
      const std::string_view item =
          lines_ ? first_line(rest) : rest.substr(0, header_->record_bytes());
      (*taken)(item);
      rest.remove_prefix(item.size() + (lines_ ? 1 : 0));
    }
    cursor_ = rest.data();
  }
  UpdateRun run{std::span(p.edges).subspan(edge_, n), {}};
  if (!p.fields.empty()) run.fields = std::span(p.fields).subspan(edge_, n);
  batch.add(run);
  edge_ += n;
  if (lines_)
    lines_->pass(n);
  else
    number_ += n;
}

void UpdateInput::add_odd(UpdateBatch& batch, std::string_view item) {
  try {
    if (lines_) {
      lines_->refuse_long(item);
      batch.add(item);
    } else {
      add_record(batch, item, *header_);
    }
  } catch (const io::LineError& e) {
    if (lines_) io::fail_line(name(), number(), e);
    throw Error(ErrorCode::BadInput,
                fmt::format("{}: update {}, at byte {}: expected {}, found '{}'", name(), number_,
                            kRecordsHeaderBytes + (number_ - 1) * header_->record_bytes(),
                            e.expected, e.found));
  }
}

/// Takes a line, without its end, or a record of those that are odd.
std::string_view UpdateInput::next_odd() {
  const std::string_view rest = piece_[at_].odd[odd_].text.substr(odd_taken_);
  const std::string_view item = lines_ ? first_line(rest) : rest.substr(0, header_->record_bytes());
  const std::size_t bytes = std::min(rest.size(), item.size() + (lines_ ? 1 : 0));
  cursor_ = rest.data() + bytes;
  odd_taken_ += bytes;
  if (bytes == rest.size()) {
    ++odd_;
    odd_taken_ = 0;
  }
  return item;
}

bool UpdateInput::fill(UpdateBatch& batch, std::size_t most, Taken taken) {
  begin();
  while (batch.updates() < most) {
    task_.check();
    if (at_ == pieces_) {
      if (pieces_ > 0) cursor_ = nullptr;
      if (!read_pieces(batch)) return false;
      continue;
    }
    const UpdatePiece& p = piece_[at_];
    const bool odd = odd_ < p.odd.size();
    const std::size_t run = (odd ? p.odd[odd_].before : p.edges.size()) - edge_;
    if (run > 0) {
      add_run(batch, std::min(run, most - batch.updates()), taken);
    } else if (odd) {
      const std::string_view item = next_odd();
      if (lines_)
        lines_->pass(1);
      else
        ++number_;
      if (taken) (*taken)(item);
      add_odd(batch, item);
    } else {
      ++at_;
      edge_ = odd_ = 0;
      if (at_ < pieces_) cursor_ = piece_[at_].text.data();
    }
  }
  return true;
}

}  // namespace fathom::dynamic
