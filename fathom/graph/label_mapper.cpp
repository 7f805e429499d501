#include "fathom/graph/label_mapper.hpp"

#include <cstring>
#include <optional>

#include "fathom/core/temp_file.hpp"
#include "fathom/core/units.hpp"
#include "fathom/graph/dictionary.hpp"
#include "fathom/graph/tournament.hpp"

namespace fathom::graph {
namespace {

// The labels of one dictionary, sorted, in a file: u32 length and bytes each.
struct Run {
  std::uint64_t begin, end;   // bytes of the label file
  std::uint64_t first_label;  // index of its first label in the id and place files
  std::uint32_t labels;
  std::uint64_t first_edge, edges;
};

// Reads a run in pieces. The previous piece stays valid: a tournament pops before it refills.
class RunReader {
 public:
  RunReader(const TempFile& file, const Run& run, std::size_t buffer_bytes)
      : file_(&file), at_(run.begin), end_(run.end), capacity_(buffer_bytes) {}

  std::span<const std::string_view> next() {
    std::swap(buffer_, previous_);
    labels_.clear();
    if (at_ == end_) return {};
    for (std::size_t size = capacity_; labels_.empty(); size *= 2) {  // again for a long label
      buffer_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(size, end_ - at_)));
      file_->read_at(at_, std::as_writable_bytes(std::span(buffer_)));
      parse();
    }
    return labels_;
  }

 private:
  void parse() {
    std::size_t used = 0;
    std::uint32_t length = 0;
    while (used + sizeof(length) <= buffer_.size()) {
      std::memcpy(&length, buffer_.data() + used, sizeof(length));
      if (used + sizeof(length) + length > buffer_.size()) break;
      labels_.emplace_back(buffer_.data() + used + sizeof(length), length);
      used += sizeof(length) + length;
    }
    at_ += used;
  }

  const TempFile* file_;
  std::uint64_t at_, end_;
  std::size_t capacity_;
  std::vector<char> buffer_, previous_;
  std::vector<std::string_view> labels_;
};

struct Bytewise {
  static std::uint64_t key(std::string_view label) { return prefix_of(label); }
  static bool tie_less(std::string_view a, std::string_view b) { return a < b; }
};

}  // namespace

class LabelMapper::Impl {
 public:
  explicit Impl(const LabelOptions& options)
      : options_(options),
        label_file_(options.temp_directory),
        place_file_(options.temp_directory),
        id_file_(options.temp_directory),
        edge_file_(options.temp_directory),
        weight_file_(options.temp_directory),
        edges_(edge_file_),
        weights_(weight_file_) {
    begin_run();
  }

  void add_vertex(std::string_view label) {
    if (dictionary_->number_of(label)) return;
    end_run();
    begin_run();
    dictionary_->number_of(label);
  }

  void add_edge(std::string_view source, std::string_view target, Weight weight) {
    auto u = dictionary_->number_of(source);
    auto v = u ? dictionary_->number_of(target) : std::nullopt;
    if (!v) {
      end_run();
      begin_run();
      u = dictionary_->number_of(source);
      v = dictionary_->number_of(target);
      if (!v)
        throw Error(ErrorCode::DoesNotFit,
                    "two labels of " + format_bytes(source.size() + target.size()) +
                        " do not fit the memory bound for labels, " + format_bytes(memory()));
    }
    edges_.push(Edge{*u, *v});
    if (options_.weighted) weights_.push(weight);
    ++runs_.back().edges;
  }

  VertexId finish(const std::function<void(std::string_view)>& sink) {
    end_run();
    edges_.flush();
    weights_.flush();
    const std::size_t buffer =
        std::clamp(memory() / (4 * runs_.size()), std::size_t{4} << 10, std::size_t{1} << 18);
    if (runs_.size() * buffer * 4 > options_.memory)
      throw Error(ErrorCode::DoesNotFit, "the labels need more memory to be merged: at least " +
                                             format_bytes(runs_.size() * buffer * 8));
    std::vector<RunReader> readers;
    std::vector<IdWriter> ids;
    for (const Run& run : runs_) {
      readers.emplace_back(label_file_, run, buffer);
      ids.push_back({run.first_label * sizeof(VertexId), {}});
    }
    std::size_t source = 0;  // the run that the label just popped came from
    Tournament<std::string_view, Bytewise> tournament(
        {}, runs_.size(), [&](std::size_t run) { return readers[run].next(); });
    std::string last;
    std::uint64_t distinct = 0;
    while (!tournament.empty()) {
      source = tournament.winner();
      const std::string_view label = tournament.pop();
      if (distinct == 0 || label != last) {
        if (distinct == kNoVertex - 1)
          throw Error(ErrorCode::DoesNotFit, "more than the " + format_count(kNoVertex - 1) +
                                                 " vertices that this build of Fathom can hold");
        last.assign(label);
        sink(label);
        if (++distinct % 65536 == 0) options_.task.check();
      }
      ids[source].push(static_cast<VertexId>(distinct - 1), id_file_, buffer);
    }
    for (IdWriter& writer : ids) writer.flush(id_file_);
    label_file_ = TempFile(options_.temp_directory);  // returns its disk space
    return static_cast<VertexId>(distinct);
  }

