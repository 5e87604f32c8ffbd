//! Registers shared by values that do not live at the same time.

use super::super::lanes::{Bank, NONE, Register};
use super::super::program::{Code, Program, Role};

/// Gives the registers of a program numbers within their banks, and returns how many each bank needs.
pub(super) fn allocate(program: &mut Program, banks: &[Bank]) -> [usize; 4] {
    let count = program.ops.len();
    let loops = Loops::of(program);
    // First definition and last use of each register, in operations.
    let mut first = vec![u32::MAX; banks.len()];
    let mut last = vec![0u32; banks.len()];
    for at in 0..count {
        let mut note = |register: Register| {
            let (first, last) = (&mut first[register as usize], &mut last[register as usize]);
            if *first == u32::MAX {
                *first = at as u32;
            }
            *last = (*last).max(at as u32);
            // What is defined before a loop and used in it must outlive all its iterations.
            *last = (*last).max(loops.end_after(*first, at).unwrap_or(0));
        };
        visit(program, at, &mut |register, _, _| note(*register));
    }
    let mut ending: Vec<Vec<Register>> = vec![Vec::new(); count];
    for (register, &last) in last.iter().enumerate() {
        if first[register] != u32::MAX {
            ending[last as usize].push(register as Register);
        }
    }
    let mut free: [Vec<Register>; 4] = Default::default();
    let mut used = [0usize; 4];
    let mut place = vec![NONE; banks.len()];
    for (at, ending) in ending.iter().enumerate() {
        visit(program, at, &mut |register, bank, _| {
            let bank = bank as usize;
            let place = &mut place[*register as usize];
            if *place == NONE {
                *place = free[bank].pop().unwrap_or_else(|| {
                    used[bank] += 1;
                    used[bank] as Register - 1
                });
            }
            *register = *place;
        });
        for &register in ending {
            free[banks[register as usize] as usize].push(place[register as usize]);
        }
    }
    for lane_loop in &mut program.lane_loops {
        lane_loop.count = place[lane_loop.count as usize];
    }
    used
}

/// Calls `f` for all registers of an operation, those of a matrix instruction included.
fn visit(program: &mut Program, at: usize, f: &mut dyn FnMut(&mut Register, Bank, Role)) {
    let op = &mut program.ops[at];
    op.registers(f);
    if op.code == Code::Matrix
        && let Some(matrix) = program.matrices.get_mut(op.extra as usize)
    {
        let [a, b, c, d] = &mut matrix.operands;
        for register in [a, b, c].into_iter().flatten() {
            f(register, Bank::Single, Role::Use);
        }
        for register in d {
            f(register, Bank::Single, Role::Define);
        }
    }
}

/// The loops of a program.
struct Loops {
    /// First and last operation of each, and the loop around it.
    spans: Vec<(u32, u32, Option<usize>)>,
    /// For each operation the innermost loop around it.
    innermost: Vec<Option<usize>>,
}

impl Loops {
    fn of(program: &Program) -> Loops {
        let count = program.ops.len();
        // By a loop's first operation, its last one.
        let mut ends = vec![0u32; count];
        for (at, op) in program.ops.iter().enumerate() {
            let begin = match op.code {
                Code::LoopEnd => program.loops.get(op.extra as usize).map(|found| found.body - 1),
                Code::Repeat => program.targets.get(op.extra as usize).copied(),
                _ => None,
            };
            if let Some(begin) = begin {
                ends[begin as usize] = at as u32;
            }
        }
        let mut loops = Loops { spans: Vec::new(), innermost: vec![None; count] };
        let mut current: Option<usize> = None;
        for (at, &end_of_loop) in ends.iter().enumerate() {
            while let Some((_, end, parent)) = current.map(|current| loops.spans[current])
                && end < at as u32
            {
                current = parent;
            }
            if end_of_loop > at as u32 {
                loops.spans.push((at as u32, end_of_loop, current));
                current = Some(loops.spans.len() - 1);
            }
            loops.innermost[at] = current;
        }
        loops
    }

    /// The last operation of the outermost loop that encloses operation `at` and begins after operation `from`.
    fn end_after(&self, from: u32, at: usize) -> Option<u32> {
        let mut scope = self.innermost[at];
        let mut found = None;
        while let Some((begin, end, parent)) = scope.map(|scope| self.spans[scope])
            && begin > from
        {
            found = Some(end);
            scope = parent;
        }
        found
    }
}
