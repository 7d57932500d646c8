/** A render that the publish guard holds: destinations get older items until a person decides. */
import { formatCount, plural } from "../../lib/counted.ts";
import type { CatalogFacts } from "../../store/status.ts";
import { ago, openRun } from "./problem.ts";
import type { AttentionCandidate, StatusFacts } from "./problem.ts";

export function checkHeld({ catalog }: StatusFacts, now: Date): readonly AttentionCandidate[] {
  const { heldRunId, heldSince, heldExceeded, renderFinishedAt } = catalog;
  if (heldRunId === null) return [];
  const served =
    renderFinishedAt === null ? "" : `: their URLs serve files from ${ago(renderFinishedAt, now)}`;
  const [first] = heldExceeded ?? [];
  const more = (heldExceeded?.length ?? 0) - 1;
  const others =
    more > 0 ? ` ${formatCount(more)} more ${plural(more, "limit is", "limits are")} exceeded.` : "";
  return [
    {
      code: "render_held",
      severity: "failing",
      headline: `New files of the feeds are held and wait for your decision${served}.`,
      detail: `${first?.message ?? ""}${others} Promote or discard the render.`.trim(),
      count: heldExceeded?.length ?? null,
      since: heldSince,
      action: openRun(heldRunId),
    },
  ];
}

/** A held or discarded render is no failure of the program, and the feeds are behind the items on purpose. */
export const isHeldError = ({ failedRenderError }: CatalogFacts): boolean =>
  failedRenderError?.code === "render_held";
