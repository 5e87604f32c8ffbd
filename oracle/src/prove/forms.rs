//! Linear normal forms of index arithmetic: what most obligations are decided by.
//!
//! An integer is a constant plus multiples of *atoms*: variables, and quotients of forms by positive numbers, rounded
//! down. A remainder has no atom of its own, `x % d` being `x - d·(x // d)`, so that there is one form for the many ways
//! in which index arithmetic says the same. Equal forms are one, by [`FormId`]: two expressions with one form are equal
//! for all values of their variables. The contrary does not hold.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// A form in [`Forms`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct FormId(pub(super) u32);

/// An atom in [`Forms`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct AtomId(pub(super) u32);

/// What an atom is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Atom {
    /// A variable, by number.
    Variable(u32),
    /// A quotient, rounded down; the divisor is at least 2.
    Quotient(FormId, i64),
    /// A quotient, rounded towards zero, of a form that may be negative; the divisor is at least 2.
    Truncated(FormId, i64),
}

/// Multiples of atoms, ascending by atom, none zero.
pub(super) type Terms = SmallVec<[(AtomId, i64); 4]>;

/// A constant plus multiples of atoms.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Form {
    /// The constant.
    pub(super) constant: i64,
    /// The multiples.
    pub(super) terms: Terms,
}

/// Inclusive bounds.
pub(super) type Bounds = (i64, i64);

/// A variable: its name, for people, and its bounds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Variable {
    /// The name.
    pub(super) name: String,
    /// Smallest and largest value.
    pub(super) bounds: Bounds,
}

/// The value leaves 64 bits, or something divides by zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Overflow;

/// What an operation answers.
pub(super) type Result<T> = std::result::Result<T, Overflow>;

/// How deep the search for tight bounds goes.
const DEPTH: u32 = 4;

/// Forms and atoms, each once.
#[derive(Debug, Default)]
pub(super) struct Forms {
    variables: Vec<Variable>,
    atoms: Vec<(Atom, Bounds)>,
    atom_ids: FxHashMap<Atom, AtomId>,
    forms: Vec<(Form, Option<Bounds>)>,
    form_ids: FxHashMap<Form, FormId>,
    quotients: FxHashMap<(FormId, i64), FormId>,
    narrowed: FxHashMap<(u32, Bounds), FormId>,
}

impl Forms {
    /// A new variable.
    pub(super) fn variable(&mut self, name: &str, bounds: Bounds) -> FormId {
        let number = self.variables.len() as u32;
        self.variables.push(Variable { name: name.to_owned(), bounds });
        if bounds.0 == bounds.1 {
            return self.constant(bounds.0);
        }
        let atom = self.atom(Atom::Variable(number), bounds);
        self.enter(Form { constant: 0, terms: SmallVec::from_slice(&[(atom, 1)]) })
    }

    /// A variable like another, with narrower bounds; asked again, the same.
    pub(super) fn variable_like(&mut self, number: u32, name: &str, bounds: Bounds) -> FormId {
        if let Some(&known) = self.narrowed.get(&(number, bounds)) {
            return known;
        }
        let form = self.variable(name, bounds);
        self.narrowed.insert((number, bounds), form);
        form
    }

    /// The variables, in the order in which they were made.
    pub(super) fn variables(&self) -> &[Variable] {
        &self.variables
    }

    fn atom(&mut self, atom: Atom, bounds: Bounds) -> AtomId {
        if let Some(&id) = self.atom_ids.get(&atom) {
            return id;
        }
        let id = AtomId(self.atoms.len() as u32);
        self.atoms.push((atom, bounds));
        self.atom_ids.insert(atom, id);
        id
    }

    /// What an atom is, and its bounds.
    pub(super) fn atom_info(&self, id: AtomId) -> (Atom, Bounds) {
        self.atoms[id.0 as usize]
    }

    fn enter(&mut self, form: Form) -> FormId {
        if let Some(&id) = self.form_ids.get(&form) {
            return id;
        }
        let id = FormId(self.forms.len() as u32);
        self.forms.push((form.clone(), None));
        self.form_ids.insert(form, id);
        id
    }

    /// The form itself.
    pub(super) fn form(&self, id: FormId) -> &Form {
        &self.forms[id.0 as usize].0
    }

    /// The number, where it is one.
    pub(super) fn number(&self, id: FormId) -> Option<i64> {
        let form = self.form(id);
        form.terms.is_empty().then_some(form.constant)
    }

    /// A number.
    pub(super) fn constant(&mut self, value: i64) -> FormId {
        self.enter(Form { constant: value, terms: SmallVec::new() })
    }

