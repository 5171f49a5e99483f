// A chart of a few curves, drawn anew whenever a point comes or the width changes. Colours are those of the sheet, so light and dark follow it.
import { make, svg } from "./parts.js";

const LEFT = 58, RIGHT = 14, BOTTOM = 44, FIELD = 220;

// picture = { title, across, upLog, format, tick, series: [{ name, kind, points: [{ x, y, low, high }] }], mark }
export function draw(place, picture) {
  const width = Math.max(280, Math.min(560, place.clientWidth || 480));
  const points = picture.series.flatMap((one) => one.points);
  if (points.length === 0) { place.replaceChildren(); return; }
  const [legend, lines] = placed(picture.series.filter((one) => one.points.length > 0), width);
  const TOP = 22 + 18 * lines, HEIGHT = TOP + FIELD + BOTTOM;
  const xs = points.map((point) => point.x);
  const ys = points.flatMap((point) => [point.y, point.low ?? point.y, point.high ?? point.y]);
  const across = logarithmic(Math.min(...xs), Math.max(...xs), LEFT, width - RIGHT, width < 400 ? 4 : 7);
  const up = picture.upLog ? logarithmic(Math.min(...ys), Math.max(...ys), HEIGHT - BOTTOM, TOP, 6) : even(Math.max(...ys), HEIGHT - BOTTOM, TOP);
  const drawn = svg("svg", { viewBox: `0 0 ${width} ${HEIGHT}`, role: "img", "aria-label": described(picture) });
  for (const tick of up.ticks) {
    const y = up.at(tick);
    drawn.append(svg("line", { class: "grid", x1: LEFT, x2: width - RIGHT, y1: y, y2: y }), words(LEFT - 7, y + 4, (picture.tick ?? picture.format)(tick), "end"));
  }
  for (const tick of across.ticks) {
    const x = across.at(tick);
    drawn.append(svg("line", { class: "grid", x1: x, x2: x, y1: TOP, y2: HEIGHT - BOTTOM }), words(x, HEIGHT - BOTTOM + 18, plain(tick), "middle"));
  }
  if (picture.mark >= Math.min(...xs) && picture.mark <= Math.max(...xs)) {
    const x = across.at(picture.mark);
    drawn.append(svg("line", { class: "mark", x1: x, x2: x, y1: TOP, y2: HEIGHT - BOTTOM }));
  }
  for (const one of picture.series) {
    const ordered = [...one.points].sort((a, b) => a.x - b.x);
    if (ordered.length === 0) continue;
    const line = ordered.map((point, place) => `${place ? "L" : "M"}${across.at(point.x).toFixed(1)} ${up.at(point.y).toFixed(1)}`).join("");
    drawn.append(svg("path", { class: `series ${one.kind}`, d: line }));
    if (one.kind === "a") for (const point of ordered) {
      const x = across.at(point.x);
      if (point.low !== undefined) drawn.append(svg("line", { class: "band", x1: x, x2: x, y1: up.at(point.low), y2: up.at(point.high) }));
      drawn.append(svg("circle", { class: "dot", cx: x, cy: up.at(point.y), r: 3.5 }));
    }
  }
  for (const [one, x, y] of legend) {
    drawn.append(svg("line", { class: `series ${one.kind}`, x1: x, x2: x + 22, y1: y, y2: y }), words(x + 27, y + 4, one.name, "start"));
  }
  drawn.append(words((LEFT + width - RIGHT) / 2, HEIGHT - 6, picture.across, "middle"));
  // The title breaks into lines where the window is narrow, as text of a picture cannot; readers of screens have it in the label.
  place.replaceChildren(make("p", { class: "title", "aria-hidden": "true" }, picture.title), drawn);
}

// Where each name of the legend goes, and over how many lines.
function placed(series, width) {
  const found = [];
  let [x, line] = [LEFT, 1];
  for (const one of series) {
    const size = 42 + 6.8 * one.name.length;
    if (x > LEFT && x + size > width) [x, line] = [LEFT, line + 1];
    found.push([one, x, 2 + 18 * line]);
    x += size;
  }
  return [found, line];
}

function words(x, y, text, anchor) {
  return svg("text", { x, y, "text-anchor": anchor }, text);
}

function described(picture) {
  const parts = picture.series.filter((one) => one.points.length > 0).map((one) => {
    const ordered = [...one.points].sort((a, b) => a.x - b.x);
    const [first, last] = [ordered[0], ordered[ordered.length - 1]];
    return `${one.name}: ${picture.format(first.y)} at ${plain(first.x)}, ${picture.format(last.y)} at ${plain(last.x)}`;
  });
  return `${picture.title}, against ${picture.across}. ${parts.join("; ")}.`;
}

function plain(value) {
  return value >= 10000 ? value.toLocaleString("en", { notation: "compact" }) : String(Number(value.toPrecision(3)));
}

function logarithmic(low, high, start, end, most) {
  const [a, b] = [Math.log10(low * 0.93), Math.log10(high * 1.07)];
  const at = (value) => start + ((end - start) * (Math.log10(Math.max(value, 1e-300)) - a)) / (b - a);
  for (const steps of [[1, 2, 5], [1, 3], [1]]) {
    const ticks = [];
    for (let power = Math.floor(a); power <= Math.ceil(b); power += 1)
      for (const step of steps) { const tick = step * 10 ** power; if (Math.log10(tick) >= a && Math.log10(tick) <= b) ticks.push(tick); }
    if (ticks.length <= most || steps.length === 1) {
      const every = Math.ceil(ticks.length / most);
      return { at, ticks: ticks.filter((_, place) => place % every === 0) };
    }
  }
  return { at, ticks: [] };
}

function even(highest, start, end) {
  const top = (highest || 1) * 1.06;
  const rough = top / 5, base = 10 ** Math.floor(Math.log10(rough));
  const step = base * [1, 2, 5, 10].find((one) => one * base >= 0.8 * rough);
  const ticks = [];
  for (let tick = 0; tick <= top; tick += step) ticks.push(Number(tick.toPrecision(6)));
  return { at: (value) => start + ((end - start) * value) / top, ticks };
}
