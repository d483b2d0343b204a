#pragma once
// Provenance: public class pages of SIM_DataFilter, SIM_DataFilterByType and SIM_DataFilterNone: acceptData, and what each accepts. Own code.
#include <SIM/SIM_Data.h>

class SIM_DataFilter {
  public:
    virtual ~SIM_DataFilter() = default;
    virtual bool acceptData(const SIM_Data* data, const char* dataName) const = 0;
};
/// Data that can be cast to a type.
class SIM_DataFilterByType : public SIM_DataFilter {
  public:
    explicit SIM_DataFilterByType(const char* type) : type_(type) {}
    bool acceptData(const SIM_Data* data, const char*) const override { return const_cast<SIM_Data*>(data)->standinCast(type_.c_str()) != nullptr; }

  private:
    std::string type_;
};
class SIM_DataFilterNone : public SIM_DataFilter {
  public:
    bool acceptData(const SIM_Data*, const char*) const override { return false; }
};
