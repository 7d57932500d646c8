/** What the audit says about rows that never became items. */
import type { JSX } from "preact";
import type { Audit } from "../../../src/contract/audits.ts";
import { useThisCatalog } from "../catalog.ts";
import { formatNumber } from "../format.ts";
import { auditText } from "../messages/audit.ts";
import { Link } from "../router.tsx";
import type { AuditRule } from "./audit-parts.tsx";
import { useSources } from "./runs.tsx";
import { Table } from "./table.tsx";
import { Section } from "./ui.tsx";

const t = auditText.rule;

/** Rows that never became items: the reasons, and some of the rows. */
export function RejectedRows({
  audit,
  rule,
}: {
  readonly audit: Audit;
  readonly rule: AuditRule;
}): JSX.Element {
  return (
    <>
      <Section title={t.rejectedReasons} actions={<RejectingRuns />}>
        <Table
          label={t.reasonsLabel}
          rows={audit.rejection_reasons}
          keyOf={({ code, message }) => code + message}
          columns={[
            { head: t.rejectedReason, kind: "heading", cell: ({ message }) => message },
            { head: t.rejectedCode, cell: ({ code }) => <code>{code}</code> },
            {
              head: t.rejectedRows,
              kind: "number",
              cell: ({ rows }) => (rows === null ? t.someRows : formatNumber(rows)),
            },
          ]}
        />
      </Section>
      <Section title={t.rejectedExamples}>
        <Table
          label={t.examplesLabel}
          rows={rule.examples}
          keyOf={({ item_id: id, message }) => `${id ?? ""} ${message}`}
          columns={[
            {
              head: t.rejectedItem,
              kind: "heading",
              cell: ({ item_id: id }) => (id === null ? t.noId : <code>{id}</code>),
            },
            { head: t.whatFound, cell: ({ message }) => message },
          ]}
        />
      </Section>
    </>
  );
}

/** The newest syncs that rejected rows: each lists all of them. */
function RejectingRuns(): JSX.Element {
  const { href } = useThisCatalog();
  const sources = useSources().data?.sources ?? [];
  const runs = sources.flatMap(({ name, last_run: last }) =>
    last && last.stats.rejected > 0 ? [{ name, id: last.run_id }] : [],
  );
  return (
    <div class="buttons">
      {runs.map(({ name, id }) => (
        <Link key={id} href={href(`/runs/${id}?kind=rejection`)}>
          {t.rejectedBy(name)}
        </Link>
      ))}
      <Link href={href("/runs")}>{t.openRuns}</Link>
    </div>
  );
}
