/** The rows of the report: measurements and their targets. */
import type { Latency } from "./latency.ts";
import type { Limit } from "./limits.ts";
import type { Round } from "./round.ts";
import type { Measured } from "./size.ts";
import { median } from "./statistics.ts";
import { number, type Row, type Target } from "./table.ts";

/** The size from which linear growth is computed. */
const BASE_ITEMS = 10_000;
/** The size that targets refer to. */
const TARGET_ITEMS = 100_000;

/** Two times of each round, and how their ratio is taken. */
type Comparison = {
  readonly what: string;
  readonly measured: (round: Round) => number;
  readonly own: (round: Round) => number;
  readonly against: string;
  readonly reference: (round: Round) => number;
  readonly ratio: "how many times as fast" | "share of the time";
  readonly target: Target;
  /** Smaller catalogs have no target. */
  readonly judgedFrom: number;
};

const resync = (what: string, which: "notModified" | "sameBytes" | "sameItems"): Comparison => ({
  what,
  measured: (round) => round[which].sync.wallMs,
  own: (round) => round[which].sync.ownMs,
  against: "first sync",
  reference: ({ first }) => first.sync.wallMs,
  ratio: "how many times as fast",
  target: { sign: "≥", value: 3 },
  judgedFrom: 0,
});

const halfAsFast = {
  ratio: "how many times as fast",
  target: { sign: "≥", value: 0.5 },
  judgedFrom: TARGET_ITEMS,
} as const;

const COMPARISONS: readonly Comparison[] = [
  {
    what: "first sync, to stored",
    measured: ({ first }) => first.sync.wallMs,
    own: ({ first }) => first.sync.ownMs,
    against: "`COPY` of the same rows in",
    reference: ({ limits }) => limits.copyIn.wallMs,
    ...halfAsFast,
  },
  {
    what: "render of all four feeds",
    measured: ({ first }) => first.render.wallMs,
    own: ({ first }) => first.render.ownMs,
    against: "`COPY` out + write of as many bytes",
    reference: ({ limits }) => limits.copyOut.wallMs + limits.write.wallMs,
    ...halfAsFast,
  },
  resync("re-sync, “not modified”", "notModified"),
  resync("re-sync, same bytes, no validators", "sameBytes"),
  resync("re-sync, other bytes, same items", "sameItems"),
  {
    what: "1 % changed, sync and render",
    measured: ({ changed }) => changed.wallMs,
    own: ({ changed }) => changed.sync.ownMs + changed.render.ownMs,
    against: "first sync and render",
    reference: ({ first }) => first.wallMs,
    ratio: "share of the time",
    target: { sign: "≤", value: 0.35 },
    judgedFrom: 0,
  },
];

export function reportRows(sizes: readonly Measured[]): readonly Row[] {
  const base = sizes.find(({ items }) => items === BASE_ITEMS);
  return [
    ...COMPARISONS.flatMap((comparison) => sizes.map((size) => compared(comparison, size))),
    ...sizes.flatMap(cpuRows),
    ...(base ? sizes.filter((size) => size !== base).flatMap((size) => straightLines(size, base)) : []),
    ...sizes.flatMap((size) => memoryRows(size, base)),
    ...sizes.flatMap(({ items, latency }) => (latency ? latencyRows(items, latency) : [])),
    ...sizes.slice(0, 1).map(startRow),
  ];
}

function compared(comparison: Comparison, { items, rounds }: Measured): Row {
  const { what, measured, own, against, reference, ratio, target, judgedFrom } = comparison;
  return {
    what,
    items,
    figure: pace(items, rounds.map(measured)),
    ownFigure: duration(median(rounds.map(own))),
    against,
    reference: pace(items, rounds.map(reference)),
    ratios: rounds.map((round) =>
      ratio === "share of the time" ? measured(round) / reference(round) : reference(round) / measured(round),
    ),
    better: ratio === "share of the time" ? "lower" : "higher",
    ...(items >= judgedFrom && { target }),
  };
}

