#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a linked module fit for use as a library: strip.py IN.ll OUT.ll

Every function becomes linkonce_odr, so that a program's own definition wins and an unused one costs nothing. Attributes that would bind a
caller (target, stack protector, frame pointer) and metadata that only costs reading time go."""
import re
import sys

text = open(sys.argv[1]).read()
text = re.sub(r"^define (?:dso_local |linkonce_odr )*(?=(?!internal|private)\S)", "define linkonce_odr ", text, flags=re.M)
text = re.sub(r"^(attributes #\d+ = \{)(.*)\}$", lambda m: m[1] + " " + " ".join(re.sub(r'"[^"]*"(="[^"]*")?', "", m[2]).split()) + " }",
              text, flags=re.M)
text = re.sub(r", !(tbaa|range|fpmath|llvm\.loop|noundef|srcloc) !\d+", "", text)
text = re.sub(r"^!.*\n", "", text, flags=re.M)
with open(sys.argv[2], "w") as f:
    f.write(text)
