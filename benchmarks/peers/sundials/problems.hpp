// The reference problems in C++: the same equations as in crates/bifrons-problems/src/ode.
// Each right-hand side is a template, so that dual numbers give exact Jacobians.
#pragma once

#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

// A value with its derivatives in W directions.
template <int W> struct Dual {
  double value;
  double slope[W];
  Dual(double v = 0.0) : value(v), slope{} {}
};

template <int W> Dual<W> operator+(Dual<W> a, const Dual<W> &b) {
  a.value += b.value;
  for (int k = 0; k < W; k++) a.slope[k] += b.slope[k];
  return a;
}
template <int W> Dual<W> operator-(Dual<W> a, const Dual<W> &b) {
  a.value -= b.value;
  for (int k = 0; k < W; k++) a.slope[k] -= b.slope[k];
  return a;
}
template <int W> Dual<W> operator*(const Dual<W> &a, const Dual<W> &b) {
  Dual<W> c(a.value * b.value);
  for (int k = 0; k < W; k++) c.slope[k] = a.slope[k] * b.value + a.value * b.slope[k];
  return c;
}
template <int W> Dual<W> operator/(const Dual<W> &a, const Dual<W> &b) {
  Dual<W> c(a.value / b.value);
  for (int k = 0; k < W; k++) c.slope[k] = (a.slope[k] - c.value * b.slope[k]) / b.value;
  return c;
}
template <int W> Dual<W> operator-(const Dual<W> &a) { return Dual<W>(0.0) - a; }
template <int W> Dual<W> operator+(double a, const Dual<W> &b) { return Dual<W>(a) + b; }
template <int W> Dual<W> operator+(const Dual<W> &a, double b) { return a + Dual<W>(b); }
template <int W> Dual<W> operator-(double a, const Dual<W> &b) { return Dual<W>(a) - b; }
template <int W> Dual<W> operator-(const Dual<W> &a, double b) { return a - Dual<W>(b); }
template <int W> Dual<W> operator*(double a, Dual<W> b) {
  b.value *= a;
  for (int k = 0; k < W; k++) b.slope[k] *= a;
  return b;
}
template <int W> Dual<W> operator*(const Dual<W> &a, double b) { return b * a; }
template <int W> Dual<W> operator/(double a, const Dual<W> &b) { return Dual<W>(a) / b; }
template <int W> Dual<W> operator/(const Dual<W> &a, double b) { return a * (1.0 / b); }

inline double root(double a) { return std::sqrt(a); }
template <int W> Dual<W> root(const Dual<W> &a) {
  Dual<W> c(std::sqrt(a.value));
  for (int k = 0; k < W; k++) c.slope[k] = 0.5 * a.slope[k] / c.value;
  return c;
}
inline double power(double a) { return std::exp(a); }
template <int W> Dual<W> power(const Dual<W> &a) {
  Dual<W> c(std::exp(a.value));
  for (int k = 0; k < W; k++) c.slope[k] = a.slope[k] * c.value;
  return c;
}
inline double size(double a) { return std::fabs(a); }
template <int W> Dual<W> size(const Dual<W> &a) { return a.value < 0.0 ? -a : a; }

struct Decay {
  static constexpr int n = 1;
  template <class T> static void f(double, const T *y, T *dy) { dy[0] = -y[0]; }
};

struct Oscillator {
  static constexpr int n = 2;
  template <class T> static void f(double, const T *y, T *dy) {
    dy[0] = y[1];
    dy[1] = -y[0];
  }
};

struct LotkaVolterra {
  static constexpr int n = 2;
  template <class T> static void f(double, const T *y, T *dy) {
    T met = y[0] * y[1];
    dy[0] = 1.5 * y[0] - met;
    dy[1] = met - 3.0 * y[1];
  }
};

struct Lorenz {
  static constexpr int n = 3;
  template <class T> static void f(double, const T *y, T *dy) {
    dy[0] = 10.0 * (y[1] - y[0]);
    dy[1] = y[0] * (28.0 - y[2]) - y[1];
    dy[2] = y[0] * y[1] - 8.0 / 3.0 * y[2];
  }
};

