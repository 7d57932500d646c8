/** One rule of the audit: what is wrong, why it matters, what to do, and the items that have the problem. */
import type { JSX } from "preact";
import type { Audit, AuditAnswer } from "../../../src/contract/audits.ts";
import type { FindingsAnswer } from "../../../src/contract/findings.ts";
import { useThisCatalog } from "../catalog.ts";
import { REJECTED, Severity } from "../components/audit-parts.tsx";
import type { AuditRule } from "../components/audit-parts.tsx";
import { DownloadButton } from "../components/buttons.tsx";
import { RejectedRows } from "../components/rejected-rows.tsx";
import { ItemLink } from "../components/item-link.tsx";
import { Pager, Table } from "../components/table.tsx";
import type { TableColumn } from "../components/table.tsx";
import { Await, Badge, Empty, Facts, PageHeading, Section } from "../components/ui.tsx";
import { formatGain } from "../components/waterfall.tsx";
import { isAudited, useReload } from "../events.tsx";
import { auditText } from "../messages/audit.ts";
import { Link, pathWith, useLocation } from "../router.tsx";
import type { PageProps } from "../router.tsx";
import { useData } from "../use-data.ts";

const t = auditText.rule;

export function AuditRulePage({ params }: PageProps): JSX.Element {
  const { href } = useThisCatalog();
  const loaded = useData<AuditAnswer>("/audit");
  useReload(loaded.reload, { run: isAudited });
  const id = params["rule"] ?? "";
  const back = <Link href={href("/audit")}>{t.back}</Link>;
  const rule = loaded.data?.audit?.rules.find((one) => one.id === id);
  return (
    <>
      <PageHeading title={rule?.title ?? id}>
        <div class="buttons">
          {rule && <Severity of={rule.severity} />}
          <code>{id}</code>
          {back}
        </div>
      </PageHeading>
      <Await loaded={loaded}>
        {({ audit }) =>
          audit && rule ? (
            <>
              <Explanation rule={rule} />
              <Effects rule={rule} />
              <Affected audit={audit} rule={rule} />
            </>
          ) : (
            <Empty>
              <p>{audit === null ? auditText.notScored.text : t.unknown}</p>
              {back}
            </Empty>
          )
        }
      </Await>
    </>
  );
}

function Explanation({ rule }: { readonly rule: AuditRule }): JSX.Element {
  const { score_if_fixed: score, grade_if_fixed: grade, gain } = rule;
  return (
    <div class="card">
      <Facts
        entries={[
          [
            t.wrong,
            <>
              {rule.message ?? t.found(rule.items, rule.judged)}
              {rule.unknown > 0 && ` ${t.unjudged(rule.unknown)}`}
            </>,
          ],
          [t.why, auditText.severityMeanings[rule.severity]],
          [t.required, `${rule.expects} ${t.applies(rule.applies)}`],
          [
            t.advice,
            <>
              <b>{rule.advice}</b>{" "}
              <a href={rule.reference} target="_blank" rel="noreferrer">
                {t.reference}
              </a>{" "}
              <Repair rule={rule} />
            </>,
          ],
          [
            t.points,
            <>
              {t.pointsOf(rule.points)}
              {rule.lost > 0 && ` ${t.lost(rule.lost.toFixed(2))}`}
              {rule.items > 0 &&
                rule.points > 0 &&
                ` ${gain > 0 ? t.gain(score, grade, formatGain(gain)) : t.noGain}`}
            </>,
          ],
        ]}
      />
    </div>
  );
}

/** Where all items are repaired at once, by field; other fields are repaired in the shop. */
const REPAIR_PAGES: Readonly<Record<string, readonly [page: string, label: string]>> = {
  google_category: ["/categories", t.openCategories],
  ...Object.fromEntries(
    ["brand", "color", "size", "identifier_exists", "availability"].map((field) => [
      field,
      ["/rules", t.openRules] as const,
    ]),
  ),
};

