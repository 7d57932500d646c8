/** What callers are told about a render that was not published, and what a render must wait for. */
import type { Exceeded } from "../../contract/publish-guard.ts";
import { AppError } from "../../errors.ts";
import { counted } from "../../lib/counted.ts";
import type { Queries } from "../../store/db.ts";
import { findRender, findRenderEnds, type RenderEnd } from "../../store/renders.ts";
import { findOpenRun } from "../../store/run-history.ts";
import type { RunError } from "../../store/runs.ts";

/** How many exceeded limits the message has in full. */
const NAMED = 3;

type Ended = Pick<RenderEnd, "state" | "publishedAt" | "exceeded" | "reason">;

/** Undefined if the files were published, or if there are none. */
function heldError({ state, publishedAt, exceeded, reason }: Ended): RunError | undefined {
  if (state === null || publishedAt !== null) return undefined;
  const named = exceeded.slice(0, NAMED).map(({ message }) => message);
  const more = exceeded.length > NAMED ? ` And ${counted(exceeded.length - NAMED, "more limit")}.` : "";
  const advice = {
    published: "",
    held: "If this is intended, promote the render; else correct the source, or discard the render.",
    discarded: `The same files were discarded before (${reason ?? ""}).`,
    superseded: "A newer render has taken the place of this one.",
  }[state];
  const message = `The new files were not published, and the published ones stay: ${named.join(" ")}${more} ${advice}`;
  return { code: "render_held", message };
}

/** The error for the caller of a render that has ended without publishing its files. */
export async function heldFailure(db: Queries, runId: string): Promise<AppError | undefined> {
  const render = await findRender(db, runId);
  const error = render && heldError(render);
  return error && new AppError("render_held", error.message, { runId, exceeded: render.exceeded });
}

/** How the render after a sync ended. */
export type RenderOutcome = {
  /** Of a render that failed, or whose files were not published. */
  readonly error: RunError | null;
  /** The limits of the publish guard that it exceeds. */
  readonly exceeded: readonly Exceeded[];
};

/** By sync: the outcome of the render after it. */
export async function findRenderOutcomes(
  db: Queries,
  syncRunIds: readonly string[],
): Promise<ReadonlyMap<string, RenderOutcome>> {
  const ends = await findRenderEnds(db, syncRunIds);
  return new Map(
    [...ends].map(([id, end]) => [
      id,
      { error: end.error ?? heldError(end) ?? null, exceeded: end.exceeded },
    ]),
  );
}

/** The run that a render must wait for, so that decisions that were made before are in its files. */
export const findRunBeforeRender = async (db: Queries, catalogId: string): Promise<string | undefined> =>
  findOpenRun(db, catalogId, "rules");
