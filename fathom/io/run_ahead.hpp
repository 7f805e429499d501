// Work that goes on beside the caller's, where the system has a thread for it.
#pragma once

#include <future>
#include <system_error>
#include <type_traits>

namespace fathom::io {

/// Begins work() on a thread of its own; where there is none to be had it runs in get().
template <class Work>
std::future<std::invoke_result_t<Work>> run_ahead(const Work& work) {
  try {
    return std::async(std::launch::async, work);
  } catch (const std::system_error&) {
    return std::async(std::launch::deferred, work);
  }
}

}  // namespace fathom::io
