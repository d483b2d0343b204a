#pragma once
// Provenance: public class pages of GA_Attribute, GA_AIFTuple, GA_AIFStringTuple, GA_AttributeOptions and GA_AttributeDict; callers in OpenVDB's
// openvdb_houdini (Apache-2.0) and elrnv/hdkrs (MIT). Own code.
#include <GA/GA_Types.h>
#include <UT/UT_StringHolder.h>

#include <atomic>
#include <memory>
#include <vector>

class GA_Detail;
class GA_Attribute;

class GA_Defaults {
  public:
    explicit GA_Defaults(fpreal value = 0) : value_(value) {}
    fpreal get() const { return value_; }

  private:
    fpreal value_;
};

class GA_AttributeOptions {
  public:
    GA_TypeInfo typeInfo() const { return info_; }
    void setTypeInfo(GA_TypeInfo info) { info_ = info; }

  private:
    GA_TypeInfo info_ = GA_TYPE_VOID;
};

class GA_AIFTuple {
  public:
    int getTupleSize(const GA_Attribute* attribute) const;
    GA_Storage getStorage(const GA_Attribute* attribute) const;
};
class GA_AIFStringTuple {
  public:
    int getTupleSize(const GA_Attribute* attribute) const;
};

/// Numbers are kept as double or int64 and rounded to their storage as they are set.
class GA_Attribute {
  public:
    GA_Attribute(GA_Detail& detail, GA_AttributeOwner owner, std::string name, GA_Storage storage, int tupleSize, fpreal initial);
    const UT_StringHolder& getName() const { return name_; }
    GA_AttributeOwner getOwner() const { return owner_; }
    int getTupleSize() const { return tupleSize_; }
    const GA_AIFTuple* getAIFTuple() const;
    const GA_AIFStringTuple* getAIFStringTuple() const;
    const GA_AttributeOptions& getOptions() const { return options_; }
    GA_TypeInfo getTypeInfo() const { return options_.typeInfo(); }
    void setTypeInfo(GA_TypeInfo info);
    GA_DataId getDataId() const { return dataId_; }
    void bumpDataId();
    GA_Detail& getDetail() const { return detail_; }

    // the stand-in's own
    GA_Storage standinStorage() const { return storage_; }
    bool standinIsFloat() const { return storage_ >= GA_STORE_REAL16 && storage_ <= GA_STORE_REAL64; }
    bool standinIsString() const { return storage_ == GA_STORE_STRING; }
    double standinNumber(GA_Offset o, int c) const;
    int64 standinInteger(GA_Offset o, int c) const;
    const std::string& standinText(GA_Offset o) const;
    void standinSet(GA_Offset o, int c, double value);
    void standinSet(GA_Offset o, int c, int64 value);
    void standinSet(GA_Offset o, const std::string& value);
    void standinResize(exint offsets);
    fpreal standinInitial() const { return initial_; }
    bool standinDirty() const { return dirty_; }
    void standinCopy(const GA_Attribute& from);

  private:
    std::size_t place(GA_Offset o, int c) const;
    void touch();
    void touch(GA_Offset o);
    GA_Detail& detail_;
    GA_AttributeOwner owner_;
    UT_StringHolder name_;
    GA_Storage storage_;
    int tupleSize_;
    fpreal initial_;
    GA_AttributeOptions options_;
    GA_DataId dataId_;
    std::atomic<bool> dirty_{true};
    std::vector<double> floats_;
    std::vector<int64> integers_;
    std::vector<std::string> texts_;
    std::vector<std::atomic<std::uint64_t>> writers_;  ///< of every page: the part of a parallel loop that wrote last
};

class GA_AttributeDict {
  public:
    class iterator {
      public:
        iterator(std::vector<GA_Attribute*> list) : list_(std::move(list)) {}
        bool atEnd() const { return at_ >= list_.size(); }
        GA_Attribute* operator*() const { return list_[at_]; }
        GA_Attribute* attrib() const { return list_[at_]; }
        iterator& operator++() {
            ++at_;
            return *this;
        }

      private:
        std::vector<GA_Attribute*> list_;
        std::size_t at_ = 0;
    };
    iterator begin(GA_AttributeScope scope = GA_SCOPE_PUBLIC) const;

    std::vector<std::unique_ptr<GA_Attribute>> standinList;
    GA_Attribute* standinFind(const char* name) const;
};
