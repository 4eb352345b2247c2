//! The reference tables of durables against a slow program that shares nothing with the solvers.
//!
//! Given a plan (which size in which event, and on which side of a cliff cash ends up), consumption
//! solves a concave problem on the tree of incomes: `u'(c) = β R E[M' u'(c')]`, or savings at an
//! end of their interval. Plans come from a list of all of them, or from a search on a grid of
//! resources.
#![expect(clippy::expect_used, reason = "functions of a test may fail it")]

use benchmarks::models::{self, DURABLES, HOUSES, Owned, Taste};

/// Keeping; other choices are sizes.
const KEEP: usize = usize::MAX;

struct Problem {
    sizes: &'static [f64],
    periods: usize,
    discount: f64,
    incomes: Vec<(f64, f64)>,
    /// `None` for the house beside a piecewise budget, with utility `-1/c + 0.3 ln d`.
    taste: Option<Taste>,
}

/// Return on savings.
const RETURN: f64 = 1.03;
/// Where the transfer ends and where the tax begins.
const CLIFF: f64 = 2.0;
const ALLOWANCE: f64 = 3.0;

impl Problem {
    fn utility(&self, c: f64, d: f64) -> f64 {
        match self.taste {
            Some(Taste::CobbDouglas) => -1.0 / (c.powf(0.9) * (d + 0.01).powf(0.1)),
            Some(Taste::Separable) => -1.0 / c - 0.1 / (d + 0.01),
            None => -1.0 / c + 0.3 * d.ln(),
        }
    }

    fn marginal(&self, c: f64, d: f64) -> f64 {
        match self.taste {
            Some(Taste::CobbDouglas) => 0.9 * c.powf(-1.9) * (d + 0.01).powf(-0.1),
            _ => 1.0 / (c * c),
        }
    }

    fn inverse(&self, marginal: f64, d: f64) -> f64 {
        match self.taste {
            Some(Taste::CobbDouglas) => (marginal / (0.9 * (d + 0.01).powf(-0.1))).powf(-1.0 / 1.9),
            _ => marginal.powf(-0.5),
        }
    }

    /// What a choice takes from cash, and the size afterwards.
    fn choose(&self, stock: f64, choice: usize) -> (f64, f64) {
        let Some(&size) = self.sizes.get(choice) else {
            return (0.0, stock);
        };
        let cost = if self.taste.is_none() {
            1.08 * size - stock
        } else {
            size - 0.9 * stock
        };
        (cost, size)
    }

    fn choices(&self) -> impl Iterator<Item = usize> {
        core::iter::once(KEEP).chain(0..self.sizes.len())
    }

    /// What can be spent, on a given side of the cliff.
    fn cash(&self, m: f64, poor: bool) -> f64 {
        if self.taste.is_some() {
            return m;
        }
        m - 0.2 * (m - ALLOWANCE).max(0.0) + if poor { 0.4 } else { 0.0 }
    }

    /// Its derivative from the right.
    fn slope(&self, m: f64) -> f64 {
        if self.taste.is_none() && m >= ALLOWANCE {
            0.8
        } else {
            1.0
        }
    }

    /// Cash from which something is left after a cost.
    fn least(&self, cost: f64, poor: bool) -> f64 {
        if self.taste.is_some() {
            return cost;
        }
        let m = cost - if poor { 0.4 } else { 0.0 };
        if m > ALLOWANCE {
            ALLOWANCE + (m - ALLOWANCE) / 0.8
        } else {
            m
        }
    }
}

/// A choice, and for each income the side of the cliff and what is done then.
#[derive(Clone)]
struct Plan {
    choice: usize,
    then: Vec<(bool, Plan)>,
}

