#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/spirv_as.py: every instruction and enumerant there and back. With --words the same words as spirv-as makes; exit status 77 if there is none."""
import pathlib
import random
import shutil
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tools"))
import spirv_as  # noqa: E402

GRAMMAR = spirv_as.load_grammar()
# What the other lines refer to.
PREAMBLE = """; Version: 1.6
%std = OpExtInstImport "OpenCL.std"
%i8 = OpTypeInt 8 0
%i16 = OpTypeInt 16 1
%i32 = OpTypeInt 32 0
%i64 = OpTypeInt 64 0
%f16 = OpTypeFloat 16
%f32 = OpTypeFloat 32
%f64 = OpTypeFloat 64
%x = OpIAdd %i32 %a %b
%wide = OpIAdd %i64 %a %b
"""
NUMBERS = """
%n0 = OpConstant %i8 255
%n1 = OpConstant %i16 -2
%n2 = OpConstant %i16 0xFFFE
%n3 = OpConstant %i32 0xFFFFFFFF
%n4 = OpConstant %i64 0x123456789abcdef0
%n5 = OpSpecConstant %i64 5000000000
%n6 = OpConstant %f16 0.1
%n7 = OpConstant %f16 -0x1.004p-3
%n8 = OpConstant %f32 0.1
%n9 = OpConstant %f32 0x1.fffffep+127
%n10 = OpConstant %f32 0x1p-149
%n11 = OpConstant %f32 0x1p+128
%n12 = OpConstant %f32 -0x1.8p+128
%n13 = OpConstant %f64 1e300
%n14 = OpConstant %f64 0x1p-1074
%n15 = OpConstant %f64 0x1p+1024
%n16 = OpConstant %f32 0
OpSwitch %x %l0 1 %l1 0xFFFFFFFF %l2
OpSwitch %wide %l0 4294967296 %l1
OpName %x "a \\"quoted\\" \\\\ name"
OpName %x ""
OpName %x "four"
"""


class Lines:
    """Makes operands of every kind; enumerants in turn, so that each of a kind occurs."""

    def __init__(self, grammar):
        self.random, self.grammar, self.used, self.results = random.Random(1), grammar, {}, 0

    def operand(self, kind):
        """The words of text that an operand takes."""
        if kind in spirv_as.PAIRS:
            return [word for base in spirv_as.PAIRS[kind] for word in self.operand(base)]
        if kind.startswith("Id"):
            return ["%i32" if kind == "IdResultType" else f"%v{self.random.randrange(99)}"]
        if kind.startswith("Literal") or kind == "SwitchLiteral":
            return {"LiteralString": ['"text"'], "LiteralExtInstInteger": ["fmax"], "LiteralSpecConstantOpInteger": ["IAdd"],
                    "LiteralFloat": ["0.5"]}.get(kind, [str(self.random.randrange(1 << 31))])
        enumerants = self.grammar.kinds[kind]
        known = sorted(enumerants.names)
        number = known[self.used.get(kind, 0) % len(known)]
        self.used[kind] = self.used.get(kind, 0) + 1
        return [enumerants.names[number], *(word for parameter in enumerants.parameters[number] for word in self.operand(parameter))]

    def line(self, name, most):
        """An instruction with its optional operands (most) or without them."""
        words, result = [], ""
        for kind, quantifier in self.grammar.forms[name][1]:
            if kind == "IdResult":
                self.results += 1
                result = f"%r{self.results} = "
                continue
            for _ in range({"": 1, "?": most, "*": 2 * most}[quantifier]):
                words += self.operand(kind)
        if name.startswith(("OpExtInst", "OpSpecConstantOp")) and name != "OpExtInstImport":
            words = ["%i32", *(["%std", "fmax"] if "Ext" in name else ["IAdd"]), "%a", "%b"]
        elif name == "OpExtInstImport":
            words = ['"OpenCL.std"']
        elif name == "OpSwitch":
            words[0] = "%x"
        return f"{result}{name} {' '.join(words)}".rstrip()

    def all(self):
        forms = self.grammar.forms
        for name in forms:
            yield from (self.line(name, most) for most in (1, 0))
        for kind, enumerants in self.grammar.kinds.items():  # each enumerant once more, in an instruction that takes it
            users = [name for name in forms if (kind, "") in forms[name][1] or (kind, "?") in forms[name][1]]
            yield from (self.line(users[0], 1) for _ in enumerants.names if users)
        for name, number in GRAMMAR.std.items():
            operands = [word for kind, quantifier in spirv_as.load_set("OpenCL.std").operands[number] if not quantifier for word in self.operand(kind)]
            yield f"%std_{name} = OpExtInst %i32 %std {name} {' '.join(operands)}"


def words_of(data):
    words = list(struct.unpack(f"<{len(data) // 4}I", data))
    return words[:2] + words[3:]  # without who made it


