//! A durable that is kept or replaced, without and with a piecewise budget.

use bifrons_grids::{Irregular, Linear};
use bifrons_lifecycle::{
    Ages, Domain, Edge, Joint, Liquid, Model, NNbEgm, Negm, Outer, OuterSearch, Parameters,
    Problem, Regime, Solver,
};

use super::{dense, table};

const TABLE: &str = include_str!("data/durable.csv");
const KINKED: &str = include_str!("data/durable_kinked.csv");

/// Sizes of the durable, the first of them none.
pub const DURABLES: [f64; 9] = [0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0];
/// Sizes of the durable beside a piecewise budget.
pub const HOUSES: [f64; 6] = [0.5, 1.0, 1.6, 2.4, 3.5, 5.0];

/// Income of one period with its probabilities: certain, or log-normal with spread 0.2 and mean one
/// on three Gauss-Hermite nodes.
const CERTAIN: ([f64; 1], [f64; 1]) = ([1.0], [1.0]);
const RISKY: ([f64; 3], [f64; 3]) = (
    [
        0.693_218_411_377_873,
        0.980_198_673_306_755_3,
        1.385_983_729_489_546_7,
    ],
    [
        0.166_666_666_666_666_7,
        0.666_666_666_666_666_6,
        0.166_666_666_666_666_7,
    ],
);

/// How consumption and the durable are enjoyed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taste {
    /// `-1 / (c^0.9 (d + 0.01)^0.1)`.
    CobbDouglas,
    /// `-1/c - 0.1/(d + 0.01)`.
    Separable,
}

/// What is known of one state at the first age.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Owned {
    /// The durable before the choice.
    pub stock: f64,
    /// Cash, income included.
    pub cash: f64,
    /// Value over the whole life.
    pub value: f64,
    /// The best durable after the choice.
    pub next: f64,
    /// Best consumption.
    pub consumption: f64,
}

/// Five periods with a durable of nine sizes that is kept for nothing, or sold for nine tenths of
/// its size and bought anew; cash grows by a factor of 1.03, the discount factor is 0.965, income is
/// certain (`incomes` 1) or risky (3). `points` savings nodes on `[0, 22]`.
///
/// # Errors
///
/// Those of building the model.
pub fn durable(points: usize, taste: Taste, incomes: usize) -> anyhow::Result<Problem> {
    let (nodes, weights) = match incomes {
        1 => (CERTAIN.0.to_vec(), CERTAIN.1.to_vec()),
        _ => (RISKY.0.to_vec(), RISKY.1.to_vec()),
    };
    let shock = Joint::new(
        ["income"],
        nodes.into_iter().map(|node| vec![node]),
        weights,
    );
    let owner = Regime::new("owner")
        .ages(0.0, 4.0)
        .state("m", Linear::new(0.5, 10.0, 20)?)
        .state("durable", Irregular::new(DURABLES)?)
        .action("c", Domain::free())
        .action("next", Domain::free())
        .function("stock", "next")
        .function("cost", "adjusts*(stock - 0.9*durable)")
        .function("resources", "m - cost")
        .function("savings", "resources - c")
        .utility(match taste {
            Taste::CobbDouglas => "(c^0.9*(stock + 0.01)^0.1)^(1 - rho)/(1 - rho)",
            Taste::Separable => "c^(1 - rho)/(1 - rho) + 0.1*(stock + 0.01)^(1 - rho)/(1 - rho)",
        })
        .joint(shock)
        .law("m", "1.03*savings + income")
        .law("durable", "stock")
        .liquid(
            Liquid::new("m", "c", "savings", dense(0.0, 22.0, points, 2)?).resources("resources"),
        )
        .outer(Outer::new("durable", "next", "stock").cost("cost"))
        .solver(Solver::Negm(Negm::new(OuterSearch::grid(Irregular::new(
            DURABLES,
        )?))))
        .edge(Edge::to("owner"))
        .edge(Edge::to("over"));
    let parameters = Parameters::new()
        .set("discount_factor", 0.965)
        .set("rho", 2.0);
    Ok(life(owner, 5)?.with_parameters(&parameters)?)
}

/// Three periods with a house of six sizes: moving costs 0.08 of the new size, cash is taxed at 0.2
/// above 3, and who has less than 2 gets 0.4. Utility `-1/c + 0.3 ln d`, a return of 1.03 on
/// savings and an income of one, discount factor 0.95. `points` savings nodes on `[0, 16]`.
///
/// # Errors
///
/// Those of building the model.
pub fn durable_kinked(points: usize) -> anyhow::Result<Problem> {
    let owner = Regime::new("owner")
        .ages(0.0, 2.0)
        .state("m", Linear::new(0.4, 14.0, 18)?)
        .state("house", Irregular::new(HOUSES)?)
        .action("c", Domain::free())
        .action("next", Domain::free())
        .function("stock", "next")
        .function("tax", "0.2*max(m - 3, 0)")
        .function("transfer", "if m < 2 then 0.4 else 0")
        .function("cash", "m - tax + transfer")
        .function("cost", "adjusts*(1.08*stock - house)")
        .function("resources", "cash - cost")
        .function("savings", "resources - c")
        .utility("c^(1 - rho)/(1 - rho) + 0.3*ln(stock)")
        .law("m", "1.03*savings + 1")
        .law("house", "stock")
        .constraint("borrowing", "savings >= 0")
        .liquid(
            Liquid::new("m", "c", "savings", dense(0.0, 16.0, points, 2)?).resources("resources"),
        )
        .outer(Outer::new("house", "next", "stock").cost("cost"))
        .solver(Solver::NNbEgm(NNbEgm::new(OuterSearch::grid(
            Irregular::new(HOUSES)?,
        ))))
        .edge(Edge::to("owner"))
        .edge(Edge::to("over"));
    let parameters = Parameters::new()
        .set("discount_factor", 0.95)
        .set("rho", 2.0);
    Ok(life(owner, 3)?.with_parameters(&parameters)?)
}

/// Decisions of an owner, and nothing afterwards.
fn life(owner: Regime, periods: usize) -> anyhow::Result<Model> {
    let last = periods as f64;
    Ok(Model::builder(Ages::periods(periods + 1)?)
        .regime(owner)
        .regime(Regime::new("over").ages(last, last).utility("0"))
        .build()?)
}

/// Values and choices of [`durable`], made by the program of `tests/durables.rs`: a plan of
/// sizes by a search on a fine grid, then consumption by its first-order conditions on the tree of
/// incomes.
///
/// # Errors
///
/// For another number of incomes.
pub fn durable_reference(taste: Taste, incomes: usize) -> anyhow::Result<Vec<Owned>> {
    let taste = match taste {
        Taste::CobbDouglas => "cobb-douglas",
        Taste::Separable => "separable",
    };
    Ok(owned(table::rows(TABLE, &format!("{taste},{incomes},"))?))
}

/// Values and choices of [`durable_kinked`], made by the program of `tests/durables.rs`: the best of
/// all sequences of sizes and sides of the cliff, each a concave problem.
///
/// # Errors
///
/// None; the table is read.
pub fn durable_kinked_reference() -> anyhow::Result<Vec<Owned>> {
    Ok(owned(table::rows(KINKED, "")?))
}

fn owned(rows: Vec<[f64; 5]>) -> Vec<Owned> {
    let known = |[stock, cash, value, next, consumption]: [f64; 5]| Owned {
        stock,
        cash,
        value,
        next,
        consumption,
    };
    rows.into_iter().map(known).collect()
}
