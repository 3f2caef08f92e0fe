/* SPDX-License-Identifier: Apache-2.0
 * Accesses to private and local memory say nothing of the types of the program ("tbaa"). OpenCL C lets a variable be accessed as its own
 * type alone, but programs read and write parts of variables by casts of pointers, as the functions on 2D blocks ask them to do with
 * numbers that are not `uint`, and fill arrays in local memory with wider words than they read behind the barrier, which may be nothing
 * here. Other compilers let them. Of variables LLVM knows without types which accesses meet. */
#include "lanes/ir/ir.h"

bool tsr__pass_variable_types(struct tsr__compilation *l, LLVMValueRef function)
{
    const unsigned kind = LLVMGetMDKindIDInContext(l->context, "tbaa", 4);
    size_t count;
    LLVMValueRef *code = tsr__instructions(l, function, &count);
    for (size_t i = 0; i < count; i++) {
        LLVMValueRef place = LLVMIsALoadInst(code[i])    ? LLVMGetOperand(code[i], 0)
                             : LLVMIsAStoreInst(code[i]) ? LLVMGetOperand(code[i], 1)
                                                         : NULL;
        const unsigned space = place ? LLVMGetPointerAddressSpace(LLVMTypeOf(place)) : TSR__GLOBAL_SPACE;
        if (space == TSR__PRIVATE_SPACE || space == TSR__LOCAL_SPACE)
            LLVMSetMetadata(code[i], kind, NULL);
    }
    return true;
}
