//! Finding surfaces and the conditions that make them live.

use crate::condition::Condition;
use crate::expr::Expr;
use crate::graph::{FlatHead, Graph};
use crate::node::{NONE, position};
use crate::op::Op;
use crate::switches::continuity::{Choice, Examiner};
use crate::switches::{Crossing, Evidence, Owner, Switch, SwitchKind, Switches};
use std::collections::BTreeMap;

type Verdict = (SwitchKind, Evidence);

const KINK: Verdict = (SwitchKind::Kink, Evidence::Proved);
const JUMP: Verdict = (SwitchKind::Jump, Evidence::Proved);
const UNKNOWN: Verdict = (SwitchKind::Unknown, Evidence::Missing);

/// Where a node matters: nodes of conditions, [`NONE`] for nowhere.
#[derive(Debug, Clone, Copy)]
struct Live {
    visible: u32,
    hidden: u32,
}

/// Identity of a surface: function, crossing, owner, and whether it is hidden.
type Key = (u32, u8, u8, bool);

struct Found {
    surface: u32,
    crossing: Crossing,
    owner: Owner,
    verdict: Verdict,
    live: u32,
    hidden: bool,
}

/// One pass over an expression, users before operands.
pub(crate) struct Survey {
    graph: Graph,
    root: u32,
    live: Vec<Live>,
    /// Selects that ask each comparison.
    users: BTreeMap<u32, Vec<u32>>,
    found: Vec<Found>,
    by_key: BTreeMap<Key, usize>,
}

impl Survey {
    pub(crate) fn new(expr: &Expr) -> Self {
        let mut graph = Graph::new();
        let root = graph.import([expr.node()])[0];
        let live = vec![
            Live {
                visible: NONE,
                hidden: NONE
            };
            root as usize + 1
        ];
        Self {
            graph,
            root,
            live,
            users: BTreeMap::new(),
            found: vec![],
            by_key: BTreeMap::new(),
        }
    }

    pub(crate) fn finish(mut self) -> Switches {
        self.spread();
        let mut examiner = Examiner::new(&self.graph);
        for id in 0..self.live.len() {
            let Live { visible, hidden } = self.live[id];
            for (live, is_hidden) in [(visible, false), (hidden, true)] {
                if live != NONE {
                    self.visit(position(id), live, is_hidden, &mut examiner);
                }
            }
        }
        let nodes: Vec<u32> = self
            .found
            .iter()
            .flat_map(|found| [found.surface, found.live])
            .collect();
        let exprs = self.graph.export(&nodes);
        let mut switches = Switches {
            visible: vec![],
            hidden: vec![],
        };
        for (found, parts) in self.found.iter().zip(exprs.chunks_exact(2)) {
            let list = if found.hidden {
                &mut switches.hidden
            } else {
                &mut switches.visible
            };
            list.push(Switch {
                surface: parts[0].clone(),
                crossing: found.crossing,
                owner: found.owner,
                kind: found.verdict.0,
                evidence: found.verdict.1,
                live: Condition::from_node(parts[1].node().clone()),
            });
        }
        switches
    }

    /// Conditions under which each node matters, from the root downwards.
    fn spread(&mut self) {
        self.live[self.root as usize].visible = self.graph.constant(1.0);
        for id in (0..self.live.len()).rev() {
            let here = self.live[id];
            let node = self.graph.nodes[id];
            let FlatHead::Op(op) = node.head else {
                continue;
            };
            if here.visible == NONE && here.hidden == NONE {
                continue;
            }
            let [a, b, c] = node.operands;
            match op {
                Op::NoEvent => {
                    let hidden = self.either(here.visible, here.hidden);
                    self.reach(
                        a,
                        Live {
                            visible: NONE,
                            hidden,
                        },
                        NONE,
                    );
                }
                Op::Select => {
                    self.reach(a, here, NONE);
                    if b == c {
                        self.reach(b, here, NONE);
                    } else {
                        let not = self.graph.unary(Op::Not, a);
                        self.reach(b, here, a);
                        self.reach(c, here, not);
                    }
                    self.ask(a, position(id));
                }
                Op::Min | Op::Max if b != a => {
                    let other = if op == Op::Max { Op::Gt } else { Op::Lt };
                    let second = self.graph.binary(other, b, a);
                    let first = self.graph.unary(Op::Not, second);
                    self.reach(a, here, first);
                    self.reach(b, here, second);
                }
                _ => {
                    for operand in node.operands.into_iter().filter(|operand| *operand != NONE) {
                        self.reach(operand, here, NONE);
                    }
                }
            }
        }
    }