def same_words_as_spirv_as():
    if not shutil.which("spirv-as"):
        sys.exit(77)
    packaged = spirv_as.spirv_grammar.Grammar(newer=spirv_as.spirv_grammar.PACKAGED / "spirv.core.grammar.json")
    packaged.forms = {name: form for name, form in packaged.forms.items() if GRAMMAR.forms[name] == form}  # newer.json mends some
    text = PREAMBLE + NUMBERS + "\n".join(Lines(packaged).all()) + "\n"
    with tempfile.TemporaryDirectory() as folder:
        source, out = pathlib.Path(folder, "all.spvasm"), pathlib.Path(folder, "all.spv")
        source.write_text(text)
        subprocess.run(["spirv-as", "--target-env", "spv1.6", source, "-o", out], check=True)
        ours, theirs = words_of(spirv_as.assemble(text)), words_of(out.read_bytes())
    assert len(ours) == len(theirs), (len(ours), len(theirs))
    assert ours == theirs, [(i, a, b) for i, (a, b) in enumerate(zip(ours, theirs)) if a != b][:5]
    assert len(ours) > 5000


def there_and_back():
    lines = list(Lines(GRAMMAR).all())
    data = spirv_as.assemble(PREAMBLE + NUMBERS + "\n".join(lines))
    text = spirv_as.disassemble(data)
    assert spirv_as.assemble(text, keep_ids=True) == data
    assert not [line for line in text.splitlines() if line.startswith("!")]
    # Each instruction by its own name; those of one form have one number, and the first name of it.
    got = [line.split(" = ")[-1].split()[0] for line in text.splitlines()[-len(lines) :]]
    for line, name in zip(lines, got):
        wanted = line.split(" = ")[-1].split()[0]
        assert name == wanted or name in GRAMMAR.names[GRAMMAR.forms[wanted][0]], (line, name)


def forms_of_one_number():
    """What 6120 takes as its last operand depends on the type that the module declares."""
    for type_line, load in (("OpTypeJointMatrixDraftINTEL %i32 %a %a %a %a", "OpJointMatrixLoadDraftINTEL %9 %1 %2 %3 %4"),
                            ("OpTypeJointMatrixINTEL %i32 %a %a %a %a", "OpJointMatrixLoadINTEL %9 %1 %2 %3 Volatile")):
        text = spirv_as.disassemble(spirv_as.assemble(f"{PREAMBLE}%m = {type_line}\n%8 = {load}", keep_ids=True))
        assert text.splitlines()[-1] == f"%8 = {load}", text
    for prefetch in ("OpCooperativeMatrixPrefetchINTEL %1 %2 %3 0 %4 %5", "OpCooperativeMatrixPrefetchCoordINTEL %1 %2 %3 %4 %5 0 %6 %7"):
        assert spirv_as.disassemble(spirv_as.assemble(prefetch, keep_ids=True)).splitlines()[-1] == prefetch


def any_bytes():
    """Damaged modules go there and back as well."""
    unknown_set = '%set = OpExtInstImport "NonSemantic.Text"\n%t = OpExtInst %i32 %set 7 %x\n'
    whole = spirv_as.assemble(PREAMBLE + NUMBERS + unknown_set + "OpStore %x %wide Aligned|Volatile 4\nOpUnreachable\n")
    chance = random.Random(2)
    for _ in range(200):
        data = bytearray(whole)
        for _ in range(chance.randrange(1, 9)):
            data[chance.randrange(20, len(data))] = chance.randrange(256)
        data = bytes(data[: chance.choice([len(data), chance.randrange(5, len(data) // 4) * 4])])
        text = spirv_as.disassemble(data)
        assert spirv_as.assemble(text, keep_ids=True) == data, text


def floats():
    chance = random.Random(3)
    for _ in range(300):
        value = chance.choice([chance.uniform(-2, 2), chance.uniform(-6e-5, 6e-5), chance.uniform(-60000, 60000)])
        for code, width in (("e", 16), ("f", 32), ("d", 64)):
            wanted = int.from_bytes(struct.pack(f"<{code}", value), "little")
            for text in (repr(value), value.hex()):
                assert spirv_as.parse_float(text, *spirv_as.FLOATS[width]) == wanted, (text, width)
    for width, (exponent, fraction) in spirv_as.FLOATS.items():
        for bits in {chance.randrange(1 << 1 + exponent + fraction) for _ in range(300)}:
            assert spirv_as.parse_float(spirv_as.print_float(bits, exponent, fraction), exponent, fraction) == bits, (width, bits)


def refusals():
    for text, message in (
        ("OpNothing", "no instruction"), ("%1 = OpIAdd %2 %3", "missing"), ("OpReturn %1", "too many"), ("OpName 5 \"x\"", "not an id"),
        ("OpCapability Nothing", "no such operand"), ("%1 = OpConstant %2 5", "without a type"), ("OpName %1 \"x", "not understood"),
        ("OpLine %1 one 2", "invalid literal"), ("%1 = OpReturn", "not in list"),
    ):
        try:
            spirv_as.assemble(text)
        except spirv_as.Wrong as wrong:
            assert str(wrong).startswith("line 1: ") and message in str(wrong), (text, str(wrong))
        else:
            raise AssertionError(text)


if __name__ == "__main__":
    if "--words" in sys.argv:
        same_words_as_spirv_as()
    else:
        for test in (there_and_back, forms_of_one_number, any_bytes, floats, refusals):
            test()