    /// `a + factor·b`.
    pub(super) fn add_scaled(&mut self, a: FormId, b: FormId, factor: i64) -> Result<FormId> {
        let form = combine(self.form(a), self.form(b), factor)?;
        Ok(self.enter(form))
    }

    /// `a + b`.
    pub(super) fn add(&mut self, a: FormId, b: FormId) -> Result<FormId> {
        self.add_scaled(a, b, 1)
    }

    /// `a - b`.
    pub(super) fn sub(&mut self, a: FormId, b: FormId) -> Result<FormId> {
        self.add_scaled(a, b, -1)
    }

    /// `a + value`.
    pub(super) fn offset(&mut self, a: FormId, value: i64) -> Result<FormId> {
        let mut form = self.form(a).clone();
        form.constant = form.constant.checked_add(value).ok_or(Overflow)?;
        Ok(self.enter(form))
    }

    /// `factor·a`.
    pub(super) fn scale(&mut self, a: FormId, factor: i64) -> Result<FormId> {
        let zero = self.constant(0);
        self.add_scaled(zero, a, factor)
    }

    /// `a mod d`, with the sign of `d`.
    pub(super) fn remainder(&mut self, a: FormId, d: i64) -> Result<FormId> {
        let quotient = self.quotient(a, d)?;
        let remainder = self.add_scaled(a, quotient, d.checked_neg().ok_or(Overflow)?)?;
        if d > 0 {
            self.known_within(remainder, (0, d - 1));
        }
        Ok(remainder)
    }

    /// Notes bounds of a form that are known from where it comes.
    pub(super) fn known_within(&mut self, id: FormId, known: Bounds) {
        let (low, high) = self.bounds(id);
        self.forms[id.0 as usize].1 = Some((low.max(known.0), high.min(known.1)));
    }

    /// `a / d` rounded towards zero, as C has it.
    pub(super) fn truncated_quotient(&mut self, a: FormId, d: i64) -> Result<FormId> {
        if d < 0 {
            let quotient = self.truncated_quotient(a, d.checked_neg().ok_or(Overflow)?)?;
            return self.scale(quotient, -1);
        }
        let (low, high) = self.bounds(a);
        if low >= 0 || d == 1 {
            return self.quotient(a, d);
        }
        if high <= 0 {
            let negated = self.scale(a, -1)?;
            let quotient = self.quotient(negated, d)?;
            return self.scale(quotient, -1);
        }
        if d == 0 {
            return Err(Overflow);
        }
        let atom = self.atom(Atom::Truncated(a, d), (low / d, high / d));
        Ok(self.enter(Form { constant: 0, terms: SmallVec::from_slice(&[(atom, 1)]) }))
    }

    /// `a / d` rounded down.
    pub(super) fn quotient(&mut self, a: FormId, d: i64) -> Result<FormId> {
        if d == 1 {
            return Ok(a);
        }
        if d <= 0 {
            let negated = self.scale(a, -1)?;
            return match d.checked_neg() {
                Some(d) if d > 0 => self.quotient(negated, d),
                _ => Err(Overflow),
            };
        }
        if let Some(&known) = self.quotients.get(&(a, d)) {
            return Ok(known);
        }
        let result = self.new_quotient(a, d)?;
        self.quotients.insert((a, d), result);
        Ok(result)
    }

    fn new_quotient(&mut self, a: FormId, d: i64) -> Result<FormId> {
        if let Some(quotient) = self.within_one(a, d) {
            return Ok(self.constant(quotient));
        }
        // What of each term is a multiple of d goes before the quotient. Of the rest there are two spellings.
        let form = self.form(a).clone();
        for keep_sign in [true, false] {
            let (whole, rest) = split(&form, d, keep_sign);
            let rest = self.enter(rest);
            if let Some(quotient) = self.within_one(rest, d) {
                let whole = self.enter(whole);
                return self.offset(whole, quotient);
            }
        }
        let (whole, rest) = split(&form, d, false);
        let whole = self.enter(whole);
        let quotient = self.reduced_quotient(rest, d)?;
        self.add(whole, quotient)
    }

