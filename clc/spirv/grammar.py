#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The instructions, enumerants and extended instructions of SPIR-V, as a table for the C preprocessor.

grammar.py CORE NEWER STD OUT

CORE is spirv.core.grammar.json and STD extinst.opencl.std.100.grammar.json of the package spirv-headers; NEWER, in the same form, adds what CORE lacks
(clc/spirv/newer.json): an instruction of the same name takes the place of CORE's. OUT gets rows

  TSR_SPIRV_OP(Name, number, "operands")    one for each number, in order of numbers
  TSR_SPIRV_FORM(Name, number, "operands")  another form that instructions of that number have in some modules
  TSR_SPIRV_CAP(Name, number)               capabilities
  TSR_SPIRV_STD(name, number)               OpenCL.std

A letter of the operands stands for: T result type, R result, I id, L literal word, S string, N number as wide as the result type, X number in the set of
extended instructions, O opcode behind OpSpecConstantOp, V enumerant or mask without parameters, W enumerant that may carry parameters, M mask that may
carry parameters, p literal and id, q id and literal, r two ids. Behind a letter, ? means that the operand may be absent, * that there is any number of it.
A literal of p is as wide as the selector of the switch. tools/spirv_as.py reads the grammar through the class below."""
import json
import pathlib
import sys

PACKAGED = pathlib.Path("/usr/include/spirv/unified1")
LETTERS = {
    "IdResultType": "T", "IdResult": "R", "IdRef": "I", "IdScope": "I", "IdMemorySemantics": "I", "LiteralInteger": "L", "LiteralFloat": "L",
    "LiteralString": "S", "LiteralContextDependentNumber": "N", "LiteralExtInstInteger": "X", "LiteralSpecConstantOpInteger": "O",
    "PairLiteralIntegerIdRef": "p", "PairIdRefLiteralInteger": "q", "PairIdRefIdRef": "r",
}  # fmt: skip


class Grammar:
    """forms: opname -> (opcode, [(kind, quantifier)]); names: opcode -> [opname], the usual form first; kinds: kind -> Kind; std: name -> number"""

    def __init__(self, core=PACKAGED / "spirv.core.grammar.json", newer=pathlib.Path(__file__).with_name("newer.json"),
                 std=PACKAGED / "extinst.opencl.std.100.grammar.json"):  # fmt: skip
        sources = [json.loads(pathlib.Path(file).read_text()) for file in (core, newer)]
        self.forms, self.names, self.kinds = {}, {}, {}
        for instruction in (i for source in sources for i in source["instructions"]):
            operands = [(o["kind"], o.get("quantifier", "")) for o in instruction.get("operands", [])]
            name, number = instruction["opname"], instruction["opcode"]
            self.forms[name] = (number, operands)
            if name not in self.names.setdefault(number, []):
                self.names[number].append(name)
        for kind in (k for source in sources for k in source["operand_kinds"]):
            self.kinds.setdefault(kind["kind"], Kind(kind["category"])).add(kind.get("enumerants", []))
        self.std = {i["opname"]: i["opcode"] for i in json.loads(pathlib.Path(std).read_text())["instructions"]}

    def letters(self, name):
        """The operands of an instruction in the notation of the table."""
        return "".join(self.letter(kind) + quantifier for kind, quantifier in self.forms[name][1])

    def letter(self, kind):
        if kind in LETTERS:
            return LETTERS[kind]
        if not any(self.kinds[kind].parameters.values()):
            return "V"
        return "M" if self.kinds[kind].category == "BitEnum" else "W"


class Kind:
    """The enumerants of an operand. values: name -> number; names: number -> the first name; parameters: number -> kinds of what follows"""

    def __init__(self, category):
        self.category, self.values, self.names, self.parameters = category, {}, {}, {}

    def add(self, enumerants):
        for enumerant in enumerants:
            number = int(str(enumerant["value"]), 0)
            self.values[enumerant["enumerant"]] = number
            self.names.setdefault(number, enumerant["enumerant"])
            self.parameters.setdefault(number, [p["kind"] for p in enumerant.get("parameters", [])])


def rows(grammar):
    for number, names in sorted(grammar.names.items()):
        usual = grammar.letters(names[0])
        yield "OP", names[0].removeprefix("Op"), number, f', "{usual}"'
        for name in names[1:]:
            if grammar.letters(name) != usual:
                yield "FORM", name.removeprefix("Op"), number, f', "{grammar.letters(name)}"'
    for number, name in sorted(grammar.kinds["Capability"].names.items()):
        yield "CAP", name, number, ""
    for name, number in sorted(grammar.std.items(), key=lambda row: row[1]):
        yield "STD", name, number, ""


def main():
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    tables = {"OP": 3, "FORM": 3, "CAP": 2, "STD": 2}
    lines = ["// Made by clc/spirv/grammar.py, which tells what the rows are."]
    lines += [f"#ifndef TSR_SPIRV_{table}\n#define TSR_SPIRV_{table}({', '.join('abc'[:count])})\n#endif" for table, count in tables.items()]
    lines += [f"TSR_SPIRV_{table}({name}, {number}{rest})" for table, name, number, rest in rows(Grammar(*sys.argv[1:4]))]
    lines += [f"#undef TSR_SPIRV_{table}" for table in tables]
    pathlib.Path(sys.argv[4]).write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
