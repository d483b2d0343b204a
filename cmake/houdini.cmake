# The plugin for a real Houdini: HFS is its folder, as houdini_setup sets it.
if(NOT DEFINED ENV{HFS})
    message(FATAL_ERROR "HFS is not set: source houdini_setup of the Houdini to build for, or name its folder in HFS")
endif()
list(APPEND CMAKE_PREFIX_PATH "$ENV{HFS}/toolkit/cmake")
find_package(Houdini REQUIRED)
# a version given to find_package(Houdini) is not looked at
if(Houdini_VERSION VERSION_LESS 20.5)
    message(FATAL_ERROR "Houdini ${Houdini_VERSION} is too old: 20.5 and 21 are supported")
endif()
# core, too, has to have the library ABI that Houdini was built with
get_target_property(options Houdini INTERFACE_COMPILE_OPTIONS)
if(options MATCHES "_GLIBCXX_USE_CXX11_ABI=0")
    target_compile_definitions(sunder_flags INTERFACE _GLIBCXX_USE_CXX11_ABI=0)
endif()
sunder_add_plugin(Houdini)
# CHOLMOD brings a BLAS and is GPL in part; core may have it, what is loaded into Houdini never
set_target_properties(sunder_plugin PROPERTIES SUNDER_LICENCE_CLEAN ON)
# what Houdini's macros expand to in our files is not ours to mend
target_compile_options(sunder_hdk PRIVATE -Wno-error -Wno-pedantic)
target_compile_options(sunder_plugin PRIVATE -Wno-error -Wno-pedantic)
houdini_configure_target(sunder_plugin)
# beside what cmake/package.cmake lays out, in the folder of that Houdini: a DSO is for one version
string(REGEX MATCH "^[0-9]+\\.[0-9]+" release "${Houdini_VERSION}")
install(TARGETS sunder_plugin LIBRARY DESTINATION sunder/houdini${release}/dso COMPONENT houdini EXCLUDE_FROM_ALL)
