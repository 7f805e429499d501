// Google Benchmark's main, with results that say which command made them, and on what processor.
#include <benchmark/benchmark.h>

#include <fstream>
#include <string>

namespace {

std::string words_of(int count, char** words) {
  std::string command = words[0];
  for (int i = 1; i < count; ++i) (command += ' ') += words[i];
  return command;
}

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
  return "unknown";
}

}  // namespace

int main(int count, char** words) {
  benchmark::AddCustomContext("command", words_of(count, words));
  benchmark::AddCustomContext("processor", processor());
  benchmark::Initialize(&count, words);
  if (benchmark::ReportUnrecognizedArguments(count, words)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