    /// Marks an operand as live where its user is and `condition` holds.
    fn reach(&mut self, operand: u32, user: Live, condition: u32) {
        let leaf = !matches!(self.graph.nodes[operand as usize].head, FlatHead::Op(_));
        if leaf {
            return;
        }
        let visible = self.both(user.visible, condition);
        let hidden = self.both(user.hidden, condition);
        let known = self.live[operand as usize];
        let visible = self.either(known.visible, visible);
        let hidden = self.either(known.hidden, hidden);
        self.live[operand as usize] = Live { visible, hidden };
    }

    /// `live and condition`; [`NONE`] as `live` is nowhere, as `condition` everywhere.
    fn both(&mut self, live: u32, condition: u32) -> u32 {
        if live == NONE || condition == NONE || live == condition {
            return live;
        }
        self.graph.binary(Op::And, live, condition)
    }

    fn either(&mut self, a: u32, b: u32) -> u32 {
        match (a, b) {
            (NONE, other) | (other, NONE) => other,
            _ if a == b => a,
            _ => self.graph.binary(Op::Or, a, b),
        }
    }

    /// Notes which comparisons decide a select.
    fn ask(&mut self, condition: u32, select: u32) {
        let mut pending = vec![condition];
        while let Some(id) = pending.pop() {
            let node = self.graph.nodes[id as usize];
            match node.head {
                FlatHead::Op(op) if op.is_comparison() => {
                    let users = self.users.entry(id).or_default();
                    if users.last() != Some(&select) {
                        users.push(select);
                    }
                }
                FlatHead::Op(Op::And | Op::Or | Op::Not) => {
                    pending.extend(node.operands.into_iter().filter(|operand| *operand != NONE));
                }
                _ => {}
            }
        }
    }

    /// Records the surfaces of one operation.
    fn visit(&mut self, id: u32, live: u32, hidden: bool, examiner: &mut Examiner) {
        let node = self.graph.nodes[id as usize];
        let FlatHead::Op(op) = node.head else { return };
        let [a, b, _] = node.operands;
        let (zero, integers) = (Crossing::Zero, Crossing::Integers);
        match op {
            Op::Abs => self.note(a, zero, Owner::Above, KINK, live, hidden),
            Op::Sign => self.note(a, zero, Owner::Itself, JUMP, live, hidden),
            Op::Floor => self.note(a, integers, Owner::Above, JUMP, live, hidden),
            Op::Ceil => self.note(a, integers, Owner::Below, JUMP, live, hidden),
            Op::Modulo => {
                let quotient = self.graph.binary(Op::Div, a, b);
                self.note(quotient, integers, Owner::Above, JUMP, live, hidden);
            }
            Op::Atan2 => {
                let nought = self.graph.constant(0.0);
                let left = self.graph.binary(Op::Lt, b, nought);
                let live = self.both(live, left);
                self.note(a, zero, Owner::Above, JUMP, live, hidden);
            }
            Op::Max if a != b => self.difference(a, b, Owner::Above, KINK, live, hidden),
            Op::Min if a != b => self.difference(a, b, Owner::Below, KINK, live, hidden),
            Op::Call => self.call(node.operands, live, hidden),
            _ if op.is_comparison() => {
                let owner = match op {
                    Op::Lt | Op::Ge => Owner::Above,
                    Op::Le | Op::Gt => Owner::Below,
                    _ => Owner::Itself,
                };
                let verdict = self.examine(id, examiner);
                self.difference(a, b, owner, verdict, live, hidden);
            }
            _ => {}
        }
    }

