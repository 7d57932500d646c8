/** Where events are made: numbered without a gap, stopped by the signal, with a count of what was left out. */
import type { Draft } from "../../catalog/draft.ts";
import type { SourceEvent } from "../source.ts";
import { type LeftOut, leftOut } from "./left-out.ts";

export type Desk = {
  readonly draft: (draft: Draft) => SourceEvent;
  readonly broken: (what: string) => SourceEvent;
  readonly leftOut: LeftOut;
};

export function eventDesk(signal: AbortSignal): Desk {
  let last = 0;
  function next(): number {
    signal.throwIfAborted();
    last += 1;
    return last;
  }
  return {
    draft: (draft) => ({ kind: "draft", position: next(), draft, decimalMark: "." }),
    broken: (what) => {
      const message = `The shop sent something among its ${what} that has no id. A plugin may change the answers of its REST API.`;
      const rejection = {
        itemId: null,
        position: next(),
        field: "id",
        code: "unreadable_row",
        message,
      } as const;
      return { kind: "rejected", rejection };
    },
    leftOut: leftOut(),
  };
}
