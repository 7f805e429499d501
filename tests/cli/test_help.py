"""Help, completions, man page and manual: complete, and about the options that exist."""

import re
import shutil
import subprocess

import harness

COMMANDS = ["generate", "convert", "reorder", "info", "verify", "stripe", *harness.ALGORITHMS, "egonet",
            "subgraph", "cross-edges", "walks", "sample", "stream", "plan", "doctor", "bench",
            "bench list", "bench dynamic", "bench emogi", "bench gts", "bench halo", "bench link", "bench order", "bench requests",
            "completion"]


class Help(harness.CliTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.help = {c: cls.ok(*c.split(), "--help") for c in COMMANDS}

    def options(self, command):
        """The names that begin a line of the help."""
        names = re.findall(r"^  ((?:--?[a-z][\w-]*,?)+)", self.help[command], re.MULTILINE)
        return sorted({n for group in names for n in group.split(",")})

    def test_program_help_lists_every_command(self):
        text = self.ok("--help")
        for command in COMMANDS:
            group, _, name = command.rpartition(" ")
            self.assertRegex(self.help[group] if group else text, rf"(?m)^  {name} ")
        self.assertEqual(self.ok("-h"), text)

    def test_every_command_has_help_with_an_example(self):
        for command in COMMANDS:
            self.assertIn(f"fathom {command}", self.help[command].split("Example", 1)[1], command)
            self.assertIn("--help", self.options(command))

    def test_help_fits_a_terminal(self):
        for command in COMMANDS:
            for line in self.help[command].splitlines():
                self.assertLessEqual(len(line), 100, line)

    def test_version_is_that_of_the_library(self):
        header = (harness.ROOT / "fathom/core/version.hpp").read_text()
        self.assertEqual(self.ok("--version").strip(),
                         "fathom " + re.search(r'kVersion\[\] = "([^"]+)"', header)[1])

    def test_completions_know_every_option(self):
        for shell in ("bash", "zsh", "fish"):
            script = self.ok("completion", shell)
            for command in COMMANDS:
                for option in self.options(command):
                    word = option.lstrip("-")
                    self.assertRegex(script, rf"[- ']{word}\b", (shell, command, option))

    def test_completions_are_accepted_by_their_shells(self):
        for shell in ("bash", "zsh", "fish"):
            if not shutil.which(shell):
                continue
            script = self.ok("completion", shell)
            done = subprocess.run([shell, "-n"], input=script, text=True, capture_output=True,
                                  check=False)
            self.assertEqual((done.returncode, done.stderr), (0, ""), shell)

    def completed(self, *words):
        """What bash offers for the last word."""
        script = self.ok("completion", "bash") + """
COMP_WORDS=(fathom "$@"); COMP_CWORD=$#
_fathom; printf '%s\\n' "${COMPREPLY[@]}"
"""
        done = subprocess.run(["bash", "-s", "--", *words], input=script, text=True,
                              cwd=self.directory, capture_output=True, check=True)
        return done.stdout.split()

    def test_bash_completes_commands_options_choices_and_files(self):
        self.write("some.fg", "")
        self.assertEqual(self.completed("pager"), ["pagerank"])
        self.assertEqual(self.completed("bfs", "--dir"), ["--direction"])
        self.assertEqual(self.completed("bfs", "--direction", "pu"), ["push", "pull"])
        self.assertEqual(self.completed("generate", "ri"), [])
        self.assertEqual(self.completed("generate", "to"), ["torus"])
        self.assertEqual(self.completed("info", "so"), ["some.fg"])
        self.assertEqual(self.completed("completion", "z"), ["zsh"])
        self.assertEqual(self.completed("bench", "req"), ["requests"])
        self.assertEqual(self.completed("bench", "requests", "--sou"), ["--sources"])
        self.assertEqual(self.completed("bench", "requests", "--kind", ""), ["rmat", "uniform"])
        self.assertEqual(self.completed("bench", "requests", "so"), ["some.fg"])

    def test_man_page_and_manual_name_every_option(self):
        man = (harness.ROOT / "docs/man/fathom.1").read_text().replace("\\-", "-")
        pages = sorted((harness.ROOT / "docs/reference").glob("**/*.md"))
        manual = "\n".join(page.read_text() for page in pages)
        for command in COMMANDS:
            self.assertIn(f"fathom {command}", manual)
            self.assertRegex(man, rf"(?m)^\.S[sh] .*\b{command}\b", command)
            for option in self.options(command):
                name = option.lstrip("-")
                self.assertRegex(manual, rf"(?<![\w-])-{{1,2}}{name}(?![\w-])", (command, option))
                self.assertRegex(man, rf"Fl (Fl |-)?{name}(?![\w-])", (command, option))


if __name__ == "__main__":
    harness.main()
