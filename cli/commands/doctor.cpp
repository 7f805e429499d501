// fathom doctor: what this machine offers, and what stands in the way.
#include <fmt/format.h>

#include <memory>

#include "cli/commands/commands.hpp"
#include "cli/machine/link_text.hpp"
#include "cli/machine/probes.hpp"
#include "cli/shared/console.hpp"
#include "fathom/core/units.hpp"
#include "fathom/exec/cuda/link_probe.hpp"
#include "fathom/plan/rates.hpp"

namespace fathom::cli {
namespace {

struct DoctorCommand {
  bool json = false, measure = false;
  std::string directory;
};

std::string item(std::string_view name, const std::string& value) {
  return fmt::format("  {:<18}{}\n", name, value);
}

std::string rate(const Json& bytes_per_second) {
  if (bytes_per_second.is_null()) return "not measured";
  return format_bytes(static_cast<std::uint64_t>(bytes_per_second.get<double>())) + "/s";
}

std::string size(const Json& bytes) {
  return bytes.is_null() ? "unknown" : format_bytes(bytes.get<std::uint64_t>());
}

std::string yes_no(const Json& truth) {
  return truth.get<bool>() ? "yes" : "no";
}

std::string link_line(const Json& link) {
  if (!link["why"].is_null()) return link["why"].get<std::string>();
  std::string text = link["summary"].get<std::string>();
  if (!link["age_seconds"].is_null())
    text += " (" + age_text(link["age_seconds"].get<std::int64_t>()) + ")";
  return text;
}

std::string device_lines(std::size_t index, const Json& device) {
  std::string text = device["name"].get<std::string>() + ", " + size(device["memory_bytes"]);
  if (!device["free_bytes"].is_null()) text += ", " + size(device["free_bytes"]) + " free";
  if (!device["pcie"].is_null())
    text += fmt::format(", PCIe {}.0 x{}", device["pcie"]["generation"].get<int>(),
                        device["pcie"]["width"].get<int>());
  return item(fmt::format("  cuda:{}", index), text) +
         item("  managed memory",
              fmt::format("{}; while the host uses it: {}; ordinary host memory: {}",
                          yes_no(device["managed_memory"]),
                          yes_no(device["concurrent_managed_access"]),
                          yes_no(device["pageable_memory_access"]))) +
         item("  link", link_line(device["link"])) +
         item("  rates", device["rates"].is_null()
                             ? "not measured"
                             : "measured " + device["rates"]["measured"].get<std::string>());
}

std::string cuda_lines(const Json& cuda) {
  std::string text;
  if (!cuda["driver"].get<bool>())
    text = "no CUDA driver (" + cuda["why"].get<std::string>() + ")";
  else if (cuda["devices"].empty())
    text = fmt::format("driver present, no usable device ({})", cuda["why"].get<std::string>());
  else
    text =
        fmt::format("driver {}, CUDA {}",
                    cuda["driver_version"].is_null() ? "of unknown version"
                                                     : cuda["driver_version"].get<std::string>(),
                    cuda["cuda_version"].is_null() ? "?" : cuda["cuda_version"].get<std::string>());
  if (!cuda["built"].get<bool>()) text += "; this build of Fathom has no CUDA";
  std::string lines = item("cuda", text);
  for (std::size_t i = 0; i < cuda["devices"].size(); ++i)
    lines += device_lines(i, cuda["devices"][i]);
  return lines;
}

std::string peer_lines(const Json& peers) {
  if (peers.is_null()) return {};
  if (!peers["why"].is_null()) return item("between GPUs", peers["why"].get<std::string>());
  std::string lines;
  for (const Json& link : peers["links"])
    lines += item(fmt::format("  cuda:{} to {}", link["from"].get<int>(), link["to"].get<int>()),
                  rate(link["bytes_per_second"]));
  for (const Json& merge : peers["merges"])
    lines += item("  merge by " + merge["way"].get<std::string>(),
                  merge["why"].is_null() ? rate(merge["bytes_per_second"]) + " of a replica"
                                         : merge["why"].get<std::string>());
  return lines;
}

std::string lines_of(const Json& d) {
  std::string text =
      item("processor", fmt::format("{}, {} threads", d["cpu"]["model"].get<std::string>(),
                                    d["cpu"]["threads"].get<int>()));
  const Json& memory = d["memory"];
  text += item("memory",
               size(memory["total_bytes"]) + ", " + size(memory["available_bytes"]) + " available" +
                   (memory["limit_bytes"].is_null()
                        ? ""
                        : ", limited to " + size(memory["limit_bytes"]) + " by its control group"));
  text += item("  bandwidth", rate(memory["read_bytes_per_second"]) + " read in order");
  text += item("  random reads",
               fmt::format("{} million per second",
                           format_count(static_cast<std::uint64_t>(
                               memory["random_reads_per_second"].get<double>() / 1e6))));
  text += item("huge pages", d["huge_pages"].get<std::string>());
  text += item("io_uring", d["io_uring"]["available"].get<bool>()
                               ? "available"
                               : "refused (" + d["io_uring"]["why"].get<std::string>() +
                                     "); plain reads are used instead");
  const Json& disk = d["disk"];
  text += item("directory", printable(disk["directory"].get<std::string>()) + ", " +
                                size(disk["free_bytes"]) + " free");
  text += item("  bandwidth",
               rate(disk["read_bytes_per_second"]) +
                   (disk["direct"].get<bool>() ? " read, past the page cache"
                                               : " (" + disk["why"].get<std::string>() + ")"));
  text += item("rates", d["rates"].is_null()
                            ? "not measured; `fathom plan` predicts times after --measure"
                            : "measured " + d["rates"]["measured"].get<std::string>());
  return text + cuda_lines(d["cuda"]) + peer_lines(d["cuda"]["peers"]);
}

/// {path|null, measured|null, age_seconds|null, quick|null, best_way|null, summary|null, why|null}
Json link_json(const LinkProfile* profile, const std::string& path, const std::string& why) {
  Json link;
  link["path"] = path.empty() ? Json(nullptr) : Json(path);
  for (const char* key : {"measured", "age_seconds", "quick", "best_way", "summary"})
    link[key] = nullptr;
  link["why"] = why.empty() ? Json(nullptr) : Json(why);
  if (!profile) return link;
  link["measured"] = profile->measured;
  if (const auto age = age_seconds(*profile)) link["age_seconds"] = *age;
  link["quick"] = profile->quick;
  link["best_way"] = name_of(best_way(*profile));
  link["summary"] = link_summary(*profile);
  return link;
}

/// A damaged profile counts as none when a new one is about to be made.
std::optional<LinkProfile> saved_profile(const std::string& uuid, bool may_be_damaged) {
  try {
    return load_link_profile(uuid);
  } catch (const Error& e) {
    if (may_be_damaged) return std::nullopt;
    throw Error(e.code(), fmt::format("{}; run `fathom bench link` to replace it", e.what()));
  }
}

/// What is known of a device's link: measured now, or before. Nothing that is wrong with a saved
/// profile, or with the device, keeps the doctor from going on.
Json link_of(int device, const std::string& uuid, bool measure, const Task& task) {
  std::string path;
  try {
    path = link_profile_path(uuid);
    auto profile = saved_profile(uuid, measure);
    if (measure) {
      const bool keep = profile && !profile->quick;  // a full one says more than a quick one
      profile = measure_link({device, true, false, spare_memory(), task});
      if (!keep) save_link_profile(*profile);
    }
    if (!profile) return link_json(nullptr, "", "not measured; run `fathom bench link`");
    return link_json(&*profile, path, "");
  } catch (const Error& e) {
    if (e.code() == ErrorCode::Interrupted) throw;
    return link_json(nullptr, path, e.what());
  }
}

/// {path, measured} of the processor's or a GPU's rates, which `plan` uses; null when they are not
/// known.
Json rates_json(const std::optional<plan::MachineRates>& rates) {
  if (!rates) return nullptr;
  return {{"path", plan::rates_path(rates->device, rates->threads)}, {"measured", rates->measured}};
}

plan::MachineRates measured_rates(const Context& ctx, const Json& disk) {
  const Json& read = disk["read_bytes_per_second"];
  plan::MachineRates rates =
      plan::measure_rates(ctx, read.is_null() ? 0 : read.get<double>(), plan::scales_for(ctx));
  plan::save_rates(rates);
  return rates;
}

/// Of a GPU: no context is made on it unless it is measured.
Json rates_of_device(int index, const Json& device, bool measure, const Json& disk,
                     const Task& task) {
  try {
    if (!measure) return rates_json(plan::load_rates(device["name"].get<std::string>(), 1));
    CudaOptions options;
    options.device = index;
    options.task = task;
    return rates_json(measured_rates(Context::cuda(options), disk));
  } catch (const Error& e) {
    if (e.code() == ErrorCode::Interrupted) throw;
    return nullptr;  // as not measured: nothing keeps the doctor from going on
  }
}

void run_doctor(const DoctorCommand& c, Session& session) {
  const Task task = session.task(c.json);
  Json d;
  d["schema"] = "fathom.doctor/1";
  d["version"] = kVersion;
  d["cpu"] = probe_cpu();
  d["memory"] = probe_memory(task);
  d["huge_pages"] = probe_huge_pages();
  d["io_uring"] = probe_io_uring();
  // Predictions are of what a disk sustains, not of its first moments.
  constexpr std::uint64_t kSustained = std::uint64_t{1} << 30;
  constexpr double kSustainedSeconds = 5;
  d["disk"] = c.measure ? probe_disk(c.directory, task, kSustained, kSustainedSeconds)
                        : probe_disk(c.directory, task);
  const Context host = Context::cpu({0, MemoryPool::kUnlimited, 0, MemoryPool::kUnlimited, task});
  d["rates"] = rates_json(c.measure ? measured_rates(host, d["disk"])
                                    : plan::load_rates(host.device_name(), host.threads()));
  d["cuda"] = probe_cuda();
  Json& devices = d["cuda"]["devices"];
  const bool measure = c.measure && d["cuda"]["built"].get<bool>();
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const auto index = static_cast<int>(i);
    devices[i]["link"] = link_of(index, devices[i]["uuid"].get<std::string>(), c.measure, task);
    devices[i]["rates"] = rates_of_device(index, devices[i], measure, d["disk"], task);
  }
  d["cuda"]["peers"] = measure ? probe_peers(devices.size(), task) : Json(nullptr);
  session.progress.clear();
  write_out(c.json ? to_text(d) : lines_of(d));
}

}  // namespace

void add_doctor(CLI::App& program, Session& session) {
  auto* command = program.add_subcommand(
      "doctor", "What this machine offers: processor, memory, disk, io_uring, GPUs and their link");
  auto c = std::make_shared<DoctorCommand>();
  command->add_flag("--json", c->json, "Print one JSON object");
  command->add_flag("--measure", c->measure,
                    "Also measure, for half a minute each, how fast algorithms run here and on "
                    "every GPU, for `fathom plan`; the link to each GPU, as `fathom bench link "
                    "--quick` does (saved "
                    "unless a full measurement is there); and copies and merges between GPUs");
  command
      ->add_option("--directory", c->directory,
                   "Where to test the disk (default: $TMPDIR or /tmp); writes 64 MiB there for a "
                   "moment, with --measure 1 GiB: name the graph's folder, for its disk counts")
      ->type_name("FILE");
  command->footer(
      "Takes about a second without --measure. A missing feature is reported, never an error.\n\n"
      "Examples:\n"
      "  fathom doctor\n"
      "  fathom doctor --directory /mnt/ssd");
  command->callback(
      [c, &session] { session.command = [c, &session] { run_doctor(*c, session); }; });
}

}  // namespace fathom::cli
