#include "fathom/store/stripes.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "fathom/core/atomic_file.hpp"

namespace fathom::store {
namespace {

constexpr SectionId kStriped[] = {
    SectionId::OutTargets,      SectionId::OutWeights, SectionId::InTargets, SectionId::InWeights,
    SectionId::OrientedTargets, SectionId::OutPages,   SectionId::InPages,   SectionId::OutPacked,
    SectionId::OutCodes,        SectionId::InPacked,   SectionId::InCodes,   SectionId::OutEntries,
    SectionId::InEntries};

StripeHeader header_of(const StoreFile& store, const StripePlan& plan, std::size_t index) {
  StripeHeader h{};
  std::memcpy(h.magic, kStripeMagic, sizeof h.magic);
  h.version = kStripeVersion;
  h.header_bytes = kPageBytes;
  h.file_bytes = plan.file_bytes(index);
  h.fingerprint = store.layout().header.fingerprint;
  h.store = identity_of(store);
  h.index = static_cast<std::uint32_t>(index);
  h.count = static_cast<std::uint32_t>(plan.count());
  h.unit_bytes = plan.unit_bytes();
  return h;
}

std::vector<std::byte> page_of(const StripeHeader& header) {
  std::vector<std::byte> page(kPageBytes);
  std::memcpy(page.data(), &header, sizeof header);
  const std::uint64_t sum = checksum(std::span(page).first(kPageBytes - sizeof(std::uint64_t)));
  std::memcpy(page.data() + kPageBytes - sizeof sum, &sum, sizeof sum);
  return page;
}

}  // namespace

std::string stripe_path(const std::string& store, const std::string& directory, std::size_t index,
                        std::size_t count) {
  return fmt::format("{}/{}.stripe-{}-of-{}", directory, store.substr(store.rfind('/') + 1),
                     index + 1, count);
}

StripePlan::StripePlan(const Layout& store, std::size_t count)
    : count_(count), unit_bytes_(kBlockBytes), end_(count, kPageBytes) {
  if (count == 0 || count > kMostStripes)
    throw Error(ErrorCode::Usage, fmt::format("a graph is dealt to between 1 and {} directories, "
                                              "not {}",
                                              kMostStripes, count));
  if (const SectionEntry* pages = store.find(SectionId::OutPages))
    unit_bytes_ = std::max<std::uint64_t>(kBlockBytes, pages->element_bytes);
  for (const SectionId id : kStriped) {
    const SectionEntry* section = store.find(id);
    if (!section) continue;
    striped_.push_back({section, end_});
    const std::uint64_t bytes = padded(section->bytes);
    for (std::uint64_t unit = 0; unit * unit_bytes_ < bytes; ++unit)
      end_[unit % count] += std::min(unit_bytes_, bytes - unit * unit_bytes_);
  }
}

const std::vector<std::uint64_t>* StripePlan::bases(const SectionEntry& section) const {
  for (const Striped& s : striped_)
    if (s.section == &section) return &s.base;
  return nullptr;
}

StripePlan::Place StripePlan::place(const SectionEntry& section, std::uint64_t at) const {
  const std::uint64_t unit = at / unit_bytes_, in_unit = at % unit_bytes_;
  const std::size_t stripe = static_cast<std::size_t>(unit % count_);
  const std::uint64_t left = padded(section.bytes) - at;
  return {stripe, (*bases(section))[stripe] + unit / count_ * unit_bytes_ + in_unit,
          count_ == 1 ? left : std::min(left, unit_bytes_ - in_unit)};
}

std::vector<std::string> write_stripes(const std::string& path,
                                       std::span<const std::string> directories, const Task& task) {
  const StoreFile store(path);
  const StripePlan plan(store.layout(), directories.size());
  std::vector<std::unique_ptr<AtomicFile>> stripe;
  std::vector<std::string> paths;
  std::uint64_t all = 0, done = 0;
  for (std::size_t i = 0; i < plan.count(); ++i) {
    paths.push_back(stripe_path(path, directories[i], i, plan.count()));
    stripe.push_back(std::make_unique<AtomicFile>(paths.back()));
    stripe.back()->write_at(0, page_of(header_of(store, plan, i)));
    all += plan.file_bytes(i) - kPageBytes;
  }
  task.begin("stripes", all, "B");
  std::vector<std::byte> block(kBlockBytes);
  for (const SectionEntry& section : store.layout().sections) {
    if (!plan.covers(section)) continue;
    const std::vector<std::uint64_t> sums = store.checksums(section);
    for (std::uint64_t b = 0; b < sums.size(); ++b) {
      const auto bytes = std::span(block).first(block_bytes(section, b));
      store.read_at(section.offset + b * kBlockBytes, bytes);
      store.check_block(section, b, bytes, sums[b]);
      const StripePlan::Place place = plan.place(section, b * kBlockBytes);
      stripe[place.stripe]->write_at(place.offset, bytes);
      task.at(done += bytes.size());
    }
  }
  for (const auto& file : stripe) file->commit();
  task.end();
  return paths;
}

StripeFiles::StripeFiles(const StoreFile& store, std::span<const std::string> directories)
    : plan_(store.layout(), directories.size()), file_(directories.size()) {
  try {
    for (std::size_t i = 0; i < file_.size(); ++i) {
      file_[i].path = stripe_path(store.path(), directories[i], i, file_.size());
      open(store, file_[i], i);
    }
  } catch (...) {
    close();
    throw;
  }
}

StripeFiles::~StripeFiles() {
  close();
}

void StripeFiles::close() noexcept {
  for (const File& file : file_)
    if (file.descriptor >= 0) ::close(file.descriptor);
}

void StripeFiles::open(const StoreFile& store, File& file, std::size_t index) const {
  file.descriptor = ::open(file.path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file.descriptor < 0 && errno == ENOENT)
    throw Error(ErrorCode::Io, fmt::format("{}: there is no such stripe; `fathom stripe {} --ssd "
                                           "...` with these {} directories makes it",
                                           file.path, store.path(), plan_.count()));
  if (file.descriptor < 0) throw_io_error(file.path, "open", errno);
  const std::vector<std::byte> expected = page_of(header_of(store, plan_, index));
  std::vector<std::byte> page(kPageBytes);
  const std::size_t n = read_available(file.descriptor, file.path, 0, page);
  auto require = [&](bool ok, const std::string& what) {
    if (!ok) throw_bad_store(file.path, what);
  };
  require(n >= 8 && std::memcmp(page.data(), kStripeMagic, sizeof kStripeMagic) == 0,
          "is no stripe of a graph");
  require(n == kPageBytes, fmt::format("truncated: ends at byte {}", n));
  StripeHeader found, wanted;
  std::memcpy(&found, page.data(), sizeof found);
  std::memcpy(&wanted, expected.data(), sizeof wanted);
  require(found.version == kStripeVersion,
          fmt::format("stripes of version {}, expected {}", found.version, kStripeVersion));
  require(page == page_of(found), "header: bytes 0 to 4095 do not match their checksum");
  require(found.fingerprint == wanted.fingerprint,
          fmt::format("is a stripe of another graph: its fingerprint is {:016x}, that of {} is "
                      "{:016x}",
                      found.fingerprint, store.path(), wanted.fingerprint));
  require(found.store == wanted.store,
          fmt::format("was made of another version of {}: make the stripes again", store.path()));
  require(found.index == wanted.index && found.count == wanted.count,
          fmt::format("is stripe {} of {}, expected {} of {}", found.index + 1, found.count,
                      index + 1, plan_.count()));
  require(found == wanted, "header: contradicts the store");
  struct stat status {};
  if (::fstat(file.descriptor, &status) != 0) throw_io_error(file.path, "look at", errno);
  const auto bytes = static_cast<std::uint64_t>(status.st_size);
  require(
      bytes == wanted.file_bytes,
      fmt::format("{}: it should have {} bytes and has {}",
                  bytes < wanted.file_bytes ? "truncated" : "too long", wanted.file_bytes, bytes));
}

}  // namespace fathom::store
