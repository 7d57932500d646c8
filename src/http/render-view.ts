/** A render as the API shows it. */
import type { Render } from "../contract/renders.ts";
import type { RenderStats } from "../pipeline/render/render.ts";
import type { RenderRecord } from "../store/renders.ts";
import type { RenderRow } from "../store/run-history.ts";
import { statusBody } from "./run-answer.ts";

type RenderedFile = RenderRow["files"][number];

export const fileBody = ({ file, written, excluded, refused, bytes, etag, changed }: RenderedFile) => ({
  file,
  written,
  excluded,
  refused,
  bytes,
  etag,
  changed,
});

export function renderBody(
  row: RenderRow,
  published: string | null | undefined,
  record: RenderRecord | undefined,
): Render {
  const { id, state, shownCause, causeRunId, stats, error, createdAt, startedAt, finishedAt, files } = row;
  const { items = 0 } = stats as Partial<RenderStats>;
  return {
    run_id: id,
    status: statusBody(state),
    cause: shownCause,
    cause_run_id: causeRunId,
    is_published: id === published,
    ...(record ? recordBody(record) : NO_RECORD),
    items,
    error,
    queued_at: createdAt.toISOString(),
    started_at: startedAt?.toISOString() ?? null,
    finished_at: finishedAt?.toISOString() ?? null,
    files: files.map(fileBody),
  };
}

type Outcome = Pick<Render, "state" | "held_since" | "exceeded" | "decision" | "restores" | "is_kept">;

/** Of a render without files. */
const NO_RECORD: Outcome = {
  state: null,
  held_since: null,
  exceeded: [],
  decision: null,
  restores: null,
  is_kept: false,
};

function recordBody(record: RenderRecord): Outcome {
  const { publishedAt, heldSince, exceeded, decidedAt, decidedBy, decidedKeyId, reason } = record;
  return {
    // Also of a render that was served and was replaced by a newer one since then.
    state: publishedAt === null ? record.state : "published",
    held_since: heldSince?.toISOString() ?? null,
    exceeded,
    decision: decidedAt && {
      at: decidedAt.toISOString(),
      by: decidedBy ?? "",
      key_id: decidedKeyId,
      reason: reason ?? "",
    },
    restores: record.restores,
    is_kept: record.removedAt === null,
  };
}
