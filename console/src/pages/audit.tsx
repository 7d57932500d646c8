/** The audit: the score, what limits it, what to fix first, and why it changed. */
import type { JSX } from "preact";
import type { AuditAnswer, AuditsAnswer } from "../../../src/contract/audits.ts";
import { useThisCatalog } from "../catalog.ts";
import { Ceiling, Channels, Dimensions, ScoreCard, ScoreHistory } from "../components/audit-parts.tsx";
import { Fixes, Problems } from "../components/audit-problems.tsx";
import { ScoreChange } from "../components/score-change.tsx";
import { Await, Empty, Notice, PageHeading } from "../components/ui.tsx";
import { useEvents } from "../events.tsx";
import { auditText as t } from "../messages/audit.ts";
import { Link } from "../router.tsx";
import { useData } from "../use-data.ts";

/** The history that the chart shows, in one page. */
const HISTORY = 500;

export function AuditPage(): JSX.Element {
  const loaded = useData<AuditAnswer>("/audit");
  const history = useData<AuditsAnswer>(`/audits?limit=${HISTORY}`);
  const reload = () => {
    loaded.reload();
    history.reload();
  };
  useEvents({
    onRun: ({ kind, status }) => {
      if (status !== "running" && (kind === "render" || kind === "audit")) reload();
    },
    onRefetch: reload,
  });
  return (
    <>
      <PageHeading title={t.title} />
      <Await loaded={loaded}>
        {({ audit, last_failure: failure }) => (
          <>
            {failure && <Failed message={failure.message} runId={failure.run_id} />}
            {audit === null ? (
              <NotScored text={t.notScored.text} />
            ) : (
              <>
                {audit.items === 0 ? (
                  <NotScored text={t.notScored.empty} />
                ) : (
                  <div class="score-row">
                    <ScoreCard audit={audit} />
                    <ScoreHistory audits={history.data?.audits ?? []} />
                  </div>
                )}
                {audit.items + audit.rejected > 0 && (
                  <>
                    <Ceiling audit={audit} />
                    <Fixes audit={audit} />
                    <ScoreChange audits={history.data?.audits ?? []} rules={audit.rules} />
                    <Dimensions audit={audit} />
                    <Channels audit={audit} />
                    <Problems audit={audit} />
                  </>
                )}
              </>
            )}
          </>
        )}
      </Await>
    </>
  );
}

function Failed({ message, runId }: { readonly message: string; readonly runId: string }): JSX.Element {
  const { href } = useThisCatalog();
  return (
    <Notice tone="bad">
      <p>{t.failed(message)}</p>
      <Link href={href(`/runs/${runId}`)}>{t.failedRun}</Link>
    </Notice>
  );
}

function NotScored({ text }: { readonly text: string }): JSX.Element {
  const { href } = useThisCatalog();
  return (
    <Empty>
      <h2>{t.notScored.title}</h2>
      <p>{text}</p>
      <p class="buttons">
        <Link href={href("/sources")}>{t.notScored.sources}</Link>
        <Link href={href("/upload")}>{t.notScored.upload}</Link>
        <Link href={href("/runs")}>{t.notScored.runs}</Link>
      </p>
    </Empty>
  );
}
