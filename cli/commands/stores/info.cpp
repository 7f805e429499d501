// fathom info and fathom verify: what a .fg file holds, and whether it is sound.
#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <memory>

#include "cli/commands/commands.hpp"
#include "cli/commands/stores/shared/field_summary.hpp"
#include "cli/commands/stores/shared/store_summary.hpp"
#include "cli/shared/console.hpp"
#include "cli/shared/options.hpp"
#include "fathom/core/units.hpp"
#include "fathom/store/parts/part_store.hpp"
#include "fathom/store/parts/verify_parts.hpp"

namespace fathom::cli {
namespace {

struct InfoCommand {
  std::string graph;
  bool json = false, degrees = false, fields = false;
};

struct VerifyCommand {
  std::string graph;
  int threads = 0;
  bool quiet = false;
};

void run_info(const InfoCommand& c) {
  const auto store = store::PartStore::open(c.graph);
  const bool both = store->header().directed && store->header().has_in_edges;
  Json json = json_of(*store);
  std::string text = summary_of(*store);
  if (c.degrees) {
    const store::DegreeSummary out = store::summarize_degrees(store->out_offsets());
    json["degrees"] = json_of(out);
    text += summary_of(out, store->header().directed ? "out" : "vertex");
    if (both) {
      const store::DegreeSummary in = store::summarize_degrees(store->in_offsets());
      json["in_degrees"] = json_of(in);
      text += summary_of(in, "in");
    }
  }
  if (c.fields) {
    if (!store->header().semantic)
      throw Error(ErrorCode::Usage, fmt::format("--fields: the edges of {} have no types and "
                                                "timestamps",
                                                store->path()));
    const FieldSummary fields = summarize_fields(*store);
    json["edge_fields"] = json_of(fields);
    text += summary_of(fields);
  }
  write_out(c.json ? to_text(json) : text);
}

/// All parts of a graph, in a directory.
void run_verify_parts(const VerifyCommand& c, Session& session) {
  const auto start = std::chrono::steady_clock::now();
  const store::VerifiedParts all = store::verify_parts(c.graph, c.threads, session.task(c.quiet));
  session.progress.clear();
  if (c.quiet) return;
  print("{}: sound; {} vertices, {} edges, {} in {} parts, checked in {}\n", printable(c.graph),
        format_count(all.header.vertices), format_count(all.header.edges), format_bytes(all.bytes),
        all.parts,
        format_seconds(
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()));
}

void run_verify(const VerifyCommand& c, Session& session) {
  if (std::filesystem::is_directory(c.graph)) return run_verify_parts(c, session);
  const auto start = std::chrono::steady_clock::now();
  const auto store = store::PartStore::open(c.graph);
  store->verify(c.threads, session.task(c.quiet));
  session.progress.clear();
  if (c.quiet) return;
  std::uint64_t bytes = 0;
  for (const store::SectionInfo& s : store->sections()) bytes += s.bytes;
  const store::PartLayout* const part = store->part();
  print("{}: sound; {} vertices, {}{} edges, {} in {} sections, checked in {}\n",
        printable(c.graph), format_count(store->header().vertices),
        part ? format_count(part->out.edges()) + " of " : "", format_count(store->header().edges),
        format_bytes(bytes), store->sections().size(),
        format_seconds(
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()));
}

}  // namespace

void add_info(CLI::App& program, Session& session) {
  auto* command = program.add_subcommand(
      "info", "What a .fg file holds: counts, direction, repairs made at conversion, sections");
  auto c = std::make_shared<InfoCommand>();
  add_graph(*command, c->graph);
  command->add_flag("--json", c->json, "Print one JSON object");
  command->add_flag("--degrees", c->degrees, "Also how the degrees are distributed");
  command->add_flag("--fields", c->fields,
                    "Also which types and timestamps its edges have, if they have any");
  command->footer(
      "Opening a file takes no longer when it is large; --degrees reads the offsets, --fields the\n"
      "types and timestamps.\n\n"
      "Examples:\n"
      "  fathom info graph.fg\n"
      "  fathom info graph.fg --degrees --json | jq .degrees.maximum");
  command->callback([c, &session] { session.command = [c] { run_info(*c); }; });
}

void add_verify(CLI::App& program, Session& session) {
  auto* command = program.add_subcommand(
      "verify", "Read a .fg file in full: checksums, and that its structure makes sense");
  auto c = std::make_shared<VerifyCommand>();
  add_graph(*command, c->graph);
  add_threads(*command, c->threads);
  command->add_flag("-q,--quiet", c->quiet, "Say nothing when the file is sound");
  command->footer(
      "Exit status 0: sound. 3: damaged; the message names section and byte range.\n"
      "Of a part of a graph (`fathom partition`) what is there; of a directory all parts, and "
      "that\n"
      "together they are the graph.\n\n"
      "Examples:\n"
      "  fathom verify graph.fg\n"
      "  fathom verify parts");
  command->callback(
      [c, &session] { session.command = [c, &session] { run_verify(*c, session); }; });
}

}  // namespace fathom::cli
