//! SVG drawings with two axes, for the pictures in docs/.

#![allow(dead_code, reason = "each example that draws uses a part of it")]

use std::fmt::Write;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 340.0;
const LEFT: f64 = 60.0;
const RIGHT: f64 = 44.0;
const TOP: f64 = 34.0;
const BOTTOM: f64 = 50.0;

/// Colours that are distinguishable in both themes, and with red-green colour blindness.
const STYLE: &str = "
  text { font: 13px system-ui, sans-serif; fill: #333; }
  .axis { stroke: #888; fill: none; }
  .grid { stroke: #8884; fill: none; }
  .ours { stroke: #0072b2; fill: none; stroke-width: 2.5; }
  .ours-area { fill: #0072b2; fill-opacity: 0.18; }
  .other { stroke: #d55e00; fill: none; stroke-width: 2.5; stroke-dasharray: 6 4; }
  .other-area { fill: #d55e00; fill-opacity: 0.25; }
  .third { stroke: #009e73; fill: none; stroke-width: 2; stroke-dasharray: 2 4; }
  .estimate { stroke: #333; fill: none; stroke-width: 1.5; }
  .of-ours { fill: #0072b2; } .of-other { fill: #b84f00; } .of-third { fill: #007a58; }
  @media (prefers-color-scheme: dark) {
    text { fill: #ddd; }
    .ours { stroke: #56b4e9; } .ours-area { fill: #56b4e9; } .of-ours { fill: #56b4e9; }
    .other { stroke: #e69f00; } .other-area { fill: #e69f00; } .of-other { fill: #e69f00; }
    .third { stroke: #2ec4a0; } .of-third { fill: #2ec4a0; }
    .estimate { stroke: #ddd; }
  }
";

/// Scale of an axis: converts a value to a position.
#[derive(Clone, Copy)]
struct Scale {
    from: f64,
    to: f64,
    logarithmic: bool,
    start: f64,
    end: f64,
}

impl Scale {
    fn at(&self, value: f64) -> f64 {
        let along = |v: f64| if self.logarithmic { v.ln() } else { v };
        let part = (along(value) - along(self.from)) / (along(self.to) - along(self.from));
        self.start + part.clamp(-2.0, 3.0) * (self.end - self.start)
    }
}

/// Points of a line, as pairs of values.
pub(crate) type Line = Vec<(f64, f64)>;

/// A drawing with two axes.
pub(crate) struct Picture {
    x: Scale,
    y: Scale,
    body: String,
}

impl Picture {
    pub(crate) fn new(x: (f64, f64, bool), y: (f64, f64)) -> Picture {
        let (from, to, logarithmic) = x;
        Picture {
            x: Scale { from, to, logarithmic, start: LEFT, end: WIDTH - RIGHT },
            y: Scale { from: y.0, to: y.1, logarithmic: false, start: HEIGHT - BOTTOM, end: TOP },
            body: String::new(),
        }
    }

    fn add(&mut self, text: std::fmt::Arguments<'_>) {
        self.body.write_fmt(text).expect("memory takes text");
        self.body.push('\n');
    }

    fn points(&self, line: impl IntoIterator<Item = (f64, f64)>) -> String {
        let place = |(x, y): (f64, f64)| format!("{:.1},{:.1}", self.x.at(x), self.y.at(y));
        line.into_iter().map(place).collect::<Vec<_>>().join(" ")
    }

    pub(crate) fn line(&mut self, class: &str, line: &[(f64, f64)]) {
        let points = self.points(line.iter().copied());
        self.add(format_args!(r##"<polyline class="{class}" clip-path="url(#plot)" points="{points}"/>"##));
    }

    /// Adds a dot at each of these values. Values outside the axes are left out.
    pub(crate) fn dots(&mut self, class: &str, values: impl IntoIterator<Item = (f64, f64)>) {
        let points = self.points(values);
        let path: Vec<String> = points.split_whitespace().map(|point| format!("M{point}h0")).collect();
        self.add(format_args!(
            r##"<path class="{class}" clip-path="url(#plot)" style="stroke-width:5;stroke-linecap:round;stroke-dasharray:none;stroke-opacity:.45" d="{}"/>"##,
            path.concat()
        ));
    }

    /// Adds the area between a lower and an upper line.
    pub(crate) fn area(&mut self, class: &str, lower: &[(f64, f64)], upper: &[(f64, f64)]) {
        let points = self.points(lower.iter().chain(upper.iter().rev()).copied());
        self.add(format_args!(r##"<polygon class="{class}" clip-path="url(#plot)" points="{points}"/>"##));
    }

    fn text(&mut self, class: &str, anchor: &str, (x, y): (f64, f64), text: &str) {
        self.add(format_args!(r#"<text class="{class}" text-anchor="{anchor}" x="{x:.1}" y="{y:.1}">{text}</text>"#));
    }

    /// Adds a label to the right of a value.
    pub(crate) fn label(&mut self, class: &str, at: (f64, f64), text: &str) {
        let (x, y) = (self.x.at(at.0), self.y.at(at.1));
        self.text(class, "start", (x, y), text);
    }

    pub(crate) fn axes(&mut self, x: (&[f64], &str), y: (&[f64], &str), percent: bool) {
        let (bottom, top, right) = (HEIGHT - BOTTOM, TOP, WIDTH - RIGHT);
        for &tick in y.0 {
            let at = self.y.at(tick);
            self.add(format_args!(r#"<path class="grid" d="M{LEFT} {at:.1}H{right}"/>"#));
            let text = if percent { signed(tick) } else { format!("{tick}") };
            self.text("", "end", (LEFT - 6.0, at + 4.0), &text);
        }
        for &tick in x.0 {
            let at = self.x.at(tick);
            self.add(format_args!(r#"<path class="axis" d="M{at:.1} {bottom}v5"/>"#));
            self.text("", "middle", (at, bottom + 20.0), &thousands(tick));
        }
        self.add(format_args!(r#"<path class="axis" d="M{LEFT} {top}V{bottom}H{right}"/>"#));
        self.text("", "end", (right, HEIGHT - 8.0), x.1);
        self.text("", "start", (LEFT - 50.0, 16.0), y.1);
    }

    pub(crate) fn svg(self, title: &str) -> String {
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\">\n<title>{title}</title>\n\
             <style>{STYLE}</style>\n<clipPath id=\"plot\"><rect x=\"{LEFT}\" y=\"{TOP}\" width=\"{}\" height=\"{}\"/></clipPath>\n\
             {}</svg>\n",
            WIDTH - LEFT - RIGHT,
            HEIGHT - TOP - BOTTOM,
            self.body
        )
    }
}

/// A lift in percent with its sign; 0 has none.
fn signed(lift: f64) -> String {
    if lift == 0.0 { "0 %".to_owned() } else { format!("{:+.0} %", 100.0 * lift) }
}

fn thousands(n: f64) -> String {
    let n = n as u64;
    if n < 1_000 { n.to_string() } else { format!("{},{:03}", thousands((n / 1_000) as f64), n % 1_000) }
}
