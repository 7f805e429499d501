#include "dynamic.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <utility>

#include "cli/shared/stream_options.hpp"
#include "fathom/core/error.hpp"
#include "fathom/dynamic/labels/by_label.hpp"

namespace fathom::python {
namespace {

constexpr std::chrono::milliseconds kLook{50};

cli::StreamCommand parse_stream(const Words& words, const PyGraph* from) {
  cli::StreamCommand command;
  CLI::App parser;
  cli::add_stream_options(parser, command);
  Words all = words;
  all.insert(all.end(), {"--updates", "-"});
  if (from)
    all.push_back(from->path());
  else
    all.emplace_back("--empty");
  try {
    parser.parse(Words(all.rbegin(), all.rend()));
  } catch (const CLI::ParseError& e) {
    throw Error(ErrorCode::Usage, e.what());
  }
  cli::check_options(command);
  return command;
}

}  // namespace

/// Hands progress on to the call that is alone.
class PyDynamic::Forwarding final : public Progress {
 public:
  void begin(std::string_view phase, std::uint64_t total, std::string_view unit) override {
    if (to) to->begin(phase, total, unit);
  }
  void at(std::uint64_t done) override {
    if (to) to->at(done);
  }
  void end() override {
    if (to) to->end();
  }
  Progress* to = nullptr;
};

/// A call's interrupts and progress are the context's, while it is alone.
struct PyDynamic::Bound {
  struct Cancel {
    PyDynamic& graph;
    void operator()() const { graph.cancelled_ = true; }
  };

  Bound(PyDynamic& graph, Watched& watched)
      : its(reset(graph)), stop(watched.stop.get_token(), Cancel{graph}) {
    its.progress_->to = &watched.progress;
  }
  Bound(const Bound&) = delete;
  Bound& operator=(const Bound&) = delete;
  ~Bound() { its.progress_->to = nullptr; }
  static PyDynamic& reset(PyDynamic& graph) {
    graph.cancelled_ = false;
    return graph;
  }

  PyDynamic& its;
  std::stop_callback<Cancel> stop;
};

PyDynamic::PyDynamic(const std::shared_ptr<PyGraph>& from, bool strings, const Words& words)
    : strings_(from ? from->header().labels == store::LabelKind::Strings : strings),
      process_(::getpid()),
      made_in_(::getpid()),
      progress_(std::make_unique<Forwarding>()) {
  const cli::StreamCommand command = parse_stream(words, from.get());
  device_ = command.execution.device;
  alone([&] {
    Task task;
    task.progress = progress_.get();
    task.cancelled = &cancelled_;
    context_ = std::make_unique<Context>(cli::make_context(command.execution, 0, task));
    const DynamicGraphOptions options = cli::graph_options(command);
    duplicates_ = options.duplicates;
    if (!from) {
      graph_ = std::make_unique<DynamicGraph>(*context_, options);
      labels_ = make_labels(*context_, strings_);
      return;
    }
    graph_ = std::make_unique<DynamicGraph>(dynamic::load_lists(*context_, from->store(), options));
    labels_ = labels_of_store(*context_, from->store());
  });
}

PyDynamic::~PyDynamic() {
  if (made_in_ == ::getpid()) return;
  // Its threads, and its memory on a GPU, are those of the process that this one was forked from.
  static_cast<void>(labels_.release());
  static_cast<void>(graph_.release());
  static_cast<void>(context_.release());
}

void PyDynamic::check_process() {
  const pid_t here = ::getpid();
  if (process_ == here) return;
  if (on_gpu())
    throw Error(ErrorCode::Device,
                "a process that was forked after a GPU was used cannot use it: start processes by "
                "multiprocessing's 'spawn'");
  if (!mutex_.try_lock())
    throw Error(ErrorCode::Usage,
                "the process was forked while another thread was at work on the graph that "
                "changes: it is of no use here");
  mutex_.unlock();
  process_ = here;
}

void PyDynamic::alone(FunctionRef<void()> work) {
  check_process();
  Watched watched;
  call(watched, [&] {
    std::unique_lock lock(mutex_, std::defer_lock);
    while (!lock.try_lock_for(kLook)) watched.task().check();
    const Bound bound(*this, watched);
    work();
  });
}

}  // namespace fathom::python
