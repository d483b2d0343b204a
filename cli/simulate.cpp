#include <iostream>
#include <memory>

#include "cli/command.h"
#include "cli/simulation.h"

namespace sunder::cli {

namespace {
constexpr const char* kSimulateHelp =
    R"(In DIR appear frame.NNNN.bgeo.sc (tets of all bodies with velocity, stress and more), manifest.json
(parameters, build and a record of every frame) and checkpoint.sunder, from which --resume goes on.

A folder that holds a simulation is left alone unless --resume or --overwrite is given. --resume starts from
the first frame where there is nothing to continue, so a farm can always pass it.

examples:
  sunder simulate scene.json --out out/drop
  sunder simulate scene.json --out out/drop --resume
  sunder simulate scene.json --out out/drop --overwrite --frames 1-24 --threads 2 --seed 7
  sunder simulate scene.json --out out/drop --json | jq .smallestDetF)";

void simulate(const SimulateOptions& options) {
    Progress progress(chooseProgressStyle(options.json));
    CommandMonitor monitor(progress);
    Simulation simulation(options, progress, monitor);
    simulation.run();
    if (!options.json)
        std::cout << "frames, manifest.json and checkpoint.sunder are in " << options.out << '\n';
}
}  // namespace

void addSimulate(CLI::App& app, Invocation& invocation) {
    auto options = std::make_shared<SimulateOptions>();
    CLI::App* command = app.add_subcommand("simulate", "Simulate a scene file into a folder of frames");
    command->add_option("SCENE", options->scene, "scene file (see docs/scene.md, or 'sunder schema')")
        ->required();
    command->add_option("--out", options->out, "folder for frames, manifest and checkpoint")
        ->required()
        ->type_name("DIR");
    command
        ->add_option("--frames", options->frames, "frames to write; those before are simulated all the same")
        ->type_name("A-B");
    command
        ->add_option("--threads", options->threads,
                     "threads to use, 0 for all; the result does not depend on it")
        ->check(CLI::Range(0, 4096))
        ->type_name("N");
    command->add_option("--seed", options->seed, "seed in place of the scene's")->type_name("N");
    CLI::Option* resume =
        command->add_flag("--resume", options->resume, "continue from the checkpoint in the folder");
    command->add_flag("--overwrite", options->overwrite, "replace the simulation in the folder")
        ->excludes(resume);
    command->add_flag("--json", options->json, "one JSON object a frame on standard output, errors as JSON");
    command->add_flag("--usda", options->usda,
                      "at the end, write animation.usda with the surface of all frames");
    command
        ->add_option("--checkpoint-seconds", options->checkpointSeconds, "least time between two checkpoints")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str()
        ->type_name("S");
    command->footer(kSimulateHelp);
    command->callback([options, &invocation] {
        invocation.json = options->json;
        invocation.run = [options] { simulate(*options); };
    });
}

}  // namespace sunder::cli
