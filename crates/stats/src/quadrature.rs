//! Gauss-Legendre integration over panels, the only numerical integration rule that several modules share.

/// Nodes per panel. Over three standard deviations of a normal density the error is below 1e-14.
const NODES: usize = 16;

/// Nodes and weights over panels. The integral of f is the sum of weight f(node). Nodes ascend.
#[derive(Clone, Debug)]
pub(crate) struct Panels {
    rule: [(f64, f64); NODES],
    /// Pairs of node and weight.
    pub(crate) points: Vec<(f64, f64)>,
}

impl Panels {
    /// Creates an empty set of panels.
    pub(crate) fn new() -> Panels {
        Panels { rule: rule(), points: Vec::new() }
    }

    /// Adds one panel from `a` to `b`.
    pub(crate) fn push(&mut self, a: f64, b: f64) {
        let (middle, half) = (0.5 * (a + b), 0.5 * (b - a));
        self.points.extend(self.rule.iter().map(|(x, w)| (middle + half * x, half * w)));
    }

    /// Creates panels between neighbouring `breaks`, given in any order.
    pub(crate) fn between(mut breaks: Vec<f64>) -> Panels {
        breaks.sort_by(f64::total_cmp);
        let mut panels = Panels::new();
        for pair in breaks.windows(2).filter(|pair| pair[0] < pair[1]) {
            panels.push(pair[0], pair[1]);
        }
        panels
    }

    /// Creates panels of equal width, at most `width`, from `a` to `b`.
    pub(crate) fn of_width(a: f64, b: f64, width: f64) -> Panels {
        let count = ((b - a) / width).ceil().max(1.0);
        let mut panels = Panels::new();
        for i in 0..count as u64 {
            panels.push(a + (b - a) * (i as f64 / count), a + (b - a) * ((i + 1) as f64 / count));
        }
        panels
    }
}

/// Nodes and weights on -1..1: the roots of the Legendre polynomial by Newton's method.
fn rule() -> [(f64, f64); NODES] {
    let n = NODES as f64;
    std::array::from_fn(|i| {
        let mut x = -(std::f64::consts::PI * (i as f64 + 0.75) / (n + 0.5)).cos();
        let mut slope = 1.0;
        for _ in 0..8 {
            let (mut before, mut value) = (1.0, x);
            for k in 2..=NODES {
                let k = k as f64;
                (before, value) = (value, ((2.0 * k - 1.0) * x * value - (k - 1.0) * before) / k);
            }
            slope = n * (before - x * value) / (1.0 - x * x);
            x -= value / slope;
        }
        (x, 2.0 / ((1.0 - x * x) * slope * slope))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polynomials_up_to_twice_the_nodes_are_exact() {
        for power in 0..2 * NODES as i32 {
            let got: f64 = Panels::of_width(0.0, 2.0, 2.0).points.iter().map(|(x, w)| w * x.powi(power)).sum();
            let want = 2f64.powi(power + 1) / f64::from(power + 1);
            assert!((got - want).abs() <= 1e-13 * want, "{power}: {got} {want}");
        }
    }

    #[test]
    fn nodes_ascend_whatever_the_breaks() {
        let panels = Panels::between(vec![3.0, -1.0, 0.0, 0.0]);
        assert!(panels.points.windows(2).all(|w| w[0].0 < w[1].0));
        let length: f64 = panels.points.iter().map(|(_, w)| w).sum();
        assert!((length - 4.0).abs() < 1e-13);
    }
}
