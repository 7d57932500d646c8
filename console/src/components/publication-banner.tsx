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
  const { data } = usePublication();
  if (!data) return null;
  const { held, paused, behind } = data;
  if (paused) return <Paused paused={paused} renderId={held?.run_id ?? null} />;
  if (held)
    return (
      <NotPublished feeds={data} renderId={held.run_id} texts={[t.publication.held, t.publication.decide]} />
    );
  // That the files differ from the catalog on purpose is easily forgotten.
  return behind?.reason === "discarded" ? (
    <NotPublished
      feeds={data}
      renderId={behind.run_id}
      texts={[t.publication.kept, t.publication.lookAgain]}
    />
  ) : null;
}

function NotPublished({
  feeds: { last_render: published },
  renderId,
  texts: [what, open],
}: {
  readonly feeds: Published;
  readonly renderId: string | null;
  readonly texts: readonly [string, string];
}): JSX.Element | null {
  const { href } = useThisCatalog();
  const { path } = useLocation();
  const page = href(`/renders/${renderId}`);
  // Its own page and the overview say more.
  if (path === page || path === href("")) return null;
  return (
    <aside class="notice attention banner" aria-label={t.publication.label}>
      <p>
        <strong>{what}</strong> {published && <ServedFrom at={published.finished_at} />}
      </p>
      <Link href={page}>{open}</Link>
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
  renderId,
}: {
  readonly paused: NonNullable<Published["paused"]>;
  /** Of the render that waits; null if there is none. */
  readonly renderId: string | null;
}): JSX.Element {
  const { call, href } = useThisCatalog();
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
        {renderId !== null && <Link href={href(`/renders/${renderId}`)}>{t.publication.waiting}</Link>}
        <DialogButton {...{ label, title, confirm }} kind="primary" opener="plain" act={release}>
          <p>{text}</p>
        </DialogButton>
      </div>
    </aside>
  );
}
