#pragma once

#include "core/sim/body_work.h"

namespace sunder {

/// Bodies that lie still on something are left alone: not stepped, and met by others as if they were held. All of it follows from states.
///
/// A body falls asleep when no vertex has been faster than sleepSpeed for sleepTime and it touches something. It wakes when something
/// that is faster than twice that touches it, when something that it touched as it fell asleep has gone, when what it is touched by is led elsewhere, when a blast comes, when a collider gets another topology, when gravity changes, or when a host gives
/// it a velocity. Bodies that targets move or let go of do not sleep.

/// Wakes what a host has moved, or what gravity pulls another way than when it fell asleep.
void wakeDisturbed(std::vector<BodyWork>& bodies, const StepSettings& settings);
void wakeAll(std::vector<BodyWork>& bodies);
/// Wakes what a blast acts on between two times.
void wakeBlasted(std::vector<BodyWork>& bodies, double start, double end);
/// For every body and collider: it is awake, or is led to another place between two times.
std::vector<std::uint8_t> findStirring(const std::vector<BodyWork>& bodies, const WorldContact& contact, double start, double end);
/// After a step that ends at `time`, whose contacts have been detected.
void updateSleep(std::vector<BodyWork>& bodies, const WorldContact& contact, const std::vector<std::uint8_t>& stirring, const StepSettings& settings,
                 double time, double dt);

}  // namespace sunder