struct Brusselator {
  static constexpr int n = 2;
  template <class T> static void f(double, const T *y, T *dy) {
    T made = y[0] * y[0] * y[1];
    dy[0] = 1.0 + made - 4.0 * y[0];
    dy[1] = 3.0 * y[0] - made;
  }
};

template <int MU> struct VanDerPol {
  static constexpr int n = 2;
  template <class T> static void f(double, const T *y, T *dy) {
    dy[0] = y[1];
    dy[1] = double(MU) * (1.0 - y[0] * y[0]) * y[1] - y[0];
  }
};

struct Arenstorf {
  static constexpr int n = 4;
  template <class T> static void f(double, const T *y, T *dy) {
    constexpr double moon = 0.012277471, earth = 1.0 - moon;
    T u = y[0] + moon, v = y[0] - earth;
    T d1 = u * u + y[1] * y[1], d2 = v * v + y[1] * y[1];
    T a = earth / (d1 * root(d1)), b = moon / (d2 * root(d2));
    dy[0] = y[2];
    dy[1] = y[3];
    dy[2] = y[0] + 2.0 * y[3] - a * u - b * v;
    dy[3] = y[1] - 2.0 * y[2] - a * y[1] - b * y[1];
  }
};

struct Kepler {
  static constexpr int n = 4;
  template <class T> static void f(double, const T *y, T *dy) {
    T d = y[0] * y[0] + y[1] * y[1];
    T a = 1.0 / (d * root(d));
    dy[0] = y[2];
    dy[1] = y[3];
    dy[2] = -y[0] * a;
    dy[3] = -y[1] * a;
  }
};

struct ThreeBody {
  static constexpr int n = 12;
  template <class T> static void f(double, const T *y, T *dy) {
    for (int i = 0; i < 6; i++) {
      dy[i] = y[6 + i];
      dy[6 + i] = T(0.0);
    }
    for (int i = 0; i < 3; i++)
      for (int j = i + 1; j < 3; j++) {
        T x = y[2 * j] - y[2 * i], z = y[2 * j + 1] - y[2 * i + 1];
        T d = x * x + z * z;
        T a = 1.0 / (d * root(d));
        dy[6 + 2 * i] = dy[6 + 2 * i] + x * a;
        dy[7 + 2 * i] = dy[7 + 2 * i] + z * a;
        dy[6 + 2 * j] = dy[6 + 2 * j] - x * a;
        dy[7 + 2 * j] = dy[7 + 2 * j] - z * a;
      }
  }
};

struct Pleiades {
  static constexpr int n = 28;
  template <class T> static void f(double, const T *y, T *dy) {
    for (int i = 0; i < 14; i++) {
      dy[i] = y[14 + i];
      dy[14 + i] = T(0.0);
    }
    for (int i = 0; i < 7; i++)
      for (int j = i + 1; j < 7; j++) {
        T x = y[j] - y[i], z = y[7 + j] - y[7 + i];
        T d = x * x + z * z;
        T a = 1.0 / (d * root(d));
        double mi = i + 1, mj = j + 1;
        dy[14 + i] = dy[14 + i] + mj * x * a;
        dy[21 + i] = dy[21 + i] + mj * z * a;
        dy[14 + j] = dy[14 + j] - mi * x * a;
        dy[21 + j] = dy[21 + j] - mi * z * a;
      }
  }
};

struct Robertson {
  static constexpr int n = 3;
  template <class T> static void f(double, const T *y, T *dy) {
    T lost = 0.04 * y[0] - 1e4 * y[1] * y[2], gained = 3e7 * y[1] * y[1];
    dy[0] = -lost;
    dy[1] = lost - gained;
    dy[2] = gained;
  }
};

struct RobertsonDae {
  static constexpr int n = 3;
  template <class T> static void f(double t, const T *y, T *dy) {
    Robertson::f(t, y, dy);
    dy[2] = y[0] + y[1] + y[2] - 1.0;
  }
};

