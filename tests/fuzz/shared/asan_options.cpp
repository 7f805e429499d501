// How the address sanitizer runs in fuzz targets. Inputs are small and each is a case of its own:
// what they free need not stay poisoned for long, and 256 MiB of memory that is never used again
// cost more page faults than the reader under test does. Who bounds memory is the sanitizer:
// libFuzzer has a thread for it, and where that starts late the first inputs leak what it holds.
extern "C" __attribute__((visibility("default"))) const char* __asan_default_options();

extern "C" const char* __asan_default_options() {
  return "quarantine_size_mb=4:thread_local_quarantine_size_kb=64:malloc_context_size=2:"
         "hard_rss_limit_mb=1024";
}
