#include "core/sim/renew_body.h"

#include <map>
#include <string>

namespace sunder {

namespace {
bool sameContact(const ContactSurface& a, const ContactSurface& b) {
    return a.friction == b.friction && a.dynamicFriction == b.dynamicFriction && a.restitution == b.restitution && a.stiffnessScale == b.stiffnessScale && a.group == b.group &&
           a.mask == b.mask && a.self == b.self;
}

bool take(double& value, double now) {
    if (value == now) return false;
    value = now;
    return true;
}
/// It must not take hold again of what it has let go.
bool takeTime(double& releaseTime, double now, double time) { return releaseTime > time && take(releaseTime, now); }

bool renew(HardTarget& t, const ScenePin& now, double time) {
    bool changed = takeTime(t.releaseTime, now.releaseTime, time);
    changed |= take(t.releaseForce, now.releaseForce);
    return take(t.releaseStress, now.releaseStress) || changed;
}
bool renew(SoftTarget& t, const SceneTarget& now, double time) {
    bool changed = takeTime(t.releaseTime, now.releaseTime, time);
    changed |= take(t.releaseForce, now.releaseForce);
    changed |= take(t.strength, now.strength);
    return take(t.damping, now.damping) || changed;
}

template <class Target, class Now>
bool renewAll(std::vector<Target>& targets, const std::vector<Now>& now, double time) {
    bool changed = false;
    std::map<std::string, std::size_t> next;  // among those of a name
    for (Target& t : targets) {
        std::size_t& k = next[t.name];
        while (k < now.size() && now[k].name != t.name) ++k;
        if (k < now.size()) changed |= renew(t, now[k++], time);
    }
    return changed;
}
}  // namespace

std::optional<WorldBody> renewBody(const WorldBody& body, const BodyRenewal& now, double time) {
    Constraints constraints = body.body->constraints;
    bool changed = renewAll(constraints.hard, now.pins, time);
    changed |= renewAll(constraints.soft, now.targets, time);
    const bool material = now.material && body.body->ownMaterial();
    if (!changed && !material && sameContact(body.body->contact, now.contact)) return {};
    Body made = *body.body;
    made.constraints = std::move(constraints);
    made.contact = now.contact;
    if (material) made.materials[0] = *now.material;
    BodyState state = *body.state;
    state.sleep = {};
    return WorldBody{buildBody(std::move(made)), std::make_shared<const BodyState>(std::move(state))};
}

}  // namespace sunder
