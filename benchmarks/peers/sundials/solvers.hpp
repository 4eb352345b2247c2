// CVODE and IDA behind one interface: make, integrate, free; counts and last state.
#pragma once

#include <cvode/cvode.h>
#include <ida/ida.h>
#include <klu.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_band.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_band.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include "problems.hpp"

struct Ran {
  std::vector<double> state;
  long steps = 0, rhs = 0, jacobians = 0, factorisations = 0;
  std::string failure;
};

enum class Method { BdfDense, Adams, BdfBand, BdfKlu, IdaDense };

constexpr long kMaxSteps = 1'000'000;

// Where a solver starts, and how exact it is to be.
struct Task {
  std::vector<double> initial, slope;
  double end, relative, absolute;
};

// Entries of M - or nothing for the identity - as (row, column, value).
using Mass = std::vector<std::array<double, 3>>;

template <class P> struct Ode {
  static int rhs(realtype t, N_Vector y, N_Vector dy, void *) {
    P::f(t, N_VGetArrayPointer(y), N_VGetArrayPointer(dy));
    return 0;
  }
  // Values of f and all columns of its Jacobian, in one sweep of dual numbers.
  static std::array<Dual<P::n>, P::n> sweep(double t, const double *y) {
    std::array<Dual<P::n>, P::n> at, dy;
    for (int j = 0; j < P::n; j++) {
      at[j] = Dual<P::n>(y[j]);
      at[j].slope[j] = 1.0;
    }
    P::f(t, at.data(), dy.data());
    return dy;
  }
  static int jacobian(realtype t, N_Vector y, N_Vector, SUNMatrix out, void *, N_Vector, N_Vector,
                      N_Vector) {
    auto dy = sweep(t, N_VGetArrayPointer(y));
    for (int j = 0; j < P::n; j++)
      for (int i = 0; i < P::n; i++) SM_ELEMENT_D(out, i, j) = dy[i].slope[j];
    return 0;
  }
  static int residual(realtype t, N_Vector y, N_Vector yp, N_Vector r, void *user) {
    const Mass &mass = *static_cast<const Mass *>(user);
    double *out = N_VGetArrayPointer(r), *slope = N_VGetArrayPointer(yp);
    P::f(t, N_VGetArrayPointer(y), out);
    for (int i = 0; i < P::n; i++) out[i] = -out[i];
    for (const auto &m : mass) out[int(m[0])] += m[2] * slope[int(m[1])];
    return 0;
  }
  static int pencil(realtype t, realtype cj, N_Vector y, N_Vector, N_Vector, SUNMatrix out,
                    void *user, N_Vector, N_Vector, N_Vector) {
    const Mass &mass = *static_cast<const Mass *>(user);
    auto dy = sweep(t, N_VGetArrayPointer(y));
    for (int j = 0; j < P::n; j++)
      for (int i = 0; i < P::n; i++) SM_ELEMENT_D(out, i, j) = -dy[i].slope[j];
    for (const auto &m : mass) SM_ELEMENT_D(out, int(m[0]), int(m[1])) += cj * m[2];
    return 0;
  }
};

inline int lines_rhs(realtype, N_Vector y, N_Vector dy, void *user) {
  static_cast<const Lines *>(user)->f(N_VGetArrayPointer(y), N_VGetArrayPointer(dy));
  return 0;
}

inline int lines_band(realtype, N_Vector y, N_Vector, SUNMatrix out, void *user, N_Vector, N_Vector,
                      N_Vector) {
  const Lines &lines = *static_cast<const Lines *>(user);
  SUNMatZero(out);
  lines.jacobian(N_VGetArrayPointer(y),
                 [&](int i, int j, double v) { SM_ELEMENT_B(out, i, j) = v; });
  return 0;
}

// Entries come by columns with ascending rows, as compressed columns need them.
inline int lines_sparse(realtype, N_Vector y, N_Vector, SUNMatrix out, void *user, N_Vector,
                        N_Vector, N_Vector) {
  const Lines &lines = *static_cast<const Lines *>(user);
  sunindextype *starts = SM_INDEXPTRS_S(out), *rows = SM_INDEXVALS_S(out);
  double *values = SM_DATA_S(out);
  int at = 0, column = -1;
  lines.jacobian(N_VGetArrayPointer(y), [&](int i, int j, double v) {
    while (column < j) starts[++column] = at;
    rows[at] = i;
    values[at++] = v;
  });
  while (column < lines.n) starts[++column] = at;
  return 0;
}

// Everything that a run makes is freed with it.
struct Workspace {
  SUNContext context = nullptr;
  N_Vector y = nullptr, slope = nullptr;
  SUNMatrix matrix = nullptr;
  SUNLinearSolver linear = nullptr;
  SUNNonlinearSolver nonlinear = nullptr;
  void *cvode = nullptr, *ida = nullptr;

