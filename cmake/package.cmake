# cmake --install BUILD --component houdini --prefix DIR lays out a Houdini package: DIR/packages/sunder.json goes where Houdini looks for packages
# (HOUDINI_PACKAGE_DIR=DIR/packages), DIR/sunder holds the rest. The plugin's DSO joins it in DIR/sunder/houdiniX.Y/dso once it is built for a Houdini.
set(package ${PROJECT_SOURCE_DIR}/package)
install(FILES ${package}/sunder.json DESTINATION packages COMPONENT houdini EXCLUDE_FROM_ALL)
install(DIRECTORY ${package}/toolbar ${package}/config ${package}/help DESTINATION sunder COMPONENT houdini EXCLUDE_FROM_ALL)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/python/sunder_houdini DESTINATION sunder/scripts/python COMPONENT houdini EXCLUDE_FROM_ALL
    FILES_MATCHING PATTERN "*.py" PATTERN "*.json" PATTERN "__pycache__" EXCLUDE)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/otls/fracture_quick.hda DESTINATION sunder/otls COMPONENT houdini EXCLUDE_FROM_ALL)
# help of assets lies beside their other sources
foreach(page "sop/sunder--solver-1.0:solver/Help" "dop/sunderobject:sunderobject/Help" "dop/sundersolver:sundersolver/Help"
        "sop/sunder--fracture_quick-1.0:fracture_quick.hda/sunder_8_8Sop_1fracture__quick_8_81.0/Help")
    string(REPLACE ":" ";" page "${page}")
    list(GET page 0 name)
    list(GET page 1 source)
    get_filename_component(folder ${name} DIRECTORY)
    get_filename_component(file ${name} NAME)
    install(FILES ${PROJECT_SOURCE_DIR}/otls/${source} DESTINATION sunder/help/nodes/${folder} RENAME ${file}.txt COMPONENT houdini EXCLUDE_FROM_ALL)
endforeach()
if(TARGET sunder)
    install(TARGETS sunder RUNTIME DESTINATION sunder/bin COMPONENT houdini EXCLUDE_FROM_ALL)
endif()
if(TARGET sunder-tetgen)
    install(TARGETS sunder-tetgen RUNTIME DESTINATION sunder/bin COMPONENT houdini EXCLUDE_FROM_ALL)
endif()
# the assets that hold networks are made by Houdini itself
install(CODE "
    find_program(hython hython HINTS \$ENV{HFS}/bin NO_CACHE)
    if(hython)
        execute_process(COMMAND \${hython} ${PROJECT_SOURCE_DIR}/otls/build_hdas.py \${CMAKE_INSTALL_PREFIX}/sunder/otls COMMAND_ERROR_IS_FATAL ANY)
    else()
        message(STATUS \"no hython: the solver's assets are not made; run hython ${PROJECT_SOURCE_DIR}/otls/build_hdas.py \${CMAKE_INSTALL_PREFIX}/sunder/otls\")
    endif()" COMPONENT houdini EXCLUDE_FROM_ALL)
