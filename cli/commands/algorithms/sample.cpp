// fathom sample: neighbours that are drawn hop by hop around given vertices.
#include <fmt/format.h>

#include <memory>
#include <numeric>

#include "cli/commands/algorithms/shared/algorithm_run.hpp"
#include "cli/commands/algorithms/shared/row_output.hpp"
#include "cli/commands/commands.hpp"
#include "cli/shared/console.hpp"
#include "cli/shared/ranks/ranks.hpp"
#include "fathom/algorithms/neighbor_sampling/sample_batches.hpp"
#include "fathom/core/units.hpp"
#include "fathom/io/vertex_file.hpp"

namespace fathom::cli {
namespace {

struct SampleCommand {
  AlgorithmOptions common;
  std::string seeds, mode = "in";
  std::uint64_t batch_size = 0;
  NeighborSamplingOptions options;
};

/// Adds a row for each edge of a sample.
void add_edges(std::uint64_t batch, const NeighborSample& sample, const LoadedGraph& loaded,
               io::TableWriter& table) {
  std::size_t edge = 0;
  for (std::size_t hop = 0; hop < sample.edges_per_hop.size(); ++hop)
    for (const std::size_t end = edge + sample.edges_per_hop[hop]; edge < end; ++edge) {
      table.field(batch);
      table.field(std::uint64_t{hop} + 1);
      table.field(loaded.label(sample.nodes[sample.row[edge]]));
      table.field(loaded.label(sample.nodes[sample.col[edge]]));
      table.field(std::uint64_t{sample.edge[edge]});
      table.end_row();
    }
}

/// Which of two budgets is too small the error says; what a batch takes, no budget can change.
template <class Work>
auto with_advice(const Work& work) {
  try {
    return work();
  } catch (const Error& e) {
    if (e.code() != ErrorCode::DoesNotFit) throw;
    throw Error(ErrorCode::DoesNotFit,
                std::string(e.what()) + "; a smaller --batch-size takes less");
  }
}

void run_sample(const SampleCommand& c, Session& session) {
  if (!c.common.output.result.empty()) table_separator(c.common.output.result);
  NeighborSamplingOptions options = c.options;
  options.along = c.mode == "in" ? SampleAlong::InEdges : SampleAlong::OutEdges;
  AlgorithmTraits traits{"sample"};
  traits.reads_weights = options.weighted;
  traits.opens = LoadedGraph::Opens::Nothing;
  AlgorithmRun run(traits, c.common, session);
  options.label_of = [&](VertexId v) { return printable(run.loaded().label(v)); };
  const std::vector<VertexId> seeds = io::read_vertices(c.seeds, run.loaded().finder());
  check_same_content(*session.group, c.seeds, std::as_bytes(std::span(seeds)));

  // Samples are not kept: they are checked and written as they are drawn.
  RowOutput rows(run, session, [] {
    return std::vector<std::string>{"batch", "hop", "source", "target", "edge"};
  });
  const SampleConsumer take = [&](std::uint64_t batch, std::span<const VertexId> its,
                                  const NeighborSample& sample) {
    rows.check([&] {
      verify_neighbor_sample(run.checking_context(), run.checking_graph(), options, its, {},
                             sample);
    });
    rows.write([&](io::TableWriter& table) { add_edges(batch, sample, run.loaded(), table); });
  };
  const SampledBatches result = run.measure(
      [&] {
        const bool shown = rows.begin_trial();
        return with_advice([&] {
          return sample_batches(run.context(), run.graph(), seeds, options, c.batch_size,
                                shown ? take : nullptr);
        });
      },
      [](const SampledBatches&) {});
  const std::uint64_t edges =
      std::reduce(result.edges_per_hop.begin(), result.edges_per_hop.end(), std::uint64_t{0});
  rows.finish(
      result.report,
      {{"seeds", seeds.size()},
       {"batches", result.batches},
       {"vertices", result.vertices},
       {"edges", edges},
       {"edges_per_hop", result.edges_per_hop},
       {"fan_out", options.fan_out},
       {"mode", c.mode},
       {"replace", options.replace},
       {"weighted", options.weighted},
       {"seed", options.seed}},
      fmt::format("sample: {} edges between {} vertices around {} seeds, in {} batch{}\n",
                  format_count(edges), format_count(result.vertices), format_count(seeds.size()),
                  format_count(result.batches), result.batches == 1 ? "" : "es"));
}

void add_draw_options(CLI::App& command, SampleCommand& c) {
  command
      .add_option("--fan-out", c.options.fan_out,
                  "By hop, how many edges of each vertex at most; -1: all of them")
      ->type_name("K,K")
      ->delimiter(',')
      ->required();
  command
      .add_option("--mode", c.mode,
                  "Along in-edges, so that edges lead to the seeds, or along out-edges")
      ->check(CLI::IsMember({"in", "out"}))
      ->capture_default_str();
  command.add_flag("--replace", c.options.replace,
                   "An edge may be drawn several times: as many as the fan-out of each vertex "
                   "that has any");
  command.add_flag(
      "--weighted", c.options.weighted,
      "Draw edges in proportion to weights, those of 0 never; all are taken with a fan-out of -1");
  command
      .add_option("--batch-size", c.batch_size,
                  "Sample around so many seeds at a time; 0: all of them are one batch")
      ->type_name("N")
      ->capture_default_str();
  command.add_option("--seed", c.options.seed, "Other draws for another number")
      ->type_name("N")
      ->capture_default_str();
}

}  // namespace

void add_sample(CLI::App& program, Session& session) {
  auto* command = program.add_subcommand(
      "sample", "Neighbors drawn hop by hop around given vertices, as GraphSAGE is trained with");
  auto c = std::make_shared<SampleCommand>();
  command
      ->add_option("--seeds", c->seeds,
                   "Where to begin: labels, one per line; what follows a tab is left out")
      ->type_name("FILE")
      ->required();
  add_draw_options(*command, *c);
  add_edge_algorithm_options(*command, c->common,
                             "Write a row for each edge that is drawn; the name ends in .tsv or "
                             ".csv");
  command->footer(
      "Columns of the edges: batch, from 0; hop, from 1; source and target; edge, its position in\n"
      "the lists that are drawn from. The first hop draws for each seed, later ones for each "
      "vertex\n"
      "that the hop before has found in its batch. Batches do not depend on the memory there is, "
      "and\n"
      "each must fit.\n\n"
      "Examples:\n"
      "  fathom sample graph.fg --seeds train.txt --fan-out 15,10 -o edges.tsv\n"
      "  fathom sample graph.fg --seeds train.txt.gz --fan-out 15,10 --batch-size 1024 --seed 7 "
      "-o e.csv\n"
      "  fathom sample graph.fg --seeds some.txt --fan-out=-1,5 --mode out --replace --verify");
  command->callback([c, &session] {
    session.on_all_ranks = true;
    session.command = [c, &session] { run_sample(*c, session); };
  });
}

}  // namespace fathom::cli
