#pragma once

#include "core/io/scene_json_guides.h"
#include "core/io/scene_json_held.h"
#include "core/io/scene_json_shapes.h"

namespace sunder {

// ---- One describe() an object: every key with its place in the struct. The visitor V reads, writes or
// documents them, in this
// ---- order, which is why `preset` stands before the values that override it.

template <class V>
void describe(V& v, Transform& t) {
    v.title("transform", "Places a body or collider: scale first, then rotation, then translation.");
    v.vector({"translate", "translation", kLength}, t.translate);
    v.vector({"rotate", "rotation about x, then y, then z", kAngle}, t.rotate);
    v.vector({"scale", "scale along x, y and z, or one number for all", kPlain, kPositive, false, true},
             t.scale);
}

template <class V>
void describe(V& v, TetrahedralizeOptions& m) {
    v.title("meshing", "How a surface is filled with tets. Sources with tets of their own do not need it.");
    v.choice({"method",
              "`tetgen` follows the surface exactly and needs it clean, `lattice` takes anything, `auto` "
              "tries the first and falls back"},
             m.method,
             Choices<MeshingMethod>{{"auto", MeshingMethod::kAuto},
                                    {"tetgen", MeshingMethod::kTetgen},
                                    {"lattice", MeshingMethod::kLattice}});
    v.number({"maxSize", "largest edge wanted; 0 for no bound", kLength, kNotNegative}, m.maxSize);
    v.text({"sizingAttribute", "point attribute with the wanted edge length"}, m.sizingAttribute);
    v.number({"radiusEdgeRatio", "tetgen: largest circumradius over shortest edge", kPlain,
              Range{1.1, 100, false, false, ""}},
             m.radiusEdgeRatio);
    v.number({"minDihedral", "tetgen: smallest angle aimed at", kMeshAngle, Range{0, 18, false, false, ""}},
             m.minDihedral);
    v.flag({"keepBoundary", "tetgen: no new vertices on the surface"}, m.keepBoundary);
    v.number({"timeLimit", "tetgen: time after which it is given up; 0 for none", kTime, kNotNegative},
             m.timeLimit);
    v.number(
        {"cellSize", "lattice: side of a cell; 0 for one from `maxSize`, `sizingAttribute` or `targetTets`",
         kLength, kNotNegative},
        m.cellSize);
    v.integer({"targetTets", "lattice: about how many tets where nothing else sets the cell", kPlain,
               Range{10, 1e8, false, false, ""}},
              m.targetTets);
}

inline constexpr Range kPoissonRange{
    -1, 0.5, true, true,
    "0.5 is incompressible, which no finite stiffness can express; nearly incompressible "
    "materials take 0.45 to 0.49"};

template <class V>
void describe(V& v, Fracture& f) {
    v.title("fracture",
            "How a material breaks. Writing it switches it on. A painted point or primitive attribute `fracturethreshold` multiplies the toughness.");
    v.flag({"enabled", "whether it breaks; `true` once the object is written"}, f.enabled);
    v.choice({"kind", "what counts: `stress`, the same on any mesh; `energy`, which has its own toughness where a crack goes on; `force`, as in the papers"},
             f.kind,
             Choices<ToughnessKind>{{"force", ToughnessKind::kByForce}, {"stress", ToughnessKind::kByStress}, {"energy", ToughnessKind::kByEnergy}});
    v.number({"force", "toughness of kind `force`", kForce, kPositive}, f.force);
    v.number({"stress", "tensile strength: toughness of kind `stress` and, away from cracks and notches, of `energy`", kPressure, kPositive}, f.stress);
    v.number({"energy", "energy that a crack takes per area, out of the motion: toughness of kind `energy`", kFractureEnergy, kPositive}, f.energy);
    v.number({"residual", "share of what is in excess of the toughness that drives the crack on: far in explicit steps and in the last round of others, by a node in rounds before", kPlain, kShare}, f.residual);
    v.number({"backCrackAngle", "a crack makes no smaller angle with a surface that is there", kAngle, Range{0, 85, false, false, ""}}, f.backCrackAngle);
    v.vector({"grain", "rotation about x, then y, then z of the axes that `weakness` goes by; a painted `orient` goes before it, that of primitives or else the mean of the points around", kAngle},
             f.grain);
    v.vector({"weakness", "share of the stress along each axis that counts; [1, 0.5, 0.5] breaks most easily across x", kPlain, Range{0, 1, true, false, ""}, false, true},
             f.weakness);
}

template <class V>
void describe(V& v, Plasticity& p) {
    v.title("plasticity",
            "How a material keeps a part of its deformation. Strains are those of the papers, F^T F - 1, which is twice the Green strain. A "
            "painted point or primitive attribute `yieldscale` multiplies `yield` and `yieldStress`.");
    v.choice({"law",
              "`additive`: von Mises at once, with a limit (O'Brien, Bargteil and Hodgins 2002); `creep`: the same with time (Mueller and "
              "Gross 2004), both with the law `green`; `multiplicative`: flow without limit that keeps volume, hardens or softens (Wicke et "
              "al. 2010), with every law. rkf45 takes none of them"},
             p.law,
             Choices<PlasticLawId>{{"none", PlasticLawId::kNone},
                                   {"additive", PlasticLawId::kAdditive},
                                   {"creep", PlasticLawId::kCreep},
                                   {"multiplicative", PlasticLawId::kMultiplicative}});
    v.number({"yield", "additive, creep: norm of the elastic strain's deviator from which on it flows", kPlain, kNotNegative}, p.yield);
    v.number({"yieldStress", "stress in plain tension from which on it flows; for additive and creep in place of `yield`, as sqrt(2/3) yieldStress / mu",
              kPressure, kNotNegative},
             p.yieldStress);
    v.number({"limit", "additive, creep: largest norm of the plastic strain, elastic again beyond; 0: it never flows", kPlain, kNotNegative}, p.limit);
    v.number({"creep", "creep: share of the elastic strain that becomes plastic in a unit of time", kFrequency, kNotNegative}, p.creep);
    v.number({"flowRate", "multiplicative: share of the stress beyond yield that flow takes away in a unit of time; 0: all at once", kFrequency,
              kNotNegative},
             p.flowRate);
    v.number({"hardening",
              "multiplicative: rise of the yield stress per plastic strain in plain tension, over three times the shear modulus; negative softens",
              kPlain, Range{-1, kInfinity, true, false, ""}},
             p.hardening);
}

template <class V>
void describe(V& v, Material& m) {
    v.title(
        "material",
        "What a body is made of: a preset, values, or a preset with some values changed. A text in place of "
        "the "
        "object names a preset. Painted point or primitive attributes multiply: `stiffness` multiplies "
        "`youngs`, "
        "`massdensity` multiplies `density`, `dampingratio` multiplies `stiffnessDamping`, `phi` and `psi`.");
    v.preset({"preset", "one of `sunder materials`"}, m);
    v.choice({"law", "elastic law"}, m.law,
             Choices<ElasticLawId>{{"green", ElasticLawId::kGreen},
                                   {"corotated", ElasticLawId::kCorotated},
                                   {"viscoelastic", ElasticLawId::kViscoelastic},
                                   {"neohookean", ElasticLawId::kNeoHookean}});
    v.number({"density", "mass per rest volume", kDensity, kPositive}, m.density);
    v.number({"youngs", "Young's modulus", kPressure, kPositive}, m.youngs);
    v.number({"poisson", "Poisson's ratio", kPlain, kPoissonRange}, m.poisson);
    v.number({"phi", "viscosity against change of volume", kViscosity, kNotNegative}, m.phi);
    v.number({"psi", "viscosity against shear", kViscosity, kNotNegative}, m.psi);
    v.number({"stiffnessDamping", "adds this time times the Lame constants to `phi` and `psi`", kTime,
              kNotNegative},
             m.stiffnessDamping);
    v.number({"massDamping", "drag on every vertex, per mass", kFrequency, kNotNegative}, m.massDamping);
    v.object({"fracture", "how it breaks; without it, it does not"}, m.fracture);
    v.object({"plasticity", "what it keeps of its deformation"}, m.plasticity);
}

template <class V>
void describe(V& v, SceneContact& c) {
    ContactSurface& s = c.surface;
    v.title(
        "contact",
        "How a body meets other bodies. Where two meet, the friction is the geometric mean of theirs, unless "
        "`contactPairs` has one for them; a painted point attribute `friction` multiplies the body's. "
        "Friction on the ground is the ground's. Two bodies meet if each belongs to a group that "
        "the other collides with.");
    v.number({"friction", "Coulomb's coefficient", kPlain, kNotNegative}, s.friction);
    v.numberUpTo({"dynamicFriction", "the coefficient while it slides", kPlain, kNotNegative},
                 s.dynamicFriction, "friction", s.friction);
    v.number({"restitution", "share of the bounce that the contact's damper on this body's side leaves",
              kPlain, kShare},
             s.restitution);
    v.number({"stiffnessScale", "multiplies the contact stiffness that follows from material and mesh",
              kPlain, kPositive},
             s.stiffnessScale);
    v.texts({"groups", "groups that it belongs to, by names of your own; at most 32 in a scene"}, c.groups);
    v.texts({"collidesWith", "groups that it meets; `all` for every one, `[]` for none"}, c.collidesWith);
    v.choice({"self", "what of itself it meets: nothing, its other pieces, or all of it"}, s.self,
             Choices<SelfContact>{{"none", SelfContact::kNone},
                                  {"pieces", SelfContact::kBetweenPieces},
                                  {"all", SelfContact::kAll}});
}

template <class V>
void describe(V& v, SceneColliderContact& c) {
    v.title("collider contact",
            "How a collider meets bodies: as [contact](#contact) does, but a collider does not yield, so stiffness and bounce are those of "
            "the body.");
    v.number({"friction", "Coulomb's coefficient", kPlain, kNotNegative}, c.surface.friction);
    v.numberUpTo({"dynamicFriction", "the coefficient while it slides", kPlain, kNotNegative}, c.surface.dynamicFriction, "friction",
                 c.surface.friction);
    v.texts({"groups", "groups that it belongs to"}, c.groups);
    v.texts({"collidesWith", "groups that it meets; `all` for every one, `[]` for none"}, c.collidesWith);
    v.refused({"restitution", "bodies bounce off a collider by their own: write it in the contact of a body"});
    v.refused({"stiffnessScale", "a collider does not yield: write it in the contact of a body"});
    v.refused({"self", "colliders do not meet themselves, nor each other: leave it out"});
}

template <class V>
void describe(V& v, SceneCollider& c) {
    v.title("collider",
            "A surface that bodies collide with and that goes where it is led. Closed parts are solid and push out of their inside; of open "
            "ones both sides collide.");
    v.text({"name", "name of the collider, on its polygons in the output; no body may have it"}, c.name);
    v.variant({"source", "where its surface comes from", kPlain, kAny, true}, c.source,
              {"file", "frames", "box", "sphere", "torus", "tapir", "plane"});
    v.object({"transform", "where it starts"}, c.transform);
    v.object({"motion", "how it moves"}, c.motion);
    v.number({"thickness",
              "of the layer that stands for the surface: inside closed parts, half on each side of open ones. What is deeper is not pushed "
              "out; 0 for half an edge, and at most a hundredth of its size where both sides collide",
              kLength, kNotNegative},
             c.thickness);
    v.flag({"twoSided", "both sides of closed parts collide as well: a room that bodies are in"}, c.twoSided);
    v.flag({"visible", "whether frames show it"}, c.visible);
    v.object({"contact", "how it meets bodies"}, c.contact);
    v.refused({"material", "a collider has no mass and does not yield: give its friction in `contact`, or make it a body"});
    v.refused({"velocity", "a collider goes where it is led: give it a `motion` with keys"});
    v.refused({"spin", "a collider goes where it is led: give it a `motion` with keys"});
    v.refused({"pins", "a collider goes where it is led: give it a `motion` with keys"});
    v.refused({"rigid", "a collider is led as a whole anyway; what falls and is pushed is a body"});
}

template <class V>
void describe(V& v, ContactPair& p) {
    v.title("contact pair",
            "How two bodies, or two kinds of bodies, meet, in place of the mean of their frictions; one of the two may be a collider. The last "
            "of the list that fits counts. The same name twice stands for bodies of one material among each other.");
    v.text({"a", "name of a body, of a preset that bodies are made of, or of a collider", kPlain, kAny, true}, p.a);
    v.text({"b", "the other one", kPlain, kAny, true}, p.b);
    v.number({"friction", "Coulomb's coefficient", kPlain, kNotNegative}, p.friction);
    v.numberUpTo({"dynamicFriction", "the coefficient while they slide", kPlain, kNotNegative},
                 p.dynamicFriction, "friction", p.friction);
    v.number({"restitution", "share of the bounce that the dampers of both sides leave; below 0 each side has its own", kPlain, kOwnOrShare},
             p.restitution);
}

template <class V>
void describe(V& v, Blast& b) {
    v.title("blast",
            "An explosion in the air: a pressure wave that runs over all bodies, loses strength with distance, and pushes at the faces that it meets "
            "with its reflected pressure, at others with its own. It goes through what is in its way. Its size is `charge`, or `peak` and "
            "`distance`.");
    v.vector({"center", "where it goes off", kLength}, b.center);
    v.number({"time", "time since the start frame at which it goes off", kTime}, b.time);
    v.number({"charge", "its size as a mass of TNT", kMass, kNotNegative}, b.charge);
    v.number({"peak", "its size as the pressure above that of the air that passes at `distance`, without reflection", kPressure, kNotNegative}, b.peak);
    v.number({"distance", "see `peak`", kLength, kNotNegative}, b.distance);
    v.flag({"onGround", "it goes off on a hard ground, which throws its half of the wave back: as 1.8 times the charge"}, b.onGround);
}

template <class V>
void describe(V& v, SceneBody& b) {
    v.title(
        "body",
        "One solid. Painted attributes of its model multiply parameters (see material, contact and target).");
    v.text({"name", "name of the body, on every primitive of the output"}, b.name);
    v.variant({"source", "where its shape comes from", kPlain, kAny, true}, b.source,
              {"file", "box", "sphere", "torus", "tapir", "bowl", "tray", "hollowSphere", "cylinder", "tube", "notchedBlock"});
    v.flag({"rigid", "keeps its shape and moves as one; its material gives it its mass and contact its stiffness. Pins hold all of it or none"},
           b.rigid);
    v.number({"hollow", "thickness of the wall of a hollow body, for sources that are surfaces; parts thinner than two walls stay solid; 0 for a solid body", kLength, kNotNegative},
             b.hollow);
    v.object({"meshing", "how a surface is filled with tets"}, b.meshing);
    v.object({"transform", "where it starts"}, b.transform);
    v.object({"material", "what it is made of"}, b.material);
    v.flag({"materialFromGeometry", "where a model names materials by the attribute `sundermaterial`, they go before `material`"}, b.materialFromGeometry);
    v.object({"contact", "how it meets other bodies"}, b.contact);
    v.vector({"velocity", "velocity at the start", kSpeed}, b.velocity);
    v.vector({"spin", "rotation at the start about the centre of mass, axis times speed", kSpin}, b.spin);
    v.number({"velocityNoise", "random speed at the start, to break symmetry; drawn from `seed`", kSpeed,
              kNotNegative},
             b.velocityNoise);
    v.vector({"force",
              "force on the whole body, shared by volume; a painted scalar point attribute `force` "
              "multiplies it vertex by "
              "vertex, a painted vector `force` is added, in N a vertex",
              kForce},
             b.force);
    v.list({"pins", "vertices held or moved exactly"}, b.pins);
    v.list({"targets", "vertices drawn by springs"}, b.targets);
    v.list({"guides", "weak surfaces, lines and patterns that lead its cracks"}, b.guides);
    v.list({"breaks", "vertices that break at a time, whatever the stress"}, b.breaks);
}

template <class V>
void describe(V& v, GroundPlane& g) {
    v.title("ground", "An infinite plane that bodies cannot pass. Writing it switches it on.");
    v.flag({"enabled", "whether it is there; `true` once the object is written"}, g.enabled);
    v.vector({"point", "a point of the plane", kLength}, g.point);
    v.vector({"normal", "direction out of the ground, of any length but zero"}, g.normal);
    v.number({"friction", "Coulomb's coefficient", kPlain, kNotNegative}, g.friction);
    v.number({"stiffnessScale", "multiplies the contact stiffness that follows from material and mesh",
              kPlain, kPositive},
             g.stiffnessScale);
    v.number({"restitution", "share of the bounce that the contact's damper leaves", kPlain, kShare},
             g.restitution);
}

template <class V>
void describe(V& v, FractureSettings& f) {
    v.title("fracture settings", "How bodies break, beside what their materials say.");
    v.flag({"enabled", "whether anything breaks"}, f.enabled);
    v.integer({"rounds", "implicit, newmark: how often a step is solved again because something broke in it; a crack goes on by two nodes each time", kPlain, Range{0, 1000, false, false, ""}}, f.rounds);
    v.integer({"mostCuts", "cuts of a body in a frame, all of its substeps together (in Houdini in a step of the solver); what is left breaks later, and a warning says so", kPlain, kAtLeastOne}, f.mostCuts);
    v.integer({"mostTets", "a body that has more breaks no further, and a warning says so", kPlain, kAtLeastOne}, f.mostTets);
    v.number({"mostMemory", "GB that all bodies together may take, at 8,000 bytes a tet; beyond it nothing breaks further, and a warning says so", kPlain, kPositive}, f.mostMemory);
    v.number({"smallestPiece", "edge of a cube; a cut that would leave a piece of less volume is not made; 0 for no bound", kLength, kNotNegative}, f.smallestPiece);
    v.choice({"smallPieces", "what becomes of pieces below `smallPieceSize` as the frame after that begins in which they come off: `keep` them; `rigid` bodies, which break no further; "
                             "`particles`, points that fall and stop at the ground"},
             f.smallPieces, Choices<SmallPieces>{{"keep", SmallPieces::kKeep}, {"rigid", SmallPieces::kRigid}, {"particles", SmallPieces::kParticles}});
    v.number({"smallPieceSize", "edge of a cube; pieces of less volume are small", kLength, kNotNegative}, f.smallPieceSize);
    v.number({"snapAngle", "cracks go through vertices that are nearer to their plane than this, seen from the node that breaks", kAngle, Range{0, 45, false, false, ""}},
             f.snapAngle);
    v.number({"snapShare", "share of an edge; a cut that is nearer to its end goes through the end", kPlain, Range{0.01, 0.5, false, true, ""}}, f.snapShare);
}

template <class V>
void describe(V& v, StepSettings& s) {
    v.title("settings", "How the world is stepped.");
    v.choice({"integrator", "time integration"}, s.integrator,
             Choices<Integrator>{{"explicit", Integrator::kExplicit},
                                 {"implicit", Integrator::kImplicit},
                                 {"newmark", Integrator::kNewmark},
                                 {"rkf45", Integrator::kRkf45}});
    v.integer({"substeps", "steps a frame; explicit and rkf45 choose their own below this one", kPlain,
               Range{1, 100000, false, false, ""}},
              s.substeps);
    v.vector({"gravity", "gravity", kAcceleration}, s.gravity);
    v.vector({"uniformForce", "force per mass on everything, beside gravity", kAcceleration}, s.uniformForce);
    v.object({"ground", "the ground"}, s.ground);
    v.flag({"contact", "whether bodies meet each other and colliders, as their `contact` says; rkf45 has no contact"},
           s.contact);
    v.choice({"contactResponse",
              "what pushes bodies apart: `overlap`, an energy of their overlap; `thesis`, for each pair of tets a force along the mean normal "
              "of their overlap (O'Brien 2000); `nodes`, a force on each vertex inside another body (O'Brien and Hodgins 1999). The last two "
              "need explicit steps"},
             s.contactResponse,
             Choices<ContactResponse>{{"overlap", ContactResponse::kOverlap},
                                      {"thesis", ContactResponse::kThesis},
                                      {"nodes", ContactResponse::kNodes}});
    v.flag({"keepSides",
            "with `overlap`: a vertex that has gone far through a face of another body is held by that face and comes back through it, whatever it "
            "has passed since"},
           s.keepSides);
    v.number({"separationSpeed",
              "with which bodies that overlap at the start are driven apart; 0 leaves them as they are",
              kSpeed, kNotNegative},
             s.separationSpeed);
    v.number({"sleepSpeed",
              "bodies and pieces of bodies that touch something and have been slower than this for `sleepTime` are left alone until something stirs them; 0: none",
              kSpeed, kNotNegative},
             s.sleepSpeed);
    v.number({"sleepTime", "see `sleepSpeed`", kTime, kPositive}, s.sleepTime);
    v.object({"fracture", "how bodies break"}, s.fracture);
    v.number(
        {"courant", "explicit: share of the stable step that is taken", kPlain, Range{0, 1, true, false, ""}},
        s.courant);
    v.number(
        {"energyTolerance",
         "explicit, newmark: a step that gains more than this share of the energy is retried at half size",
         kPlain, kPositive},
        s.energyTolerance);
    v.number({"smallestStep", "explicit, rkf45: a step below it fails", kTime, kPositive}, s.smallestStep);
    v.number(
        {"errorTolerance", "rkf45: largest error of a step, share of body size and speed", kPlain, kPositive},
        s.errorTolerance);
    v.flag({"oneSolve", "implicit: one linear solve a step in place of Newton's method"}, s.oneSolve);
    v.integer({"newtonIterations", "implicit, newmark: a step that needs more fails", kPlain,
               Range{1, 100000, false, false, ""}},
              s.newtonIterations);
    v.number({"newtonTolerance", "force residual at which Newton's method ends, share of the force scale",
              kPlain, Range{0, 1, true, true, ""}},
             s.newtonTolerance);
    v.number({"contactTolerance",
              "with contact, Newton's method also ends when velocities are right to this share of what forces change in them in the step",
              kPlain, Range{0, 1, true, true, ""}},
             s.contactTolerance);
    v.choice({"linearSolver", "solver of the linear systems"}, s.linearSolver,
             Choices<LinearSolverKind>{{"auto", LinearSolverKind::kAuto},
                                       {"cg-jacobi", LinearSolverKind::kCgJacobi},
                                       {"cg-ic", LinearSolverKind::kCgIncompleteCholesky},
                                       {"cholmod", LinearSolverKind::kCholmod}});
    v.number({"linearTolerance", "residual at which a linear solve ends, share of its right-hand side",
              kPlain, Range{0, 1, true, true, ""}},
             s.linearTolerance);
    v.integer({"linearIterations", "a linear solve that needs more fails", kPlain, kAtLeastOne},
              s.linearIterations);
    v.number({"cholmodFlops", "largest factorization, in flops, that `auto` and `cholmod` accept", kPlain,
              kPositive},
             s.cholmodFlops);
    v.integer({"stepHalvings", "how often a failed step is split in two before it is given up", kPlain,
               Range{0, 30, false, false, ""}},
              s.stepHalvings);
}

template <class V>
void describe(V& v, Scene& s) {
    v.title("scene", "The whole file.");
    v.text({"name", "name of the scene"}, s.name);
    v.number({"fps", "frames a second", kFrequency, kPositive}, s.fps);
    v.integer({"startFrame", "number of the first frame, which shows the start", kPlain,
               Range{0, 1e9, false, false, ""}},
              s.startFrame);
    v.integer({"endFrame", "number of the last frame", kPlain, Range{0, 1e9, false, false, ""}}, s.endFrame);
    v.natural({"seed", "seed of everything random"}, s.seed);
    v.object({"settings", "how the world is stepped"}, s.settings);
    v.list({"contactPairs", "friction between certain bodies"}, s.settings.contactPairs);
    v.list({"colliders", "surfaces that bodies collide with"}, s.colliders);
    v.list({"blasts", "explosions whose pressure waves push at bodies"}, s.settings.blasts);
    v.list({"activeZones", "where and when bodies may break; none for everywhere and always"}, s.settings.fracture.zones);
    v.list({"glue", "what holds bodies together"}, s.glue);
    v.list({"bodies", "the solids", kPlain, kAny, true}, s.bodies);
}

}  // namespace sunder
