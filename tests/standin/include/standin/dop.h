#pragma once

// The stand-in's DOP engine, for tests: it steps objects, keeps a copy of all their data for every timestep, scrubs, saves and loads.

#include <SIM/SIM_Solver.h>
#include <standin/cook.h>

#include <functional>
#include <set>

namespace standin {

/// All data that initializeSIM of a plugin registers.
void registerSim(const Plugin& plugin);
/// All data with their parameters, as JSON.
std::string describeData();

/// How a parameter of data follows the node that made it.
enum class ParmOperation { kSetInitial, kSetAlways };

class DopNetwork {
  public:
    using Option = SIM_Options::Value;

    explicit DopNetwork(double fps = 24, int startFrame = 1) : fps_(fps), startFrame_(startFrame) {}

    /// An object with the geometry of a SOP, from the start frame on.
    int addObject(const std::string& name, const GU_Detail& geometry);
    /// A static object that others collide with.
    int addCollider(const std::string& name, const GU_Detail& geometry);
    /// An object, or collider, that is created in a later frame, at its end.
    void appear(int object, int frame) { specs_[static_cast<std::size_t>(object)].from = frame; }
    /// Attaches data of a class of the plugin to an object, or to all if it is -1.
    void attach(int object, const std::string& className, const std::string& dataName);
    /// Geometry of a SOP as further data of an object, as a SOP Geometry node attaches it.
    void attachGeometry(int object, const std::string& dataName, const GU_Detail& geometry);
    /// The value of a parameter from a frame on.
    void set(const std::string& dataName, const std::string& option, const Option& value, ParmOperation operation = ParmOperation::kSetAlways, int fromFrame = -1);

    /// Values that are set from now on go to one object; -1: to all.
    void only(int object) { only_ = object; }

    /// Destroys all data at every step and loads it from its saved bytes.
    bool reloadEveryStep = false;
    /// Objects start with the geometry of their SOP itself, as a SOP Geometry node attaches it, in place of a copy that can be written.
    bool showsSops = false;
    /// Times per frame that the network steps.
    int substeps = 1;

    /// Plays to a frame. False if a solver failed; then the frame has no data.
    bool play(int frame);
    /// Forgets the frames behind this one, as when somebody scrubs back and changes nothing: they are computed anew.
    void scrub(int frame);
    bool has(int frame) const { return cache_.count(frame) > 0; }
    const GU_Detail& geometry(int frame, int object) const;
    std::string save(int frame) const;
    /// Starts from saved bytes at a frame.
    bool load(int frame, const std::string& bytes);
    const std::vector<SIM_Solver::StandinMessage>& messages() const { return messages_; }
    bool says(const std::string& part) const;
    int64 memory(int frame) const;
    /// Colliders that move: their geometry, and where it stands, at a frame, which has a fraction between frames. Called before every solve for its end.
    std::function<void(double frame, int object, GU_Detail&)> show;
    std::function<void(double frame, int object, UT_DMatrix4&)> stand;
    /// Geometry of other data names that a SOP Geometry DOP sets always: what it is at a frame. Called likewise, for data of the class SIM_GeometryCopy that are attached.
    std::function<void(double frame, int object, const std::string& dataName, GU_Detail&)> draw;
    /// An artist's SOP Solver: edits the geometry of an object behind every solve.
    std::function<void(int frame, int object, GU_Detail&)> edit;

  private:
    using Timestep = std::vector<std::shared_ptr<SIM_Object>>;
    struct Setting {
        std::string data, option;
        Option value;
        ParmOperation operation;
        int from;
        int object;
    };
    std::shared_ptr<SIM_Object> makeObject(std::size_t i) const;
    Timestep copyOf(const Timestep& from) const;
    Timestep throughBytes(const Timestep& from) const;
    std::string bytesOf(const Timestep& step) const;
    bool readBytes(Timestep& step, const std::string& bytes) const;
    /// Adds what a frame is the first of; from the start frame on.
    std::set<int> create(Timestep& step, int frame) const;
    std::set<int> all(const Timestep& step) const;
    bool isCollider(const SIM_Object& object) const { return specs_[static_cast<std::size_t>(object.getObjectId())].collider; }
    void applySettings(Timestep& step, int frame, const std::set<int>& made) const;
    bool solve(Timestep& step, int frame, double time, double timestep, const std::set<int>& made);
    void connect(Timestep& step) const;
    void showColliders(Timestep& step, double frame) const;
    void drawData(Timestep& step, double frame) const;

    struct Spec {
        std::string name;
        GU_DetailHandle geometry;
        bool collider = false;
        int from = -1000000;  ///< frame
        std::vector<std::pair<std::string, std::string>> data;  ///< class, name
        std::vector<std::pair<std::string, GU_DetailHandle>> geometries;  ///< name; beside its own
    };
    double fps_;
    int startFrame_, only_ = -1;
    std::vector<Spec> specs_;
    std::vector<Setting> settings_;
    std::map<int, Timestep> cache_;
    std::vector<SIM_Solver::StandinMessage> messages_;
};

}  // namespace standin
