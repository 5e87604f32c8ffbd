//! Lowering: from a kernel's state to its list of uops.

mod api;
pub use api::*;

crate::rule_table! {
    /// Steps of lowering that a correct kernel can't do without; switching one off plants a fault.
    pub enum LowerStep in Lower {
        GateLoads = "lower/gate-loads": "a load whose index may lie in padding is gated by its valid";
    }
}
