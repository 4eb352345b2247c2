// SUNDIALS on the reference problems: CVODE's BDF (dense, banded, KLU) and Adams methods, IDA.
// Same arguments and lines of JSON as the other contestants, and `--data DIR`: where the known
// states are, crates/bifrons-problems/data/ode.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <sstream>

#include "solvers.hpp"

using Clock = std::chrono::steady_clock;

// A problem with its known states and its methods.
struct Entry {
  std::string name, data;
  double scale, end;
  std::vector<Method> methods;
  std::function<Ran(const Task &, Method)> run;
  bool algebraic = false;
  // States that are not in files: 0 at the start, else at the end.
  std::function<std::vector<double>(double)> exact = nullptr;
  std::function<std::vector<double>(const std::vector<double> &)> slope = nullptr;
};

struct Arguments {
  std::string data = "crates/bifrons-problems/data/ode";
  std::vector<std::string> problems, methods;
  std::vector<double> tolerances;
  int samples = 5;
  double patience = 1.0;
  bool list = false;
};

static const char *name_of(Method m) {
  switch (m) {
    case Method::BdfDense: return "cvode_bdf_dense";
    case Method::Adams: return "cvode_adams";
    case Method::BdfBand: return "cvode_bdf_band";
    case Method::BdfKlu: return "cvode_bdf_klu";
    default: return "ida_dense";
  }
}

template <class P> Ran run_ode(const Task &task, Method method) {
  return cvode(task, method, Ode<P>::rhs, Ode<P>::jacobian, nullptr);
}

template <class P>
std::function<Ran(const Task &, Method)> run_dae(Mass mass) {
  return [mass](const Task &task, Method) {
    return ida(task, Ode<P>::residual, Ode<P>::pencil, &mass);
  };
}

// A problem without mass matrix, by CVODE or in residual form by IDA.
template <class P> Ran run_both(const Task &task, Method method) {
  if (method != Method::IdaDense) return run_ode<P>(task, method);
  Mass mass;
  for (int i = 0; i < P::n; i++) mass.push_back({double(i), double(i), 1.0});
  return ida(task, Ode<P>::residual, Ode<P>::pencil, &mass);
}

static std::function<Ran(const Task &, Method)> run_lines(Lines lines) {
  return [lines](const Task &task, Method method) {
    return cvode(task, method, lines_rhs, method == Method::BdfBand ? lines_band : lines_sparse,
                 &lines);
  };
}

static Mass diagonal(std::vector<double> values) {
  Mass mass;
  for (size_t i = 0; i < values.size(); i++)
    if (values[i] != 0.0) mass.push_back({double(i), double(i), values[i]});
  return mass;
}

static Mass amplifier_mass() {
  Mass mass;
  double pairs[3][2] = {{0, 1e-6}, {3, 3e-6}, {6, 5e-6}};
  for (auto &pair : pairs) {
    double i = pair[0], c = pair[1];
    mass.push_back({i, i, -c});
    mass.push_back({i, i + 1, c});
    mass.push_back({i + 1, i, c});
    mass.push_back({i + 1, i + 1, -c});
  }
  mass.push_back({2, 2, -2e-6});
  mass.push_back({5, 5, -4e-6});
  return mass;
}

static double fading(double k, int n) {
  double s = std::sin(0.5 * k * M_PI / (n + 1));
  return 4.0 * s * s * (n + 1.0) * (n + 1.0);
}

static std::vector<double> heat_line(double t) {
  std::vector<double> y;
  for (int i = 1; i <= 100; i++) {
    double x = M_PI * i / 101.0;
    y.push_back(std::exp(-fading(1, 100) * t) * std::sin(x) +
                0.5 * std::exp(-fading(3, 100) * t) * std::sin(3 * x));
  }
  return y;
}

static std::vector<double> heat_square(double t) {
  std::vector<double> y;
  for (int j = 1; j <= 32; j++)
    for (int i = 1; i <= 32; i++) {
      double x = M_PI * i / 33.0, z = M_PI * j / 33.0;
      y.push_back(std::exp(-2 * fading(1, 32) * t) * std::sin(x) * std::sin(z) +
                  0.5 * std::exp(-(fading(3, 32) + fading(2, 32)) * t) * std::sin(3 * x) *
                      std::sin(2 * z));
    }
  return y;
}

template <class P> static std::vector<double> plain_slope(const std::vector<double> &y) {
  std::vector<double> dy(y.size());
  P::f(0.0, y.data(), dy.data());
  return dy;
}