/** Processor time is too coarse for small catalogs. */
function cpuRows({ items, rounds }: Measured): Row[] {
  const uses = [
    { what: "first sync", of: ({ first }: Round) => first.sync.cpu, against: "`COPY` in", limit: copyInCpu },
    {
      what: "render",
      of: ({ first }: Round) => first.render.cpu,
      against: "`COPY` out + write",
      limit: renderCpu,
    },
    {
      what: "re-sync, same items",
      of: ({ sameItems }: Round) => sameItems.sync.cpu,
      against: "`COPY` in",
      limit: copyInCpu,
    },
  ];
  return uses.flatMap(({ what, of, against, limit }): Row[] => {
    const used = rounds.map(of).filter((cpu) => cpu !== null);
    if (used.length === 0 || items < BASE_ITEMS) return [];
    const program = median(used.map(({ programMs }) => programMs)) / items;
    const postgres = median(used.map(({ postgresMs }) => postgresMs)) / items;
    const least = median(rounds.map(limit)) / items;
    return [
      {
        what: `${what}, processor time an item`,
        items,
        figure: `${micros(program + postgres)} (${micros(program)} + PostgreSQL ${micros(postgres)})`,
        against,
        reference: micros(least),
        ratios: [least / (program + postgres)],
        better: "higher",
      },
    ];
  });
}

const copyInCpu = ({ limits }: Round): number => clientAndServer(limits.copyIn);
const renderCpu = ({ limits }: Round): number =>
  clientAndServer(limits.copyOut) + clientAndServer(limits.write);
const clientAndServer = ({ cpu }: Limit): number => (cpu ? cpu.benchMs + cpu.postgresMs : 0);

function straightLines(size: Measured, base: Measured): Row[] {
  const lines = [
    { what: "first sync", of: ({ first }: Round) => first.sync.wallMs },
    { what: "render", of: ({ first }: Round) => first.render.wallMs },
  ];
  return lines.map(({ what, of }) => {
    const perItem = ({ items, rounds }: Measured): number => median(rounds.map(of)) / items;
    return {
      what: `${what}, time an item`,
      items: size.items,
      figure: micros(perItem(size)),
      against: `${number(BASE_ITEMS)} items`,
      reference: micros(perItem(base)),
      ratios: [perItem(size) / perItem(base)],
      better: "lower",
      ...(size.items > BASE_ITEMS && { target: { sign: "≤", value: 1.2 } as const }),
    };
  });
}

function memoryRows({ items, memory }: Measured, base: Measured | undefined): Row[] {
  const ours = { what: "peak memory, server and worker", items, figure: "–" };
  if (!memory) return [ours];
  const { serverMb, workerMb, postgresMb } = memory;
  const total = serverMb + workerMb;
  const baseTotal = base?.memory ? base.memory.serverMb + base.memory.workerMb : null;
  return [
    {
      ...ours,
      figure: `${megabytes(total)} (${megabytes(serverMb)} + ${megabytes(workerMb)})`,
      target: { sign: "≤", value: items <= 100_000 ? 400 : 512, unit: " MB" },
      judged: total,
      ...(baseTotal !== null && {
        against: `${number(BASE_ITEMS)} items`,
        reference: megabytes(baseTotal),
        ratios: [total / baseTotal],
        better: "lower",
      }),
    },
    { what: "peak memory, largest PostgreSQL process", items, figure: megabytes(postgresMb) },
  ];
}

function latencyRows(items: number, { idle, busy }: Latency): Row[] {
  const row = (what: string, busyMs: number, idleMs: number): Row => ({
    what: `\`GET /api/v1/feeds\` during sync and render, ${what}`,
    items,
    figure: duration(busyMs),
    against: "idle",
    reference: duration(idleMs),
    ratios: [busyMs / idleMs],
    better: "lower",
  });
  return [
    row("p50", busy.p50Ms, idle.p50Ms),
    { ...row("p99", busy.p99Ms, idle.p99Ms), target: { sign: "≤", value: 3 } },
  ];
}

function startRow({ startMs }: Measured): Row {
  return {
    what: "start to first answer, after the first time",
    items: null,
    figure: duration(startMs),
    target: { sign: "≤", value: 3, unit: " s" },
    judged: startMs / 1000,
  };
}

export const megabytes = (value: number): string => `${number(value)} MB`;
const micros = (perItemMs: number): string => `${number(perItemMs * 1000, 1)} µs`;

export function duration(ms: number): string {
  if (ms >= 1000) return `${number(ms / 1000, 2)} s`;
  return `${number(ms, ms < 100 ? 1 : 0)} ms`;
}

function pace(items: number, times: readonly number[]): string {
  const ms = median(times);
  return `${duration(ms)} (${number((items / ms) * 1000)}/s)`;
}
