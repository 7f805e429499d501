// A graph that changes while it is analysed: one thread applies batches of friendships made and
// ended, the other counts connected components on snapshots.
#include <atomic>
#include <cstdio>
#include <random>
#include <thread>
#include <vector>

#include <fathom/fathom.hpp>

namespace {

constexpr fathom::VertexId kPeople = 10'000;
constexpr int kBatches = 100;

std::vector<fathom::EdgeUpdate> random_updates(std::mt19937& random) {
  std::uniform_int_distribution<fathom::VertexId> person(0, kPeople - 1);
  std::vector<fathom::EdgeUpdate> updates;
  for (int i = 0; i < 500; ++i) {
    updates.push_back(fathom::EdgeUpdate::insert(person(random), person(random)));
    if (i % 10 == 0) updates.push_back(fathom::EdgeUpdate::remove(person(random), person(random)));
  }
  return updates;
}

}  // namespace

int main() {
  const fathom::Context ctx = fathom::Context::cpu();
  fathom::DynamicGraphOptions options;
  options.directed = false;
  fathom::DynamicGraph people(ctx, options);
  people.apply({.new_vertices = kPeople});

  std::atomic<bool> done = false;
  std::jthread writer([&] {
    std::mt19937 random(1);
    for (int i = 0; i < kBatches; ++i) people.apply({.edges = random_updates(random)});
    done = true;
  });

  fathom::VertexId components = kPeople;
  bool last = false;
  while (!last) {
    last = done;
    const fathom::Snapshot snapshot = people.snapshot();
    components = fathom::connected_components(ctx, snapshot.graph()).components;
    std::printf("after %llu batches: %llu list entries, %u components\n",
                static_cast<unsigned long long>(snapshot.batches()),
                static_cast<unsigned long long>(snapshot.edges()), components);
  }
  return people.batches() == kBatches + 1 && components < kPeople / 10 ? 0 : 1;
}
