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
sunder_add_plugin(Houdini)
houdini_configure_target(sunder_plugin)
