#include "fathom/dynamic/log/update_log.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <random>
#include <utility>
#include <vector>

#include "fathom/core/error.hpp"
#include "fathom/core/temp_file.hpp"
#include "fathom/dynamic/log/log_reader.hpp"
#include "fathom/store/store_file.hpp"

namespace fathom::dynamic {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kLogName = "log-", kBaseName = "base-", kBaseEnd = ".fg";

/// The number in a name that begins and ends so; none for other names.
std::optional<std::uint64_t> number_in(std::string_view name, std::string_view begin,
                                       std::string_view end) {
  if (!name.starts_with(begin) || !name.ends_with(end) || name.size() < begin.size() + end.size())
    return std::nullopt;
  const std::string_view digits =
      name.substr(begin.size(), name.size() - begin.size() - end.size());
  std::uint64_t value = 0;
  const auto [rest, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{} || rest != digits.data() + digits.size() ||
      std::to_string(value) != digits)
    return std::nullopt;
  return value;
}

std::vector<std::string> names_in(const std::string& directory) {
  std::vector<std::string> names;
  std::error_code failed;
  fs::directory_iterator at(directory, failed);
  for (const fs::directory_iterator end; !failed && at != end; at.increment(failed))
    names.push_back(at->path().filename().string());
  if (failed) throw_io_error(directory, "list", failed.value());
  return names;
}

/// The directory itself outlives a loss of power.
void make_directory(const std::string& directory) {
  if (::mkdir(directory.c_str(), 0777) != 0) {
    const int error = errno;
    struct stat about {};
    if (error == EEXIST && ::stat(directory.c_str(), &about) == 0 && S_ISDIR(about.st_mode)) return;
    if (error == EEXIST)
      throw Error(ErrorCode::Usage,
                  directory + ": a log of updates is a directory, which this is not");
    throw_io_error(directory, "make the directory", error);
  }
  const int descriptor = ::open((directory + "/..").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;  // may be written and not read
  ::fsync(descriptor);
  ::close(descriptor);
}

std::string words_of(const LogKind& kind) {
  return fmt::format("{}, {} edges, labels that are {}, --duplicates {}",
                     kind.directed ? "directed" : "undirected",
                     kind.edges == EdgeKind::Simple     ? "unweighted"
                     : kind.edges == EdgeKind::Weighted ? "weighted"
                                                        : "semantic",
                     kind.strings ? "strings" : "integers",
                     kind.duplicates == DuplicatePolicy::Ignore      ? "ignore"
                     : kind.duplicates == DuplicatePolicy::Overwrite ? "overwrite"
                                                                     : "keep");
}

std::uint64_t identity_at(const std::string& path) {
  return store::identity_of(store::StoreFile(path));
}

/// Of the graph that `origin` and `options` are to become.
LogKind kind_of(const store::Store* origin, const DynamicGraphOptions& options) {
  LogKind kind{options.directed, options.edges, true, options.duplicates};
  if (!origin) return kind;
  const store::Header& header = origin->header();
  kind.directed = header.directed;
  if (header.semantic)
    kind.edges = EdgeKind::Semantic;
  else if (kind.edges != EdgeKind::Semantic)
    kind.edges = header.weighted ? EdgeKind::Weighted : EdgeKind::Simple;
  kind.strings = header.labels == store::LabelKind::Strings;
  return kind;
}

}  // namespace

UpdateLog::UpdateLog(std::string directory, const UpdateLogOptions& options)
    : directory_(std::move(directory)), options_(options) {
  make_directory(directory_);
  lock();
  try {
    find_log();
  } catch (...) {
    ::close(lock_);
    throw;
  }
}

UpdateLog::~UpdateLog() {
  try {
    if (writer_) sync();
  } catch (const Error&) {
    // Who did not call sync() does not want to know.
  }
  ::close(lock_);
}

std::string UpdateLog::log_path(std::uint64_t sequence) const {
  return fmt::format("{}/{}{}", directory_, kLogName, sequence);
}

std::string UpdateLog::base_path(std::uint64_t sequence) const {
  return fmt::format("{}/{}{}{}", directory_, kBaseName, sequence, kBaseEnd);
}

/// The system lets go of the lock when the process ends, however it ends.
void UpdateLog::lock() {
  const std::string path = directory_ + "/lock";
  lock_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (lock_ < 0) throw_io_error(path, "open", errno);
  int status = 0;
  while ((status = ::flock(lock_, LOCK_EX | LOCK_NB)) != 0 && errno == EINTR) {
  }
  if (status == 0) return;
  const int error = errno;
  ::close(lock_);
  if (error == EWOULDBLOCK)
    throw Error(ErrorCode::Io, directory_ + ": another process has this log of updates open");
  throw_io_error(path, "lock", error);
}

void UpdateLog::find_log() {
  std::string base;
  for (const std::string& name : names_in(directory_)) {
    const auto number = number_in(name, kLogName, "");
    if (number && (!newest_ || *number > *newest_)) newest_ = *number;
    if (number_in(name, kBaseName, kBaseEnd)) base = name;
  }
  if (!newest_ && !base.empty())
    throw Error(ErrorCode::BadInput,
                fmt::format("{}/{}: the base of a log of updates that is not there: {}* is missing",
                            directory_, base, kLogName));
}

/// What was left by processes that were killed while a log began anew. Whatever cannot be removed
/// does no harm.
void UpdateLog::remove_leftovers() const {
  for (const std::string& name : names_in(directory_)) {
    const auto log = number_in(name, kLogName, ""), base = number_in(name, kBaseName, kBaseEnd);
    const bool old =
        (log && *log != header_.sequence) || (base && (*base != header_.sequence || *base == 0));
    const std::string_view behind_dot =
        std::string_view(name).substr(name.starts_with('.') ? 1 : 0);
    const bool temporary =
        behind_dot.size() < name.size() &&
        (behind_dot.starts_with(kLogName) || behind_dot.starts_with(kBaseName)) &&
        behind_dot.find(".tmp-") != std::string_view::npos;
    if (old || temporary) ::unlink((directory_ + "/" + name).c_str());
  }
}

void UpdateLog::check_origin(const std::string& log, const store::Store* origin) const {
  if ((origin ? identity_at(origin->path()) : 0) == header_.graph) return;
  throw Error(
      ErrorCode::Usage,
      !origin ? log + ": this log began with a graph, not without one"
      : header_.graph == 0
          ? fmt::format("{}: this log began without a graph, not with {}", log, origin->path())
          : fmt::format("{}: this log began with another graph than {}, or "
                        "another version of it",
                        log, origin->path()));
}

void UpdateLog::begin_log(const LogKind& kind, std::uint64_t graph) {
  std::random_device random;
  header_ = {};
  header_.kind = kind;
  header_.run = std::uint64_t{random()} << 32 | random();
  header_.graph = header_.base = graph;
  writer_.emplace(log_path(0), header_);
}

/// A log may be as long as its base.
void UpdateLog::limit_bytes(const std::string& base) {
  std::error_code unknown;
  const std::uint64_t bytes = base.empty() ? 0 : fs::file_size(base, unknown);
  most_bytes_ = options_.most_bytes.value_or(std::max(kLogBytes, unknown ? 0 : bytes));
}

ChangingGraph UpdateLog::recover(const Context& ctx, store::Store* origin,
                                 const DynamicGraphOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  const LogKind kind = kind_of(origin, options);
  const std::shared_ptr<store::Store> base = newest_ ? open_base(kind, origin) : nullptr;
  store::Store* const from = base ? base.get() : origin;
  ChangingGraph its = from ? load(ctx, *from, options, !origin)
                           : ChangingGraph{DynamicGraph(ctx, options), VertexLabels(true)};
  if (kind.strings) its.labels.become_strings();
  if (newest_)
    replay(its, ctx.task());
  else
    begin_log(kind, origin ? identity_at(origin->path()) : 0);
  limit_bytes(from ? from->path() : "");
  remove_leftovers();
  recovery_.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return its;
}

/// Checks that the log is of such a graph. @return its base; null where it follows what was given
std::shared_ptr<store::Store> UpdateLog::open_base(const LogKind& kind,
                                                   const store::Store* origin) {
  const std::string log = log_path(*newest_);
  header_ = LogReader(log).header();
  if (header_.sequence != *newest_)
    throw Error(ErrorCode::BadInput,
                fmt::format("{}: the log follows batch {}, which its name does not say", log,
                            header_.sequence));
  check_origin(log, origin);
  if (kind != header_.kind)
    throw Error(ErrorCode::Usage,
                fmt::format("{}: this log is of another kind of graph: {}; not {}", log,
                            words_of(header_.kind), words_of(kind)));
  if (header_.sequence == 0) return nullptr;
  const std::string base = base_path(header_.sequence);
  if (identity_at(base) != header_.base)
    throw Error(ErrorCode::BadInput, base + ": not the base of the log beside it");
  return store::Store::open(base);
}

void UpdateLog::replay(ChangingGraph& into, const Task& task) {
  LogReader reader(log_path(*newest_));
  position_ = header_.position;
  recovery_.base_batches = header_.sequence;
  for (LogRecord record; reader.next(record); ++recovery_.batches) {
    task.check();
    try {
      const LoggedBatch batch(header_.kind, record.payload);
      batch.apply(into.graph, into.labels);
      position_ = batch.position();
      recovery_.updates += batch.updates();
    } catch (const Error& e) {
      throw Error(e.code(), fmt::format("{}: batch {}, at byte {}: {}", reader.path(),
                                        record.sequence, record.offset, e.what()));
    }
  }
  recovery_.cut_bytes = reader.cut_bytes();
  writer_.emplace(reader.path(), header_, reader.end(), reader.sequence());
  // Whoever wrote them may not have waited for the disk.
  if (recovery_.batches > 0) writer_->acknowledge(promise());
}

void UpdateLog::record(const NamedBatch& batch, const VertexLabels& labels,
                       const UpdatePosition& at) {
  noted_ = encoder_.encode(header_.kind, batch, labels, at);
  noted_position_ = at;
}

void UpdateLog::append() {
  writer_->append(std::exchange(noted_, {}));
  position_ = noted_position_;
  if (options_.sync_every == kNeverSync || writer_->pending() >= options_.sync_every)
    writer_->acknowledge(promise());
}

void UpdateLog::sync() {
  if (writer_->pending() > 0) writer_->acknowledge(promise());
}

void UpdateLog::compact(const DynamicGraph& graph, const VertexLabels& labels,
                        const std::string& command_line) {
  if (batches() == 0) return;
  sync();
  const std::uint64_t now = sequence(), before = header_.sequence;
  const std::string base = base_path(now);
  save(graph, labels, base, fmt::format("{} # base of a log after batch {}", command_line, now),
       {});
  LogHeader next = header_;
  next.base = identity_at(base);
  next.sequence = now;
  next.position = position_;
  writer_->close();  // the new log may be there, and count, although what follows throws
  LogWriter writer(log_path(now), next);
  *writer_ = std::move(writer);
  header_ = next;
  limit_bytes(base);
  ::unlink(log_path(before).c_str());
  if (before > 0) ::unlink(base_path(before).c_str());
}

}  // namespace fathom::dynamic
