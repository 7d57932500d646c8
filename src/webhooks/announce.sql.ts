/** Tells event streams of the API that deliveries of a catalog have ended, twice a second at most. */
import type { Queries } from "../store/db.ts";
import { notify } from "../store/notices.ts";

const EVERY_MS = 500;

export function deliveryAnnouncer(db: Queries): (catalogId: string) => void {
  const waiting = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  const announce = () => {
    timer = undefined;
    const catalogIds = [...waiting];
    waiting.clear();
    // A notice is only a hint: the next notice also covers what a lost notice was about.
    for (const catalogId of catalogIds) notify(db, { about: "delivered", catalogId }).catch(() => undefined);
  };
  return (catalogId) => {
    waiting.add(catalogId);
    timer ??= setTimeout(announce, EVERY_MS).unref();
  };
}
