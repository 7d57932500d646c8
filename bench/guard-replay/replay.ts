/** Replays ordinary days and accidents, and counts the false and the missed alarms of the default limits. */
import { judge } from "../../src/pipeline/publication/guard/judge.ts";
import { HELD_FROM_ITEMS, limitsOf, type LimitValues } from "../../src/pipeline/publication/guard/limits.ts";
import { type Accident, ACCIDENTS, DELIBERATE } from "./accidents.ts";
import { DAYS, type Life, ORDINARY } from "./ordinary.ts";
import type { Shop } from "./shop.ts";

export const SHARES = [1, 0.5, 0.25, 0.1] as const;

function defaults(): LimitValues {
  const limits = limitsOf({});
  if (!limits) throw new Error("the guard is on by default");
  return limits;
}

const LIMITS = defaults();

/** The signals that hold what the shop would publish now. */
function heldBy(shop: Shop): readonly string[] {
  const figures = shop.figures();
  if (!figures || figures.before.items < HELD_FROM_ITEMS) return [];
  return [...new Set(judge(figures, LIMITS).map(({ signal }) => signal))];
}

export type OrdinaryResult = {
  readonly name: string;
  readonly what: string;
  readonly renders: number;
  readonly falseAlarms: number;
  readonly signals: readonly string[];
};

/** `every`: days between two renders. */
function replayOrdinary({ name, what, seeds, open, day }: Life, every = 1): OrdinaryResult {
  let [renders, falseAlarms] = [0, 0];
  const signals = new Set<string>();
  for (let seed = 1; seed <= seeds; seed++) {
    const shop = open(seed);
    for (let at = 1; at <= DAYS; at++) {
      day(shop, at);
      if (at % every !== 0) continue;
      const held = heldBy(shop);
      renders += 1;
      if (held.length > 0) falseAlarms += 1;
      for (const signal of held) signals.add(signal);
      // Whoever looks at a false alarm promotes it.
      shop.publish();
    }
  }
  return { name, what, renders, falseAlarms, signals: [...signals] };
}

export type AccidentResult = {
  readonly name: string;
  /** For each of `SHARES`: in how many of the shops it was held. */
  readonly held: readonly number[];
  readonly shops: number;
  /** The signals that held most of them, the commonest first. */
  readonly signals: readonly string[];
};

/** Each in every shop, on a day in the middle of its life. */
const ACCIDENT_DAY = 60;

/** What holds each accident of each share, and each deliberate change. */
export function replayAccidents(): {
  accidents: readonly AccidentResult[];
  deliberate: readonly AccidentResult[];
} {
  const tally = (list: readonly Accident[], shares: readonly number[]) =>
    list.map(({ name }) => ({ name, held: shares.map(() => 0), signals: new Map<string, number>() }));
  const [accidents, deliberate] = [tally(ACCIDENTS, SHARES), tally(DELIBERATE, [1])];
  let shops = 0;
  for (const life of ORDINARY) {
    const shop = life.open(1);
    for (let at = 1; at <= ACCIDENT_DAY; at++) life.day(shop, at);
    shop.publish();
    shops += 1;
    tryAll(shop, ACCIDENTS, SHARES, accidents);
    tryAll(shop, DELIBERATE, [1], deliberate);
  }
  const result = (list: typeof accidents): AccidentResult[] =>
    list.map(({ name, held, signals }) => ({
      name,
      held,
      shops,
      signals: [...signals].sort(([, a], [, b]) => b - a).map(([signal]) => signal),
    }));
  return { accidents: result(accidents), deliberate: result(deliberate) };
}

type Tally = { readonly held: number[]; readonly signals: Map<string, number> };

function tryAll(
  shop: Shop,
  list: readonly Accident[],
  shares: readonly number[],
  tallies: readonly Tally[],
): void {
  for (const [index, { happen }] of list.entries()) {
    const tally = tallies[index];
    for (const [at, share] of shares.entries()) {
      happen(shop, share);
      const held = heldBy(shop);
      shop.undo();
      if (!tally || held.length === 0) continue;
      tally.held[at] = (tally.held[at] ?? 0) + 1;
      for (const signal of held) tally.signals.set(signal, (tally.signals.get(signal) ?? 0) + 1);
    }
  }
}

export type Replay = {
  readonly daily: readonly OrdinaryResult[];
  readonly weekly: readonly OrdinaryResult[];
} & ReturnType<typeof replayAccidents>;

export const replay = (): Replay => ({
  daily: ORDINARY.map((life) => replayOrdinary(life)),
  weekly: ORDINARY.map((life) => replayOrdinary(life, 7)),
  ...replayAccidents(),
});