  explicit Workspace(const Task &task) {
    SUNContext_Create(nullptr, &context);
    y = N_VNew_Serial(task.initial.size(), context);
    slope = N_VNew_Serial(task.initial.size(), context);
    std::copy(task.initial.begin(), task.initial.end(), N_VGetArrayPointer(y));
    std::copy(task.slope.begin(), task.slope.end(), N_VGetArrayPointer(slope));
  }
  ~Workspace() {
    if (cvode) CVodeFree(&cvode);
    if (ida) IDAFree(&ida);
    if (nonlinear) SUNNonlinSolFree(nonlinear);
    if (linear) SUNLinSolFree(linear);
    if (matrix) SUNMatDestroy(matrix);
    N_VDestroy(slope);
    N_VDestroy(y);
    SUNContext_Free(&context);
  }
};

inline void silent(int, const char *, const char *, char *, void *) {}

inline Ran finish(Workspace &w, int flag, const char *who) {
  Ran ran;
  long extra = 0;
  if (flag < 0) ran.failure = std::string(who) + " returned " + std::to_string(flag);
  int n = N_VGetLength(w.y);
  double *y = N_VGetArrayPointer(w.y);
  ran.state.assign(y, y + n);
  if (w.cvode) {
    CVodeGetNumSteps(w.cvode, &ran.steps);
    CVodeGetNumRhsEvals(w.cvode, &ran.rhs);
    if (w.linear) {
      CVodeGetNumLinRhsEvals(w.cvode, &extra);
      CVodeGetNumJacEvals(w.cvode, &ran.jacobians);
      CVodeGetNumLinSolvSetups(w.cvode, &ran.factorisations);
    }
  } else {
    IDAGetNumSteps(w.ida, &ran.steps);
    IDAGetNumResEvals(w.ida, &ran.rhs);
    IDAGetNumJacEvals(w.ida, &ran.jacobians);
    IDAGetNumLinSolvSetups(w.ida, &ran.factorisations);
  }
  ran.rhs += extra;
  return ran;
}

// One run of CVODE; `user` is what the callbacks get.
inline Ran cvode(const Task &task, Method method, CVRhsFn rhs, CVLsJacFn jacobian,
                 const Lines *lines) {
  Workspace w(task);
  int n = task.initial.size();
  w.cvode = CVodeCreate(method == Method::Adams ? CV_ADAMS : CV_BDF, w.context);
  CVodeSetErrHandlerFn(w.cvode, silent, nullptr);
  CVodeInit(w.cvode, rhs, 0.0, w.y);
  CVodeSStolerances(w.cvode, task.relative, task.absolute);
  CVodeSetUserData(w.cvode, const_cast<Lines *>(lines));
  CVodeSetMaxNumSteps(w.cvode, kMaxSteps);
  CVodeSetStopTime(w.cvode, task.end);
  if (method == Method::Adams) {
    w.nonlinear = SUNNonlinSol_FixedPoint(w.y, 0, w.context);
    CVodeSetNonlinearSolver(w.cvode, w.nonlinear);
  } else {
    if (method == Method::BdfDense) {
      w.matrix = SUNDenseMatrix(n, n, w.context);
      w.linear = SUNLinSol_Dense(w.y, w.matrix, w.context);
    } else if (method == Method::BdfBand) {
      w.matrix = SUNBandMatrix(n, lines->bandwidth, lines->bandwidth, w.context);
      w.linear = SUNLinSol_Band(w.y, w.matrix, w.context);
    } else {
      w.matrix = SUNSparseMatrix(n, n, 5 * n, CSC_MAT, w.context);
      w.linear = SUNLinSol_KLU(w.y, w.matrix, w.context);
    }
    CVodeSetLinearSolver(w.cvode, w.linear, w.matrix);
    CVodeSetJacFn(w.cvode, jacobian);
  }
  double t = 0.0;
  int flag = CVode(w.cvode, task.end, w.y, &t, CV_NORMAL);
  return finish(w, flag, "CVode");
}

// One run of IDA.
inline Ran ida(const Task &task, IDAResFn residual, IDALsJacFn pencil, const Mass *mass) {
  Workspace w(task);
  int n = task.initial.size();
  w.ida = IDACreate(w.context);
  IDASetErrHandlerFn(w.ida, silent, nullptr);
  IDAInit(w.ida, residual, 0.0, w.y, w.slope);
  IDASStolerances(w.ida, task.relative, task.absolute);
  IDASetUserData(w.ida, const_cast<Mass *>(mass));
  IDASetMaxNumSteps(w.ida, kMaxSteps);
  IDASetStopTime(w.ida, task.end);
  w.matrix = SUNDenseMatrix(n, n, w.context);
  w.linear = SUNLinSol_Dense(w.y, w.matrix, w.context);
  IDASetLinearSolver(w.ida, w.linear, w.matrix);
  IDASetJacFn(w.ida, pencil);
  double t = 0.0;
  int flag = IDASolve(w.ida, task.end, &t, w.y, w.slope, IDA_NORMAL);
  return finish(w, flag, "IDASolve");
}
