# Flags every part shares, and the two functions that declare a part and its tests.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "" FORCE)
endif()

add_library(plumbline_flags INTERFACE)
target_include_directories(plumbline_flags INTERFACE "${PROJECT_SOURCE_DIR}")
# Contracting a*b+c into one rounding would make results depend on the target's instruction set.
target_compile_options(plumbline_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off;-fno-fast-math;-Wall;-Wextra;-Wshadow;-Wconversion;-Wno-sign-conversion>
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${PLUMBLINE_DEVELOPER}>>:-Werror>)
# GCC 12 drops the rounding of two neighbouring numbers from double to float32 and back where it makes a vector of
# the two (number_test.cpp: TwoNumbersSideBySideAreBothRounded).
target_compile_options(plumbline_flags INTERFACE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fno-tree-slp-vectorize>)

# Builds from nothing take half the time with this; without it a build proves that every file includes what it uses.
option(PLUMBLINE_PRECOMPILE_PARTS "Precompile the headers that most files include" OFF)

# plumbline_part(NAME [LIBS...]): the static library plumbline::NAME of every .cpp below the calling folder,
# except what lies in a cli/, native/, plugins/ or selftest/ folder.
function(plumbline_part name)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" "*.cpp")
  list(FILTER sources EXCLUDE REGEX "^(.*/)?(cli|native|plugins|selftest)/")
  add_library(plumbline_${name} STATIC ${sources})
  add_library(plumbline::${name} ALIAS plumbline_${name})
  target_link_libraries(plumbline_${name} PUBLIC plumbline_flags ${ARGN})
  if(PLUMBLINE_PRECOMPILE_PARTS)
    target_precompile_headers(plumbline_${name} PRIVATE
      <algorithm> <cmath> <cstring> <functional> <map> <memory> <optional> <span> <string> <vector> <fmt/ranges.h>)
  endif()
endfunction()

# plumbline_plugin(NAME SOURCES...): a shared object for `plumbline plugin`, which needs nothing but the C interface.
function(plumbline_plugin name)
  add_library(${name} MODULE ${ARGN})
  target_include_directories(${name} PRIVATE "${PROJECT_BINARY_DIR}/include")
  set_target_properties(${name} PROPERTIES PREFIX "" CXX_VISIBILITY_PRESET hidden C_VISIBILITY_PRESET hidden)
endfunction()
