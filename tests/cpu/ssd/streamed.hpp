// Graphs on disk for the tests that stream them.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "fathom/residency/graph.hpp"
#include "fathom/store/make/convert.hpp"
#include "fathom/store/make/repack.hpp"
#include "fathom/store/stripes.hpp"
#include "tests/cpu/store/sample.hpp"

namespace fathom {

/// A directed and an undirected R-MAT graph on disk, in CSR and in slotted pages smaller and larger
/// than a checksum block, and what the algorithms answer in memory.
class Streamed : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    directory_ = new store::TemporaryDirectory;
    generate::Spec spec;
    spec.scale = 15;
    spec.edge_factor = 24;
    spec.weights = generate::WeightRange{1, 64};
    store::ConvertOptions options;
    store::generate(generate::Generator(spec), path(true), options);
    options.undirected = true;
    options.triangle_lists = true;
    spec.edge_factor = 16;
    store::generate(generate::Generator(spec), path(false), options);
    store::RepackOptions repacking;
    repacking.slotted = {store::kMi / 16, 3, 3};
    store::repack(path(true), path(true, true), repacking);
    repacking.slotted = {2 * store::kMi, 2, 4};
    store::repack(path(false), path(false, true), repacking);
  }
  static void TearDownTestSuite() { delete directory_; }
  static std::string path(bool directed, bool slotted = false) {
    return directory_->file(std::string(slotted ? "slotted_" : "") +
                            (directed ? "directed.fg" : "undirected.fg"));
  }

  /// Directories with stripes of a graph: one each, one of them beside the graph.
  static std::vector<std::string> stripes(const std::string& graph, std::size_t count) {
    std::vector<std::string> directories{directory_->file("")};
    for (std::size_t i = 1; i < count; ++i) {
      directories.push_back(directory_->file("ssd" + std::to_string(i)));
      std::filesystem::create_directories(directories.back());
    }
    store::write_stripes(graph, directories);
    return directories;
  }

  static Context context(std::size_t host_memory, int devices = 0,
                         std::size_t device_memory = MemoryPool::kUnlimited) {
    CpuOptions options;
    options.threads = 2;
    options.host_memory = host_memory;
    options.devices = devices;
    options.device_memory = device_memory;
    return Context::cpu(options);
  }

  static ResidencyOptions streamed(const PagingOptions& paging) {
    ResidencyOptions options;
    options.kind = ResidencyOptions::Kind::Stream;
    options.paging = paging;
    return options;
  }

  inline static store::TemporaryDirectory* directory_ = nullptr;
};

inline constexpr VertexId kSource = 5;

}  // namespace fathom
