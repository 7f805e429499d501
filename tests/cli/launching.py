"""How tests of the command start it as several ranks."""

import os
import pathlib
import shutil
import subprocess
import sys

import harness

MPIRUN = shutil.which("mpirun")
HAS_RANKS = MPIRUN is not None and b"MPI_Allreduce" in pathlib.Path(harness.FATHOM).read_bytes()
# As root in a container, and with more ranks than processors.
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1"}
WHY_NOT = "the program was built without MPI, or there is no mpirun"


def need_ranks():
    """Ends the tests of a file, as skipped, where there are none."""
    if not HAS_RANKS:
        print(WHY_NOT)
        sys.exit(77)


class RankTest(harness.CliTest):
    def start(self, ranks, *words):
        """A process without mpirun for 0 ranks."""
        launcher = [MPIRUN, "-n", str(ranks)] if ranks else []
        return subprocess.Popen([*launcher, harness.FATHOM, *map(str, words)], cwd=self.directory, env=ENVIRONMENT,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def launch(self, *words):
        """Exit status, standard output and standard error of mpirun with these words."""
        done = subprocess.run([MPIRUN, *map(str, words)], cwd=self.directory, env=ENVIRONMENT,
                              capture_output=True, timeout=60, check=False)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def ranks(self, ranks, *words):
        return self.launch("-n", ranks, harness.FATHOM, *words)

    def each(self, first, second):
        """Two ranks, each with words of its own."""
        return self.launch("-n", "1", harness.FATHOM, *first, ":", "-n", "1", harness.FATHOM, *second)

    def succeeds(self, ranks, *words):
        status, shown, said = self.ranks(ranks, *words)
        self.assertEqual((status, said), (0, ""))
        return shown
