// Algorithms on one handle after the other, against the host's answers.
#include <optional>

#include "fathom/fathom.hpp"
#include "tests/stress/stress.hpp"
#include "tests/suites/every_algorithm.hpp"
#include "tests/suites/zoo_csr.hpp"

namespace fathom::testing {
namespace {

zoo::RawGraph draw_graph(zoo::Dice& dice) {
  zoo::RawGraph raw{"Random", 1 + dice.roll(20000), dice.roll(2) == 0, {}, {}};
  raw.edges = zoo::random_edges(raw.vertices, dice.roll(150000), dice.roll(1u << 30));
  if (dice.roll(3) == 0)  // a hub
    for (std::uint32_t v = 0; v < raw.vertices; v += 2) raw.edges.emplace_back(raw.vertices / 2, v);
  if (dice.roll(2) == 0)
    for (std::size_t i = 0; i < raw.edges.size(); ++i)
      raw.weights.push_back(static_cast<float>(dice.roll(64)));
  return raw;
}

ResidencyOptions draw_residency(Machine& machine, std::uint32_t devices, zoo::Dice& dice) {
  const auto kinds = machine.residencies(devices);
  ResidencyOptions where;
  where.kind = kinds[dice.roll(static_cast<std::uint32_t>(kinds.size()))];
  where.paging.page_bytes = std::size_t{1024} << dice.roll(8);
  where.paging.from_disk = dice.roll(2) == 0;
  where.gpu.cache = static_cast<CachePolicy>(dice.roll(6));
  return where;
}

}  // namespace

void analyse(Machine& machine, zoo::Dice& dice, Counts& counts) {
  const zoo::RawGraph raw = draw_graph(dice);
  const graph::BuiltGraph built = zoo::build(raw);
  const std::optional<CsrView> in = built.in ? std::optional(built.in->view()) : std::nullopt;
  const auto place = [&](const Context& ctx, const ResidencyOptions& where) {
    return make_graph(ctx, built.out.view(), in ? &*in : nullptr, raw.directed, where);
  };
  CpuOptions one;
  one.threads = 1;
  const Context host = Context::cpu(one);
  const Graph on_host = place(host, {});
  const std::size_t memory = (std::size_t{64} << 10) << dice.roll(12);
  const std::uint32_t devices = dice.roll(3) == 0 ? 1 + dice.roll(3) : 0;
  const ResidencyOptions where = draw_residency(machine, devices, dice);
  std::optional<Context> ctx;
  std::optional<Graph> graph;
  try {
    ctx.emplace(machine.for_runs(memory, devices));
    graph.emplace(place(*ctx, where));
  } catch (const Error& e) {
    if (e.code() != ErrorCode::DoesNotFit) throw;
    counts.add("placements refused");
    return;
  }
  const auto& all = every_algorithm();
  for (std::uint32_t runs = 1 + dice.roll(12); runs > 0; --runs) {
    const EveryAlgorithm& algorithm = all[dice.roll(static_cast<std::uint32_t>(all.size()))];
    const bool verify = dice.roll(4) == 0;
    const Verifier verifier = ctx->on_gpu() ? Verifier{host, on_host} : Verifier{*ctx, *graph};
    try {
      const Answer got = algorithm.run(*ctx, *graph, verify ? &verifier : nullptr);
      const std::string differs = difference(algorithm, got, algorithm.run(host, on_host, nullptr));
      require(differs.empty(), algorithm.name + ": " + differs);
      counts.add("algorithms");
    } catch (const Error& e) {
      if (e.code() != ErrorCode::DoesNotFit) throw Wrong(algorithm.name + ": " + e.what());
      counts.add("runs refused");
    }
    require(ctx->peak_device_bytes() <= memory, "the budget was exceeded");
  }
}

}  // namespace fathom::testing
