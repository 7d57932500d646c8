/** On every page of a catalog: that the feeds are not updated, why, and what to do. */
import type { JSX } from "preact";
import type { FeedsAnswer } from "../../../src/contract/feeds.ts";
import { useThisCatalog } from "../catalog.ts";
import { t } from "../messages.ts";
import { publicationChanged, usePublication } from "../publication.ts";
import { Link, useLocation } from "../router.tsx";
import { DialogButton } from "./buttons.tsx";
import { Time } from "./ui.tsx";

type Published = FeedsAnswer["data"];

export function PublicationBanner(): JSX.Element | null {
  const { href } = useThisCatalog();
  const { path } = useLocation();
  const { held, paused, last_render: published } = usePublication().data ?? {};
  const page = held ? href(`/renders/${held.run_id}`) : undefined;
  if (paused) return <Paused paused={paused} page={page} />;
  // Its own page and the overview say more.
  if (!held || page === undefined || path === page || path === href("")) return null;
  return (
    <aside class="notice attention banner" aria-label={t.publication.label}>
      <p>
        <strong>{t.publication.held}</strong> {published && <ServedFrom at={published.finished_at} />}
      </p>
      <Link href={page}>{t.publication.decide}</Link>
    </aside>
  );
}

/** How old the published files are: a render may be held long after they were made. */
export const ServedFrom = ({ at }: { readonly at: string }): JSX.Element => (
  <>
    {t.publication.servedFrom} <Time at={at} />.
  </>
);

function Paused({
  paused: { since, by, reason },
  page,
}: {
  readonly paused: NonNullable<Published["paused"]>;
  /** Of the render that waits, if there is one. */
  readonly page: string | undefined;
}): JSX.Element {
  const { call } = useThisCatalog();
  const { label, title, confirm, text } = t.publication.release;
  const release = async () => {
    await call("/renders/release", { method: "POST" });
    publicationChanged();
  };
  return (
    <aside class="notice attention banner" aria-label={t.publication.label}>
      <div>
        <p>
          <strong>{t.publication.paused}</strong>
        </p>
        <p class="small">
          {t.publication.pausedSince} <Time at={since} /> {t.publication.pausedBy(by, reason)}
        </p>
      </div>
      <div class="buttons">
        {page !== undefined && <Link href={page}>{t.publication.waiting}</Link>}
        <DialogButton {...{ label, title, confirm }} kind="primary" opener="plain" act={release}>
          <p>{text}</p>
        </DialogButton>
      </div>
    </aside>
  );
}
