#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The SPIR-V reader through the compiler: test_reader.py TESSERA_CC. Modules are read, and their LLVM module has what it should; wrong ones are
refused with a message that names the instruction and the fault."""
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tools"))
import spirv_as  # noqa: E402

HEAD = """; Version: 1.4
OpCapability Kernel
OpCapability Addresses
OpCapability Linkage
OpCapability Int64
OpExtension "SPV_KHR_linkonce_odr"
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %f "f"
{annotations}
%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%ulong = OpTypeInt 64 0
%uint2 = OpTypeVector %uint 2
%p = OpTypePointer CrossWorkgroup %uint
%in = OpTypePointer Input %uint
%in2 = OpTypePointer Input %uint2
%ftype = OpTypeFunction %void %p
%one = OpConstant %uint 1
{globals}
%f = OpFunction %void None %ftype
%out = OpFunctionParameter %p
"""
WHOLE = "%entry = OpLabel\n{body}\nOpReturn\nOpFunctionEnd\n"


def module(body="", annotations="", globals="", end=WHOLE):
    return HEAD.format(annotations=annotations, globals=globals) + end.format(body=body)


def call_with(count):
    """A call with so many arguments."""
    return (module("%x = OpFunctionCall %void %g" + " %one" * count, 'OpName %g "g"', "%gtype = OpTypeFunction %void" + " %uint" * count) +
            "%g = OpFunction %void None %gtype\n" + "".join(f"%g{i} = OpFunctionParameter %uint\n" for i in range(count)) +
            "%gentry = OpLabel\nOpReturn\nOpFunctionEnd\n")


def two_sizes(call, more=""):
    """Kernels that require different sub-group sizes, each with a matrix; the first one makes the call."""
    kernel = """%{0} = OpFunction %void None %ftype
