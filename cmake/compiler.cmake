# Flags that every target of the project shares, through the interface target sunder_flags.
add_library(sunder_flags INTERFACE)
target_include_directories(sunder_flags INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(sunder_flags INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wcast-align -Wunused -Werror
    # a fused multiply-add where the compiler likes one would change bytes from build to build
    -ffp-contract=off -fno-fast-math -fno-math-errno)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(sunder_flags INTERFACE -Wno-psabi)
endif()
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" AND SUNDER_ARCH)
    target_compile_options(sunder_flags INTERFACE -march=${SUNDER_ARCH})
endif()
# Most of a compilation is Eigen and the standard library. The debug preset goes without these helps, so that a missing include is
# found.
set(SUNDER_COMMON_HEADERS <Eigen/Geometry> <Eigen/LU> <algorithm> <array> <cmath> <cstdint> <filesystem> <functional>
    <limits> <map> <memory> <optional> <string> <utility> <vector>)
function(sunder_precompile target)
    if(SUNDER_FAST_BUILD)
        target_precompile_headers(${target} PRIVATE ${SUNDER_COMMON_HEADERS} ${ARGN})
    endif()
endfunction()
function(sunder_compile_together target)
    if(SUNDER_FAST_BUILD)
        set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 6)
    endif()
endfunction()
if(SUNDER_SANITIZE)
    target_compile_options(sunder_flags INTERFACE -fsanitize=${SUNDER_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all -O1)
    target_link_options(sunder_flags INTERFACE -fsanitize=${SUNDER_SANITIZE})
endif()
