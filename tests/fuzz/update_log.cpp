// Logs of updates as they are written, then cut off and changed anywhere, and any bytes behind the
// header of one. Whatever is read are the first batches that were written, in full; of a log that
// was only cut, all that are whole.
//
// Input: what to do; for each of up to 15 batches a byte, whether a mark follows and how long it
// is; how many edits, three bytes each: place, and what is changed there; how much is cut off, two
// bytes; what batches are made of, or what stands behind the header.
#include <algorithm>
#include <cstring>
#include <vector>

#include "fathom/dynamic/log/log_reader.hpp"
#include "tests/fuzz/shared/fuzzing.hpp"

namespace {

using namespace fathom;
using namespace fathom::dynamic;
using fuzzing::require;
using Bytes = std::vector<std::byte>;

struct WrittenLog {
  Bytes file;
  std::vector<Bytes> payloads;
  std::vector<std::uint64_t> ends;   // of each batch
  std::vector<std::uint64_t> marks;  // their places; 0 where none follows a batch

  /// Batches before the last mark that stands in the file.
  std::size_t acknowledged() const;
};

void append(Bytes& to, std::span<const std::byte> bytes) {
  to.insert(to.end(), bytes.begin(), bytes.end());
}

LogHeader log_header() {
  LogHeader header;
  header.run = 77;
  header.sequence = 3;
  return header;
}

std::size_t WrittenLog::acknowledged() const {
  for (std::size_t batches = marks.size(); batches > 0; --batches) {
    const std::uint64_t at = marks[batches - 1];
    if (at == 0 || at + kFrameBytes > file.size()) continue;
    const LogHeader header = log_header();
    const FrameBytes mark =
        encoded(Frame{FrameKind::Mark, header.sequence + batches, 0}, header.run, at);
    if (std::memcmp(mark.data(), file.data() + at, mark.size()) == 0) return batches;
  }
  return 0;
}

WrittenLog written(fuzzing::Input& input) {
  WrittenLog log;
  const LogHeader header = log_header();
  append(log.file, encoded(header));
  const auto batches = input.take(input.byte() % 16u);
  std::uint64_t sequence = header.sequence;
  for (const std::uint8_t batch : batches) {
    Bytes payload(batch / 2u, static_cast<std::byte>(batch));
    const std::uint64_t at = log.file.size();
    append(log.file, encoded(Frame{FrameKind::Batch, ++sequence, payload.size()}, header.run, at));
    append(log.file, payload);
    const std::uint64_t sum = frame_sum(header.run, at, payload);
    append(log.file, std::as_bytes(std::span(&sum, 1)));
    log.payloads.push_back(std::move(payload));
    log.ends.push_back(log.file.size());
    log.marks.push_back(batch % 2 != 0 ? log.file.size() : 0);
    if (batch % 2 != 0)
      append(log.file, encoded(Frame{FrameKind::Mark, sequence, 0}, header.run, log.file.size()));
  }
  return log;
}

/// Whether anything changed.
bool edit(Bytes& file, fuzzing::Input& input) {
  const Bytes before = file;
  for (auto edits = input.byte() % 8u; edits > 0; --edits) {
    const std::size_t at = input.byte() + std::size_t{256} * input.byte();
    file[at % file.size()] ^= static_cast<std::byte>(input.byte());
  }
  return before != file;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzzing::MemoryFile file;
  fuzzing::Input input(data, size);
  const bool raw = input.byte() % 2 != 0;
  WrittenLog log = written(input);
  const bool edited = edit(log.file, input);
  const std::size_t cut = input.byte() + std::size_t{256} * input.byte();
  log.file.resize(log.file.size() - cut % (log.file.size() + 1));
  if (raw) append(log.file, std::as_bytes(input.rest()));
  file.hold(log.file);
  std::vector<Bytes> found;
  std::uint64_t end = 0;
  const bool read = fuzzing::accepted([&] {
    LogReader reader(file.path());
    for (LogRecord record; reader.next(record);)
      found.emplace_back(record.payload.begin(), record.payload.end());
    end = reader.end();
    require(reader.sequence() == log_header().sequence + found.size());
    require(end + reader.cut_bytes() == log.file.size());
  });
  require(found.size() <= log.payloads.size());
  require(std::equal(found.begin(), found.end(), log.payloads.begin()));
  require(!read || found.size() >= log.acknowledged());
  if (edited || raw) return 0;
  const auto whole = static_cast<std::size_t>(std::count_if(
      log.ends.begin(), log.ends.end(), [&](auto its) { return its <= log.file.size(); }));
  require(read == (log.file.size() >= kLogHeaderBytes));
  require(found.size() == (read ? whole : 0));
  return 0;
}
