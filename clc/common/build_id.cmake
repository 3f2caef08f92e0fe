# SPDX-License-Identifier: Apache-2.0
# Writes OUT: the build id, hashed from the contents of FILES (a list file), and from SALT (versions of what is linked in).
file(STRINGS ${FILES} files)
set(all "${SALT}")
foreach(file IN LISTS files)
  file(SHA256 ${file} hash)
  string(APPEND all ${hash})
endforeach()
string(MD5 id "${all}")
string(REGEX REPLACE "(..)" "0x\\1, " bytes ${id})
file(WRITE ${OUT} "#include \"clc/common/build_id.h\"\nconst unsigned char tsr_clc_build_id[16] = {${bytes}};\n")
