#pragma once
// Provenance: public class pages of GU_DetailHandle and its locks; SideFX's permissively licensed samples. Own code. A detail that is not locked
// for writing cannot be written, and one that is shared cannot be locked for writing.
#include <GU/GU_Detail.h>

#include <memory>

namespace standin {
struct SharedDetail {
    std::unique_ptr<GU_Detail> detail;
    int readers = 0, writers = 0;
    ~SharedDetail();
};
}  // namespace standin

class GU_DetailHandle {
  public:
    void allocateAndSet(GU_Detail* detail, bool own = true);
    bool isNull() const { return !shared_; }
    bool isValid() const { return shared_ != nullptr; }
    void clear() { shared_.reset(); }
    const GU_Detail* gdp() const { return shared_ ? shared_->detail.get() : nullptr; }
    GU_Detail* gdpNC();
    const GU_Detail* readLock() const;
    GU_Detail* writeLock() const;
    void unlock(const GU_Detail* detail) const;
    bool standinShared() const { return shared_.use_count() > 1; }
    int standinLocks() const { return shared_ ? shared_->readers + shared_->writers : 0; }

  private:
    std::shared_ptr<standin::SharedDetail> shared_;
};
using GU_ConstDetailHandle = GU_DetailHandle;

class GU_DetailHandleAutoReadLock {
  public:
    explicit GU_DetailHandleAutoReadLock(const GU_DetailHandle& handle) : handle_(handle), detail_(handle.readLock()) {}
    ~GU_DetailHandleAutoReadLock() {
        if (detail_) handle_.unlock(detail_);
    }
    GU_DetailHandleAutoReadLock(const GU_DetailHandleAutoReadLock&) = delete;
    GU_DetailHandleAutoReadLock& operator=(const GU_DetailHandleAutoReadLock&) = delete;
    const GU_Detail* getGdp() const { return detail_; }

  private:
    const GU_DetailHandle& handle_;
    const GU_Detail* detail_;
};
class GU_DetailHandleAutoWriteLock {
  public:
    explicit GU_DetailHandleAutoWriteLock(const GU_DetailHandle& handle) : handle_(handle), detail_(handle.writeLock()) {}
    ~GU_DetailHandleAutoWriteLock() {
        if (detail_) handle_.unlock(detail_);
    }
    GU_DetailHandleAutoWriteLock(const GU_DetailHandleAutoWriteLock&) = delete;
    GU_DetailHandleAutoWriteLock& operator=(const GU_DetailHandleAutoWriteLock&) = delete;
    GU_Detail* getGdp() const { return detail_; }

  private:
    const GU_DetailHandle& handle_;
    GU_Detail* detail_;
};
