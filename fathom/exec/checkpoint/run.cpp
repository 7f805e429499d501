#include "fathom/exec/checkpoint/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <memory>
#include <optional>
#include <random>

#include "fathom/core/printable.hpp"
#include "fathom/exec/ranks/replica_group.hpp"

namespace fathom {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kBlock = std::uint64_t{1} << 18;  // bytes that are moved at a time
constexpr double kMostOfTheTime = 10;                     // writing takes less than one in so many
constexpr const char* kBefore = ".before";

std::string file_of(const std::string& path, int rank, int ranks) {
  return ranks == 1 ? path : fmt::format("{}.{}-of-{}", path, rank, ranks);
}

[[noreturn]] void refuse(const std::string& file, const std::string& what) {
  throw Error(ErrorCode::Usage, file + ": " + what);
}

/// How many ranks wrote a checkpoint of this name here; 0: none did.
int ranks_that_wrote(const std::string& path) {
  std::error_code ignored;
  if (fs::is_regular_file(path, ignored)) return 1;
  const std::string begin = fs::path(path).filename().string() + ".";
  for (fs::directory_iterator at(directory_of(path), ignored), end; !ignored && at != end;
       at.increment(ignored)) {
    const std::string name = at->path().filename().string();
    const std::size_t of = name.find("-of-", begin.size());
    if (!name.starts_with(begin) || of == std::string::npos) continue;
    int ranks = 0;
    const char* const last = name.data() + name.size();
    if (std::from_chars(name.data() + of + 4, last, ranks).ec == std::errc{} && ranks > 1)
      return ranks;
  }
  return 0;
}

void rename(const std::string& from, const std::string& to) {
  std::error_code failed;
  fs::rename(from, to, failed);
  if (failed) throw_io_error(from, "rename", failed.value());
}

/// What tells checkpoints of a rank apart.
struct Mark {
  std::uint64_t iteration = 0, run = 0;  // iteration 0: there is none
  bool operator==(const Mark&) const = default;
};
using Marks = std::array<Mark, 2>;

/// The newest that all ranks have.
Mark newest_of_all(std::span<const Marks> of_rank) {
  Mark newest;
  for (const Mark& mark : of_rank[0]) {
    const bool all_have = std::all_of(of_rank.begin(), of_rank.end(), [&](const Marks& its) {
      return its[0] == mark || its[1] == mark;
    });
    if (all_have && mark.iteration > newest.iteration) newest = mark;
  }
  return newest;
}

}  // namespace

std::string checkpoint_file(const std::string& path, const ReplicaGroup& group) {
  return file_of(path, group.rank(), group.ranks());
}

std::string checkpoint_digest(std::span<const std::byte> bytes) {
  CheckpointHash hash;
  hash.add(bytes);
  return fmt::format("{:016x}", hash.value());
}

std::uint64_t CheckpointRun::Part::first_of(int rank, int ranks) const {
  return static_cast<std::uint64_t>(static_cast<unsigned __int128>(elements) *
                                    static_cast<unsigned>(rank) / static_cast<unsigned>(ranks));
}

bool CheckpointRun::Part::is_in(const CheckpointSlice& slice, std::uint64_t iteration,
                                const ReplicaGroup& group) const {
  Part its = *this;
  if (length) its.elements = iteration + 1;
  return slice.name == name && slice.element_bytes == element_bytes &&
         slice.elements == its.elements &&
         slice.first == its.first_of(group.rank(), group.ranks()) &&
         slice.last == its.first_of(group.rank() + 1, group.ranks());
}

CheckpointRun::CheckpointRun(const Context& ctx, const CheckpointOptions* options, Subject subject)
    : ctx_(ctx), options_(options), subject_(std::move(subject)) {}

bool CheckpointRun::due(std::uint32_t iteration) const {
  if (options_->every > 0) return iteration % options_->every == 0;
  const double since = std::chrono::duration<double>(Clock::now() - last_).count();
  return since >= std::max(kCheckpointSeconds, kMostOfTheTime * took_);
}

void CheckpointRun::reached(std::uint32_t iteration) {
  consistent_ = true;
  reached_ = iteration;
  if (writes()) agree(due(iteration));
}

void CheckpointRun::check() {
  if (writes() && ctx_.ranks() > 1) agree(false);
}

void CheckpointRun::agree(bool due) {
  // What one rank knows alone, its clock and whether it is cancelled, all decide by.
  constexpr unsigned char kStop = 1, kDue = 2;
  const auto mine =
      static_cast<unsigned char>((ctx_.task().stop_requested() ? kStop : 0) | (due ? kDue : 0));
  const auto ranks = static_cast<std::size_t>(ctx_.ranks());
  std::vector<unsigned char> all(ranks);
  ctx_.group().all_gather(&mine, 1, all.data());
  const bool stop =
      std::any_of(all.begin(), all.end(), [](unsigned char its) { return (its & kStop) != 0; });
  if ((all[0] & kDue) != 0) write();
  if (stop) end();
  if (stop) throw Error(ErrorCode::Interrupted, "interrupted");
}

