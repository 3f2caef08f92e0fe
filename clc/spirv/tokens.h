/* SPDX-License-Identifier: Apache-2.0
 * Numbers of SPIR-V that the reader uses by name. Opcodes are all of the grammar's; of the enumerations those that mean something here. */
#ifndef TESSERA_CLC_SPIRV_TOKENS_H
#define TESSERA_CLC_SPIRV_TOKENS_H

enum tsr__opcode {
#define TSR_SPIRV_OP(name, number, operands) TSR__Op##name = number,
#include "spirv_grammar.inc"
};

enum tsr__opencl_std {
#define TSR_SPIRV_STD(name, number) TSR__Std_##name = number,
#include "spirv_grammar.inc"
};

enum tsr__storage {
    TSR__StorageUniformConstant = 0,
    TSR__StorageInput = 1,
    TSR__StorageWorkgroup = 4,
    TSR__StorageCrossWorkgroup = 5,
    TSR__StoragePrivate = 6,
    TSR__StorageFunction = 7,
    TSR__StorageGeneric = 8,
};

enum tsr__decoration_number {
    TSR__DecorationSpecId = 1,
    TSR__DecorationCPacked = 10,
    TSR__DecorationBuiltIn = 11,
    TSR__DecorationVolatile = 21,
    TSR__DecorationConstant = 22,
    TSR__DecorationSaturatedConversion = 28,
    TSR__DecorationFuncParamAttr = 38,
    TSR__DecorationFPRoundingMode = 39,
    TSR__DecorationFPFastMathMode = 40,
    TSR__DecorationLinkageAttributes = 41,
    TSR__DecorationNoContraction = 42,
    TSR__DecorationAlignment = 44,
    TSR__DecorationMaxByteOffset = 45,
    TSR__DecorationAlignmentId = 46,
    TSR__DecorationNoSignedWrap = 4469,
    TSR__DecorationNoUnsignedWrap = 4470,
    TSR__DecorationReferencedIndirectlyINTEL = 5602,
    TSR__DecorationFPMaxError = 6170,
};

enum tsr__parameter_attribute {
    TSR__AttrZext = 0,
    TSR__AttrSext = 1,
    TSR__AttrByVal = 2,
    TSR__AttrSret = 3,
    TSR__AttrNoAlias = 4,
    TSR__AttrNoCapture = 5,
    TSR__AttrNoWrite = 6,
    TSR__AttrNoReadWrite = 7,
};

enum tsr__execution_mode {
    TSR__ModeLocalSize = 17,
    TSR__ModeLocalSizeHint = 18,
    TSR__ModeContractionOff = 31,
    TSR__ModeInitializer = 33,
    TSR__ModeFinalizer = 34,
    TSR__ModeSubgroupSize = 35,
    TSR__ModeLocalSizeId = 38,
    TSR__ModeLocalSizeHintId = 39,
    TSR__ModeDenormFlushToZero = 4460,
    TSR__ModeRoundingModeRTZ = 4463,
    TSR__ModeRoundingModeRTP = 5620,
    TSR__ModeRoundingModeRTN = 5621,
    TSR__ModeFloatingPointModeALT = 5622,
    TSR__ModeFPFastMathDefault = 6028,
};

enum tsr__encoding { TSR__EncodingBFloat16 = 0 };
enum tsr__linkage { TSR__LinkageExport = 0, TSR__LinkageImport = 1, TSR__LinkageLinkOnceODR = 2 };
enum tsr__scope { TSR__ScopeCrossDevice, TSR__ScopeDevice, TSR__ScopeWorkgroup, TSR__ScopeSubgroup, TSR__ScopeInvocation };
enum { TSR__ExecutionModelKernel = 6, TSR__AddressingPhysical64 = 2, TSR__MemoryModelOpenCL = 2 };
enum {
    TSR__FunctionInline = 1,
    TSR__FunctionDontInline = 2,
    TSR__FunctionPure = 4,
    TSR__FunctionConst = 8,
    TSR__FunctionOptNone = 0x10000
};
enum { TSR__MemoryVolatile = 1, TSR__MemoryAligned = 2, TSR__MemoryNontemporal = 4 };
enum { TSR__RoundRTE, TSR__RoundRTZ, TSR__RoundRTP, TSR__RoundRTN, TSR__RoundDefault };
/* Bits of memory semantics. */
enum {
    TSR__SemanticsAcquire = 2,
    TSR__SemanticsRelease = 4,
    TSR__SemanticsAcquireRelease = 8,
    TSR__SemanticsSequentiallyConsistent = 16,
    TSR__SemanticsWorkgroupMemory = 0x100,
    TSR__SemanticsCrossWorkgroupMemory = 0x200,
    TSR__SemanticsImageMemory = 0x800,
};
/* Bits of loop control. */
enum { TSR__LoopUnroll = 1, TSR__LoopDontUnroll = 2, TSR__LoopPartialCount = 0x100 };

#endif