function Repair({ rule: { field, items } }: { readonly rule: AuditRule }): JSX.Element | null {
  const { href } = useThisCatalog();
  const [page, label] = (items > 0 && REPAIR_PAGES[field]) || [];
  return page === undefined ? null : <Link href={href(page)}>{label}</Link>;
}

type Channel = keyof typeof auditText.channels.names;
const CHANNELS = Object.keys(auditText.channels.names) as readonly Channel[];

function Effects({ rule }: { readonly rule: AuditRule }): JSX.Element {
  const effectOf = (channel: Channel): keyof typeof t.effects => {
    if (rule.refused_by.includes(channel)) return "refused";
    if (!rule.formats.includes(channel)) return "none";
    return rule.points === 0 ? "advice" : "counted";
  };
  return (
    <Section title={t.channels}>
      <Table
        label={t.channelsLabel}
        rows={CHANNELS}
        keyOf={(channel) => channel}
        columns={[
          {
            head: auditText.channels.channel,
            kind: "heading",
            cell: (channel) => auditText.channels.names[channel],
          },
          {
            head: t.effect,
            cell: (channel) => {
              const effect = effectOf(channel);
              const tone = {
                refused: "bad",
                counted: "attention",
                advice: "neutral",
                none: "neutral",
              } as const;
              return <Badge tone={tone[effect]}>{t.effects[effect]}</Badge>;
            },
          },
        ]}
      />
    </Section>
  );
}

/** The items with the problem, or what there is instead of items. */
function Affected({ audit, rule }: { readonly audit: Audit; readonly rule: AuditRule }): JSX.Element | null {
  const { href } = useThisCatalog();
  if (rule.items === 0) return <Empty>{t.noItems}</Empty>;
  if (rule.id === REJECTED) return <RejectedRows audit={audit} rule={rule} />;
  if (rule.field === "settings")
    return (
      <Empty>
        <p>{t.settings}</p>
        <Link href={href("/settings")}>{t.openSettings}</Link>
      </Empty>
    );
  return <AffectedItems rule={rule} />;
}

const PAGE = 50;

type Finding = FindingsAnswer["data"]["findings"][number];

const FINDING_COLUMNS: readonly TableColumn<Finding>[] = [
  {
    head: t.item,
    kind: "heading",
    cell: (finding) => <ItemLink id={finding.item_id} title={finding.item_title} />,
  },
  {
    head: t.whatFound,
    cell: ({ message }) => (
      <span class="cell-text">{message ?? <span class="muted">{t.fixedSince}</span>}</span>
    ),
  },
  { head: auditText.problems.severity, cell: ({ severity }) => <Severity of={severity} /> },
  { head: t.itemLost, kind: "number", cell: ({ lost }) => lost.toFixed(2) },
];

function AffectedItems({ rule }: { readonly rule: AuditRule }): JSX.Element {
  const { href } = useThisCatalog();
  const { query } = useLocation();
  const filter = { rule: rule.id };
  const loaded = useData<FindingsAnswer>(
    pathWith("/audit/findings", { ...filter, cursor: query.get("cursor"), limit: PAGE }),
  );
  useReload(loaded.reload, { run: isAudited });
  return (
    <Section
      title={t.items}
      actions={
        <div class="buttons">
          <Link href={href(pathWith("/items", { finding: rule.id }))}>{t.inItems}</Link>
          <DownloadButton
            path={pathWith("/audit/findings.csv", filter)}
            fileName={`findings-${rule.id}.csv`}
          />
        </div>
      }
    >
      <Await loaded={loaded}>
        {({ findings, next_cursor: next }) => (
          <>
            <Table
              label={t.itemsLabel}
              rows={findings}
              keyOf={(finding) => finding.item_id}
              columns={FINDING_COLUMNS}
            />
            <Pager next={next} />
          </>
        )}
      </Await>
    </Section>
  );
}
