/** On every page of a catalog: that the feeds are not updated, and where to decide. */
import type { JSX } from "preact";
import { useThisCatalog } from "../catalog.ts";
import { t } from "../messages.ts";
import { usePublication } from "../publication.ts";
import { Link, useLocation } from "../router.tsx";
import { Time } from "./ui.tsx";

export function PublicationBanner(): JSX.Element | null {
  const { href } = useThisCatalog();
  const { path } = useLocation();
  const held = usePublication().data?.held;
  if (!held) return null;
  const page = href(`/renders/${held.run_id}`);
  // Its own page says more.
  if (path === page) return null;
  return (
    <aside class="notice attention banner" aria-label={t.publication.label}>
      <p>
        <strong>{t.publication.held}</strong> {t.publication.heldSince} <Time at={held.since} />.
      </p>
      <Link href={page}>{t.publication.decide}</Link>
    </aside>
  );
}