/// Value and consumption with cash after tax; `None` if the plan cannot be carried out.
fn carry_out(own: &Problem, cash: f64, stock: f64, plan: &Plan) -> Option<(f64, f64)> {
    let (cost, size) = own.choose(stock, plan.choice);
    let x = cash - cost;
    if x <= 0.0 {
        return None;
    }
    if plan.then.is_empty() {
        return Some((own.utility(x, size), x));
    }
    let (mut low, mut high) = (0.0_f64, x);
    for (&(income, _), (poor, next)) in own.incomes.iter().zip(&plan.then) {
        let (cost, _) = own.choose(size, next.choice);
        low = low.max((own.least(cost, *poor) - income) / RETURN);
        let end = (CLIFF - income) / RETURN;
        match (own.taste.is_none(), *poor) {
            (true, true) => high = high.min(end),
            (true, false) => low = low.max(end),
            (false, _) => {}
        }
    }
    if low >= high || high <= 0.0 {
        return None;
    }
    // Consumption that savings leave, less what the first-order condition says: it falls.
    let excess = |savings: f64| {
        let mut sum = 0.0;
        for (&(income, weight), (poor, next)) in own.incomes.iter().zip(&plan.then) {
            let m = RETURN * savings + income;
            let Some((_, c)) = carry_out(own, own.cash(m, *poor), size, next) else {
                return x - savings;
            };
            let (_, after) = own.choose(size, next.choice);
            sum += weight * own.slope(m) * own.marginal(c, after);
        }
        x - savings - own.inverse(own.discount * RETURN * sum, size)
    };
    let savings = falling_root(excess, low, high);
    if savings >= x {
        return None;
    }
    let mut value = own.utility(x - savings, size);
    for (&(income, weight), (poor, next)) in own.incomes.iter().zip(&plan.then) {
        let cash = own.cash(RETURN * savings + income, *poor);
        value += own.discount * weight * carry_out(own, cash, size, next)?.0;
    }
    Some((value, x - savings))
}

/// Root of a falling function, or the end of the interval nearer to it.
fn falling_root(mut f: impl FnMut(f64) -> f64, mut low: f64, mut high: f64) -> f64 {
    let (mut above, mut below) = (f(low), f(high));
    if above <= 0.0 {
        return low;
    }
    if below >= 0.0 {
        return high;
    }
    let mut last = 0;
    for step in 0..200 {
        // The false position with halved ends, every sixth time the middle.
        let line = (low * below - high * above) / (below - above);
        let half = low.midpoint(high);
        let x = if step % 6 == 5 || !(line > low && line < high) {
            half
        } else {
            line
        };
        if x <= low || x >= high {
            break;
        }
        let y = f(x);
        if y.abs() < 1e-15 {
            return x;
        }
        if y > 0.0 {
            (low, above) = (x, y);
            below *= if last == 1 { 0.5 } else { 1.0 };
            last = 1;
        } else {
            (high, below) = (x, y);
            above *= if last == 2 { 0.5 } else { 1.0 };
            last = 2;
        }
    }
    low.midpoint(high)
}

/// The best of some plans.
fn best<'p>(
    own: &Problem,
    (cash, stock): (f64, f64),
    plans: impl IntoIterator<Item = &'p Plan>,
) -> Owned {
    let found = plans.into_iter().filter_map(|plan| {
        let (value, consumption) = carry_out(own, cash, stock, plan)?;
        Some(Owned {
            stock,
            cash,
            value,
            next: own.choose(stock, plan.choice).1,
            consumption,
        })
    });
    found
        .max_by(|a, b| a.value.total_cmp(&b.value))
        .expect("keeping is possible")
}

fn compare(own: &Owned, slow: &Owned) -> f64 {
    let error = (own.value - slow.value).abs() / own.value.abs().max(1.0);
    let error = error.max((own.consumption / slow.consumption - 1.0).abs());
    assert!(
        own.next.to_bits() == slow.next.to_bits() && error < 1e-10,
        "{own:?} but {slow:?}"
    );
    error
}

/// All plans of some periods with one income.
fn every_plan(own: &Problem, periods: usize) -> Vec<Plan> {
    if periods == 1 {
        let last = |choice| Plan {
            choice,
            then: Vec::new(),
        };
        return own.choices().map(last).collect();
    }
    let then = every_plan(own, periods - 1);
    let mut all = Vec::new();
    for choice in own.choices() {
        for poor in [false, true] {
            all.extend(then.iter().map(|next| Plan {
                choice,
                then: vec![(poor, next.clone())],
            }));
        }
    }
    all
}

