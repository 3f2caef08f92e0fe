# SPDX-License-Identifier: Apache-2.0
# Tests of generated code run in each engine and at each instruction level: this table makes them.
#
# A line: what is appended to the test's name (- is nothing), TESSERA_ENGINE, TESSERA_CPU, TESSERA_CHECK, and when quick and when slow
# tests run so: always, or only under `ctest -C levels`, which is `./dev levels`. Engine and level are labels of the test.
set(TESSERA_VARIANTS
  "-               lanes     native 0 always always"
  "_checked        lanes     native 1 always levels"
  "_reference      reference native 0 always always"
  "_avx512         lanes     avx512 0 always levels"
  "_avx2           lanes     avx2   0 always levels"
  "_sse2           lanes     sse2   0 levels levels"
  "_reference_sse2 reference sse2   0 levels levels")

# A level that leaves out nothing of what the CPU has is `native` once more: its tests run under `levels` only, but in bundles, which go to
# other CPUs.
set(TESSERA_CPU_FLAGS "")
if(EXISTS /proc/cpuinfo)
  file(STRINGS /proc/cpuinfo TESSERA_CPU_FLAGS REGEX "^flags" LIMIT_COUNT 1)
endif()
set(TESSERA_BEYOND_avx512 "avx512f")
set(TESSERA_BEYOND_avx2 "avx512f|avx_vnni")

# tessera_variants(NAME quick|slow|levels [HAS_VECTORS] COMMAND word… [PROPERTIES name value…]); `levels`: never but under `ctest -C levels`;
# HAS_VECTORS: there is a test with TESSERA_TILES=vectors beside these, which is `native` once more where the CPU has no AMX.
function(tessera_variants name pace)
  cmake_parse_arguments(PARSE_ARGV 2 test "HAS_VECTORS" "" "COMMAND;PROPERTIES")
  foreach(line IN LISTS TESSERA_VARIANTS)
    string(REGEX MATCHALL "[^ ]+" columns "${line}")
    list(GET columns 0 suffix)
    list(GET columns 1 engine)
    list(GET columns 2 level)
    list(GET columns 3 check)
    if(pace STREQUAL quick)
      list(GET columns 4 when)
    elseif(pace STREQUAL levels)
      set(when levels)
    else()
      list(GET columns 5 when)
    endif()
    if(DEFINED TESSERA_BEYOND_${level} AND TESSERA_CPU_FLAGS AND NOT TESSERA_BUNDLE AND NOT TESSERA_CPU_FLAGS MATCHES "${TESSERA_BEYOND_${level}}")
      set(when levels)
    endif()
    if(test_HAS_VECTORS AND suffix STREQUAL "-" AND TESSERA_CPU_FLAGS AND NOT TESSERA_BUNDLE AND NOT TESSERA_CPU_FLAGS MATCHES "amx_tile")
      set(when levels)
    endif()
    string(REGEX REPLACE "^-$" "" suffix ${suffix})
    set(configurations "")
    if(when STREQUAL levels)
      set(configurations CONFIGURATIONS levels)
    endif()
    add_test(NAME ${name}${suffix} COMMAND ${test_COMMAND} ${configurations})
    set_tests_properties(${name}${suffix} PROPERTIES
      LABELS "variant;${engine};${level}" TIMEOUT 600 ${test_PROPERTIES}
      ENVIRONMENT "OCL_ICD_VENDORS=${CMAKE_BINARY_DIR}/vendors;TESSERA_ENGINE=${engine};TESSERA_CPU=${level};TESSERA_CHECK=${check}")
  endforeach()
endfunction()
