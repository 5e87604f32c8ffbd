//! What uops do.

/// What a uop does. The order of the members is the order in which the list prefers them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum UopKind {
    /// The root that holds all stores; never in a list.
    Sink,
    /// A kernel argument: a pointer or an image.
    DefineGlobal,
    /// A symbolic variable, passed to the kernel.
    DefineVar,
    /// Memory shared by a workgroup.
    DefineLocal,
    /// An accumulator; its sources are the loops it lives through.
    DefineAcc,
    /// A constant.
    Const,
    /// An index of the launch grid.
    Special,
    /// Nothing; never in a list.
    Noop,
    /// Marks a multiplication to be undone by loop collapse; never in a list.
    Unmul,
    /// One lane of a vector.
    Gep,
    /// Conversion by value of one source; of several sources: a vector of them.
    Cast,
    /// Reinterpretation of bits.
    Bitcast,
    /// Arithmetic.
    Alu,
    /// A matrix instruction of a whole warp.
    Wmma,
    /// Sources: buffer, index; then, where gated: gate, alternative; then perhaps a barrier to wait for.
    Load,
    /// Sources: buffer, index, value; then, where gated: gate.
    Store,
    /// Sources: accumulator, its new value.
    Phi,
    /// All lanes of a workgroup wait; sources are what must have happened before.
    Barrier,
    /// Sources: condition, barrier.
    If,
    /// A loop from its first source to below its second.
    Range,
    /// Ends the loop that is its source.
    EndRange,
    /// Ends the `If` that is its source.
    EndIf,
}

impl UopKind {
    /// All kinds, in order.
    pub const ALL: [UopKind; 22] = [
        UopKind::Sink,
        UopKind::DefineGlobal,
        UopKind::DefineVar,
        UopKind::DefineLocal,
        UopKind::DefineAcc,
        UopKind::Const,
        UopKind::Special,
        UopKind::Noop,
        UopKind::Unmul,
        UopKind::Gep,
        UopKind::Cast,
        UopKind::Bitcast,
        UopKind::Alu,
        UopKind::Wmma,
        UopKind::Load,
        UopKind::Store,
        UopKind::Phi,
        UopKind::Barrier,
        UopKind::If,
        UopKind::Range,
        UopKind::EndRange,
        UopKind::EndIf,
    ];

    /// The name in the uop text.
    pub const fn name(self) -> &'static str {
        match self {
            UopKind::Sink => "SINK",
            UopKind::DefineGlobal => "DEFINE_GLOBAL",
            UopKind::DefineVar => "DEFINE_VAR",
            UopKind::DefineLocal => "DEFINE_LOCAL",
            UopKind::DefineAcc => "DEFINE_ACC",
            UopKind::Const => "CONST",
            UopKind::Special => "SPECIAL",
            UopKind::Noop => "NOOP",
            UopKind::Unmul => "UNMUL",
            UopKind::Gep => "GEP",
            UopKind::Cast => "CAST",
            UopKind::Bitcast => "BITCAST",
            UopKind::Alu => "ALU",
            UopKind::Wmma => "WMMA",
            UopKind::Load => "LOAD",
            UopKind::Store => "STORE",
            UopKind::Phi => "PHI",
            UopKind::Barrier => "BARRIER",
            UopKind::If => "IF",
            UopKind::Range => "RANGE",
            UopKind::EndRange => "ENDRANGE",
            UopKind::EndIf => "ENDIF",
        }
    }
}