#[test]
fn the_house_beside_a_piecewise_budget_is_the_best_of_all_plans() {
    let own = Problem {
        sizes: &HOUSES,
        periods: 3,
        discount: 0.95,
        incomes: vec![(1.0, 1.0)],
        taste: None,
    };
    let plans = every_plan(&own, own.periods);
    let table = models::durable_kinked_reference().expect("a table");
    let mut worst = 0.0_f64;
    for known in &table {
        let cash = own.cash(known.cash, known.cash < CLIFF);
        let slow = best(&own, (cash, known.stock), &plans);
        worst = worst.max(compare(known, &slow));
    }
    println!("{} states, {} plans: {worst:.1e}", table.len(), plans.len());
}

/// Values on a grid of resources after the choice, by period and size, with best savings.
struct Search<'p> {
    own: &'p Problem,
    step: f64,
    count: usize,
    values: Vec<Vec<Vec<f64>>>,
    savings: Vec<Vec<Vec<usize>>>,
}

impl<'p> Search<'p> {
    fn new(own: &'p Problem, step: f64, count: usize) -> Self {
        let mut search = Self {
            own,
            step,
            count,
            values: vec![Vec::new(); own.periods],
            savings: vec![Vec::new(); own.periods],
        };
        for period in (0..own.periods).rev() {
            for &size in own.sizes {
                let (values, savings) = search.maximise(period, size, count);
                search.values[period].push(values);
                search.savings[period].push(savings);
            }
        }
        search
    }

    /// Best savings rise with resources, so the middle bounds those on its sides.
    fn maximise(&self, period: usize, size: f64, count: usize) -> (Vec<f64>, Vec<usize>) {
        let at = |i: usize| self.step * i as f64;
        let last = period + 1 == self.own.periods;
        let highest = if last { 0 } else { count - 1 };
        let then = |i: usize| {
            let values = self.own.incomes.iter().map(|&(income, weight)| {
                let m = (RETURN * at(i) + income).min(at(count - 1));
                weight * self.best(period + 1, m, size).1
            });
            self.own.discount * values.sum::<f64>()
        };
        let then: Vec<f64> = (0..=highest)
            .map(|i| if last { 0.0 } else { then(i) })
            .collect();
        let now: Vec<f64> = (0..count).map(|i| self.own.utility(at(i), size)).collect();
        let mut values = vec![f64::NEG_INFINITY; count];
        let mut savings = vec![0; count];
        let mut open = vec![(1, count - 1, 0, highest)];
        while let Some((from, to, low, high)) = open.pop() {
            if from > to {
                continue;
            }
            let middle = usize::midpoint(from, to);
            for own in low..=high.min(middle - 1) {
                let value = now[middle - own] + then[own];
                if value > values[middle] {
                    (values[middle], savings[middle]) = (value, own);
                }
            }
            open.push((from, middle - 1, low, savings[middle]));
            open.push((middle + 1, to, savings[middle], high));
        }
        (values, savings)
    }

    fn value(&self, period: usize, m: f64, stock: f64, choice: usize) -> f64 {
        let Some((row, place, share)) = self.place(m, stock, choice) else {
            return f64::NEG_INFINITY;
        };
        let values = &self.values[period][row];
        values[place] + share * (values[place + 1] - values[place])
    }

