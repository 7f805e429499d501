// fathom doctor: what this machine offers, and what stands in the way.
#include <fmt/format.h>

#include <memory>

#include "commands.hpp"
#include "console.hpp"
#include "fathom/core/units.hpp"
#include "probes.hpp"

namespace fathom::cli {
namespace {

struct DoctorCommand {
  bool json = false;
  std::string directory;
};

std::string line(std::string_view name, const std::string& value) {
  return fmt::format("  {:<18}{}\n", name, value);
}

std::string rate(const Json& bytes_per_second) {
  if (bytes_per_second.is_null()) return "not measured";
  return format_bytes(static_cast<std::uint64_t>(bytes_per_second.get<double>())) + "/s";
}

std::string size(const Json& bytes) {
  return bytes.is_null() ? "unknown" : format_bytes(bytes.get<std::uint64_t>());
}

std::string cuda_line(const Json& cuda) {
  if (!cuda["driver"].get<bool>()) return "no CUDA driver (" + cuda["why"].get<std::string>() + ")";
  if (cuda["devices"].empty())
    return fmt::format("driver present, no usable device ({})", cuda["why"].get<std::string>());
  std::string text;
  for (const Json& device : cuda["devices"])
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", device["name"].get<std::string>(),
                        size(device["memory_bytes"]));
  return text + "; this build of Fathom has no CUDA executor";
}

std::string summary_of(const Json& d) {
  std::string text =
      line("processor", fmt::format("{}, {} threads", d["cpu"]["model"].get<std::string>(),
                                    d["cpu"]["threads"].get<int>()));
  const Json& memory = d["memory"];
  text += line("memory",
               size(memory["total_bytes"]) + ", " + size(memory["available_bytes"]) + " available" +
                   (memory["limit_bytes"].is_null()
                        ? ""
                        : ", limited to " + size(memory["limit_bytes"]) + " by its control group"));
  text += line("  bandwidth", rate(memory["read_bytes_per_second"]) + " read in order");
  text += line("  random reads",
               fmt::format("{} million per second",
                           format_count(static_cast<std::uint64_t>(
                               memory["random_reads_per_second"].get<double>() / 1e6))));
  text += line("huge pages", d["huge_pages"].get<std::string>());
  text += line("io_uring", d["io_uring"]["available"].get<bool>()
                               ? "available"
                               : "refused (" + d["io_uring"]["why"].get<std::string>() +
                                     "); plain reads are used instead");
  const Json& disk = d["disk"];
  text += line("directory", printable(disk["directory"].get<std::string>()) + ", " +
                                size(disk["free_bytes"]) + " free");
  text += line("  bandwidth",
               rate(disk["read_bytes_per_second"]) +
                   (disk["direct"].get<bool>() ? " read, past the page cache"
                                               : " (" + disk["why"].get<std::string>() + ")"));
  return text + line("cuda", cuda_line(d["cuda"]));
}

void run_doctor(const DoctorCommand& c, Session& session) {
  const Task task = session.task(true);
  Json d;
  d["schema"] = "fathom.doctor/1";
  d["version"] = kVersion;
  d["cpu"] = probe_cpu();
  d["memory"] = probe_memory(task);
  d["huge_pages"] = probe_huge_pages();
  d["io_uring"] = probe_io_uring();
  d["disk"] = probe_disk(c.directory, task);
  d["cuda"] = probe_cuda();
  write_out(c.json ? to_text(d) : summary_of(d));
}

}  // namespace

void add_doctor(CLI::App& program, Session& session) {
  auto* command = program.add_subcommand(
      "doctor", "What this machine offers: processor, memory, disk, io_uring, CUDA");
  auto c = std::make_shared<DoctorCommand>();
  command->add_flag("--json", c->json, "Print one JSON object");
  command
      ->add_option("--directory", c->directory,
                   "Where to test the disk (default: $TMPDIR or /tmp); writes 64 MiB there for a "
                   "moment")
      ->type_name("FILE");
  command->footer(
      "Takes about a second. A missing feature is reported, never an error.\n\n"
      "Examples:\n"
      "  fathom doctor\n"
      "  fathom doctor --directory /mnt/ssd");
  command->callback(
      [c, &session] { session.command = [c, &session] { run_doctor(*c, session); }; });
}

}  // namespace fathom::cli