struct Hires {
  static constexpr int n = 8;
  template <class T> static void f(double, const T *y, T *dy) {
    T met = 280.0 * y[5] * y[7];
    dy[0] = -1.71 * y[0] + 0.43 * y[1] + 8.32 * y[2] + 0.0007;
    dy[1] = 1.71 * y[0] - 8.75 * y[1];
    dy[2] = -10.03 * y[2] + 0.43 * y[3] + 0.035 * y[4];
    dy[3] = 8.32 * y[1] + 1.71 * y[2] - 1.12 * y[3];
    dy[4] = -1.745 * y[4] + 0.43 * y[5] + 0.43 * y[6];
    dy[5] = -met + 0.69 * y[3] + 1.71 * y[4] - 0.43 * y[5] + 0.69 * y[6];
    dy[6] = met - 1.81 * y[6];
    dy[7] = -dy[6];
  }
};

struct Orego {
  static constexpr int n = 3;
  template <class T> static void f(double, const T *y, T *dy) {
    constexpr double s = 77.27, q = 8.375e-6, w = 0.161;
    dy[0] = s * (y[1] + y[0] * (1.0 - q * y[0] - y[1]));
    dy[1] = (y[2] - (1.0 + y[0]) * y[1]) / s;
    dy[2] = w * (y[0] - y[2]);
  }
};

struct E5 {
  static constexpr int n = 4;
  template <class T> static void f(double, const T *y, T *dy) {
    T p1 = 7.89e-10 * y[0], p2 = 1.1e7 * y[0] * y[2];
    T p3 = 1.13e9 * y[1] * y[2], p4 = 1.13e3 * y[3];
    dy[0] = -p1 - p2;
    dy[1] = p1 - p3;
    dy[3] = p2 - p4;
    dy[2] = p1 - p3 - p2 + p4;
  }
};

struct Pollu {
  static constexpr int n = 20;
  template <class T> static void f(double, const T *y, T *dy) {
    T r1 = 0.35 * y[0], r2 = 26.6 * y[1] * y[3], r3 = 12300.0 * y[4] * y[1];
    T r4 = 0.00086 * y[6], r5 = 0.00082 * y[6], r6 = 15000.0 * y[6] * y[5];
    T r7 = 0.00013 * y[8], r8 = 24000.0 * y[8] * y[5], r9 = 16500.0 * y[10] * y[1];
    T r10 = 9000.0 * y[10] * y[0], r11 = 0.022 * y[12], r12 = 12000.0 * y[9] * y[1];
    T r13 = 1.88 * y[13], r14 = 16300.0 * y[0] * y[5], r15 = 4800000.0 * y[2];
    T r16 = 0.00035 * y[3], r17 = 0.0175 * y[3], r18 = 100000000.0 * y[15];
    T r19 = 444000000000.0 * y[15], r20 = 1240.0 * y[16] * y[5], r21 = 2.1 * y[18];
    T r22 = 5.78 * y[18], r23 = 0.0474 * y[0] * y[3], r24 = 1780.0 * y[18] * y[0];
    T r25 = 3.12 * y[19];
    dy[0] = -r1 - r10 - r14 - r23 - r24 + r2 + r3 + r9 + r11 + r12 + r22 + r25;
    dy[1] = -r2 - r3 - r9 - r12 + r1 + r21;
    dy[2] = -r15 + r1 + r17 + r19 + r22;
    dy[3] = -r2 - r16 - r17 - r23 + r15;
    dy[4] = -r3 + 2.0 * r4 + r6 + r7 + r13 + r20;
    dy[5] = -r6 - r8 - r14 - r20 + r3 + 2.0 * r18;
    dy[6] = -r4 - r5 - r6 + r13;
    dy[7] = r4 + r5 + r6 + r7;
    dy[8] = -r7 - r8;
    dy[9] = -r12 + r7 + r9;
    dy[10] = -r9 - r10 + r8 + r11;
    dy[11] = r9;
    dy[12] = -r11 + r10;
    dy[13] = -r13 + r12;
    dy[14] = r14;
    dy[15] = -r18 - r19 + r16;
    dy[16] = -r20;
    dy[17] = r20;
    dy[18] = -r21 - r22 - r24 + r23 + r25;
    dy[19] = -r25 + r24;
  }
};

