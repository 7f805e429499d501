# Reads `apt-cache dumpavail` (Debian control stanzas), writes one "package<TAB>needed" line for each
# relation of Depends, Pre-Depends, Recommends and Suggests. Versions and architectures are
# dropped, each alternative of `a | b` is an edge, virtual packages are vertices like any other.
BEGIN { FS = ": "; OFS = "\t" }

/^Package: / { package = $2 }

/^(Pre-Depends|Depends|Recommends|Suggests): / {
  sub(/^[^:]*: */, "")
  gsub(/\([^)]*\)|\[[^]]*\]|<[^>]*>|[ \t]/, "")
  n = split($0, needed, /[,|]/)
  for (i = 1; i <= n; i++) {
    sub(/:.*/, "", needed[i])
    if (needed[i] != "") print package, needed[i]
  }
}