void CheckpointRun::end() {
  if (writes() && consistent_ && reached_ > 0 && written_ != reached_) write();
}

void CheckpointRun::interrupted() {
  // Other ranks may be elsewhere, and wait for this one.
  if (ctx_.ranks() == 1) end();
}

std::string CheckpointRun::what_is_left() const {
  if (written_ == 0) return "interrupted; no checkpoint was written yet";
  return "interrupted; " + options_->write + " has iteration " + std::to_string(written_) +
         ": --resume " + options_->write + " goes on from there";
}

void CheckpointRun::write() {
  const Clock::time_point began = Clock::now();
  if (share_) share_();
  ReplicaGroup& group = ctx_.group();
  if (run_ == 0) {
    if (group.rank() == 0) run_ = std::random_device{}() | std::uint64_t{1} << 63;
    group.broadcast(&run_, sizeof run_, 0);
  }
  const std::string path = checkpoint_file(options_->write, group);
  const std::string before = path + kBefore;
  if (group.ranks() == 1) {
    write_file(path);
  } else {
    std::error_code ignored;
    if (fs::exists(path, ignored)) rename(path, before);
    write_file(path);
    // Who has come here has the next one: nobody needs the last.
    std::vector<std::uint32_t> all(static_cast<std::size_t>(group.ranks()));
    group.all_gather(&reached_, sizeof reached_, all.data());
    fs::remove(before, ignored);
  }
  written_ = reached_;
  last_ = Clock::now();
  took_ = std::chrono::duration<double>(last_ - began).count();
}

void CheckpointRun::write_file(const std::string& path) {
  const ReplicaGroup& group = ctx_.group();
  CheckpointHeader header{.algorithm = subject_.algorithm,
                          .settings = subject_.settings,
                          .graph = options_->graph,
                          .vertices = subject_.vertices,
                          .edges = subject_.edges,
                          .run = run_,
                          .iteration = reached_,
                          .rank = static_cast<std::uint32_t>(group.rank()),
                          .ranks = static_cast<std::uint32_t>(group.ranks()),
                          .slices = {}};
  for (Part& part : parts_) {
    if (part.length) part.elements = part.length();
    header.slices.push_back({part.name, part.element_bytes, part.elements,
                             part.first_of(group.rank(), group.ranks()),
                             part.first_of(group.rank() + 1, group.ranks())});
  }
  CheckpointWriter file(path, header);
  std::vector<std::byte> block(kBlock);  // too little for budgets
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    const CheckpointSlice& slice = header.slices[p];
    const std::uint64_t most = kBlock / slice.element_bytes;
    for (std::uint64_t first = slice.first; first < slice.last; first += most) {
      const std::uint64_t count = std::min(most, slice.last - first);
      const std::span<std::byte> bytes = std::span(block).first(count * slice.element_bytes);
      parts_[p].read(first, bytes);
      file.append(bytes);
    }
  }
  file.commit();
}

std::string setting_to_resume(const Context& ctx, const CheckpointOptions* options,
                              const std::string& name) {
  if (!options || options->resume.empty()) return {};
  try {
    const CheckpointReader file(checkpoint_file(options->resume, ctx.group()));
    for (const auto& [its, value] : file.header().settings)
      if (its == name) return value;
  } catch (const Error&) {
  }
  return {};
}

