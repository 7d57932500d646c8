/** Line charts as SVG, readable on light and dark pages. Both axes are logarithmic. */

export type Line = { readonly name: string; readonly points: readonly (readonly [x: number, y: number])[] };

export type Chart = {
  readonly title: string;
  readonly xLabel: string;
  readonly yLabel: string;
  readonly xTicks: readonly (readonly [value: number, label: string])[];
  readonly lines: readonly Line[];
};

const WIDTH = 640;
const HEIGHT = 360;
const LEFT = 64;
const RIGHT = 150;
const TOP = 44;
const BOTTOM = 52;
/** Distinct on white and on black, also for the color-blind; each line has a mark of its own too. */
const COLORS = ["#2a7fd4", "#d9730d", "#2f9e6e", "#b35bb5"];
const MARKS = [
  (x: number, y: number) => `<circle cx="${x}" cy="${y}" r="4"/>`,
  (x: number, y: number) => `<rect x="${x - 4}" y="${y - 4}" width="8" height="8"/>`,
  (x: number, y: number) => `<path d="M${x} ${y - 5}L${x + 5} ${y + 4}L${x - 5} ${y + 4}Z"/>`,
  (x: number, y: number) => `<path d="M${x} ${y - 5}L${x + 5} ${y}L${x} ${y + 5}L${x - 5} ${y}Z"/>`,
];

export function chartSvg({ title, xLabel, yLabel, xTicks, lines }: Chart): string {
  const xs = xTicks.map(([value]) => value);
  const ys = lines.flatMap(({ points }) => points.map(([, y]) => y));
  const yTicks = ticksAround(Math.min(...ys), Math.max(...ys));
  const x = scale([Math.min(...xs), Math.max(...xs)], [LEFT, WIDTH - RIGHT]);
  const y = scale([yTicks[0] ?? 1, yTicks.at(-1) ?? 1], [HEIGHT - BOTTOM, TOP]);
  const grid = yTicks.flatMap((value) => [
    `<path class="grid" d="M${LEFT} ${y(value)}H${WIDTH - RIGHT}"/>`,
    text(LEFT - 8, y(value) + 4, String(value), "end"),
  ]);
  const labels = xTicks.map(([value, label]) => text(x(value), HEIGHT - BOTTOM + 18, label, "middle"));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escape(title)}">
<style>
text { font: 12px system-ui, sans-serif; fill: #444 }
text:first-of-type { font-size: 14px; font-weight: 600 }
.grid { stroke: #8884; fill: none }
@media (prefers-color-scheme: dark) { text { fill: #ccc } }
</style>
${text(LEFT, 20, title, "start")}
${text(LEFT, 36, yLabel, "start")}
${grid.join("\n")}
${labels.join("\n")}
${text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10, xLabel, "middle")}
${labeled(lines, x, y).join("\n")}
</svg>
`;
}

/** Each line, and its name beside its last point; names that would overlap are moved down. */
function labeled(lines: readonly Line[], x: Scale, y: Scale): readonly string[] {
  const ends = lines.map(({ points }) => y(points.at(-1)?.[1] ?? 1));
  const order = ends.map((_, i) => i).toSorted((a, b) => (ends[a] ?? 0) - (ends[b] ?? 0));
  let lowest = Number.NEGATIVE_INFINITY;
  const labelAt = new Map(order.map((i) => [i, (lowest = Math.max(ends[i] ?? 0, lowest + 16))] as const));
  return lines.map(({ name, points }, i) => {
    const color = COLORS[i % COLORS.length];
    const mark = MARKS[i % MARKS.length];
    const at = points.map(([px, py]) => [x(px), y(py)] as const);
    const path = at.map(([px, py], n) => `${n === 0 ? "M" : "L"}${px} ${py}`).join("");
    const marks = at.map(([px, py]) => mark?.(px, py) ?? "").join("");
    const label = text(WIDTH - RIGHT + 10, (labelAt.get(i) ?? 0) + 4, name, "start");
    return `<g fill="${color}"><path d="${path}" fill="none" stroke="${color}" stroke-width="2"/>${marks}</g>${label}`;
  });
}

type Scale = (value: number) => number;

function scale([from, to]: readonly [number, number], [low, high]: readonly [number, number]): Scale {
  const span = Math.log(to) - Math.log(from) || 1;
  return (value) => Math.round((low + ((Math.log(value) - Math.log(from)) / span) * (high - low)) * 10) / 10;
}

/** 1, 2 or 5 times a power of ten, from the last one below to the first one above. */
function ticksAround(low: number, high: number): readonly number[] {
  const all = Array.from({ length: 36 }, (_, i) =>
    Number(`${[1, 2, 5][i % 3] ?? 1}e${Math.floor(i / 3) - 4}`),
  );
  const first = all.findLastIndex((tick) => tick <= low);
  const last = all.findIndex((tick) => tick >= high);
  return all.slice(Math.max(0, first), last === -1 ? all.length : Math.max(last, first + 1) + 1);
}

function text(x: number, y: number, content: string, anchor: "start" | "middle" | "end"): string {
  return `<text x="${x}" y="${y}" text-anchor="${anchor}">${escape(content)}</text>`;
}

const escape = (content: string): string =>
  content.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