%{0}out = OpFunctionParameter %p
%{0}entry = OpLabel
{1}
OpCooperativeMatrixStoreKHR %{0}out %zeros %none %stride
OpReturn
OpFunctionEnd
"""
    head = HEAD.replace("OpMemoryModel", 'OpCapability CooperativeMatrixKHR\nOpExtension "SPV_KHR_cooperative_matrix"\nOpMemoryModel')
    annotations = 'OpEntryPoint Kernel %g "g"\nOpExecutionMode %f SubgroupSize 16\nOpExecutionMode %g SubgroupSize 8\nOpDecorate %h LinkageAttributes "h" Import'
    numbers = "%none = OpConstant %uint 0\n%two = OpConstant %uint 2\n%three = OpConstant %uint 3\n%stride = OpConstant %ulong 8\n%eight = OpConstant %uint 8\n"
    types = "%matrix = OpTypeCooperativeMatrixKHR %uint %three %eight %eight %two\n%zeros = OpConstantNull %matrix\n%htype = OpTypeFunction %void %matrix\n"
    head = head.format(annotations=annotations, globals=numbers + types)
    return head[: head.index("%f = ")] + more + kernel.format("f", call) + kernel.format("g", "")


IMPORTED = "%h = OpFunction %void None %htype\n%hm = OpFunctionParameter %matrix\nOpFunctionEnd\n"
SELF = "OpTypeForwardPointer %p CrossWorkgroup\n%p = OpTypePointer CrossWorkgroup %p"
SPECIAL = "OpDecorate %s SpecId 3", "%s = OpSpecConstant %uint 5\n%t = OpSpecConstantOp %uint IMul %s %one\n%u = OpSpecConstantOp %uint IAdd %t %s"
# name: (module, text of the LLVM module)
READ = {
    "operations on specialisation constants": (module("OpStore %out %u", *SPECIAL), "store i32 10,"),
    "a value that is made further on": (module("OpBranch %b\n%a = OpLabel\nOpStore %out %v\nOpBranch %c\n%b = OpLabel\n%v = OpLoad %uint %out\n"
                                               "OpBranch %a\n%c = OpLabel"), "store i32 %"),
    "a pointer as a number": (module("%v = OpBitcast %ulong %out\n%w = OpBitcast %p %v\nOpStore %w %one"), "ptrtoint ptr addrspace(1) %0 to i64"),
    "a pointer as two numbers": (module("%v = OpBitcast %uint2 %out\n%w = OpBitcast %p %v\nOpStore %w %one"), "bitcast <2 x i32> %3 to i64"),
    "a pointer to itself as an argument": (module().replace("%p = OpTypePointer CrossWorkgroup %uint", SELF), "define spir_kernel void @f(ptr"),
    "a call with hundreds of arguments": (call_with(512), "call spir_func void @g(i32 1, i32 1,"),
    "kernels with matrices for two sub-group sizes": (two_sizes("").replace('OpDecorate %h LinkageAttributes "h" Import', ""), "spirv.matrix.8.c8x8.i32.store"),
    "a pointer to bytes where one to a member is to be": (module("OpStore %out %one", globals="%eight = OpTypeInt 8 0\n%pbyte = OpTypePointer "
        "CrossWorkgroup %eight\n%pair = OpTypeStruct %uint %uint\n%ppair = OpTypePointer CrossWorkgroup %pair\n%ppbyte = OpTypePointer CrossWorkgroup %pbyte\n"
        "%none = OpConstantNull %pair\n%v = OpVariable %ppair CrossWorkgroup %none\n%a = OpSpecConstantOp %pbyte InBoundsPtrAccessChain %v %one %one\n"
        "%w = OpVariable %ppbyte CrossWorkgroup %a").replace("OpCapability Int64", "OpCapability Int64\nOpCapability Int8"), "getelementptr inbounds"),
    "a block that is never reached": (module("OpReturn\n%a = OpLabel\nOpStore %out %one"), "No predecessors"),
}
# name: module, on which LLVM would spend minutes if large arrays were values
LONG = "%n = OpConstant %uint 16384\n%array = OpTypeArray %uint %n\n%parray = OpTypePointer CrossWorkgroup %array\n"
QUICK = {
    "an array loaded, changed and stored": module(
        "%a = OpBitcast %parray %out\n%v = OpLoad %array %a Aligned 4\n%w = OpCompositeInsert %array %one %v 7\n"
        "%x = OpCompositeExtract %uint %v 9\nOpStore %a %w Aligned 4\nOpStore %out %x Aligned 4", globals=LONG),
    "arrays that are constants": module(
        "%private = OpVariable %pprivate Function %zeros\n%a = OpBitcast %parray %out\n%v = OpLoad %array %private Aligned 4\n"
        "OpStore %a %v Aligned 4\nOpStore %a %ones Aligned 4\nOpStore %a %zeros Aligned 4",
        globals=LONG + "%pprivate = OpTypePointer Function %array\n%zeros = OpConstantNull %array\n%ones = OpConstantComposite %array" + " %one" * 16384),
}
# name: (module, part of the message)
REFUSED = {
    "cut off": (spirv_as.assemble(module())[:-4], "OpFunctionEnd is missing"),
    "cut off within an instruction": (spirv_as.assemble(module("OpStore %out %one"))[:-12], "does not end within it"),
    "an unknown opcode": (module("!0x0001fffe"), "opcode 65534 is not known"),
    "a capability that is absent": (module(annotations="").replace("OpCapability Linkage", "OpCapability Shader"), "lacks the capability Shader"),
    "a function without a block": (module(end="OpFunctionEnd\n"), "it has no body"),
    "a function without a block, but with an instruction": (module(end="OpNop\nOpFunctionEnd\n"), "it has no block"),
    "a block without an end": (module(end="%entry = OpLabel\nOpFunctionEnd\n"), "has no end"),
    "a value of no instruction": (module("OpStore %out %nowhere"), "has no value here"),
    "a type of the wrong kind": (module("%x = OpIAdd %void %one %one"), "OpIAdd"),
    "a built-in of another type": (module("%x = OpLoad %uint2 %gid", "OpDecorate %gid BuiltIn GlobalLinearId", "%gid = OpVariable %in2 Input"),
                                   "get_global_linear_id cannot be a vector"),
    "a pointer as a number of another size": (module("%x = OpBitcast %uint %out"), "different sizes"),
    "an id twice": (module("%one = OpLoad %uint %out"), "a second time"),
    "an operand too many": (module("OpReturn !0"), "words too many"),
    "an operand that is missing": (module("!0x0002003e !1"), "missing"),
    "a kernel with matrices that calls one for another size": (two_sizes("%x = OpFunctionCall %void %g %fout").replace(
        'OpDecorate %h LinkageAttributes "h" Import', ""), "requires another sub-group size"),
    "a kernel with matrices that calls one for a third size": (two_sizes("", IMPORTED.replace("%htype\n%hm = OpFunctionParameter %matrix\n",
        "%ftype\n%hp = OpFunctionParameter %p\n%hl = OpLabel\nOpCooperativeMatrixStoreKHR %hp %zeros %none %stride\nOpReturn\n")).replace(
        'OpDecorate %h LinkageAttributes "h" Import', 'OpEntryPoint Kernel %h "h"\nOpExecutionMode %h SubgroupSize 32').replace(
        "%gentry = OpLabel", "%gentry = OpLabel\n%gx = OpFunctionCall %void %h %gout"), "requires another sub-group size"),
    "a function with matrices from elsewhere, for two sizes": (two_sizes("%x = OpFunctionCall %void %h %zeros", IMPORTED),
                                                               "cannot import a function with matrices"),
    "a use that its definition does not dominate": (module(
        "%c = OpIEqual %bool %one %one\nOpBranchConditional %c %a %b\n%a = OpLabel\n%v = OpLoad %uint %out\nOpBranch %b\n%b = OpLabel\nOpStore %out %v"),
        "the module is not valid"),
}


def linked(kind):
    """A kernel named like the kind of linkage that the function g and the variable v have."""
    imported = kind == "Import"
    text = module("%x = OpFunctionCall %uint %g\nOpStore %out %x\nOpCopyMemory %out %v" if imported else "",
                  f'OpDecorate %g LinkageAttributes "g" {kind}\nOpDecorate %v LinkageAttributes "v" {kind}',
                  "%gtype = OpTypeFunction %uint\n%v = OpVariable %p CrossWorkgroup " + ("" if imported else "%one"))
    body = "" if imported else "%gentry = OpLabel\nOpReturnValue %one\n"
    return text.replace('"f"', f'"{kind}"') + f"%g = OpFunction %uint None %gtype\n{body}OpFunctionEnd\n"


# name: (kinds of linkage, part of the message; None: they can be linked)
LINKED = {
    "a definition and its use": (("Export", "Import"), None),
    "a definition that others may repeat and its use": (("LinkOnceODR", "Import"), None),
    "a use without a definition": (("Import",), "undefined"),
}


def compile_module(compiler, data, *options):
    data = spirv_as.assemble(data) if isinstance(data, str) else data
    return subprocess.run([compiler, "-c", "-", "-o", "-", *options], input=data, capture_output=True, timeout=60)


def link(compiler, kinds):
    with tempfile.TemporaryDirectory() as folder:
        words = []
        for kind in kinds:
            words += ["-c", f"{folder}/{kind}"]
            pathlib.Path(words[-1]).write_bytes(compile_module(compiler, linked(kind), "--object").stdout)
        return subprocess.run([compiler, "--link", *words, "-o", os.devnull], capture_output=True, timeout=60)


def main():
    compiler, failed = sys.argv[1], []
    for name, (text, wanted) in READ.items():
        done = compile_module(compiler, text, "--emit-llvm")
        if done.returncode or wanted not in done.stdout.decode():
            failed.append(f"{name}: status {done.returncode}, no '{wanted}': {(done.stderr + done.stdout).decode()}")
    for seed in sorted((ROOT / "fuzz/seeds").glob("*.spvasm")):  # with all that it calls, to an object
        done = compile_module(compiler, seed.read_text(), "--object")
        if done.returncode:
            failed.append(f"{seed.name}: {done.stderr.decode()}")
    for name, text in QUICK.items():
        done = compile_module(compiler, text)
        if done.returncode:
            failed.append(f"{name}: {done.stderr.decode()}")
    for name, (text, wanted) in REFUSED.items():
        done = compile_module(compiler, text)
        message = done.stderr.decode()
        if done.returncode != 1 or "error:" not in message or wanted not in message:
            failed.append(f"{name}: status {done.returncode}, '{message[:300]}' instead of '{wanted}'")
    for name, (kinds, wanted) in LINKED.items():
        done = link(compiler, kinds)
        message = done.stderr.decode()
        if done.returncode if wanted is None else done.returncode != 1 or wanted not in message:
            failed.append(f"{name}: status {done.returncode}, '{message[:300]}' instead of '{wanted}'")
    sys.exit("\n".join(failed) or 0)


if __name__ == "__main__":
    main()
