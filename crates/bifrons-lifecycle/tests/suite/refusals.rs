//! What cannot be nested, with its code.

use bifrons_grids::{Categorical, Irregular, Linear};
use bifrons_lifecycle::{
    Ages, Domain, Edge, Liquid, Model, Negm, Outer, OuterSearch, Regime, Solver,
};

use crate::retirement::dense;

const HOUSES: [f64; 3] = [0.5, 2.4, 5.0];

/// How a case changes the regime.
type Change<'a> = &'a dyn Fn(Regime) -> Regime;

/// Codes of what is wrong with a changed owner.
fn codes(change: impl Fn(Regime) -> Regime) -> Vec<String> {
    let grid = || OuterSearch::grid(Irregular::new(HOUSES).expect("nodes"));
    let owner = Regime::new("owner")
        .ages(0.0, 0.0)
        .state("m", Linear::new(0.4, 8.0, 4).expect("nodes"))
        .state("house", Irregular::new(HOUSES).expect("nodes"))
        .action("c", Domain::free())
        .action("investment", Domain::free())
        .utility("ln(c) + ln(stock)")
        .law("m", "savings")
        .solver(Solver::Negm(Negm::new(grid())))
        .edge(Edge::to("over"));
    let over = Regime::new("over")
        .ages(1.0, 1.0)
        .state("m", Linear::new(0.0, 8.0, 9).expect("nodes"))
        .state("house", Linear::new(0.4, 6.0, 9).expect("nodes"))
        .utility("ln(m + house)");
    let model = Model::builder(Ages::periods(2).expect("ages"))
        .regime(change(owner))
        .regime(over);
    let errors = model.build().err();
    let all = errors.iter().flat_map(|errors| errors.errors());
    all.map(|own| own.code().to_owned()).collect()
}

fn liquid() -> Liquid {
    Liquid::new("m", "c", "savings", dense(9.0, 20, 2)).resources("resources")
}

fn outer() -> Outer {
    Outer::new("house", "investment", "stock").cost("cost")
}

/// The functions of the regime; an empty text is the default.
fn functions(own: Regime, [stock, cost, resources, law]: [&str; 4]) -> Regime {
    let pick = |changed: &str, default: &str| {
        let text = if changed.is_empty() { default } else { changed };
        text.to_owned()
    };
    own.function("stock", pick(stock, "house + investment"))
        .function("cost", pick(cost, "adjusts*(investment + 0.1)"))
        .function("resources", pick(resources, "m - cost"))
        .function("savings", "resources - c")
        .law("house", pick(law, "stock"))
}

#[test]
fn formulas_that_cannot_be_nested_are_refused_with_their_code() {
    let plain = |changed: [&'static str; 4]| {
        codes(|own| functions(own, changed).liquid(liquid()).outer(outer()))
    };
    assert!(plain([""; 4]).is_empty(), "{:?}", plain([""; 4]));
    let cases: [(&str, [&'static str; 4]); 8] = [
        ("E-NN-INV", ["house + 3*investment", "", "", ""]),
        ("E-NN-INV", ["house + investment^2", "", "", ""]),
        ("E-NE-COST", ["", "investment + 0.1", "", ""]),
        ("E-NE-COST", ["", "adjusts*0.1*m", "", ""]),
        ("E-NE-COST", ["", "", "m + 0.1*stock - cost", ""]),
        ("E-NE-COST", ["", "", "m - 2*cost", ""]),
        ("E-NE-COUPLED", ["", "", "", "stock + 0.1*investment"]),
        ("E-NE-LAW", ["", "", "", "stock + 0.1*savings"]),
    ];
    for (code, changed) in cases {
        let found = plain(changed);
        assert!(
            found.iter().any(|own| own == code),
            "{changed:?}: {found:?}"
        );
    }
}

#[test]
fn margins_that_cannot_be_nested_are_refused_with_their_code() {
    let with = |outer: Option<Outer>, change: Change<'_>| {
        codes(|own| {
            let own = change(functions(own, [""; 4]).liquid(liquid()));
            match outer.clone() {
                Some(outer) => own.outer(outer),
                None => own,
            }
        })
    };
    let same = |own: Regime| own;
    let taste = |own: Regime| {
        own.action("work", Categorical::ordered(["no", "yes"]).expect("labels"))
            .taste_shocks("scale")
    };
    let phased = |own: Regime| own.simulate_function("cost", "adjusts*investment");
    let keep = |own: Regime| own.function("kept", "0.9*house + 0.1*m");
    let wide = |own: Regime| {
        let grid = OuterSearch::grid(Linear::new(0.1, 5.0, 4).expect("nodes"));
        own.solver(Solver::Negm(Negm::new(grid)))
    };
    let cases: [(&str, Option<Outer>, Change<'_>); 8] = [
        ("E-NE-OUTER", None, &|own| own.function("adjusts", "1")),
        (
            "E-NE-OUTER",
            Some(Outer::new("m2", "investment", "stock")),
            &same,
        ),
        (
            "E-NE-DISTINCT",
            Some(Outer::new("m", "investment", "stock")),
            &same,
        ),
        ("E-NE-EV1", Some(outer()), &taste),
        ("E-NN-PHASE", Some(outer()), &phased),
        ("E-NE-KEEP", Some(outer().keep("kept")), &keep),
        ("E-NE-GRID", Some(outer()), &wide),
        (
            "E-NN-AGG",
            Some(outer().uniform_fixed_cost("resources", 0.0, 1.0)),
            &same,
        ),
    ];
    for (code, outer, change) in cases {
        let found = with(outer, change);
        assert!(found.iter().any(|own| own == code), "{code}: {found:?}");
    }
}
