/**
 * Variations and their parents. With a list of all variations, parents wait on disk and each variation finds its own.
 * Without one, a few parents at a time are asked for theirs, only when the reader wants them. Either way, what a
 * parent names and nobody has met is asked for at the parent, and then by itself, before it is called gone.
 */
import { AppError } from "../../errors.ts";
import { prefetch } from "../../lib/prefetch.ts";
import type { SourceEvent } from "../source.ts";
import type { List } from "./api.ts";
import { completePages } from "./complete.ts";
import type { Desk } from "./desk.ts";
import type { Dialect } from "./dialect.ts";
import { type IdSet, idSet } from "../kit/id-set.ts";
import { oneByOne } from "./one-by-one.ts";
import type { ParentSpool } from "./parent-spool.ts";
import { type Listed, Shortfall, walkList, type Walker } from "./walk.ts";
import type { Row } from "./wire.ts";

export type Parent = { readonly id: number; readonly row: Row };

export type VariationReading = {
  readonly dialect: Dialect;
  readonly desk: Desk;
  readonly walker: Walker;
  readonly leftOut: IdSet;
  /** Null: every parent is asked for its own. */
  readonly spool: ParentSpool | null;
};

type Events = AsyncGenerator<SourceEvent, void, void>;

export type VariationReader = {
  /** The variations of a page's parents, or nothing yet if they come with the list of all. */
  readonly ofPage: (parents: readonly Parent[]) => Events;
  readonly rest: () => Events;
};

export function variationReader(reading: VariationReading): VariationReader {
  const { dialect, walker, desk, leftOut, spool } = reading;
  const meetings = newMeetings(reading);
  let list: List | null | undefined;

  function* meet(listed: Listed, spool: ParentSpool): Generator<SourceEvent, void, void> {
    const parentId = listed.kind === "row" ? dialect.parentOf(listed.row) : null;
    const row = parentId === null ? undefined : spool.get(parentId);
    if (parentId !== null && row !== undefined) yield* meetings.meet({ id: parentId, row }, listed);
    else if (listed.kind === "broken") yield desk.broken("variations");
    else if (parentId === null || !leftOut.has(parentId)) desk.leftOut.count("ofUnpublished");
  }

  return {
    async *ofPage(parents) {
      if (parents.length === 0) return;
      // Only a shop with variable products is asked whether it can list variations.
      if (list === undefined) list = spool === null ? null : await dialect.findVariations();
      if (list === null) yield* askEach(parents, reading, meetings);
      else for (const { id, row } of parents) spool?.put(id, row);
    },
    async *rest() {
      if (!list || spool === null) return;
      for await (const page of prefetch(completePages(walkAsFar(walker, list), dialect, "variation"))) {
        for (const listed of page) yield* meet(listed, spool);
      }
      for (const id of spool.ids()) {
        const row = spool.get(id);
        if (row !== undefined && meetings.isShort({ id, row }))
          yield* askAgain({ id, row }, reading, meetings);
      }
    },
  };
}

/**
 * The list of all counts variations that it cannot show, such as those of deleted products. Whether one of ours is
 * missing the parents know better, so a list that stays short is no failure here.
 */
async function* walkAsFar(walker: Walker, list: List): AsyncGenerator<readonly Listed[], void, void> {
  try {
    yield* walkList(walker, list);
  } catch (error) {
    if (!(error instanceof Shortfall)) throw error;
  }
}

async function* askEach(parents: readonly Parent[], reading: VariationReading, meetings: Meetings): Events {
  const atOnce = reading.walker.limits.parentsAtOnce;
  for (let from = 0; from < parents.length; from += atOnce) {
    const batch = parents.slice(from, from + atOnce);
    // All of them are awaited even if one fails, so that nothing runs on behind a failed read.
    const answers = await Promise.allSettled(batch.map((parent) => askOne(parent, reading)));
    for (const [index, answer] of answers.entries()) {
      if (answer.status === "rejected") throw answer.reason;
      const parent = batch[index];
      if (parent === undefined) continue;
      for (const listed of answer.value.rows) yield* meetings.meet(parent, listed);
      yield* meetings.settle(parent, answer.value.shortfall);
    }
  }
}

/** For what the list of all did not show. What cannot be read was counted when that list was walked. */
async function* askAgain(parent: Parent, reading: VariationReading, meetings: Meetings): Events {
  const { rows, shortfall } = await askOne(parent, reading);
  for (const listed of rows) {
    if (listed.kind === "row") yield* meetings.meet(parent, listed);
  }
  yield* meetings.settle(parent, shortfall);
}

type OwnList = { readonly rows: readonly Listed[]; readonly shortfall: Shortfall | null };

/** One parent's: at most some thousands. A parent that is gone by now lists none. */
async function askOne({ id, row }: Parent, { dialect, walker }: VariationReading): Promise<OwnList> {
  const rows: Listed[] = [];
  if (dialect.variationIds(row).length === 0) return { rows, shortfall: null };
  try {
    const pages = walkList(walker, dialect.variationsOf(id));
    for await (const page of completePages(pages, dialect, "variation")) rows.push(...page);
  } catch (error) {
    if (error instanceof Shortfall) return { rows, shortfall: error };
    if (!(error instanceof AppError) || error.code !== "source_not_found") throw error;
  }
  return { rows, shortfall: null };
}

type Meetings = ReturnType<typeof newMeetings>;

/** Which variations were met, so that each is met once and none is missed. */
function newMeetings({ dialect, desk, walker }: VariationReading) {
  const seek = oneByOne(dialect, walker);
  const met = idSet();
  const withVariations = idSet();

  return {
    *meet(parent: Parent, listed: Listed): Generator<SourceEvent, void, void> {
      withVariations.add(parent.id);
      if (listed.kind === "broken") {
        yield desk.broken("variations");
        return;
      }
      if (!met.add(listed.id)) return;
      const verdict = dialect.variation(parent.row, listed.row);
      if (verdict.kind === "item") yield desk.draft(verdict.draft);
      else if (verdict.kind === "unpriced") yield desk.unpriced(verdict.id);
      else desk.leftOut.count(verdict.reason);
    },
    isShort: ({ id, row }: Parent): boolean =>
      !withVariations.has(id) || dialect.variationIds(row).some((named) => !met.has(named)),
    /** After the parent itself was asked: each one that it names and does not list must tell why. */
    async *settle({ id: parentId, row: parent }: Parent, shortfall: Shortfall | null): Events {
      const named = dialect.variationIds(parent);
      const missing = [...new Set(named)].filter((id) => !met.has(id));
      // It counts even some that it does not name: nobody can ask for those.
      if (shortfall !== null && shortfall.missing > missing.length) throw shortfall;
      for (const { id, row } of await seek(parentId, missing)) {
        const verdict = dialect.alone.judge(parent, row);
        if (verdict.kind === "item") {
          met.add(id);
          yield desk.draft(verdict.draft);
        } else if (verdict.kind === "unpriced") {
          met.add(id);
          yield desk.unpriced(verdict.id);
        } else desk.leftOut.count(verdict.reason);
      }
      if (named.length === 0 && !withVariations.has(parentId)) desk.leftOut.count("noVariations");
    },
  };
}