static std::vector<Entry> catalogue() {
  const std::vector<Method> plain = {Method::BdfDense, Method::Adams}, stiff = {Method::BdfDense};
  const std::vector<Method> band = {Method::BdfBand, Method::BdfKlu}, dae = {Method::IdaDense};
  std::vector<Entry> all = {
      {"exponential_decay", "exponential_decay", 1, 10, plain, run_ode<Decay>},
      {"harmonic_oscillator", "harmonic_oscillator", 1, 100, plain, run_ode<Oscillator>},
      {"lotka_volterra", "lotka_volterra", 1, 10, plain, run_ode<LotkaVolterra>},
      {"lorenz", "lorenz", 1, 10, plain, run_ode<Lorenz>},
      {"brusselator", "brusselator", 1, 20, plain, run_ode<Brusselator>},
      {"vdp1", "vdp1", 1, 20, plain, run_ode<VanDerPol<1>>},
      {"arenstorf", "arenstorf", 1, 17.06521656015796255889172, plain, run_ode<Arenstorf>},
      {"kepler_e09", "kepler_e09", 1, 20, plain, run_ode<Kepler>},
      {"threebody_figure8", "threebody_figure8", 1, 20, plain, run_ode<ThreeBody>},
      {"pleiades", "pleiades", 1, 3, plain, run_ode<Pleiades>},
      {"vdp1000", "vdp1000", 1e-3, 2000, stiff, run_ode<VanDerPol<1000>>},
      {"robertson", "robertson", 1e-8, 4e5, stiff, run_ode<Robertson>},
      {"hires", "hires", 1e-4, 321.8122, stiff, run_ode<Hires>},
      {"orego", "orego", 1, 360, stiff, run_ode<Orego>},
      {"pollu", "pollu", 1e-6, 60, stiff, run_ode<Pollu>},
      {"e5", "e5", 1e-18, 1e9, {Method::BdfDense, Method::IdaDense}, run_both<E5>, false, nullptr,
       plain_slope<E5>},
      {"ring_modulator", "ring_modulator", 1e-2, 1e-3, stiff, run_ode<RingModulator>},
      {"robertson_dae", "robertson", 1e-8, 4e5, dae, run_dae<RobertsonDae>(diagonal({1, 1, 0})),
       true, nullptr, plain_slope<RobertsonDae>},
      {"akzo_nobel", "akzo_nobel", 1e-4, 180, dae,
       run_dae<AkzoNobel>(diagonal({1, 1, 1, 1, 1, 0})), true, nullptr, plain_slope<AkzoNobel>},
      {"transistor_amplifier", "transistor_amplifier", 0.1, 0.2, dae,
       run_dae<Transistor>(amplifier_mass()), true},
      {"pendulum_index1", "pendulum", 1, 10, dae, run_dae<Pendulum>(diagonal({1, 1, 1, 1, 0})),
       true, nullptr, plain_slope<Pendulum>},
      {"heat1d", "", 1e-3, 0.1, band, run_lines(heat(100, false)), false, heat_line},
      {"heat2d", "", 1e-3, 0.1, {Method::BdfKlu, Method::BdfBand}, run_lines(heat(32, true)),
       false, heat_square},
  };
  for (int points : {50, 100, 200, 500}) {
    std::string name = "brusselator1d_" + std::to_string(points);
    all.push_back({name, name, 1, 10, band, run_lines(brusselator1d(points))});
    all.back().exact = [points](double t) {
      std::vector<double> y;
      if (t > 0.0) return y;
      for (int i = 1; i <= points; i++) {
        y.push_back(1.0 + std::sin(2.0 * M_PI * i / (points + 1.0)));
        y.push_back(3.0);
      }
      return y;
    };
  }
  return all;
}

// Numbers after a word in the data file; for `at` those whose first number is `t`.
static std::vector<double> known(const std::string &path, const std::string &word, double t) {
  std::ifstream in(path);
  std::string line;
  while (std::getline(in, line)) {
    std::istringstream words(line);
    std::string first, number;
    words >> first;
    std::vector<double> numbers;
    while (words >> number) numbers.push_back(std::strtod(number.c_str(), nullptr));
    if (first != word) continue;
    if (word != "at") return numbers;
    if (numbers[0] == t) return {numbers.begin() + 1, numbers.end()};
  }
  return {};
}

static double error_of(const std::vector<double> &y, const std::vector<double> &r, double scale) {
  if (y.size() != r.size()) return NAN;
  double sum = 0.0;
  for (size_t i = 0; i < y.size(); i++) {
    double e = (y[i] - r[i]) / (scale + std::fabs(r[i]));
    sum += e * e;
  }
  return std::sqrt(sum / y.size());
}

