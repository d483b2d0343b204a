#pragma once
// Provenance: class page of UT_Matrix3T; callers of its constructor from a number in SideFX's permissively licensed samples. Own code.
#include <SYS/SYS_Types.h>

template <typename T>
class UT_Matrix3T {
  public:
    /// That number on the diagonal, zeros elsewhere.
    explicit UT_Matrix3T(fpreal64 diagonal) {
        for (int i = 0; i < 3; ++i) rows_[i][i] = static_cast<T>(diagonal);
    }
    T& operator()(unsigned row, unsigned column) { return rows_[row][column]; }
    T operator()(unsigned row, unsigned column) const { return rows_[row][column]; }

  private:
    T rows_[3][3] = {};
};
using UT_Matrix3 = UT_Matrix3T<fpreal32>;
using UT_Matrix3F = UT_Matrix3T<fpreal32>;
using UT_Matrix3D = UT_Matrix3T<fpreal64>;