  void for_each_edge(
      const std::function<void(std::span<const Edge>, std::span<const Weight>)>& sink) {
    constexpr std::size_t kPiece = std::size_t{1} << 15;  // of edges, and of as many weights
    for (const Run& run : runs_) {
      const std::vector<VertexId> id = ids_of(run);
      TempReader<Edge> edges(edge_file_, run.first_edge * sizeof(Edge), run.edges,
                             kPiece * sizeof(Edge));
      TempReader<Weight> weights(weight_file_, run.first_edge * sizeof(Weight),
                                 options_.weighted ? run.edges : 0, kPiece * sizeof(Weight));
      std::vector<Edge> mapped;
      for (auto piece = edges.next(); !piece.empty(); piece = edges.next()) {
        options_.task.check();
        mapped.clear();
        for (const Edge& e : piece) mapped.push_back({id[e.source], id[e.target]});
        sink(mapped, weights.next());
      }
    }
  }

 private:
  // Appends to one run's part of the id file.
  struct IdWriter {
    std::uint64_t offset;
    std::vector<VertexId> pending;

    void push(VertexId id, TempFile& file, std::size_t buffer_bytes) {
      pending.push_back(id);
      if (pending.size() * sizeof(VertexId) >= buffer_bytes) flush(file);
    }
    void flush(TempFile& file) {
      file.write_at(offset, std::as_bytes(std::span(pending)));
      offset += pending.size() * sizeof(VertexId);
      pending.clear();
    }
  };

  // Without the spools' buffers.
  std::size_t memory() const {
    constexpr std::size_t kBuffers = std::size_t{1} << 20;
    return std::max(options_.memory, 2 * kBuffers) - kBuffers;
  }

  void begin_run() {
    Run run{label_file_.size(), 0, 0, 0, 0, 0};
    if (!runs_.empty()) {
      run.first_label = runs_.back().first_label + runs_.back().labels;
      run.first_edge = runs_.back().first_edge + runs_.back().edges;
    }
    runs_.push_back(run);
    dictionary_.emplace(memory());
  }

  // Writes the dictionary's labels in order, and the place of each number in that order.
  void end_run() {
    options_.task.check();
    Run& run = runs_.back();
    run.labels = dictionary_->size();
    {
      const std::vector<std::uint32_t> order = dictionary_->sorted();
      TempWriter<char> labels(label_file_);
      for (std::uint32_t number : order) {
        const std::string_view label = dictionary_->label(number);
        const auto length = static_cast<std::uint32_t>(label.size());
        char bytes[sizeof(length)];
        std::memcpy(bytes, &length, sizeof(length));
        labels.push(std::span<const char>(bytes));
        labels.push(std::span<const char>(label));
      }
      labels.flush();
      std::vector<std::uint32_t> place(order.size());
      for (std::uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;
      place_file_.append(std::as_bytes(std::span(place)));
    }
    run.end = label_file_.size();
    dictionary_.reset();
  }

  // The final ids of a run's labels, by their numbers.
  std::vector<VertexId> ids_of(const Run& run) const {
    std::vector<VertexId> sorted(run.labels), id;
    id_file_.read_at(run.first_label * sizeof(VertexId), std::as_writable_bytes(std::span(sorted)));
    id.reserve(run.labels);
    TempReader<std::uint32_t> places(place_file_, run.first_label * sizeof(std::uint32_t),
                                     run.labels);
    for (auto piece = places.next(); !piece.empty(); piece = places.next())
      for (std::uint32_t place : piece) id.push_back(sorted[place]);
    return id;
  }

  LabelOptions options_;
  std::optional<Dictionary> dictionary_;
  std::vector<Run> runs_;
  TempFile label_file_, place_file_, id_file_, edge_file_, weight_file_;
  TempWriter<Edge> edges_;
  TempWriter<Weight> weights_;
};

LabelMapper::LabelMapper(const LabelOptions& options) : impl_(std::make_unique<Impl>(options)) {}
LabelMapper::~LabelMapper() = default;

void LabelMapper::add_vertex(std::string_view label) {
  impl_->add_vertex(label);
}
void LabelMapper::add_edge(std::string_view source, std::string_view target, Weight weight) {
  impl_->add_edge(source, target, weight);
}
VertexId LabelMapper::finish(const std::function<void(std::string_view)>& sink) {
  return impl_->finish(sink);
}
void LabelMapper::for_each_edge(
    const std::function<void(std::span<const Edge>, std::span<const Weight>)>& sink) {
  impl_->for_each_edge(sink);
}

std::string_view encode_integer(std::uint64_t value, char (&buffer)[8]) {
  value = __builtin_bswap64(value);
  std::memcpy(buffer, &value, 8);
  return {buffer, 8};
}
std::uint64_t decode_integer(std::string_view label) {
  std::uint64_t value = 0;
  std::memcpy(&value, label.data(), 8);
  return __builtin_bswap64(value);
}

}  // namespace fathom::graph
