#pragma once
// Provenance: class pages of UT_Interrupt and UT_AutoInterrupt; callers in OpenVDB's openvdb_houdini (Apache-2.0). Own code.
class UT_Interrupt {
  public:
    int opStart(const char* name, int main = 0, int abortable = 1);
    int opInterrupt(int percent = -1);
    void opEnd(int id = -1);
};
UT_Interrupt* UTgetInterrupt();

class UT_AutoInterrupt {
  public:
    explicit UT_AutoInterrupt(const char* operation);
    ~UT_AutoInterrupt();
    UT_AutoInterrupt(const UT_AutoInterrupt&) = delete;
    UT_AutoInterrupt& operator=(const UT_AutoInterrupt&) = delete;
    bool wasInterrupted(int percent = -1);

  private:
    int id_;
};
