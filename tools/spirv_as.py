#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Assembles SPIR-V from the text form of spirv-as, and disassembles it, with the instructions of clc/spirv/newer.json as well.

spirv_as.py [-d] [-o OUT] [--keep-ids] [--version MAJOR.MINOR] [FILE]

  %four = OpConstant %uint 4    ; named and numbered ids, enumerants by name, masks joined by |, strings, numbers as wide as their type says
  OpStore %p %four !2           ; behind the first !NUMBER words, ids and strings are taken as they stand, whatever the instruction wants

Ids get numbers in the order in which they appear; with --keep-ids %5 is 5. A comment `; Version: 1.4` sets the version of the header, which is 1.0
otherwise; `; Generator: 0x…` and `; Bound: …` set those. What -d writes becomes the same bytes again with --keep-ids, also if it is not SPIR-V
that is right: lines of !NUMBER stand for instructions that the grammar does not explain."""
import argparse
import fractions
import functools
import json
import pathlib
import re
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "clc/spirv"))
import grammar as spirv_grammar  # noqa: E402

MAGIC = 0x07230203
SETS = {"OpenCL.std": "opencl.std.100", "OpenCL.DebugInfo.100": "opencl.debuginfo.100", "DebugInfo": "debuginfo", "GLSL.std.450": "glsl.std.450"}
TOKEN = re.compile(r'\s*(?:;.*|("(?:[^"\\]|\\.)*"|[^\s;"]+))', re.S)
HEADER = re.compile(r"^; (Version|Generator|Bound): (\d+\.\d+|0x[0-9a-f]+|\d+)$", re.M)
# Bits of exponent and of fraction, by width; None is bfloat16.
FLOATS = {16: (5, 10), None: (8, 7), 32: (8, 23), 64: (11, 52)}
PAIRS = {
    "PairLiteralIntegerIdRef": ("SwitchLiteral", "IdRef"),
    "PairIdRefLiteralInteger": ("IdRef", "LiteralInteger"),
    "PairIdRefIdRef": ("IdRef", "IdRef"),
}


class Wrong(Exception):
    pass


def parse_float(text, exponent_bits, fraction_bits):
    """The bits of a decimal or hexadecimal number, rounded to nearest even; one too large by a power of two is infinity or a NaN, as spirv-dis writes them."""
    match = re.fullmatch(r"([+-]?)(?:0[xX]([0-9a-fA-F]*)\.?([0-9a-fA-F]*)[pP]([+-]?\d+)|(.+))", text)
    sign, whole, part, power, decimal = match.groups()
    if decimal:
        value = fractions.Fraction(decimal)
    else:
        value = int(whole + part, 16) * fractions.Fraction(2) ** (int(power) - 4 * len(part))
    if not value:
        return (sign == "-") << exponent_bits + fraction_bits
    bias = (1 << exponent_bits - 1) - 1
    top = value.numerator.bit_length() - value.denominator.bit_length()
    top -= fractions.Fraction(2) ** top > value
    exponent = max(top, 1 - bias)
    fraction = round(value / fractions.Fraction(2) ** (exponent - fraction_bits))
    bits = fraction if top < 1 - bias else (exponent + bias - 1 << fraction_bits) + fraction
    return (sign == "-") << exponent_bits + fraction_bits | min(bits, (1 << exponent_bits + fraction_bits) - 1)


def print_float(bits, exponent_bits, fraction_bits):
    sign = "-" * (bits >> exponent_bits + fraction_bits & 1)
    exponent, fraction = bits >> fraction_bits & (1 << exponent_bits) - 1, bits & (1 << fraction_bits) - 1
    bias = (1 << exponent_bits - 1) - 1
    digits = f"{fraction << -fraction_bits % 4:0{(fraction_bits + 3) // 4}x}".rstrip("0")
    text = f"{sign}0x{min(exponent, 1)}{'.' * bool(digits)}{digits}p{max(exponent, 1) - bias:+d}"
    if abs(exponent - bias) < 32:
        value = float.fromhex(text)
        for short in (f"{value:g}", f"{value:.9g}", f"{value:.17g}"):
            if parse_float(short, exponent_bits, fraction_bits) == bits:
                return short
    return f"{sign}0" if exponent == fraction == 0 else text


@functools.cache
def load_set(name):
    return Set(name, load_grammar().kinds)


class Set:
    """A set of extended instructions. numbers: name -> number; operands: number -> their kinds"""

    def __init__(self, name, kinds):
        self.numbers, self.operands = {}, {}
        if name in SETS:
            grammar = json.loads((spirv_grammar.PACKAGED / f"extinst.{SETS[name]}.grammar.json").read_text())
            for kind in grammar.get("operand_kinds", []):
                if kind["kind"] not in kinds:
                    kinds[kind["kind"]] = spirv_grammar.Kind(kind["category"])
                    kinds[kind["kind"]].add(kind.get("enumerants", []))
            for i in grammar["instructions"]:
                self.numbers[i["opname"]] = i["opcode"]
                self.operands[i["opcode"]] = [(o["kind"], o.get("quantifier", "")) for o in i.get("operands", [])]


@functools.cache
def load_grammar():
    grammar = spirv_grammar.Grammar()
    grammar.short = {name.removeprefix("Op"): form[0] for name, form in grammar.forms.items()}
    return grammar


class State:
    """What both directions remember of the instructions so far: types that are numbers, the type of each value, imported sets."""

    def __init__(self):
        self.grammar = load_grammar()
        self.numbers, self.types, self.sets, self.draft = {}, {}, {}, False

    def note(self, opcode, words):
        names = self.grammar.names.get(opcode, [""])
        letters = self.grammar.letters(names[0]) if names[0] else ""
        if names[0] == "OpTypeInt" and len(words) == 3 and words[1] <= 64:
            self.numbers[words[0]] = ("int", words[1], words[2])
        elif names[0] == "OpTypeFloat" and len(words) >= 2:
            self.numbers[words[0]] = ("float", words[1] if len(words) == 2 else None, 0)
        elif names[0] == "OpExtInstImport" and len(words) > 1:
            name = struct.pack(f"<{len(words) - 1}I", *words[1:]).split(b"\0")[0].decode(errors="replace")
            self.sets[words[0]] = load_set(name)
        elif letters.startswith("TR") and len(words) > 1:
            self.types[words[1]] = words[0]
        self.draft = self.draft or "OpTypeJointMatrixDraftINTEL" in names

    def number_of(self, kind, ids):
        """What a literal is whose width depends on the instruction: its type is the result type, or the type of the selector."""
        number = self.numbers.get(ids[0] if kind == "LiteralContextDependentNumber" else self.types.get(ids[0]))
        if not number:
            raise Wrong("number without a type of numbers")
        return number


class Coder:
    """Walks the operands of one instruction; what an operand is in text and in words is the business of the subclasses."""

    def __init__(self, state):
        self.state, self.ids = state, []

    def walk(self, operands):
        for kind, quantifier in operands:
            if quantifier == "":
                self.operand(kind)
            while quantifier and self.more(kind):
                self.operand(kind)
                if quantifier == "?":
                    break

    def operand(self, kind):
        if kind in PAIRS:
            for base in PAIRS[kind]:
                self.operand(base)
        elif kind in ("IdResultType", "IdResult", "IdRef", "IdScope", "IdMemorySemantics"):
            self.ids.append(self.id(kind == "IdResult"))
        elif kind == "LiteralExtInstInteger":
            known = self.state.sets.get(self.ids[-1], load_set(""))
            number = self.name(known.numbers)
            self.walk(known.operands.get(number, [("IdRef", "*")]))
        elif kind == "LiteralSpecConstantOpInteger":
            grammar = self.state.grammar
            number = self.name(grammar.short)
            if number not in grammar.names:
                raise Wrong(f"no instruction {number}")
            self.walk(grammar.forms[grammar.names[number][0]][1][2:])
        elif kind in ("LiteralContextDependentNumber", "SwitchLiteral"):
            self.number(*self.state.number_of(kind, self.ids))
        elif kind == "LiteralString":
            self.string()
        elif kind == "LiteralInteger":
            self.number("int", 32, 0)
        elif kind == "LiteralFloat":
            self.number("float", 32, 0)
        else:
            self.enumerant(self.state.grammar.kinds[kind])

    def enumerant(self, kind):
        value = self.flags(kind) if kind.category == "BitEnum" else self.value(kind)
        for flag in [1 << bit for bit in range(32) if value >> bit & 1] if kind.category == "BitEnum" else [value]:
            self.walk((parameter, "") for parameter in kind.parameters.get(flag, []))


class Encoder(Coder):
    """The tokens of a line to words. number_of_id: text -> id"""

    def __init__(self, state, tokens, number_of_id):
        super().__init__(state)
        loose = next((i for i, token in enumerate(tokens) if token.startswith("!")), len(tokens))
        self.tokens, self.tail, self.words, self.number_of_id = tokens[:loose], tokens[loose:], [], number_of_id

    def encode(self):
        if not self.tokens:
            self.words = self.loose()
            self.state.note(self.words[0] & 0xFFFF if self.words else 0, self.words[1:])
            return self.words
        result = None
        if self.tokens[1:2] == ["="]:
            result, self.tokens = self.tokens[0], self.tokens[2:]
        opcode = self.tokens.pop(0) if self.tokens else ""
        if opcode not in self.state.grammar.forms:
            raise Wrong(f"no instruction {opcode}")
        number, operands = self.state.grammar.forms[opcode]
        if result is not None:
            self.tokens.insert([kind for kind, _ in operands].index("IdResult"), result)
        try:
            self.walk(operands)
        except IndexError:  # of take
            if not self.tail:
                raise Wrong("an operand is missing") from None
        if self.tokens:
            raise Wrong(f"too many operands: {self.tokens[0]}")
        self.words += self.loose()
        if len(self.words) > 0xFFFE:
            raise Wrong("too many words")
        self.state.note(number, self.words)
        return [len(self.words) + 1 << 16 | number, *self.words]

    def loose(self):
        words = []
        for token in self.tail:
            if token.startswith("%"):
                words.append(self.number_of_id(token))
            elif token.startswith('"'):
                words += self.string_words(token)
            else:
                words.append(int(token.removeprefix("!"), 0) & 0xFFFFFFFF)
        return words

    def more(self, kind):
        return bool(self.tokens) and (not kind.startswith(("Id", "PairId")) or self.tokens[0].startswith("%"))

    def take(self):
        return self.tokens.pop(0)

    def id(self, result):
        token = self.take()
        if not token.startswith("%"):
            raise Wrong(f"not an id: {token}")
        self.words.append(self.number_of_id(token))
        return self.words[-1]

    def number(self, sort, width, signed):
        token = self.take()
        if sort == "float":
            value = parse_float(token, *FLOATS[width])
        else:
            value = int(token, 0) & (1 << width) - 1
            value -= (signed and value >> width - 1) << width
        self.words += [value >> at & 0xFFFFFFFF for at in range(0, width or 16, 32)]

    @staticmethod
    def string_words(token):
        data = re.sub(r"\\(.)", r"\1", token[1:-1], flags=re.S).encode("utf-8", "surrogateescape")
        data += b"\0" * (4 - len(data) % 4)
        return struct.unpack(f"<{len(data) // 4}I", data)

    def string(self):
        self.words += self.string_words(self.take())

    def name(self, names):
        token = self.take()
        self.words.append(self.one(names, token))
        return self.words[-1]

    def value(self, kind):
        return self.name(kind.values)

    def flags(self, kind):
        self.words.append(0)
        for word in self.take().split("|"):
            self.words[-1] |= self.one(kind.values, word)
        return self.words[-1]

    @staticmethod
    def one(values, token):
        if token in values:
            return values[token]
        if not re.fullmatch(r"0[xX][0-9a-fA-F]+|\d+", token):
            raise Wrong(f"no such operand: {token}")
        return int(token, 0)


class Decoder(Coder):
    """The words behind the first of an instruction to text."""

    def __init__(self, state, words):
        super().__init__(state)
        self.words, self.at, self.texts, self.result = words, 0, [], ""

    def decode(self, name):
        self.walk(self.state.grammar.forms[name][1])
        if self.more(""):
            raise Wrong("too many words")
        return f"{self.result}{' '.join([name, *self.texts])}"

    def more(self, kind):
        return self.at < len(self.words)

    def take(self):
        self.at += 1
        return self.words[self.at - 1]

    def id(self, result):
        number = self.take()
        if result:
            self.result = f"%{number} = "
        else:
            self.texts.append(f"%{number}")
        return number

    def number(self, sort, width, signed):
        value = sum(self.take() << at for at in range(0, width or 16, 32))
        if sort == "float":
            self.texts.append(print_float(value, *FLOATS[width]))
        else:
            value &= (1 << width) - 1
            self.texts.append(str(value - ((signed and value >> width - 1) << width)))

    def string(self):
        data = b""
        while b"\0" not in data:
            data += struct.pack("<I", self.take())
        text = data.split(b"\0")[0].decode("utf-8", "surrogateescape")
        if "\n" in text:
            raise Wrong("string of several lines")
        self.texts.append('"' + re.sub(r'(["\\])', r"\\\1", text) + '"')

    def name(self, names):
        return self.value(None, {number: name for name, number in names.items()})

    def value(self, kind, names=None):
        value = self.take()
        self.texts.append((kind.names if names is None else names).get(value, str(value)))
        return value

    def flags(self, kind):
        value = self.take()
        known = [kind.names[1 << bit] for bit in range(32) if value >> bit & 1 and 1 << bit in kind.names]
        whole = sum(kind.values[name] for name in known) == value
        self.texts.append("|".join(known) if known and whole else kind.names.get(0, "0") if value == 0 else hex(value))
        return value


def tokens_of(line):
    found, end = [], 0
    while end < len(line) and (match := TOKEN.match(line, end)):
        end = match.end()
        if match[1]:
            found.append(match[1])
    if line[end:].strip():
        raise Wrong(f"not understood: {line[end:].strip()}")
    return found


def assemble(text, version=None, keep_ids=False):
    """Text to the bytes of a module. Raises Wrong."""
    header = dict(HEADER.findall(text))
    ids = {token: int(token[1:]) for token in re.findall(r"(?<!\S)%\d+(?!\S)", text) if keep_ids}
    taken = set(ids.values())

    def number_of_id(token):
        if token not in ids:
            ids[token] = next(n for n in range(number_of_id.next, 1 << 32) if n not in taken)
            number_of_id.next = ids[token] + 1
        return ids[token]

    number_of_id.next = 1
    state, words = State(), []
    for number, line in enumerate(text.split("\n"), 1):
        try:
            words += Encoder(state, tokens_of(line), number_of_id).encode()
        except (Wrong, ValueError, KeyError) as wrong:
            raise Wrong(f"line {number}: {wrong}") from None
    major, minor = (version or header.get("Version", "1.0")).split(".")
    bound = int(header["Bound"]) if keep_ids and "Bound" in header else max(ids.values(), default=0) + 1
    words[:0] = [MAGIC, int(major) << 16 | int(minor) << 8, int(header.get("Generator", "0"), 0), bound, 0]
    return struct.pack(f"<{len(words)}I", *words)


def instruction_text(state, words):
    """One instruction as a line that assembles to the same words."""
    opcode = words[0] & 0xFFFF
    names = state.grammar.names.get(opcode, [])
    for name in sorted(names, key=lambda name: ("Draft" in name) != state.draft):
        try:
            line = Decoder(state, words[1:]).decode(name)
            if Encoder(state, tokens_of(line), lambda token: int(token[1:])).encode() == words:
                return line
        except (Wrong, ValueError, KeyError, IndexError, OverflowError):
            pass
    state.note(opcode, words[1:])
    return " ".join(f"!{word:#x}" for word in words)


def disassemble(data):
    """The bytes of a module, in either byte order, to text. Raises Wrong."""
    if len(data) % 4 or len(data) < 20:
        raise Wrong("not a whole number of words, or no header")
    order = "<" if data[:4] == struct.pack("<I", MAGIC) else ">"
    magic, version, generator, bound, _, *words = struct.unpack(f"{order}{len(data) // 4}I", data)
    if magic != MAGIC:
        raise Wrong("not SPIR-V")
    lines = ["; SPIR-V", f"; Version: {version >> 16 & 255}.{version >> 8 & 255}", f"; Generator: {generator:#x}", f"; Bound: {bound}"]
    state, at = State(), 0
    while at < len(words):
        count = max(words[at] >> 16, 1)
        lines.append(instruction_text(state, words[at : at + count]))
        at += count
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?", type=argparse.FileType("rb"), default=sys.stdin.buffer)
    parser.add_argument("-o", "--out", type=argparse.FileType("wb"), default=sys.stdout.buffer)
    parser.add_argument("-d", "--disassemble", action="store_true")
    parser.add_argument("--keep-ids", action="store_true", help="%%5 is 5")
    parser.add_argument("--version", help="of the header")
    args = parser.parse_args()
    try:
        data = args.file.read()
        if args.disassemble:
            args.out.write(disassemble(data).encode("utf-8", "surrogateescape"))
        else:
            args.out.write(assemble(data.decode("utf-8", "surrogateescape"), args.version, args.keep_ids))
    except Wrong as wrong:
        sys.exit(f"{args.file.name}: {wrong}")


if __name__ == "__main__":
    main()
