//! Members in one workspace allocate nothing after the first, and workspaces are as large as they
//! say.

use bifrons_memory::profiler::{CountingAllocator, Scope};
use bifrons_ode::{
    Fault, ImplicitWorkspace, Mass, MemberProblem, Method, Options, Pattern, Problem, Response,
    Save, Structure, solve_in, solve_many,
};
use bifrons_parallel::Threads;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator::new();

static RUN: Scope = Scope::new("run");

const METHODS: [Method; 8] = [
    Method::Bdf,
    Method::Radau,
    Method::Rodas4,
    Method::Rodas5P,
    Method::TrBdf2,
    Method::Esdirk4,
    Method::Esdirk5,
    Method::Auto,
];

/// Diffusion in a ring or a row with a source of its own phase per member; the last equation may
/// be algebraic, a function with a handler may watch the first component, one member gives up.
#[derive(Clone)]
struct Diffusion {
    structure: Structure,
    mass: Mass,
    n: usize,
    roots: usize,
    phase: f64,
    gives_up: bool,
}

impl Diffusion {
    fn is_algebraic(&self) -> bool {
        matches!(&self.mass, Mass::Diagonal(values) if values.last() == Some(&0.0))
    }
}

impl Problem for Diffusion {
    fn dimension(&self) -> usize {
        self.n
    }
    fn rhs(&mut self, t: f64, y: &[f64], f: &mut [f64]) -> Result<(), Fault> {
        let n = y.len();
        if self.gives_up && t > 0.08 {
            return Err(Fault::Fatal("enough"));
        }
        let ring = !matches!(self.structure, Structure::Banded { .. });
        for i in 0..n {
            let at = |i: usize, inside: bool| if inside || ring { y[i % n] } else { 0.0 };
            let (left, right) = (at(i + n - 1, i > 0), at(i + 1, i + 1 < n));
            f[i] = 50.0 * (left + right - 2.0 * y[i]) - y[i].powi(3) + (9.0 * t + self.phase).sin();
        }
        if self.is_algebraic() {
            f[n - 1] = y[n - 1] - 0.5 * y[n - 2];
        }
        Ok(())
    }
    fn structure(&self) -> &Structure {
        &self.structure
    }
    fn mass(&self) -> &Mass {
        &self.mass
    }
    fn root_count(&self) -> usize {
        self.roots
    }
    fn roots(&mut self, t: f64, _y: &[f64], g: &mut [f64]) -> Result<(), Fault> {
        g.fill((60.0 * t).sin());
        Ok(())
    }
    fn event(&mut self, _event: &bifrons_ode::Event<'_>, y: &mut [f64]) -> Response {
        y[0] += 1e-3;
        Response::Continue
    }
}

impl MemberProblem for Diffusion {
    fn load(&mut self, member: usize, state: &mut [f64]) {
        // Two members in turn, so that later ones need what earlier ones needed.
        let member = member % 2;
        self.phase = member as f64;
        self.gives_up = member == 1;
        for (i, y) in state.iter_mut().enumerate() {
            *y = (0.7 * i as f64).cos();
        }
        if self.is_algebraic() {
            state[self.n - 1] = 0.5 * state[self.n - 2];
        }
    }
}

/// One thread, without the test harness: the counters belong to the process.
fn main() -> Result<(), Box<dyn std::error::Error>> {
    for n in [6, 40] {
        let places: Vec<_> = (0..n)
            .flat_map(|i: usize| [(i, i), (i, (i + 1) % n), ((i + 1) % n, i)])
            .collect();
        let mut singular = vec![2.0; n];
        singular[n - 1] = 0.0;
        for structure in [
            Structure::Dense,
            Structure::Banded { lower: 1, upper: 1 },
            Structure::Sparse(Pattern::from_entries(n, &places)?),
        ] {
            for mass in [
                Mass::Identity,
                Mass::Diagonal(vec![2.0; n]),
                Mass::Diagonal(singular.clone()),
            ] {
                for (method, roots) in METHODS.into_iter().zip([0, 2, 0, 1].into_iter().cycle()) {
                    let problem = Diffusion {
                        structure: structure.clone(),
                        mass: mass.clone(),
                        n,
                        roots,
                        phase: 0.0,
                        gives_up: false,
                    };
                    members(&problem, method)?;
                    workspace(&problem, method)?;
                }
            }
        }
    }
    Ok(())
}

/// Ten members take as many blocks as four: two of each kind warm the workspace up.
fn members(problem: &Diffusion, method: Method) -> Result<(), Box<dyn std::error::Error>> {
    let mut options = Options::default();
    options.method = method;
    let times = Save::Times(vec![0.02, 0.05, 0.1]);
    for save in [&Save::Final, &Save::EveryStep, &times] {
        let run = |count: usize| {
            let guard = RUN.enter();
            let threads = Threads::one();
            let ended = solve_many(
                &threads,
                problem,
                0..count,
                (0.0, 0.1),
                save,
                &options,
                |_, run| run.is_ok(),
            )?;
            Ok::<_, Box<dyn std::error::Error>>((guard.so_far().blocks, ended))
        };
        run(2)?;
        let (few, _) = run(4)?;
        let (many, ended) = run(10)?;
        assert_eq!(
            few, many,
            "{method:?} {save:?} {:?} {:?}: blocks",
            problem.structure, problem.mass
        );
        assert_eq!(
            ended.iter().filter(|ok| **ok).count(),
            5,
            "{method:?}: every other member gives up"
        );
    }
    Ok(())
}

/// What a workspace keeps is what its footprint says.
fn workspace(problem: &Diffusion, method: Method) -> Result<(), Box<dyn std::error::Error>> {
    let mut options = Options::default();
    options.method = method;
    let (mut problem, mut state) = (problem.clone(), vec![0.0; problem.n]);
    problem.load(0, &mut state);
    let before = bifrons_memory::profiler::counts().live_bytes;
    let mut workspace = ImplicitWorkspace::new();
    let found = solve_in(
        &mut workspace,
        &mut problem,
        0.0,
        &state,
        0.1,
        &Save::Final,
        &options,
    )?;
    drop(found);
    let kept = bifrons_memory::profiler::counts().live_bytes - before;
    let fill = workspace.fill();
    let planned = ImplicitWorkspace::footprint(&problem, method, fill).map_or(0, |f| f.peak());
    let ratio = planned as f64 / kept as f64;
    let shape = match problem.structure {
        Structure::Dense => "dense",
        Structure::Banded { .. } => "banded",
        _ => "sparse",
    };
    let what = format!(
        "{method:?}, {} components, {shape}, {} functions, identity {}, algebraic {}",
        problem.n,
        problem.roots,
        problem.mass == Mass::Identity,
        problem.is_algebraic()
    );
    assert!(
        (1.0..=1.25).contains(&ratio),
        "{what}: planned {planned}, kept {kept}"
    );
    Ok(())
}
