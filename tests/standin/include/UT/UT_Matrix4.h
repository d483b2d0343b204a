#pragma once
// Provenance: class page of UT_Matrix4T; callers of its constructor from a number and of its elements in SideFX's permissively licensed samples. Own code.
#include <SYS/SYS_Types.h>

template <typename T>
class UT_Matrix4T {
  public:
    /// That number on the diagonal, zeros elsewhere.
    explicit UT_Matrix4T(fpreal64 diagonal) {
        for (int i = 0; i < 4; ++i) rows_[i][i] = static_cast<T>(diagonal);
    }
    T& operator()(unsigned row, unsigned column) { return rows_[row][column]; }
    T operator()(unsigned row, unsigned column) const { return rows_[row][column]; }

  private:
    T rows_[4][4] = {};
};
using UT_Matrix4D = UT_Matrix4T<fpreal64>;
using UT_DMatrix4 = UT_Matrix4D;
