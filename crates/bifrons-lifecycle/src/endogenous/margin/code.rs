//! Codes of errors: the prefix of the solver and what is wrong.

use crate::solver::Solver;

/// The code of an error of a solver.
pub(super) fn full(solver: &Solver, code: &str) -> &'static str {
    if solver.kinked().is_some() {
        return match code {
            "EV1" => "E-NB-EV1",
            "SMOOTH" | "FUNCS" => "E-NB-SMOOTH",
            "VAR" => "E-NB-VAR",
            "SAVSTAGE" | "LAW" => "E-NB-PCONST",
            "CONSTRAINT" => "E-NB-FEAS",
            "AGG" => "E-NB-EZ",
            "TARGET" => "E-NB-TARGET",
            "U-STATE" => "E-NB-U-STATE",
            _ => "E-NB-DECL",
        };
    }
    let egm = *solver == Solver::Egm;
    match (egm, code) {
        (true, "STATES") => "E-EGM-STATES",
        (true, "ACTIONS" | "ROLE-ACTION") => "E-EGM-ACTIONS",
        (true, "RESOURCES" | "RES-ACTION" | "RES-AFFINE") => "E-EGM-RESOURCES",
        (true, "POST-SIG") => "E-EGM-POST",
        (true, "U-STATE") => "E-EGM-U-STATE",
        (true, "AGG") => "E-EGM-AGG",
        (true, "CONSTRAINT") => "E-EGM-CONSTRAINT",
        (true, "LAW" | "SAVSTAGE") => "E-EGM-LAW",
        (true, "TARGET") => "E-EGM-TARGET",
        (true, "GRID") => "E-EGM-GRID",
        (true, _) => "E-EGM-STATES",
        (false, "TERMINAL") => "E-DC-TERMINAL",
        (false, "ROLE-STATE") => "E-DC-ROLE-STATE",
        (false, "ROLE-ACTION") => "E-DC-ROLE-ACTION",
        (false, "FUNCS") => "E-DC-FUNCS",
        (false, "POST-SIG") => "E-DC-POST-SIG",
        (false, "RES-ACTION") => "E-DC-RES-ACTION",
        (false, "RES-AFFINE") => "E-DC-RES-AFFINE",
        (false, "U-STATE") => "E-DC-U-STATE",
        (false, "AGG") => "E-DC-AGG",
        (false, "CONSTRAINT") => "E-DC-CONSTRAINT",
        (false, "LAW") => "E-DC-EULER-STOCH",
        (false, "SAVSTAGE") => "E-DC-SAVSTAGE",
        (false, "JUMP") => "E-DC-JUMP",
        (false, "PASSIVE") => "E-DC-PASSIVE",
        (false, "TARGET") => "E-DC-TARGET",
        (false, _) => "E-DC-GRID",
    }
}
