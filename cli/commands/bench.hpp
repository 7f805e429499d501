// fathom bench: redoes experiments of the papers. They are a program of their own, fathom-bench,
// which stands beside this one where it was built, so that nobody else has to compile them.
#pragma once

#include <CLI/CLI.hpp>

namespace fathom::cli {

/// Whether the words are for fathom-bench: `bench` is the first, or follows --help.
bool names_bench(int count, char** words);

/// Becomes fathom-bench. Returns only where that cannot be, having said why, with the exit status.
int become_bench(int count, char** words);

/// Gives the command `bench` of `program` the commands and options of fathom-bench, for completion;
/// none where it is not there.
void ask_bench_for_words(CLI::App& program);

}  // namespace fathom::cli
