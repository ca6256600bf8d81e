//! A flame graph as SVG, to stand in a page: what is called lies on what calls it, and is as wide as the time in it and in what it calls.
//! (The crate `inferno` draws such, too; its license, CDDL, asks for more than those that this project takes in.) Names and figures of what is too narrow to be written into stand in its title, which browsers show.

use crate::markup;
use bunraku::stats::Count;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

/// The picture's width, the height of a row, and how wide a letter is about.
const WIDTH: f64 = 1200.0;
const ROW: f64 = 17.0;
const LETTER: f64 = 6.6;
/// What is narrower is left out.
const NARROWEST: f64 = 0.4;

/// Where script is run, a frame that is clicked becomes as wide as the picture, with what calls it below and what it calls above; a click on
/// `all` shows everything again. Names are those of the titles, up to their last colon.
pub const SCRIPT: &str = "document.querySelectorAll('svg').forEach(s=>{const W=s.viewBox.baseVal.width,all=[...s.querySelectorAll('g')].map(g=>{\
const r=g.querySelector('rect'),n=g.querySelector('title').textContent;return{g,r,t:g.querySelector('text'),\
x:+r.getAttribute('x'),w:+r.getAttribute('width')+.4,n:n.slice(0,n.lastIndexOf(': '))}});\
all.forEach(f=>f.g.onclick=()=>{const k=W/f.w;all.forEach(o=>{const holds=o.x<f.x+.2&&o.x+o.w>f.x+f.w-.2,\
x=holds?0:(o.x-f.x)*k,w=holds?W:o.w*k,c=Math.floor(w/6.6);o.g.style.display=x<-.2*k||x+w>W+.2*k?'none':'';\
o.r.setAttribute('x',x);o.r.setAttribute('width',Math.max(w-.4,.4));o.t.setAttribute('x',x+3);\
o.t.textContent=o.n.length<=c?o.n:c>4?o.n.slice(0,c-1)+'…':''})})});";

/// A frame with what it calls.
#[derive(Default)]
struct Frame<'s> {
    own: Duration,
    calls: u64,
    before: Duration,
    inner: BTreeMap<&'s str, Frame<'s>>,
}

