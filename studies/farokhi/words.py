"""What the page of this study says in prose."""

SUMMARY = (
    (
        "Records are released with Gaussian noise of covariance Pi^{-1/2} / sqrt(lambda), which has the least Fisher information for its "
        "variance (theorem 2.4, which is right), and machines are trained on them. Two promises are printed. Local differential privacy (theorem "
        "2.5): false as stated, since ranges of 1 are assumed silently, and not valid for large epsilon. A mean square error that no estimator "
        "beats: a Cramer-Rao number, which binds unbiased estimators only. The utility curves come out as described on most of the settings tried, "
        "not on all."
    ),
    (
        "Noise in the null space of a machine (theorem 2.10) leaves the machine as it was. The number printed for it comes out, but it is no "
        "privacy: the score of every record can be read off the release."
    ),
)
NOTES = (
    "How features are scaled is not printed. The number 28.4 comes out on raw columns (28.41), and on no scaling to variance 1 (27.9).",
    (
        "The scale of the Laplace noise is not printed either. Equal Cramer-Rao numbers mean scale lambda^(-1/4), which has twice the Gaussian's "
        "variance: that is the whole advantage. At equal variance the curves nearly coincide."
    ),
    (
        "Choices made after a result was seen: figure 6 was first judged on columns of variance 1 with two repeats (better at one level, worse at "
        "one: not reproduced). The row on raw columns, a third repeat and the levels 1000 and 10,000 were added after that. Both scalings have "
        "their row here, in all three figures, and neither is preferred: the paper does not say how features are scaled."
    ),
    (
        "'Always' is a claim about every level. A row counts as reproduced where the optimal noise is better by two standard errors at some "
        "level and worse at none; it says at how many."
    ),
    "Labels are released in clear in all figures: what is protected is features, not records.",
    (
        "Machines are trained by a primal Newton method on a hinge whose kink is rounded over 0.01 of a margin; the null-space noise needs "
        "multipliers and uses the certified solver."
    ),
)
