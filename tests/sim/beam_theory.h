#pragma once

#include <Eigen/Dense>
#include <cmath>

/// Reference values for slender bars of rectangular section.
namespace sunder::testing {

constexpr double kPi = 3.14159265358979323846;

struct Beam {
    double length, height, width;  ///< m; it bends in the direction of its height
    double youngs, poisson, density;

    double area() const { return height * width; }
    double inertia() const { return width * height * height * height / 12; }
    double shearModulus() const { return youngs / (2 * (1 + poisson)); }
    /// Cowper's shear coefficient of a rectangle, 1966.
    double shearFactor() const { return 10 * (1 + poisson) / (12 + 11 * poisson); }
    double waveSpeed() const { return std::sqrt(youngs / density); }

    /// Tip of a cantilever under an end load, Timoshenko: P L^3 / (3 E I) + P L / (k G A).
    double tipDeflection(double load) const {
        return load * length * length * length / (3 * youngs * inertia()) +
               load * length / (shearFactor() * shearModulus() * area());
    }

    /// First frequency of the free beam in bending, Hz, by Euler and Bernoulli: 4.7300^2 sqrt(E I / rho A) /
    /// (2 pi L^2).
    double eulerFrequency() const {
        return 4.730040745 * 4.730040745 / (2 * kPi * length * length) *
               std::sqrt(youngs * inertia() / (density * area()));
    }

    /// The same by Timoshenko, with shear and rotary inertia. Motion w = W(x) cos(omega t), section angle
    /// P(x):
    ///   k G A (W'' - P') + rho A omega^2 W = 0,   E I P'' + k G A (W' - P) + rho I omega^2 P = 0,
    /// with P' = 0 and W' = P at both ends. The even solution is a sum of two exponentials; the frequency
    /// makes both end conditions hold.
    double timoshenkoFrequency() const {
        double low = 0.3 * eulerFrequency(), high = 1.05 * eulerFrequency();
        const bool lowSign = endDeterminant(low) > 0;
        for (int k = 0; k < 200; ++k) {
            const double middle = 0.5 * (low + high);
            ((endDeterminant(middle) > 0) == lowSign ? low : high) = middle;
        }
        return 0.5 * (low + high);
    }

    /// First torsional frequency of a free bar of square section, Hz: sqrt(G J / (rho I_p)) / 2 L, J = 0.1406
    /// a^4, I_p = a^4 / 6.
    double torsionFrequency() const {
        return std::sqrt(shearModulus() * 0.140577 * 6 / density) / (2 * length);
    }

    /// First bending shape of the free beam (Euler and Bernoulli), 1 at x = 0.
    static double bendingShape(double share) {
        constexpr double b = 4.730040745, sigma = 0.982502215;
        const double x = b * share;
        return 0.5 * (std::cosh(x) + std::cos(x) - sigma * (std::sinh(x) + std::sin(x)));
    }

    /// Its slope by the share of the length.
    static double bendingSlope(double share) {
        constexpr double b = 4.730040745, sigma = 0.982502215;
        const double x = b * share;
        return 0.5 * b * (std::sinh(x) - std::sin(x) - sigma * (std::cosh(x) + std::cos(x)));
    }

  private:
    /// With W = cosh(p x) or cos(q x), measured from the middle, and P = slope * sinh or sin.
    double endDeterminant(double frequency) const {
        const double omegaSq = std::pow(2 * kPi * frequency, 2),
                     shear = shearFactor() * shearModulus() * area();
        const double bend = youngs * inertia(), mass = density * area(), rotary = density * inertia();
        // W'''' + b W'' - c W = 0
        const double b = omegaSq * (mass / shear + rotary / bend),
                     c = mass * omegaSq / bend * (1 - rotary * omegaSq / shear);
        const double root = std::sqrt(b * b / 4 + c), p = std::sqrt(root - b / 2),
                     q = std::sqrt(root + b / 2), half = length / 2;
        // P' = W'' + (mass omega^2 / shear) W
        const double e = mass * omegaSq / shear;
        Eigen::Matrix2d m;
        m(0, 0) = (p * p + e) * std::cosh(p * half);
        m(0, 1) = (e - q * q) * std::cos(q * half);
        m(1, 0) = (p - (p * p + e) / p) * std::sinh(p * half);  // W' - P
        m(1, 1) = (-q - (e - q * q) / q) * std::sin(q * half);
        return m.determinant() / std::cosh(p * half);
    }
};

}  // namespace sunder::testing