    /// Records the places where an external function switches.
    fn call(&mut self, operands: [u32; 3], live: u32, hidden: bool) {
        let Some((function, arguments)) = self.graph.call(operands) else {
            return;
        };
        let function = function.clone();
        for nodes in function.switches() {
            let argument = arguments.as_slice()[nodes.argument];
            let verdict = if nodes.jumps { JUMP } else { KINK };
            for at in &nodes.at {
                let at = self.graph.constant(*at);
                let surface = self.graph.binary(Op::Sub, argument, at);
                self.note(surface, Crossing::Zero, Owner::Above, verdict, live, hidden);
            }
        }
    }

    /// The worst kind over all selects that a comparison decides.
    fn examine(&self, comparison: u32, examiner: &mut Examiner) -> Verdict {
        let mut worst: Option<Verdict> = None;
        for select in self.users.get(&comparison).map_or(&[][..], Vec::as_slice) {
            let [condition, yes, no] = self.graph.nodes[*select as usize].operands;
            let [a, b, _] = self.graph.nodes[comparison as usize].operands;
            let choice = Choice {
                comparison,
                condition,
                yes,
                no,
                sides: [a, b],
            };
            let verdict = examiner.examine(&self.graph, &choice);
            worst = Some(worst.map_or(verdict, |known| worse(known, verdict)));
        }
        worst.unwrap_or(UNKNOWN)
    }

    /// Records `a - b`, or `b - a` if that one is simpler or known already.
    fn difference(
        &mut self,
        a: u32,
        b: u32,
        owner: Owner,
        verdict: Verdict,
        live: u32,
        hidden: bool,
    ) {
        let flipped = match owner {
            Owner::Above => Owner::Below,
            Owner::Below => Owner::Above,
            Owner::Itself => Owner::Itself,
        };
        let reverse = self.graph.binary(Op::Sub, b, a);
        let is_known = self.by_key.range((reverse, 0, 0, false)..).next();
        let is_known = is_known.is_some_and(|(key, _)| key.0 == reverse);
        if self.graph.constant_value(a).is_some() || is_known {
            self.note(reverse, Crossing::Zero, flipped, verdict, live, hidden);
        } else {
            let surface = self.graph.binary(Op::Sub, a, b);
            self.note(surface, Crossing::Zero, owner, verdict, live, hidden);
        }
    }

    fn note(
        &mut self,
        surface: u32,
        crossing: Crossing,
        owner: Owner,
        verdict: Verdict,
        live: u32,
        hidden: bool,
    ) {
        if self.graph.constant_value(surface).is_some() {
            return;
        }
        let key = (surface, crossing as u8, owner as u8, hidden);
        match self.by_key.get(&key) {
            Some(&index) => {
                let live = self.either(self.found[index].live, live);
                let found = &mut self.found[index];
                found.live = live;
                found.verdict = worse(found.verdict, verdict);
            }
            None => {
                self.by_key.insert(key, self.found.len());
                self.found.push(Found {
                    surface,
                    crossing,
                    owner,
                    verdict,
                    live,
                    hidden,
                });
            }
        }
    }
}

fn worse(a: Verdict, b: Verdict) -> Verdict {
    let rank = |(kind, evidence): Verdict| match (kind, evidence) {
        (SwitchKind::Kink, Evidence::Proved) => 0,
        (SwitchKind::Kink, _) => 1,
        (SwitchKind::Unknown, _) => 2,
        (SwitchKind::Jump, Evidence::Checked) => 3,
        (SwitchKind::Jump, _) => 4,
    };
    if rank(b) > rank(a) { b } else { a }
}
