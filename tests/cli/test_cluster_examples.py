"""The examples of clusters: they parse, agree with each other, and name what there is."""

import json
import pathlib
import re
import shlex
import shutil
import subprocess
import unittest

import harness

HERE = harness.ROOT / "examples" / "cluster"


def read(name):
    return (HERE / name).read_text(encoding="utf-8")


class ClusterExamples(harness.CliTest):
    def understood(self, words):
        """Options and algorithm of a command are known: it ends for want of its file alone."""
        self.assertEqual(words[0], "fathom")
        self.assertEqual(self.run_raw(*words[1:]).returncode, 74, words)

    def test_a_batch_script_has_what_slurm_needs(self):
        text = read("fathom.sbatch")
        self.assertTrue(text.startswith("#!"))
        lines = text.splitlines()
        asked = dict(re.match(r"#SBATCH --([a-z-]+)=(.+)$", line).groups()
                     for line in lines if line.startswith("#SBATCH"))
        self.assertLessEqual({"nodes", "ntasks-per-node", "cpus-per-task", "time"}, set(asked))
        # Slurm reads no more of them after the first command.
        first = next(i for i, line in enumerate(lines) if line and not line.startswith("#"))
        self.assertFalse(any("#SBATCH" in line for line in lines[first:]))
        self.assertIn("srun --mpi=pmix", text)
        subprocess.run(["bash", "-n", HERE / "fathom.sbatch"], check=True)
        if shutil.which("shellcheck"):
            subprocess.run(["shellcheck", HERE / "fathom.sbatch"], check=True)

    def test_a_batch_script_runs_what_it_says(self):
        """With an srun that starts one process."""
        srun = self.directory / "bin" / "srun"
        srun.parent.mkdir()
        srun.write_text('#!/bin/sh\nwhile [ "${1#--}" != "$1" ]; do shift; done\nexec "$@"\n')
        srun.chmod(0o755)
        (srun.parent / "fathom").symlink_to(harness.FATHOM)
        self.ok("generate", "rmat", "--scale", "8", "-o", "g.fg", "-q")
        done = subprocess.run(
            ["bash", HERE / "fathom.sbatch", "g.fg", "ranks.tsv"], cwd=self.directory, text=True,
            env={"PATH": f"{srun.parent}:/usr/bin:/bin", "SLURM_NTASKS": "4",
                 "SLURM_CPUS_PER_TASK": "1", "HOME": str(self.directory)}, capture_output=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("ranks       4", done.stdout)
        self.assertEqual(len(self.table("ranks.tsv")[1]), 256)

    def test_a_job_of_the_mpi_operator_has_its_fields(self):
        try:
            import yaml
        except ImportError:
            raise unittest.SkipTest("no PyYAML") from None
        job = yaml.safe_load(read("mpijob.yaml"))
        self.assertEqual((job["apiVersion"], job["kind"]), ("kubeflow.org/v2beta1", "MPIJob"))
        self.assertRegex(job["metadata"]["name"], r"^[a-z0-9-]{1,63}$")
        spec = job["spec"]
        self.assertGreaterEqual(spec["slotsPerWorker"], 1)
        roles = spec["mpiReplicaSpecs"]
        self.assertEqual(set(roles), {"Launcher", "Worker"})
        self.assertEqual(roles["Launcher"]["replicas"], 1)
        containers = {}
        for role, its in roles.items():
            self.assertIn(its["restartPolicy"], ("Never", "OnFailure"))
            pod = its["template"]["spec"]
            [containers[role]] = pod["containers"]
            self.assertLessEqual({"name", "image", "command", "args"}, set(containers[role]))
            self.assertLessEqual({"cpu", "memory"}, set(containers[role]["resources"]["limits"]))
            named = {volume["name"] for volume in pod.get("volumes", [])}
            mounted = {m["name"] for m in containers[role].get("volumeMounts", [])}
            self.assertEqual(mounted, named)
        args = containers["Launcher"]["args"]
        ranks = int(args[args.index("-n") + 1])
        self.assertEqual(ranks, roles["Worker"]["replicas"] * spec["slotsPerWorker"])
        words = args[args.index("fathom"):]
        self.understood(words)
        [mount] = containers["Worker"]["volumeMounts"]
        for path in (words[2], words[words.index("-o") + 1]):
            self.assertTrue(path.startswith(mount["mountPath"] + "/"))
        # What the workers run, and where keys are, is what the image has.
        image = read("Containerfile")
        self.assertIn(containers["Worker"]["args"][-1], image)
        self.assertIn(f"HostKey {spec['sshAuthMountPath']}/id_rsa", image)
        self.assertIn(f"--uid {containers['Worker']['securityContext']['runAsUser']} ", image)

    def test_a_containerfile_builds_from_this_tree(self):
        text = re.sub(r"^#.*\n", "", read("Containerfile"), flags=re.M).replace("\\\n", " ")
        steps = [line.split(None, 1) for line in text.splitlines() if line.strip()]
        self.assertEqual(steps[0][0], "FROM")
        self.assertLessEqual({word for word, _ in steps},
                             {"FROM", "COPY", "RUN", "WORKDIR", "USER", "ENTRYPOINT", "CMD"})
        stages = [re.fullmatch(r"(\S+)(?: AS (\S+))?", what) for word, what in steps if word == "FROM"]
        self.assertTrue(all(stages))
        bases = {stage[1] for stage in stages}
        self.assertEqual(len(bases), 1, "the libraries of one release")
        built = {stage[2] for stage in stages if stage[2]}
        for word, what in steps:
            if word == "RUN":
                subprocess.run(["bash", "-n", "-c", what], check=True)
                for command in re.split(r"&&", what):
                    first = shlex.split(command)[0]
                    if "/" in first:
                        self.assertTrue((harness.ROOT / first).exists(), first)
            if word == "COPY" and "--from=" in what:
                self.assertIn(re.match(r"--from=(\S+)", what)[1], built)
                binary = what.split()[1]
                self.assertEqual(pathlib.PurePath(binary).parts[-3:], ("build", "mpi", "fathom"))
        presets = json.loads((harness.ROOT / "CMakePresets.json").read_text(encoding="utf-8"))
        for kind, option in (("configurePresets", "cmake --preset"),
                             ("buildPresets", "cmake --build --preset")):
            name = re.search(f"{option} (\\S+)", text)[1]
            self.assertIn(name, {preset["name"] for preset in presets[kind]})
        json.loads(next(what for word, what in steps if word == "CMD"))

    def test_the_image_has_the_libraries_of_the_program(self):
        linked = subprocess.run(["ldd", harness.FATHOM], capture_output=True, text=True, check=False)
        text = read("Containerfile")
        for library, package in (("libfmt.so.9", "libfmt9"), ("liburing.so.2", "liburing2"),
                                 ("libxxhash.so.0", "libxxhash0"), ("libzstd.so.1", "libzstd1"),
                                 ("libz.so.1", "zlib1g"), ("libmpi.so.40", "openmpi-bin")):
            if library in linked.stdout:
                self.assertIn(f" {package}", text)


if __name__ == "__main__":
    harness.main()
