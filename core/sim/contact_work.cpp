#include "core/sim/contact_work.h"

namespace sunder {

ContactWork::ContactWork(const std::vector<BodyWork>& bodies) {
    for (const BodyWork& work : bodies) {
        x_.push_back(work.state.x);
        force_.push_back(work.touching ? work.contactForce : std::vector<Vec3>());
    }
}

double ContactWork::done(const std::vector<BodyWork>& bodies) const {
    double sum = 0;
    for (std::size_t b = 0; b < bodies.size(); ++b) {
        const BodyWork& work = bodies[b];
        for (std::size_t i = 0; i < work.vertexCount() && (work.touching || !force_[b].empty()); ++i) {
            Vec3 force = force_[b].empty() ? Vec3(Vec3::Zero()) : force_[b][i];
            if (work.touching) force += work.contactForce[i];
            sum += 0.5 * force.dot(work.state.x[i] - x_[b][i]);
        }
    }
    return sum;
}

}  // namespace sunder
