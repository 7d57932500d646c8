/** The state of a catalog or of a source. */
import type { JSX } from "preact";
import type { CatalogState } from "../../../src/contract/status.ts";
import { STATE_NAMES } from "../messages/overview.ts";
import { Badge } from "./ui.tsx";
import type { Tone } from "./ui.tsx";

export const STATE_TONES = { ok: "ok", attention: "attention", failing: "bad" } as const satisfies Record<
  CatalogState,
  Tone
>;

export function StateBadge({ state }: { readonly state: CatalogState }): JSX.Element {
  return <Badge tone={STATE_TONES[state]}>{STATE_NAMES[state]}</Badge>;
}
