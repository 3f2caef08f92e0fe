# SPDX-License-Identifier: Apache-2.0
# Links the parts of the built-in library: llvm-link, then strip.py on the text, then bitcode again.
function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()
run(${LLVM}/llvm-link -S ${INPUTS} -o ${WORK}/linked.ll)
run(${PYTHON} ${STRIP} ${WORK}/linked.ll ${WORK}/stripped.ll)
run(${LLVM}/llvm-as ${WORK}/stripped.ll -o ${OUT})