    /// The quotient of a form with all coefficients and the constant from 0 to below `d`.
    fn reduced_quotient(&mut self, rest: Form, d: i64) -> Result<FormId> {
        // Low digits that never carry: (g·p + r) // d = p // (d/g) for r from 0 to below g.
        let mut common: SmallVec<[i64; 4]> = rest.terms.iter().map(|&(_, c)| gcd(c, d)).filter(|&g| g > 1).collect();
        common.sort_unstable_by_key(|&g| std::cmp::Reverse(g));
        common.dedup();
        for g in common {
            let low = Form {
                constant: rest.constant.rem_euclid(g),
                terms: rest.terms.iter().filter(|(_, c)| c % g != 0).copied().collect(),
            };
            let low = self.enter(low);
            if let Some(carry) = self.within_one(low, g) {
                let high = Form {
                    constant: rest.constant.div_euclid(g) + carry,
                    terms: rest.terms.iter().filter(|(_, c)| c % g == 0).map(|&(atom, c)| (atom, c / g)).collect(),
                };
                let high = self.enter(high);
                return self.quotient(high, d / g);
            }
        }
        // (p // e + c) // d = (p + c·e) // (d·e).
        if let [(atom, 1)] = rest.terms[..]
            && let Atom::Quotient(inner, e) = self.atom_info(atom).0
            && let (Some(shift), Some(product)) = (rest.constant.checked_mul(e), d.checked_mul(e))
        {
            let inner = self.offset(inner, shift)?;
            return self.quotient(inner, product);
        }
        let rest = self.enter(rest);
        let (low, high) = self.bounds(rest);
        let atom = self.atom(Atom::Quotient(rest, d), (low.div_euclid(d), high.div_euclid(d)));
        Ok(self.enter(Form { constant: 0, terms: SmallVec::from_slice(&[(atom, 1)]) }))
    }

    /// The quotient by `d`, where it is one number for all values.
    fn within_one(&mut self, a: FormId, d: i64) -> Option<i64> {
        let (low, high) = self.bounds(a);
        (low.div_euclid(d) == high.div_euclid(d)).then(|| low.div_euclid(d))
    }

    /// Bounds that hold for all values; the tightest found.
    pub(super) fn bounds(&mut self, id: FormId) -> Bounds {
        if let Some(bounds) = self.forms[id.0 as usize].1 {
            return bounds;
        }
        let bounds = self.search_bounds(id, DEPTH);
        self.forms[id.0 as usize].1 = Some(bounds);
        bounds
    }

    fn search_bounds(&mut self, id: FormId, depth: u32) -> Bounds {
        let form = self.form(id).clone();
        let mut best = self.plain_bounds(&form);
        if depth == 0 || form.terms.len() < 2 {
            return best;
        }
        for &(atom, c) in &form.terms {
            let Atom::Quotient(inner, d) = self.atom_info(atom).0 else { continue };
            // c·(p // d) with g dividing c and d: p // d = p' // g with p' = p // (d/g), and p' - g·(p' // g) is a remainder.
            let g = gcd(c, d);
            if g < 2 {
                continue;
            }
            let Ok(finer) = self.quotient(inner, d / g) else { continue };
            let factor = -(c / g);
            let mut remainder = Form { constant: 0, terms: SmallVec::from_slice(&[(atom, c)]) };
            let Ok(with_finer) = combine(&remainder, self.form(finer), factor) else { continue };
            remainder = with_finer;
            let Ok(rest) = combine(&form, &remainder, -1) else { continue };
            if rest.terms.len() >= form.terms.len() {
                continue;
            }
            let rest = self.enter(rest);
            let rest = match self.forms[rest.0 as usize].1 {
                Some(bounds) => bounds,
                None => self.search_bounds(rest, depth - 1),
            };
            let ends = [0, factor.saturating_mul(g - 1)];
            let low = rest.0.saturating_add(ends[0].min(ends[1]));
            let high = rest.1.saturating_add(ends[0].max(ends[1]));
            best = (best.0.max(low), best.1.min(high));
        }
        best
    }

    /// Bounds with each atom at its extremes.
    fn plain_bounds(&self, form: &Form) -> Bounds {
        let (mut low, mut high) = (form.constant, form.constant);
        for &(atom, c) in &form.terms {
            let (least, most) = self.atom_info(atom).1;
            let (a, b) = (least.saturating_mul(c), most.saturating_mul(c));
            low = low.saturating_add(a.min(b));
            high = high.saturating_add(a.max(b));
        }
        (low, high)
    }

