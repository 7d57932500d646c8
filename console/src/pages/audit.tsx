/** The audit: the score, what limits it, what to fix first, and why it changed. */
import type { JSX } from "preact";
import type { Audit, AuditAnswer, AuditsAnswer } from "../../../src/contract/audits.ts";
import { useThisCatalog } from "../catalog.ts";
import { Ceiling, Channels, Dimensions, ScoreCard, ScoreHistory } from "../components/audit-parts.tsx";
import type { AuditSummary } from "../components/audit-parts.tsx";
import { Fixes, Problems } from "../components/audit-problems.tsx";
import { ScoreChange, usePastAudit } from "../components/score-change.tsx";
import type { PastAudit } from "../components/score-change.tsx";
import { Await, Empty, Loading, Notice, PageHeading, ProblemMessage } from "../components/ui.tsx";
import { isAudited, useReload } from "../events.tsx";
import { auditText as t } from "../messages/audit.ts";
import { Link } from "../router.tsx";
import { useData } from "../use-data.ts";

/** The history that the chart shows, in one page. */
const HISTORY = 500;

export function AuditPage(): JSX.Element {
  const loaded = useData<AuditAnswer>("/audit");
  const history = useData<AuditsAnswer>(`/audits?limit=${HISTORY}`);
  const audits = history.data?.audits;
  const past = usePastAudit(audits);
  const reload = () => {
    loaded.reload();
    history.reload();
  };
  // Shown at once, so that nothing moves.
  const isWhole =
    (audits !== undefined || history.problem !== undefined) &&
    (past === null || past.data !== undefined || past.problem !== undefined);
  useReload(reload, { run: isAudited });
  return (
    <>
      <PageHeading title={t.title} />
      {history.problem && <ProblemMessage problem={history.problem} onRetry={history.reload} />}
      <Await loaded={loaded}>
        {({ audit, last_failure: failure }) =>
          !isWhole ? (
            <Loading />
          ) : (
            <>
              {failure && <Failed failure={failure} hasReport={audit !== null} />}
              {audit === null ? (
                <NotScored text={t.notScored.text} />
              ) : (
                <Report audit={audit} audits={audits ?? []} past={past} />
              )}
            </>
          )
        }
      </Await>
    </>
  );
}

function Report({
  audit,
  audits,
  past,
}: {
  readonly audit: Audit;
  readonly audits: readonly AuditSummary[];
  readonly past: PastAudit | null;
}): JSX.Element {
  const hasRows = audit.items + audit.rejected > 0;
  return (
    <>
      {audit.items === 0 ? (
        <NotScored text={t.notScored.empty} />
      ) : (
        <div class="score-row">
          <ScoreCard audit={audit} />
          <ScoreHistory audits={audits} />
        </div>
      )}
      {hasRows && <Ceiling audit={audit} />}
      {hasRows && <Fixes audit={audit} />}
      {(hasRows || past !== null) && <ScoreChange audits={audits} past={past} rules={audit.rules} />}
      {audit.items > 0 && (
        <>
          <Dimensions audit={audit} />
          <Channels audit={audit} />
        </>
      )}
      {hasRows && <Problems audit={audit} />}
    </>
  );
}

function Failed({
  failure,
  hasReport,
}: {
  readonly failure: { readonly message: string; readonly run_id: string };
  /** Of an audit before it. */
  readonly hasReport: boolean;
}): JSX.Element {
  const { href } = useThisCatalog();
  return (
    <Notice tone="bad">
      <p>
        {t.failed(failure.message)} {hasReport && t.fromBefore}
      </p>
      <Link href={href(`/runs/${failure.run_id}`)}>{t.failedRun}</Link>
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
