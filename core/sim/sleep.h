#pragma once

#include "core/sim/body_work.h"

namespace sunder {

/// What lies still on something is left alone: not stepped, and met by others as if it were held. All of it follows from states.
///
/// What sleeps is a body that is whole or glued, or one of the pieces of another. It falls asleep when no vertex has been faster than sleepSpeed for sleepTime and it touches
/// something. It wakes when something that is faster than twice that touches it, when something that it touched as it fell asleep has gone or has broken, when what it is touched
/// by is led elsewhere, when a blast comes, when a collider gets another topology, when gravity changes, or when a host gives it a velocity. What targets move or let go of does not
/// sleep.

/// Wakes what a host has moved, or what gravity pulls another way than when it fell asleep.
void wakeDisturbed(std::vector<BodyWork>& bodies, const StepSettings& settings);
void wakeAll(std::vector<BodyWork>& bodies);
/// Wakes what a blast acts on between two times.
void wakeBlasted(std::vector<BodyWork>& bodies, double start, double end);
/// For every body and collider: it is awake, or is led to another place between two times.
std::vector<std::uint8_t> findStirring(const std::vector<BodyWork>& bodies, const WorldContact& contact, double start, double end);
/// After a step of dt, whose contacts have been detected.
void updateSleep(Workspace::Data& data, const std::vector<std::uint8_t>& stirring, const StepSettings& settings, double dt);

}  // namespace sunder