impl<'s> Frame<'s> {
    fn at(&mut self, stack: &'s str) -> &mut Frame<'s> {
        stack.split(';').fold(self, |frame, name| frame.inner.entry(name).or_default())
    }

    fn time(&self) -> Duration {
        self.own + self.inner.values().map(Frame::time).sum::<Duration>()
    }

    fn time_before(&self) -> Duration {
        self.before + self.inner.values().map(Frame::time_before).sum::<Duration>()
    }

    fn depth(&self) -> usize {
        1 + self.inner.values().map(Frame::depth).max().unwrap_or(0)
    }
}

/// How a picture is drawn.
struct Drawing {
    out: String,
    height: f64,
    total: Duration,
    /// The largest change of a frame, where changes are drawn.
    most: Option<f64>,
}

/// The picture of stacks, with the `rest` of the time, in which nothing is counted. With stacks from before, colors tell what has changed.
pub fn svg(
    stacks: &BTreeMap<String, Count>,
    rest: Duration,
    before: Option<(&BTreeMap<String, Count>, f64)>,
) -> String {
    let mut root = Frame::default();
    for (stack, count) in stacks {
        let frame = root.at(stack);
        frame.own += count.time;
        frame.calls += count.calls;
    }
    for (stack, count) in before.iter().flat_map(|(stacks, _)| *stacks) {
        let scale = before.map_or(1.0, |(_, scale)| scale);
        root.at(stack).before += count.time.mul_f64(scale);
    }
    root.inner.entry(super::super::REST).or_default().own += rest;
    let total = root.time();
    if total.is_zero() {
        return "<p>Nothing took time.</p>\n".to_owned();
    }
    let height = root.depth() as f64 * ROW;
    let most = before.is_some().then(|| most_changed(&root));
    let mut drawing = Drawing { out: String::new(), height, total, most };
    drawing.frame("all", &root, (0.0, 0));
    format!(
        "<svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"flame graph\" font-family=\"ui-monospace,monospace\" \
         font-size=\"11\">\n{}</svg>\n",
        drawing.out
    )
}

/// The largest change of a frame of some depth.
fn most_changed(frame: &Frame<'_>) -> f64 {
    let own = (frame.time().as_secs_f64() - frame.time_before().as_secs_f64()).abs();
    frame.inner.values().map(most_changed).fold(own, f64::max)
}

impl Drawing {
    fn frame(&mut self, name: &str, frame: &Frame<'_>, (x, depth): (f64, usize)) {
        let time = frame.time();
        let width = time.as_secs_f64() / self.total.as_secs_f64() * WIDTH;
        if width < NARROWEST {
            return;
        }
        let y = self.height - (depth + 1) as f64 * ROW;
        let change = frame.time().as_secs_f64() - frame.time_before().as_secs_f64();
        let changed = self.most.map_or_else(String::new, |_| format!(", {:+.2} ms", change * 1000.0));
        let told = format!(
            "{name}: {} ms, {:.1}%, {} calls{changed}",
            super::milliseconds(time),
            super::percent(time, self.total),
            frame.calls
        );
        let color = match self.most {
            Some(most) => changed_color(change, most),
            None => color(name),
        };
        let letters = (width / LETTER) as usize;
        let shown = match name.chars().count() {
            count if count <= letters => name.to_owned(),
            _ if letters > 4 => name.chars().take(letters - 1).chain(['…']).collect(),
            _ => String::new(),
        };
        let _ = writeln!(
            self.out,
            "<g><title>{}</title><rect x=\"{x:.1}\" y=\"{y}\" width=\"{:.1}\" height=\"{}\" rx=\"1\" fill=\"{color}\"/>\
             <text x=\"{:.1}\" y=\"{}\" fill=\"#111\">{}</text></g>",
            escaped(&told),
            (width - 0.4).max(NARROWEST),
            ROW - 1.0,
            x + 3.0,
            y + 12.0,
            escaped(&shown),
        );
        let mut x = x;
        for (name, inner) in &frame.inner {
            self.frame(name, inner, (x, depth + 1));
            x += inner.time().as_secs_f64() / self.total.as_secs_f64() * WIDTH;
        }
    }
}

/// Colors tell kinds apart, and names a little.
fn color(name: &str) -> String {
    let kind = name.split(' ').next().unwrap_or_default();
    let hue = match kind {
        "class" => 35,
        "define" => 20,
        "puppet" => 55,
        "language" => 200,
        "native" => 185,
        "ruby" | "ruby_native" | "ruby_start" => 350,
        "erb" | "erb_native" | "epp" => 120,
        "hiera" => 270,
        _ => 0,
    };
    let saturation = if hue == 0 { 0 } else { 70 };
    let sum = name.bytes().fold(0u32, |sum, byte| sum.wrapping_mul(31).wrapping_add(u32::from(byte)));
    format!("hsl({hue} {saturation}% {}%)", 66 + sum % 14)
}

/// Red takes longer, blue less, the stronger the more.
fn changed_color(change: f64, most: f64) -> String {
    let part = if most > 0.0 { (change.abs() / most).min(1.0).sqrt() } else { 0.0 };
    let lightness = 94.0 - 34.0 * part;
    let hue = if change > 0.0 { 8 } else { 215 };
    format!("hsl({hue} 80% {lightness:.0}%)")
}

fn escaped(text: &str) -> String {
    markup::escaped(text, markup::not_in_xml)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_times_and_names_are_escaped() {
        let count = |milliseconds| Count { calls: 1, time: Duration::from_millis(milliseconds), bytes: 0 };
        let stacks: BTreeMap<String, Count> = [("class a", 25), ("class a;define <b>", 50)]
            .into_iter()
            .map(|(stack, time)| (stack.to_owned(), count(time)))
            .collect();
        let picture = svg(&stacks, Duration::from_millis(25), None);
        for part in [
            "class a: 75.00 ms, 75.0%, 1 calls",
            "define &lt;b&gt;: 50.00 ms, 50.0%, 1 calls",
            "(rest): 25.00 ms",
            "width=\"899.6\"",
            "width=\"599.6\"",
        ] {
            assert!(picture.contains(part), "{part} is not in {picture}");
        }
        let old = [("class a".to_owned(), count(30))].into();
        let changed = svg(&stacks, Duration::ZERO, Some((&old, 0.5)));
        assert!(changed.contains("class a: 75.00 ms, 100.0%, 1 calls, +60.00 ms"), "{changed}");
    }
}
