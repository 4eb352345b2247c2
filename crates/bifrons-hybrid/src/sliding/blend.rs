//! Equations for each side of a surface, and between them.

use std::collections::BTreeSet;

use bifrons_expr::{Expr, Symbol};

use crate::equations::{Definition, EquationSystem};

/// Writes what depends on a side for each of its values.
pub(super) struct Blend<'s> {
    system: &'s EquationSystem,
    side: &'s Symbol,
    share: Expr,
    /// The side and the definitions that depend on it.
    dependent: BTreeSet<Symbol>,
}

impl<'s> Blend<'s> {
    pub(super) fn new(system: &'s EquationSystem, side: &'s Symbol, share: Expr) -> Self {
        let mut dependent = BTreeSet::from([side.clone()]);
        for definition in system.definitions() {
            if reads(&definition.expression, &dependent) {
                dependent.insert(definition.symbol.clone());
            }
        }
        Self {
            system,
            side,
            share,
            dependent,
        }
    }

    /// The definitions that do not depend on the side.
    pub(super) fn unchanged(&self) -> Vec<Definition> {
        let own = self.system.definitions().iter();
        let own = own.filter(|definition| !self.dependent.contains(&definition.symbol));
        own.cloned().collect()
    }

    fn definitions(&self) -> impl Iterator<Item = &Definition> {
        let own = self.system.definitions().iter();
        own.filter(|definition| self.dependent.contains(&definition.symbol))
    }

    /// Those that do, for each side.
    pub(super) fn sides(&self) -> Vec<Definition> {
        let both = self.definitions().flat_map(|definition| {
            [true, false].map(|above| Definition {
                symbol: self.name(&definition.symbol, above),
                expression: self.on_side(&definition.expression, above),
            })
        });
        both.collect()
    }

    /// Those that do, as they are.
    pub(super) fn blended(&self) -> Vec<Definition> {
        let all = self.definitions().map(|definition| {
            let on = |above| Expr::symbol(self.name(&definition.symbol, above));
            Definition {
                symbol: definition.symbol.clone(),
                expression: self.between(on(true), on(false)),
            }
        });
        all.collect()
    }

    /// An expression as it is, whether it depends on the side or not.
    pub(super) fn of(&self, expression: &Expr) -> Expr {
        if reads(expression, &self.dependent) {
            let on = |above| self.on_side(expression, above);
            self.between(on(true), on(false))
        } else {
            expression.clone()
        }
    }

    /// An expression on one side.
    pub(super) fn on_side(&self, expression: &Expr, above: bool) -> Expr {
        expression.substitute(&mut |symbol| {
            if symbol == self.side {
                return Some(Expr::constant(if above { 1.0 } else { -1.0 }));
            }
            let dependent = self.dependent.contains(symbol);
            dependent.then(|| Expr::symbol(self.name(symbol, above)))
        })
    }

    fn between(&self, above: Expr, below: Expr) -> Expr {
        if above == below {
            return above;
        }
        let side = Expr::symbol(self.side);
        let blend = &self.share * &above + (1.0 - &self.share) * &below;
        let lower = Expr::select(side.lt(-0.5), below, blend);
        Expr::select(side.gt(0.5), above, lower)
    }

    fn name(&self, symbol: &Symbol, above: bool) -> Symbol {
        let place = if above { "above" } else { "below" };
        Symbol::from(format!("{place}({}, {})", self.side.name(), symbol.name()))
    }
}

/// Whether an expression reads one of some symbols.
fn reads(expression: &Expr, symbols: &BTreeSet<Symbol>) -> bool {
    let mut found = false;
    expression.visit_symbols(|symbol| found |= symbols.contains(symbol));
    found
}