    /// Row, node below and share of the way to the next one of resources after a choice.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "resources are positive and on the grid"
    )]
    fn place(&self, m: f64, stock: f64, choice: usize) -> Option<(usize, usize, f64)> {
        let (cost, size) = self.own.choose(stock, choice);
        let row = self.own.sizes.iter().position(|&own| own >= size)?;
        let q = (m - cost) / self.step;
        let place = (q.max(0.0) as usize).min(self.count - 2);
        (q >= 1.0).then_some((row, place, q - place as f64))
    }

    fn best(&self, period: usize, m: f64, stock: f64) -> (usize, f64) {
        let all = self
            .own
            .choices()
            .map(|choice| (choice, self.value(period, m, stock, choice)));
        all.max_by(|a, b| a.1.total_cmp(&b.1))
            .expect("keeping is a choice")
    }

    /// The best savings beside those of the node below.
    fn refined(&self, period: usize, (m, stock, choice): (f64, f64, usize), near: f64) -> f64 {
        let (cost, size) = self.own.choose(stock, choice);
        let worth = |savings: f64| {
            let then = self.own.incomes.iter().map(|&(income, weight)| {
                weight * self.best(period + 1, RETURN * savings + income, size).1
            });
            let c = m - cost - savings;
            self.own.utility(c, size) + self.own.discount * then.sum::<f64>()
        };
        let beside = (-100..=100).map(|i| near + 0.02 * self.step * f64::from(i));
        beside
            .filter(|&savings| savings >= 0.0 && savings < m - cost)
            .map(|savings| (savings, worth(savings)))
            .max_by(|a, b| a.1.total_cmp(&b.1))
            .map_or(near, |own| own.0)
    }

    /// What is done after a choice.
    fn plan(&self, period: usize, m: f64, stock: f64, choice: usize) -> Plan {
        let place = self.place(m, stock, choice);
        let (row, place, _) = place.expect("a choice that can be paid");
        let mut then = Vec::new();
        if period + 1 < self.own.periods {
            let near = self.step * self.savings[period][row][place] as f64;
            let savings = self.refined(period, (m, stock, choice), near);
            for &(income, _) in &self.own.incomes {
                let m = RETURN * savings + income;
                let (next, _) = self.best(period + 1, m, self.own.sizes[row]);
                let plan = self.plan(period + 1, m, self.own.sizes[row], next);
                then.push((false, plan));
            }
        }
        Plan { choice, then }
    }
}

#[test]
fn the_durable_is_the_best_of_plans_that_a_search_finds() {
    let risky = [
        (0.693_218_411_377_873, 1.0 / 6.0),
        (0.980_198_673_306_755_3, 2.0 / 3.0),
        (1.385_983_729_489_546_7, 1.0 / 6.0),
    ];
    for taste in [Taste::CobbDouglas, Taste::Separable] {
        for (incomes, every) in [(vec![(1.0, 1.0)], 1), (risky.to_vec(), 5)] {
            let own = Problem {
                sizes: &DURABLES,
                periods: 5,
                discount: 0.965,
                incomes,
                taste: Some(taste),
            };
            let search = Search::new(&own, 0.01, 3000);
            let table = models::durable_reference(taste, own.incomes.len()).expect("a table");
            let (mut worst, mut beside) = (0.0_f64, 0.0_f64);
            let (mut same, mut all) = (0, 0);
            for known in table.iter().step_by(every) {
                let (m, stock) = (known.cash, known.stock);
                let (_, top) = search.best(0, m, stock);
                let near = own
                    .choices()
                    .filter(|&choice| search.value(0, m, stock, choice) > top - 5e-3);
                let plans: Vec<Plan> = near
                    .map(|choice| search.plan(0, m, stock, choice))
                    .collect();
                let slow = best(&own, (m, stock), &plans);
                // No plan is better; where the search found a worse one later on, it is close.
                assert!(slow.value <= known.value + 1e-9, "{known:?} but {slow:?}");
                if slow.value > known.value - 1e-9 {
                    worst = worst.max(compare(known, &slow));
                    same += 1;
                }
                all += 1;
                beside = beside.max((top - known.value).abs());
            }
            println!(
                "{taste:?}, {} incomes: {same} of {all} plans {worst:.1e}, search {beside:.1e}",
                own.incomes.len()
            );
            // Values of the search are off by the square of its step.
            assert!(beside < 1e-3, "{beside:e}");
            assert!(10 * same >= 8 * all, "{same} of {all}");
        }
    }
}