static double seconds(Clock::time_point since) {
  return std::chrono::duration<double>(Clock::now() - since).count();
}

// One line: warm-up, then medians of batches of at least 2 ms. Returns the time of one run.
static double measure(const Entry &entry, Method method, const Task &task,
                      const std::vector<double> &reference, int samples) {
  auto started = Clock::now();
  Ran ran = entry.run(task, method);
  double first = seconds(started);
  std::vector<double> times = {first};
  double error = error_of(ran.state, reference, entry.scale);
  if (ran.failure.empty() && !std::isfinite(error))
    ran.failure = "the error at the end is not finite";
  if (ran.failure.empty() && samples > 0) {
    int runs = int(2e-3 / std::max(first, 1e-9)) + 1;
    times.clear();
    for (int s = 0; s < samples; s++) {
      auto start = Clock::now();
      for (int k = 0; k < runs; k++) entry.run(task, method);
      times.push_back(seconds(start) / runs);
    }
    std::sort(times.begin(), times.end());
  }
  double median = times[times.size() / 2];
  std::printf("{\"peer\":\"sundials\",\"version\":\"%s\",\"method\":\"%s\",\"problem\":\"%s\","
              "\"rtol\":%.17g,\"atol\":%.17g",
              SUNDIALS_VERSION, name_of(method), entry.name.c_str(), task.relative, task.absolute);
  if (ran.failure.empty())
    std::printf(",\"error\":%.17g,\"steps\":%ld,\"rhs\":%ld,\"jacobians\":%ld,"
                "\"factorisations\":%ld",
                error, ran.steps, ran.rhs, ran.jacobians, ran.factorisations);
  else
    std::printf(",\"failure\":\"%s\"", ran.failure.c_str());
  std::printf(",\"wall_ns\":%.0f,\"least_ns\":%.0f,\"samples\":%zu}\n", 1e9 * median,
              1e9 * times[0], times.size());
  std::fflush(stdout);
  return median;
}

static bool wanted(const std::vector<std::string> &names, const std::string &name) {
  return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
}

static void contest(const Entry &entry, const Arguments &arguments) {
  std::string path = arguments.data + "/" + entry.data + ".txt";
  Task task;
  task.end = entry.end;
  task.initial = entry.exact ? entry.exact(0.0) : known(path, "initial", 0.0);
  task.slope = entry.algebraic && !entry.slope ? known(path, "slope", 0.0)
               : entry.slope                   ? entry.slope(task.initial)
                                               : std::vector<double>(task.initial.size(), 0.0);
  auto reference = entry.exact ? entry.exact(entry.end) : std::vector<double>();
  if (reference.empty()) reference = known(path, "at", entry.end);
  for (Method method : entry.methods) {
    if (!wanted(arguments.methods, name_of(method))) continue;
    if (arguments.list) {
      std::printf("%s %s\n", entry.name.c_str(), name_of(method));
      continue;
    }
    for (double relative : arguments.tolerances) {
      task.relative = relative;
      task.absolute = relative * entry.scale;
      double time = measure(entry, method, task, reference, arguments.samples);
      if (time > arguments.patience) break;
    }
  }
}

static bool parse(int count, char **words, Arguments &arguments) {
  for (int i = 1; i < count; i++) {
    std::string option = words[i];
    if (option == "--list") {
      arguments.list = true;
      continue;
    }
    if (++i >= count) return false;
    std::string value = words[i];
    if (option == "--data") arguments.data = value;
    else if (option == "--problem") arguments.problems.push_back(value);
    else if (option == "--method") arguments.methods.push_back(value);
    else if (option == "--rtol") arguments.tolerances.push_back(std::atof(value.c_str()));
    else if (option == "--samples") arguments.samples = std::atoi(value.c_str());
    else if (option == "--patience") arguments.patience = std::atof(value.c_str());
    else return false;
  }
  if (arguments.tolerances.empty())
    arguments.tolerances = {1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10};
  return arguments.samples >= 0;
}

int main(int count, char **words) {
  Arguments arguments;
  if (!parse(count, words, arguments)) {
    std::cerr << "options: [--data DIR] [--list] [--problem NAME]... [--method NAME]... "
                 "[--rtol R]... [--samples N] [--patience SECONDS]\n";
    return 2;
  }
  for (const Entry &entry : catalogue())
    if (wanted(arguments.problems, entry.name)) contest(entry, arguments);
  return 0;
}