std::uint32_t CheckpointRun::resume(std::uint32_t most) {
  if (!on() || options_->resume.empty()) return 0;
  ReplicaGroup& group = ctx_.group();
  const std::string path = checkpoint_file(options_->resume, group);
  std::array<std::unique_ptr<CheckpointReader>, 2> file;
  std::error_code ignored;
  if (fs::exists(path, ignored)) file[0] = std::make_unique<CheckpointReader>(path);
  if (group.ranks() > 1 && fs::exists(path + kBefore, ignored))
    file[1] = std::make_unique<CheckpointReader>(path + kBefore);
  if (!file[0] && !file[1]) {
    const int ranks = ranks_that_wrote(options_->resume);
    if (ranks == 0 || ranks == group.ranks()) throw_io_error(path, "open", ENOENT);
    refuse(options_->resume, fmt::format("the checkpoint was written by {} rank{}: as many go on "
                                         "from it, and not {}",
                                         ranks, ranks == 1 ? "" : "s", group.ranks()));
  }
  Marks mine;
  for (std::size_t i = 0; i < 2; ++i)
    if (file[i]) {
      check_subject(*file[i]);
      mine[i] = {file[i]->header().iteration, file[i]->header().run};
    }
  std::vector<Marks> all(static_cast<std::size_t>(group.ranks()));
  group.all_gather(&mine, sizeof mine, all.data());
  const Mark newest = newest_of_all(all);
  if (newest.iteration == 0)
    throw Error(ErrorCode::BadInput,
                fmt::format("{}: there is no iteration of which all {} ranks have a checkpoint",
                            path, group.ranks()));
  const bool first = mine[0] == newest;
  const CheckpointReader& chosen = *file[first ? 0 : 1];
  if (newest.iteration > most)
    refuse(path,
           fmt::format("the checkpoint is of iteration {}; the limit of iterations lets a run "
                       "go on from {} at most",
                       newest.iteration, most));
  restore(chosen);
  // What not all ranks have is not to be taken for the last one when the next is written.
  if (!first && options_->resume == options_->write) rename(path + kBefore, path);
  run_ = newest.run;
  reached_ = written_ = static_cast<std::uint32_t>(newest.iteration);
  consistent_ = true;
  return reached_;
}

void CheckpointRun::check_subject(const CheckpointReader& file) const {
  const CheckpointHeader& header = file.header();
  const ReplicaGroup& group = ctx_.group();
  const auto compare = [&](const std::string& what, const auto& its, const auto& ours) {
    if (its != ours)
      refuse(file.path(), fmt::format("the checkpoint has {} {}, this run {}", what, its, ours));
  };
  compare("algorithm", printable(header.algorithm), subject_.algorithm);
  compare("vertices:", header.vertices, subject_.vertices);
  compare("edges:", header.edges, subject_.edges);
  compare("graph", fmt::format("{:016x}", header.graph), fmt::format("{:016x}", options_->graph));
  compare("ranks:", header.ranks, static_cast<std::uint32_t>(group.ranks()));
  compare("rank", header.rank, static_cast<std::uint32_t>(group.rank()));
  for (const auto& [name, value] : subject_.settings) {
    const auto found = std::find_if(header.settings.begin(), header.settings.end(),
                                    [&, &its = name](const auto& s) { return s.first == its; });
    compare(name,
            found == header.settings.end() ? std::string("unknown") : printable(found->second),
            value);
  }
  bool alike = header.slices.size() == parts_.size();
  for (std::size_t p = 0; alike && p < parts_.size(); ++p)
    alike = parts_[p].is_in(header.slices[p], header.iteration, group);
  if (!alike)
    throw Error(ErrorCode::BadInput, fmt::format("{}: the checkpoint does not have the state of {}",
                                                 file.path(), subject_.algorithm));
}

void CheckpointRun::restore(const CheckpointReader& file) {
  for (std::size_t p = 0; p < parts_.size(); ++p) restore(file, p);
}

/// A block of each rank's slice at a time.
void CheckpointRun::restore(const CheckpointReader& file, std::size_t p) {
  Part& part = parts_[p];
  if (part.resize) {
    part.elements = file.header().slices[p].elements;
    part.resize(part.elements);
  }
  ReplicaGroup& group = ctx_.group();
  const int ranks = group.ranks();
  const std::uint64_t most = kBlock / part.element_bytes;
  std::vector<std::byte> block(kBlock * static_cast<std::size_t>(ranks));
  std::vector<std::size_t> begin(static_cast<std::size_t>(ranks) + 1);
  std::vector<std::uint64_t> first(static_cast<std::size_t>(ranks));
  const std::uint64_t largest =
      (part.elements + static_cast<std::uint64_t>(ranks) - 1) / static_cast<std::uint64_t>(ranks);
  for (std::uint64_t at = 0; at < largest; at += most) {
    for (int r = 0; r < ranks; ++r) {
      const std::uint64_t end = part.first_of(r + 1, ranks);
      const auto i = static_cast<std::size_t>(r);
      first[i] = std::min(part.first_of(r, ranks) + at, end);
      begin[i + 1] =
          begin[i] + static_cast<std::size_t>(std::min(most, end - first[i]) * part.element_bytes);
    }
    const auto mine = static_cast<std::size_t>(group.rank());
    const std::span<std::byte> piece =
        std::span(block).subspan(begin[mine], begin[mine + 1] - begin[mine]);
    file.read(p, at * part.element_bytes, piece);
    group.all_gather(piece, begin, block.data());
    for (std::size_t r = 0; r < first.size(); ++r)
      part.restore(first[r], std::span(block).subspan(begin[r], begin[r + 1] - begin[r]));
  }
}

}  // namespace fathom
