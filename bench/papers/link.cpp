// fathom bench link: measures the link between a GPU and host memory, and saves what it found for
// `doctor`, `plan` and the choice of a residency.
#include <fmt/format.h>

#include <charconv>
#include <memory>

#include "bench/papers/benchmarks.hpp"
#include "cli/machine/link_text.hpp"
#include "cli/machine/probes.hpp"
#include "cli/shared/console.hpp"
#include "fathom/core/atomic_file.hpp"
#include "fathom/exec/cuda/link_probe.hpp"

namespace fathom::cli {
namespace {

struct BenchLinkCommand {
  std::string device = "cuda:0", save, load, directory;
  bool quick = false, full = false, json = false, no_save = false;
};

/// The index in "cuda" or "cuda:N".
int device_index(const std::string& name) {
  constexpr std::string_view kPrefix = "cuda:";
  if (name == "cuda") return 0;
  int index = -1;
  const char* const end = name.data() + name.size();
  if (name.rfind(kPrefix, 0) == 0 && name.size() > kPrefix.size()) {
    const auto [stopped, error] = std::from_chars(name.data() + kPrefix.size(), end, index);
    if (error == std::errc() && stopped == end && index >= 0) return index;
  }
  throw Error(ErrorCode::Usage, fmt::format("--device: expected cuda or cuda:N, found '{}'", name));
}

void add_disk(LinkProfile& profile, const BenchLinkCommand& c, const Task& task) {
  const Json disk = probe_disk(c.directory, task, std::uint64_t{c.quick ? 64U : 512U} << 20);
  const auto directory = disk["directory"].get<std::string>();
  if (disk["direct"].get<bool>())
    profile.disk = {directory, disk["read_bytes_per_second"].get<double>() / 1e9};
  else
    profile.left_out.push_back(
        fmt::format("disk at {}: {}", directory, disk["why"].get<std::string>()));
}

void run_bench_link(const BenchLinkCommand& c, Session& session) {
  LinkProfile profile;
  std::string saved;
  if (!c.load.empty()) {
    if (c.quick || c.full || !c.directory.empty())
      throw Error(ErrorCode::Usage, "--quick, --full and --directory have no effect with --load");
    profile = read_link_profile(c.load);
  } else {
    const int device = device_index(c.device);
    if (!c.save.empty()) AtomicFile probe(c.save);  // fails now rather than after a minute
    const Task task = session.task(false);
    profile = measure_link({device, c.quick, c.full, spare_memory(), task});
    add_disk(profile, c, task);
    if (!c.no_save) saved = save_link_profile(profile, c.save);
  }
  write_out(c.json ? to_json(profile) : printable(link_tables(profile), Newlines::Keep));
  if (!saved.empty() && !c.json) print("Saved in {}\n", printable(saved));
}

}  // namespace

void add_bench_link(CLI::App& bench, Session& session) {
  auto* command = bench.add_subcommand(
      "link", "Measure the link between a GPU and host memory, and save what was found");
  auto c = std::make_shared<BenchLinkCommand>();
  auto* const quick = command->add_flag(
      "--quick", c->quick,
      "Regions up to 2GiB and smaller samples: seconds instead of most of a minute");
  command
      ->add_flag("--full", c->full,
                 "Every region up to 32GiB, however long its memory takes to obtain: minutes")
      ->excludes(quick);
  command->add_option("--device", c->device, "Which GPU")
      ->type_name("cuda:N")
      ->capture_default_str();
  command
      ->add_option("--directory", c->directory,
                   "Where to test the disk (default: $TMPDIR or /tmp); writes 512 MiB there for "
                   "a moment")
      ->type_name("FILE");
  command->add_flag("--json", c->json, "Print one JSON object instead of the tables");
  auto* const save =
      command
          ->add_option("--save", c->save,
                       "Where to keep the results (default: link-UUID.json in "
                       "$XDG_CACHE_HOME/fathom, or ~/.cache/fathom, where doctor and the choice "
                       "of a residency look for them)")
          ->type_name("FILE.json");
  auto* const no_save = command->add_flag("--no-save", c->no_save, "Only print")->excludes(save);
  command->add_option("--load", c->load, "Print saved results instead of measuring")
      ->type_name("FILE.json")
      ->excludes(save)
      ->excludes(no_save);
  command->footer(
      "Copies, reads in place by each of the three ways to obtain host memory, translation reach,\n"
      "unified memory, disk.\n"
      "Takes up to half of the available host memory and of the free device memory for a moment.\n"
      "Exits 5 without a GPU, its driver, or CUDA in this build.\n\n"
      "Examples:\n"
      "  fathom bench link\n"
      "  fathom bench link --quick --no-save --json");
  command->callback(
      [c, &session] { session.command = [c, &session] { run_bench_link(*c, session); }; });
}

}  // namespace fathom::cli