    /// A form, for people.
    pub(super) fn show(&self, id: FormId) -> String {
        let form = self.form(id);
        let mut text: Vec<String> = Vec::new();
        for &(atom, c) in &form.terms {
            let atom = match self.atom_info(atom).0 {
                Atom::Variable(number) => self.variables[number as usize].name.clone(),
                Atom::Quotient(inner, d) => format!("({})//{d}", self.show(inner)),
                Atom::Truncated(inner, d) => format!("({})/{d}", self.show(inner)),
            };
            text.push(if c == 1 { atom } else { format!("{c}*{atom}") });
        }
        if form.constant != 0 || text.is_empty() {
            text.push(form.constant.to_string());
        }
        text.join("+").replace("+-", "-")
    }

    /// The value of a form; variables that have none are at their least.
    pub(super) fn evaluate(&self, id: FormId, value: &dyn Fn(u32) -> Option<i64>) -> Option<i64> {
        let form = self.form(id);
        let mut sum = form.constant;
        for &(atom, c) in &form.terms {
            let (kind, bounds) = self.atom_info(atom);
            let atom = match kind {
                Atom::Variable(number) => value(number).unwrap_or(bounds.0),
                Atom::Quotient(inner, d) => self.evaluate(inner, value)?.div_euclid(d),
                Atom::Truncated(inner, d) => self.evaluate(inner, value)? / d,
            };
            sum = sum.checked_add(atom.checked_mul(c)?)?;
        }
        Some(sum)
    }

    /// The form with each variable replaced by what `replace` says, where it says something.
    pub(super) fn substitute(
        &mut self,
        id: FormId,
        replace: &dyn Fn(u32) -> Option<FormId>,
        memo: &mut FxHashMap<FormId, FormId>,
    ) -> Result<FormId> {
        if let Some(&known) = memo.get(&id) {
            return Ok(known);
        }
        let form = self.form(id).clone();
        let mut result = self.constant(form.constant);
        for (atom, c) in form.terms {
            let replaced = match self.atom_info(atom).0 {
                Atom::Variable(number) => replace(number),
                Atom::Quotient(inner, d) => {
                    let inner = self.substitute(inner, replace, memo)?;
                    Some(self.quotient(inner, d)?)
                }
                Atom::Truncated(inner, d) => {
                    let inner = self.substitute(inner, replace, memo)?;
                    Some(self.truncated_quotient(inner, d)?)
                }
            };
            let replaced = match replaced {
                Some(form) => form,
                None => self.enter(Form { constant: 0, terms: SmallVec::from_slice(&[(atom, 1)]) }),
            };
            result = self.add_scaled(result, replaced, c)?;
        }
        memo.insert(id, result);
        Ok(result)
    }
}

/// `a + factor·b`.
fn combine(a: &Form, b: &Form, factor: i64) -> Result<Form> {
    let scaled = |c: i64| c.checked_mul(factor).ok_or(Overflow);
    let constant = a.constant.checked_add(scaled(b.constant)?).ok_or(Overflow)?;
    let mut terms = Terms::with_capacity(a.terms.len() + b.terms.len());
    let (mut left, mut right) = (a.terms.iter().peekable(), b.terms.iter().peekable());
    loop {
        let next = match (left.peek(), right.peek()) {
            (Some(&&(x, c)), Some(&&(y, e))) => match x.cmp(&y) {
                std::cmp::Ordering::Less => left.next().map(|_| (x, c)),
                std::cmp::Ordering::Greater => right.next().map(|_| scaled(e).map(|e| (y, e))).transpose()?,
                std::cmp::Ordering::Equal => {
                    left.next();
                    right.next();
                    Some((x, c.checked_add(scaled(e)?).ok_or(Overflow)?))
                }
            },
            (Some(&&term), None) => left.next().map(|_| term),
            (None, Some(&&(y, e))) => right.next().map(|_| scaled(e).map(|e| (y, e))).transpose()?,
            (None, None) => return Ok(Form { constant, terms }),
        };
        terms.extend(next.filter(|&(_, c)| c != 0));
    }
}

/// `form = d·whole + rest`, coefficient by coefficient; those of `rest` have the sign that they had, or are not negative.
fn split(form: &Form, d: i64, keep_sign: bool) -> (Form, Form) {
    let quotient = |c: i64| if keep_sign { c / d } else { c.div_euclid(d) };
    let part = |f: &dyn Fn(i64) -> i64, constant: i64| Form {
        constant,
        terms: form.terms.iter().map(|&(atom, c)| (atom, f(c))).filter(|&(_, c)| c != 0).collect(),
    };
    (part(&quotient, form.constant.div_euclid(d)), part(&|c| c - d * quotient(c), form.constant.rem_euclid(d)))
}

/// The greatest common divisor; of 0 and `b` it is `b`.
pub(super) fn gcd(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i64::try_from(a).unwrap_or(1)
}
