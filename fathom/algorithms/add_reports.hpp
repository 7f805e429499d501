// The report of several runs, one after the other, as of one.
#pragma once

#include "fathom/exec/report.hpp"

namespace fathom {

inline void add_report(RunReport& total, const RunReport& one) {
  total.seconds += one.seconds;
  total.edges_traversed += one.edges_traversed;
  total.iterations += one.iterations;
  total.supersteps.insert(total.supersteps.end(), one.supersteps.begin(), one.supersteps.end());
  total.link = total.link + one.link;
  total.chunks = one.chunks;
  total.peak_device_bytes = one.peak_device_bytes;
  total.peak_host_bytes = one.peak_host_bytes;
}

}  // namespace fathom
