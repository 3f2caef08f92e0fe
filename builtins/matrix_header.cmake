# SPDX-License-Identifier: Apache-2.0
# Expands tessera-matrix.h.in: cmake -DCLANG=… -DIN=… -DINCLUDE=… -DOUT=… -P matrix_header.cmake
execute_process(COMMAND ${CLANG} -E -P -x c -undef -I${INCLUDE} ${IN} OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE "@" "#" text "${text}")
string(REGEX REPLACE "; " ";\n" text "${text}")
file(WRITE ${OUT} "${text}")
