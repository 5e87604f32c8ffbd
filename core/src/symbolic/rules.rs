//! The table of simplifications of index expressions.

crate::rule_table! {
    /// Simplifications of index expressions. One that is off does not fire, and what is built is still right.
    pub enum SymbolicRule in Symbolic {
        Constant = "symbolic/constant": "an expression whose bounds are equal is that number";
        MulZero = "symbolic/mul-zero": "a product with 0 is 0";
        MulOne = "symbolic/mul-one": "a product with 1 is the other factor";
        MulOfMul = "symbolic/mul-of-mul": "(a*b)*c is a*(b*c)";
        MulDistribute = "symbolic/mul-distribute": "(a+b)*c is a*c + b*c";
        SumZero = "symbolic/sum-zero": "a term that is always 0 is dropped";
        SumFlatten = "symbolic/sum-flatten": "the terms of a sum within a sum become terms of the outer one";
        SumConstants = "symbolic/sum-constants": "the numbers of a sum are added up and stand last";
        SumCollect = "symbolic/sum-collect": "multiples of one expression are added up: a*2 + a is a*3",
            altered "multiples of one expression count once: a*2 + a is a*2";
        AndFalse = "symbolic/and-false": "a conjunction with a false term is 0";
        AndTrue = "symbolic/and-true": "true terms of a conjunction are dropped",
            altered "terms of a conjunction that may be true are dropped, except the last";
        LessSame = "symbolic/less-same": "a < a is 0",
            altered "a < a is 1: a comparison that nothing decides counts as true";
        LessBounds = "symbolic/less-bounds": "a comparison that the bounds decide is 0 or 1",
            altered "a comparison whose larger side starts above the smaller one's start counts as decided, and true";
        LessNumber = "symbolic/less-number": "the number of a sum moves to the other side of a comparison";
        LessGcd = "symbolic/less-gcd": "a comparison with a multiple of the terms' common factor is divided by it, and the terms too small to matter dropped",
            altered "the terms left out may be as large as the common factor";
        LessMul = "symbolic/less-mul": "a*c < b is a < b/c rounded up",
            altered "a*c < b is a < b/c rounded down";
        DivOne = "symbolic/div-one": "a quotient by 1 is the numerator";
        DivSelf = "symbolic/div-self": "a//a is 1";
        DivSmall = "symbolic/div-small": "a quotient by something symbolic that is larger than the numerator is 0";
        DivNegative = "symbolic/div-negative": "a//-b is (-a)//b",
            altered "a//-b is -(a//b): the sign is pulled out of a division that rounds down";
        DivOffset = "symbolic/div-offset": "a numerator that may be negative is raised by the least multiple of the divisor that prevents it (off: by one multiple more), and the quotient lowered again",
            altered "the numerator is raised, the quotient not lowered";
        DivOfDiv = "symbolic/div-of-div": "(a//b)//c is a//(b*c) where c is positive",
            altered "also where c is negative";
        DivMulExact = "symbolic/div-mul-exact": "(a*c)//b is a*(c/b) where b divides c";
        DivMulCancel = "symbolic/div-mul-cancel": "(a*c)//b is a//(b/c) where c divides b";
        DivOfMod = "symbolic/div-of-mod": "(a%b)//c is (a//c)%(b/c) where c divides b",
            altered "(a%b)//c is a//c";
        DivTerms = "symbolic/div-terms": "terms of a sum that the divisor divides are taken out of the quotient",
            altered "a number is taken out as its quotient rounded down, and its rest forgotten";
        DivGcd = "symbolic/div-gcd": "a quotient of a sum is reduced by the factor that its terms and the divisor share";
        DivFactor = "symbolic/div-factor": "a quotient of a sum by b is divided first by the factor of a term that divides b, then by the rest of b",
            altered "also by a factor that does not divide b: the rest is rounded down";
        ModOne = "symbolic/mod-one": "a remainder by 1 is 0";
        ModSelf = "symbolic/mod-self": "a%a is 0";
        ModSmall = "symbolic/mod-small": "a remainder of something that is not negative and below the divisor is itself",
            altered "also where the largest value equals the divisor";
        ModSameQuotient = "symbolic/mod-same-quotient": "a%b is a - b*q where a//b is q for all values";
        ModOfMul = "symbolic/mod-of-mul": "(a*c)%b is (a*(c%b))%b";
        ModOfMod = "symbolic/mod-of-mod": "(a%b)%c is a%c where c divides b",
            altered "(a%b)%c is a%c whatever b is";
        ModTerms = "symbolic/mod-terms": "factors and numbers of a sum are reduced modulo the divisor",
            altered "terms with a factor are dropped from the dividend";
    }
}
