/** Makes the form of a render that the API shows. */
import type { Render } from "../contract/renders.ts";
import { withSnakeCase } from "../lib/snake-case.ts";
import type { RenderStats } from "../pipeline/render/render.ts";
import type { RenderRecord } from "../store/renders.ts";
import type { RenderRow } from "../store/run-history.ts";
import { runBody } from "./run-view.ts";

export function renderBody(
  row: RenderRow,
  published: string | null | undefined,
  record: RenderRecord | undefined,
): Render {
  const { items = 0 } = row.stats as Partial<RenderStats>;
  return {
    ...runBody(row),
    is_published: row.id === published,
    ...(record ? recordBody(record) : NO_RECORD),
    items,
    files: row.files,
  };
}

type RenderStateFields = Pick<
  Render,
  "state" | "held_since" | "exceeded" | "decision" | "restores" | "is_kept"
>;

/** The outcome of a render without files. */
const NO_RECORD: RenderStateFields = {
  state: null,
  held_since: null,
  exceeded: [],
  decision: null,
  restores: null,
  is_kept: false,
};

function recordBody(record: RenderRecord): RenderStateFields {
  const {
    publishedAt,
    heldSince,
    exceeded,
    decidedAt: at,
    decidedBy,
    decidedKeyId: keyId,
    restores,
  } = record;
  const decision = at && { at, by: decidedBy ?? "", keyId, reason: record.reason ?? "" };
  return {
    // This includes a render that was served and was replaced by a newer one since then.
    state: publishedAt === null ? record.state : "published",
    ...withSnakeCase({ heldSince, exceeded, decision, restores, isKept: record.removedAt === null }),
  };
}