struct AkzoNobel {
  static constexpr int n = 6;
  template <class T> static void f(double, const T *y, T *dy) {
    T s = root(size(y[1])), square = y[0] * y[0];
    T r1 = 18.7 * square * square * s, r2 = 0.58 * y[2] * y[3];
    T r3 = 0.58 / 34.4 * y[0] * y[4], r4 = 0.09 * y[0] * y[3] * y[3];
    T r5 = 0.42 * y[5] * y[5] * s, in = 3.3 * (0.9 / 737.0 - y[1]);
    dy[0] = -2.0 * r1 + r2 - r3 - r4;
    dy[1] = -0.5 * r1 - r4 - 0.5 * r5 + in;
    dy[2] = r1 - r2 + r3;
    dy[3] = -r2 + r3 - 2.0 * r4;
    dy[4] = r2 - r3 + r5;
    dy[5] = 115.83 * y[0] * y[3] - y[5];
  }
};

struct Transistor {
  static constexpr int n = 8;
  template <class T> static void f(double t, const T *y, T *dy) {
    constexpr double ub = 6.0, uf = 0.026, alpha = 0.99, beta = 1e-6, r0 = 1000.0, r = 9000.0;
    double in = 0.1 * std::sin(200.0 * M_PI * t);
    T g1 = beta * (power((y[1] - y[2]) / uf) - 1.0), g2 = beta * (power((y[4] - y[5]) / uf) - 1.0);
    dy[0] = (y[0] - in) / r0;
    dy[1] = -ub / r + 2.0 * y[1] / r - (alpha - 1.0) * g1;
    dy[2] = -g1 + y[2] / r;
    dy[3] = -ub / r + y[3] / r + alpha * g1;
    dy[4] = -ub / r + 2.0 * y[4] / r - (alpha - 1.0) * g2;
    dy[5] = -g2 + y[5] / r;
    dy[6] = -ub / r + y[6] / r + alpha * g2;
    dy[7] = y[7] / r;
  }
};

struct RingModulator {
  static constexpr int n = 15;
  template <class T> static void f(double t, const T *y, T *dy) {
    constexpr double c = 1.6e-8, cs = 2e-12, cp = 1e-8, r = 25000.0, rp = 50.0, lh = 4.45;
    constexpr double ls1 = 0.002, ls2 = 5e-4, rg1 = 36.3, rg2 = 17.3, ri = 50.0, rc = 600.0;
    double u1 = 0.5 * std::sin(2000.0 * M_PI * t), u2 = 2.0 * std::sin(20000.0 * M_PI * t);
    auto q = [](const T &u) { return 4.067286402e-8 * (power(17.7493332 * u) - 1.0); };
    T q1 = q(y[2] - y[4] - y[6] - u2), q2 = q(-y[3] + y[5] - y[6] - u2);
    T q3 = q(y[3] + y[4] + y[6] + u2), q4 = q(-y[2] - y[5] + y[6] + u2);
    dy[0] = (y[7] - 0.5 * y[9] + 0.5 * y[10] + y[13] - y[0] / r) / c;
    dy[1] = (y[8] - 0.5 * y[11] + 0.5 * y[12] + y[14] - y[1] / r) / c;
    dy[2] = (y[9] - q1 + q4) / cs;
    dy[3] = (-y[10] + q2 - q3) / cs;
    dy[4] = (y[11] + q1 - q3) / cs;
    dy[5] = (-y[12] - q2 + q4) / cs;
    dy[6] = (-y[6] / rp + q1 + q2 - q3 - q4) / cp;
    dy[7] = -y[0] / lh;
    dy[8] = -y[1] / lh;
    dy[9] = (0.5 * y[0] - y[2] - rg2 * y[9]) / ls2;
    dy[10] = (-0.5 * y[0] + y[3] - rg2 * y[10]) / ls2;
    dy[11] = (0.5 * y[1] - y[4] - rg2 * y[11]) / ls2;
    dy[12] = (-0.5 * y[1] + y[5] - rg2 * y[12]) / ls2;
    dy[13] = (-y[0] + u1 - (ri + rg1) * y[13]) / ls1;
    dy[14] = (-y[1] - (rc + rg1) * y[14]) / ls1;
  }
};

