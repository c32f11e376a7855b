# Run at build time: cmake -DOUT=FILE -DVERSION=V -DSOURCE=DIR -DFLAGS=TEXT -P this. Rewrites FILE only when it changes.
cmake_minimum_required(VERSION 3.25)
execute_process(COMMAND git -C "${SOURCE}" describe --always --dirty --exclude=* --abbrev=12
  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
set(build "${VERSION}")
if(NOT failed AND NOT commit STREQUAL "")
  string(APPEND build "+${commit}")
endif()
string(STRIP "${FLAGS}" flags)
string(REGEX REPLACE "[ \\\"]+" " " flags "${flags}")
file(CONFIGURE OUTPUT "${OUT}" CONTENT "#pragma once\n#define PLUMBLINE_BUILD \"@build@\"\n#define PLUMBLINE_FLAGS \"@flags@\"\n" @ONLY)
