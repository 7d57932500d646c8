/**
 * Compares consecutive rows of a group with each other; exporters write the rows of a group one after another. Only the
 * current group is kept in memory. When a group occurs again later, that is reported, and its new rows are compared
 * with each other only.
 */
import { detached } from "./findings.ts";
import { MAX_GROUP_ROWS, MAX_IDS } from "./limits.ts";
import { SeenTexts } from "./seen-texts.ts";

export type GroupRow = {
  readonly groupId: string;
  readonly line: number;
  readonly itemId: string | null;
  /** The names of the options that the row states, in an order that does not depend on the row's order. */
  readonly names: string;
  /** The options with their values, likewise; empty when the row states none. */
  readonly combination: string;
};

/** The problem of a row, and the line of the row that it is compared with. */
export type GroupFault = {
  readonly kind: "other names" | "same combination" | "came up before";
  readonly since: number;
};

type LoneRow = { readonly line: number; readonly itemId: string | null; readonly groupId: string };

type Current = {
  readonly groupId: string;
  readonly first: GroupRow;
  readonly combinations: Map<string, number>;
  rows: number;
};

export class GroupTracker {
  private current: Current | null = null;
  private readonly closed = new SeenTexts(MAX_IDS);
  private readonly lone = new Map<string, LoneRow>();

  add(row: GroupRow): readonly GroupFault[] {
    if (this.current?.groupId !== row.groupId) return this.open(row);
    const { first, combinations } = this.current;
    this.current.rows += 1;
    const faults: GroupFault[] = [];
    if (row.names !== first.names) faults.push({ kind: "other names", since: first.line });
    const since = combinations.get(row.combination);
    if (since !== undefined && row.combination !== "") faults.push({ kind: "same combination", since });
    if (since === undefined && combinations.size < MAX_GROUP_ROWS)
      combinations.set(row.combination, row.line);
    return faults;
  }

  /** A row that is in no group ends the group before it. */
  close(): void {
    const { current } = this;
    this.current = null;
    if (current === null) return;
    const { groupId, first, rows } = current;
    const isAgain = this.closed.add(groupId, first.line) !== undefined;
    if (rows > 1 || isAgain) this.lone.delete(groupId);
    else if (this.lone.size < MAX_IDS) {
      const own = detached(groupId);
      const itemId = first.itemId === null ? null : detached(first.itemId);
      this.lone.set(own, { line: first.line, itemId, groupId: own });
    }
  }

  /** The line on which a group of this id began, if there was one. */
  lineOf(groupId: string): number | undefined {
    return this.current?.groupId === groupId ? this.current.first.line : this.closed.lineOf(groupId);
  }

  /** The groups that had a single row in the whole file. */
  end(): Iterable<LoneRow> {
    this.close();
    return this.lone.values();
  }

  private open(row: GroupRow): readonly GroupFault[] {
    this.close();
    const since = this.closed.lineOf(row.groupId);
    this.current = {
      groupId: row.groupId,
      first: row,
      combinations: new Map([[row.combination, row.line]]),
      rows: 1,
    };
    return since === undefined ? [] : [{ kind: "came up before", since }];
  }
}
