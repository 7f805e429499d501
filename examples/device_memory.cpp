// Threads that build lists of unknown length, each node obtained when it is needed: on the host,
// and in a CUDA kernel where Fathom was built with CUDA (device_memory.cu).
#include <fathom/memory/host_heap.hpp>

#include <cstdio>
#include <thread>
#include <vector>

#include "device_memory.hpp"

#if !defined(FATHOM_WITH_CUDA)
bool lists_on_device(unsigned) {
  return true;  // nothing to show
}
#endif

int main() {
  using MM = fathom::memory::Ouroboros<fathom::memory::VLP>;
  fathom::memory::HostHeap<MM> heap(fathom::memory::HeapOptions{64 << 20});
  const MM mm = heap.manager();

  std::vector<unsigned> lengths(4);
  {
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < lengths.size(); ++i)
      threads.emplace_back([&, i] { lengths[i] = build_and_free(mm, 1000 + i); });
  }
  for (unsigned i = 0; i < lengths.size(); ++i)
    if (lengths[i] != 1000 + i) return 1;

  const auto stats = heap.stats();
  std::printf("host: %llu bytes live, %llu reserved\n",
              static_cast<unsigned long long>(stats.bytes_live),
              static_cast<unsigned long long>(stats.bytes_reserved));
  return stats.bytes_live == 0 && lists_on_device(1000) ? 0 : 1;
}
