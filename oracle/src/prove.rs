//! Proofs with Z3.

#[cfg(test)]
mod tests {
    #[test]
    fn z3_answers() {
        let solver = z3::Solver::new();
        let x = z3::ast::Int::new_const("x");
        solver.assert(x.gt(&z3::ast::Int::from_i64(5)));
        solver.assert(x.lt(&z3::ast::Int::from_i64(5)));
        assert_eq!(solver.check(), z3::SatResult::Unsat);
    }
}
