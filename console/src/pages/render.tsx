/** One render: what became of it, why it is held, the decision about it, and its files. */
import type { JSX } from "preact";
import type { RenderAnswer, RenderDetail } from "../../../src/contract/renders.ts";
import type { RunAnswer } from "../../../src/contract/runs.ts";
import type { Wire } from "../../../src/contract/shapes.ts";
import { useThisCatalog } from "../catalog.ts";
import { ExceededLimits } from "../components/exceeded-limits.tsx";
import { Missing } from "../components/missing.tsx";
import { ServedFrom } from "../components/publication-banner.tsx";
import { RefusalReasons, RenderFiles } from "../components/render-files.tsx";
import { DecisionButton, RenderState, stateOf } from "../components/render-state.tsx";
import { FailureNotice } from "../components/runs.tsx";
import { Await, Facts, Notice, PageHeading, Section, Time } from "../components/ui.tsx";
import { useReload } from "../events.tsx";
import { formatExact, formatNumber } from "../format.ts";
import { compareTexts } from "../messages/compare.ts";
import { feedTexts } from "../messages/feeds.ts";
import { renderTexts as t } from "../messages/renders.ts";
import { usePublication } from "../publication.ts";
import { refusedIn } from "../refused.ts";
import { Link, navigate, pathWith } from "../router.tsx";
import type { PageProps } from "../router.tsx";
import { useData } from "../use-data.ts";

export function RenderPage({ params: { id = "" } }: PageProps): JSX.Element {
  const loaded = useData<Wire<typeof RenderAnswer>>(`/renders/${encodeURIComponent(id)}`);
  useReload(loaded.reload, { run: ({ kind }) => kind === "render" });
  const render = loaded.data;
  return (
    <>
      <PageHeading title={render ? t.one(formatExact(render.finished_at ?? render.queued_at)) : t.title}>
        {render && <RenderState render={render} />}
      </PageHeading>
      <Await loaded={loaded} missing={<Missing text={t.unknown} page="/renders" link={t.backToList} />}>
        {(found) => <Details render={found} onChange={loaded.reload} />}
      </Await>
    </>
  );
}

type OfRender = { readonly render: RenderDetail };

/** No limit, but a reason to hold a render. */
const PAUSED = "publication_paused";

function Details({ render, onChange }: OfRender & { readonly onChange: () => void }): JSX.Element {
  const { state, error, decision, files } = render;
  const exceeded = render.exceeded.filter(({ signal }) => signal !== PAUSED);
  return (
    <>
      {state === "held" ? (
        <Held render={render} onDecided={onChange} />
      ) : state === null && error !== null ? (
        <FailureNotice error={error} kind="render" />
      ) : (
        <State render={render} onDecided={onChange} />
      )}
      {decision && <Decision decision={decision} />}
      {exceeded.length > 0 && (
        <Section title={state === "held" ? t.exceeded.title : t.exceeded.was}>
          <ExceededLimits exceeded={exceeded} />
        </Section>
      )}
      {files.length > 0 && (
        <Section title={t.files} actions={<CompareLink render={render} />}>
          <RenderFiles render={render} />
        </Section>
      )}
      {files.some((file) => refusedIn(file) > 0) && (
        <details class="card">
          <summary>{t.reasons}</summary>
          <RefusalReasons render={render} />
        </details>
      )}
      <RenderFacts render={render} />
    </>
  );
}

function State({ render, onDecided }: OfRender & { readonly onDecided: () => void }): JSX.Element {
  const { href } = useThisCatalog();
  const { run_id: id, state, is_published: isPublished, is_kept: isKept, files } = render;
  return (
    <>
      <p>
        {t.stateTexts[stateOf(render)]} {!isKept && files.length > 0 && t.notKeptNote}
      </p>
      {isKept && state === "published" && !isPublished && (
        <div class="buttons">
          <DecisionButton
            path="/renders/rollback"
            runId={id}
            texts={t.rollback}
            kind="danger"
            onDecided={() => navigate(href("/renders"))}
          />
        </div>
      )}
      {isKept && state === "discarded" && (
        <div class="buttons">
          <DecisionButton
            path="/renders/promote"
            runId={id}
            texts={t.promoteDiscarded}
            kind="danger"
            onDecided={onDecided}
          />
        </div>
      )}
    </>
  );
}

function Held({
  render: { run_id: id, exceeded },
  onDecided,
}: OfRender & { readonly onDecided: () => void }): JSX.Element {
  const published = usePublication().data?.last_render;
  const isPaused = exceeded.some(({ signal }) => signal === PAUSED);
  return (
    <Notice tone="attention">
      <p>
        <strong>{isPaused ? t.held.paused : t.held.title}</strong>
      </p>
      <p>{isPaused ? t.held.pausedText : t.held.text}</p>
      {published && (
        <p class="small">
          <ServedFrom at={published.finished_at} />
        </p>
      )}
      <div class="buttons">
        <DecisionButton
          path="/renders/promote"
          runId={id}
          texts={t.promote}
          kind="primary"
          onDecided={onDecided}
        />
        <DecisionButton
          path="/renders/discard"
          runId={id}
          texts={t.discard}
          kind="danger"
          onDecided={onDecided}
        />
      </div>
    </Notice>
  );
}

function Decision({
  decision: { at, by, reason },
}: {
  readonly decision: NonNullable<RenderDetail["decision"]>;
}): JSX.Element {
  return (
    <Section title={t.decision.title}>
      <Facts
        entries={[
          [t.decision.reason, reason],
          [t.decision.by, by],
          [t.decision.at, <Time at={at} />],
        ]}
      />
    </Section>
  );
}

/** A later render is compared with the published one, an earlier one the other way around. */
function CompareLink({ render }: OfRender): JSX.Element | null {
  const { href } = useThisCatalog();
  const published = usePublication().data?.last_render;
  const { run_id: id, is_kept: isKept, is_published: isPublished } = render;
  if (!isKept) return null;
  if (isPublished || !published)
    return <Link href={href(pathWith("/renders/compare", { after: id }))}>{compareTexts.open}</Link>;
  const isLater = (render.finished_at ?? render.queued_at) > published.finished_at;
  const [before, after] = isLater ? [published.run_id, id] : [id, published.run_id];
  return (
    <Link href={href(pathWith("/renders/compare", { before, after }))}>{compareTexts.withPublished}</Link>
  );
}

/** What caused it. A push or an upload is a sync without a source. */
function Cause({ render: { cause, cause_run_id: id } }: OfRender): JSX.Element {
  const { data, isOutdated } = useData<Wire<typeof RunAnswer>>(id === null ? null : `/runs/${id}`);
  if (isOutdated) return <></>;
  const isPush = data?.kind === "sync" && data.source_id === null;
  return <>{feedTexts.history.causes[isPush ? "push" : cause] ?? cause}</>;
}

function RenderFacts({ render }: OfRender): JSX.Element {
  const { href } = useThisCatalog();
  return (
    <Facts
      entries={[
        [t.columns.items, formatNumber(render.items)],
        [t.columns.cause, <Cause render={render} />],
        ...(render.restores === null
          ? []
          : [[t.restores, <Link href={href(`/renders/${render.restores}`)}>{t.restored}</Link>] as const]),
        [t.run, <Link href={href(`/runs/${render.run_id}`)}>{render.run_id}</Link>],
      ]}
    />
  );
}