struct Pendulum {
  static constexpr int n = 5;
  template <class T> static void f(double, const T *y, T *dy) {
    constexpr double g = 9.81;
    dy[0] = y[2];
    dy[1] = y[3];
    dy[2] = -y[4] * y[0];
    dy[3] = -y[4] * y[1] - g;
    dy[4] = y[2] * y[2] + y[3] * y[3] - y[4] * (y[0] * y[0] + y[1] * y[1]) - g * y[1];
  }
};

// A system on lines of points: right-hand side, and the entries of its Jacobian.
struct Lines {
  int n;
  int bandwidth;
  std::function<void(const double *, double *)> f;
  // Calls back with row, column and value.
  std::function<void(const double *, const std::function<void(int, int, double)> &)> jacobian;
};

inline Lines brusselator1d(int points) {
  double c = 0.02 * (points + 1.0) * (points + 1.0);
  auto f = [=](const double *y, double *dy) {
    double lu = 1.0, lv = 3.0;
    for (int i = 0; i < points; i++) {
      double u = y[2 * i], v = y[2 * i + 1];
      double ru = i + 1 < points ? y[2 * i + 2] : 1.0, rv = i + 1 < points ? y[2 * i + 3] : 3.0;
      double made = u * u * v;
      dy[2 * i] = 1.0 + made - 4.0 * u + c * (lu - 2.0 * u + ru);
      dy[2 * i + 1] = 3.0 * u - made + c * (lv - 2.0 * v + rv);
      lu = u;
      lv = v;
    }
  };
  auto jacobian = [=](const double *y, const std::function<void(int, int, double)> &set) {
    for (int k = 0; k < 2 * points; k++) {
      int i = k / 2;
      double mixed = 2.0 * y[2 * i] * y[2 * i + 1], square = y[2 * i] * y[2 * i];
      if (k >= 2) set(k - 2, k, c);
      if (k % 2 == 0) {
        set(k, k, mixed - 4.0 - 2.0 * c);
        set(k + 1, k, 3.0 - mixed);
      } else {
        set(k - 1, k, square);
        set(k, k, -square - 2.0 * c);
      }
      if (k + 2 < 2 * points) set(k + 2, k, c);
    }
  };
  return {2 * points, 2, f, jacobian};
}

// Diffusion on `side` points of a line or on `side` times `side` points of a square.
inline Lines heat(int side, bool square) {
  double c = (side + 1.0) * (side + 1.0);
  int rows = square ? side : 1, n = side * rows;
  double centre = square ? -4.0 * c : -2.0 * c;
  auto f = [=](const double *y, double *dy) {
    for (int j = 0; j < rows; j++)
      for (int i = 0; i < side; i++) {
        int k = j * side + i;
        double sum = centre * y[k];
        if (i > 0) sum += c * y[k - 1];
        if (i + 1 < side) sum += c * y[k + 1];
        if (j > 0) sum += c * y[k - side];
        if (j + 1 < rows) sum += c * y[k + side];
        dy[k] = sum;
      }
  };
  auto jacobian = [=](const double *, const std::function<void(int, int, double)> &set) {
    for (int k = 0; k < n; k++) {
      int i = k % side, j = k / side;
      if (j > 0) set(k - side, k, c);
      if (i > 0) set(k - 1, k, c);
      set(k, k, centre);
      if (i + 1 < side) set(k + 1, k, c);
      if (j + 1 < rows) set(k + side, k, c);
    }
  };
  return {n, square ? side : 1, f, jacobian};
}
