/** The rules that found something: by what fixing them gains, and by points lost with filters. */
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Audit } from "../../../src/contract/audits.ts";
import { firstFixes } from "../first-fixes.ts";
import { formatNumber } from "../format.ts";
import { auditText } from "../messages/audit.ts";
import { Link, useLocation, withQuery } from "../router.tsx";
import { Gain, REJECTED, RuleLink, Severity } from "./audit-parts.tsx";
import type { AuditRule } from "./audit-parts.tsx";
import { Filters, FilterSelect, Table } from "./table.tsx";
import type { TableColumn } from "./table.tsx";
import { Empty, Section } from "./ui.tsx";
import { formatGain } from "./waterfall.tsx";

const t = auditText.problems;

const problem = (hasAdvice: boolean): TableColumn<AuditRule> => ({
  head: t.problem,
  kind: "heading",
  cell: (rule) => (
    <>
      <RuleLink rule={rule} />
      {hasAdvice && (
        <span class="cell-note small muted">
          {rule.refused > 0 && <b>{refusedBy(rule)} </b>}
          {rule.advice}
        </span>
      )}
    </>
  ),
});

/** Why a fix may be urgent that gains nothing alone. */
const refusedBy = ({ id, refused }: AuditRule): string =>
  id === REJECTED ? auditText.fixes.rejected(refused) : auditText.fixes.refused(refused);

const FIGURES: readonly TableColumn<AuditRule>[] = [
  { head: t.severity, cell: ({ severity }) => <Severity of={severity} /> },
  {
    head: t.items,
    kind: "number",
    cell: ({ items, field, points }) =>
      field === "settings" && points === 0 ? t.settings : formatNumber(items),
  },
  { head: t.lost, kind: "number", cell: ({ lost }) => lost.toFixed(2) },
  { head: t.ifFixed, kind: "number", cell: (rule) => <Gain of={rule} /> },
];

export function Fixes({ audit }: { readonly audit: Audit }): JSX.Element {
  const shown = firstFixes(audit);
  const limiting = audit.refusals?.gain ?? 0;
  const text = auditText.fixes;
  return (
    <Section title={text.title}>
      {shown.length === 0 ? (
        <p>{text.none}</p>
      ) : (
        <>
          {shown.every(({ gain }) => gain <= 0) && (
            <p>{limiting > 0 ? text.together(formatGain(limiting)) : text.noSingle}</p>
          )}
          <Table
            label={text.label}
            rows={shown}
            keyOf={({ id }) => id}
            columns={[problem(true), ...FIGURES]}
          />
        </>
      )}
    </Section>
  );
}

const PROBLEMS = "#problems";

const choices = (names: Readonly<Record<string, string>>) => Object.entries(names);

const FILTERS = ["dimension", "channel", "severity"] as const;

export function Problems({ audit }: { readonly audit: Audit }): JSX.Element {
  const { query } = useLocation();
  const place = useRef<HTMLDivElement>(null);
  // A link to the problems of a channel is further up on the same page.
  useEffect(() => {
    if (window.location.hash === PROBLEMS) place.current?.scrollIntoView();
  }, [query]);
  const found = audit.rules
    .filter(({ items }) => items > 0)
    .toSorted((a, b) => b.lost - a.lost || b.items - a.items || a.number - b.number);
  const titles = new Map(audit.dimensions.map(({ id, title }) => [id, title]));
  return (
    <div ref={place}>
      <Section title={t.title}>
        {found.length === 0 ? (
          <p>{t.none}</p>
        ) : (
          <>
            <ProblemFilters titles={titles} />
            <ProblemTable rules={found} titles={titles} />
          </>
        )}
        <Passed rules={audit.rules.filter(({ items }) => items === 0)} />
      </Section>
    </div>
  );
}

type Titles = ReadonlyMap<string, string>;

function ProblemFilters({ titles }: { readonly titles: Titles }): JSX.Element {
  return (
    <Filters>
      <FilterSelect name="dimension" label={t.dimension} any={t.anyDimension} options={[...titles]} />
      <FilterSelect
        name="channel"
        label={t.channel}
        any={t.anyChannel}
        options={choices(auditText.channels.names)}
      />
      <FilterSelect
        name="severity"
        label={t.severity}
        any={t.anySeverity}
        options={choices(auditText.severities)}
      />
    </Filters>
  );
}

function ProblemTable({
  rules,
  titles,
}: {
  readonly rules: readonly AuditRule[];
  readonly titles: Titles;
}): JSX.Element {
  const location = useLocation();
  const [dimension, channel, severity] = FILTERS.map((name) => location.query.get(name));
  const shown = rules.filter(
    (rule) =>
      (dimension === null || rule.dimension === dimension) &&
      (channel === null || rule.formats.some((id) => id === channel)) &&
      (severity === null || rule.severity === severity),
  );
  if (shown.length === 0)
    return (
      <Empty>
        <p>{t.noMatch}</p>
        <Link href={withQuery(location, Object.fromEntries(FILTERS.map((name) => [name, undefined])))}>
          {t.allShown}
        </Link>
      </Empty>
    );
  const inDimension: TableColumn<AuditRule> = {
    head: t.dimension,
    cell: (rule) => titles.get(rule.dimension) ?? rule.dimension,
  };
  return (
    <Table
      label={t.label}
      rows={shown}
      keyOf={({ id }) => id}
      columns={[problem(false), inDimension, ...FIGURES]}
    />
  );
}

function Passed({ rules }: { readonly rules: readonly AuditRule[] }): JSX.Element {
  return (
    <details>
      <summary>{t.passed(rules.length)}</summary>
      <ul class="plain-list">
        {rules.map((rule) => (
          <li key={rule.id}>
            <RuleLink rule={rule} />
          </li>
        ))}
      </ul>
    </details>
  );
}
