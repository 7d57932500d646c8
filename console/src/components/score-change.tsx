/** Why the score changed: in the last audit that changed it, or in one that the user chooses. */
import type { ComponentChildren, JSX } from "preact";
import type { Audit, PastAuditAnswer } from "../../../src/contract/audits.ts";
import { formatExact } from "../format.ts";
import { auditText } from "../messages/audit.ts";
import { useLocation } from "../router.tsx";
import { useData } from "../use-data.ts";
import type { LoadedData } from "../use-data.ts";
import { RuleLink } from "./audit-parts.tsx";
import type { AuditRule, AuditSummary } from "./audit-parts.tsx";
import { FilterSelect } from "./table.tsx";
import { Await, Section, Time } from "./ui.tsx";
import { Waterfall } from "./waterfall.tsx";

const t = auditText.change;

type Change = NonNullable<Audit["change"]>;
type Part = NonNullable<Change["parts"]>[number];

const MAX_CHOICES = 30;

const changesIn = (audits: readonly AuditSummary[]): readonly AuditSummary[] =>
  audits.filter(
    ({ catalog_score: score, previous_score: previous }) => previous !== null && previous !== score,
  );

export type PastAudit = LoadedData<PastAuditAnswer["data"]>;

/** The audit whose change is shown; null with a single audit. `audits` has the newest first. */
export function usePastAudit(audits: readonly AuditSummary[] | undefined): PastAudit | null {
  const { query } = useLocation();
  const asked = query.get("change");
  const last = audits && audits.length > 1 ? (changesIn(audits)[0] ?? audits[0])?.run_id : undefined;
  const chosen = asked ?? last;
  const loaded = useData<PastAuditAnswer>(chosen === undefined ? null : `/audits/${chosen}`);
  return chosen === undefined ? null : loaded;
}

export function ScoreChange({
  audits,
  past,
  rules,
}: {
  readonly audits: readonly AuditSummary[];
  readonly past: PastAudit | null;
  readonly rules: readonly AuditRule[];
}): JSX.Element {
  const changed = changesIn(audits);
  const options = changed
    .slice(0, MAX_CHOICES)
    .map(
      (one) =>
        [
          one.run_id,
          t.option(formatExact(one.created_at), one.previous_score ?? 0, one.catalog_score),
        ] as const,
    );
  const choice = options.length > 1 && (
    <FilterSelect name="change" label={t.choose} any={t.newest} options={options} />
  );
  return (
    <Section title={t.title} actions={choice}>
      {past === null ? (
        <p class="muted">{t.first}</p>
      ) : (
        <Await loaded={past}>
          {({ change, created_at: at }) => (
            <>
              {changed.length === 0 && change?.kind === "explained" && change.parts?.length !== 0 && (
                <p>{t.never}</p>
              )}
              <p class="small muted">
                {t.at} <Time at={at} />
              </p>
              <Explained change={change} rules={rules} />
            </>
          )}
        </Await>
      )}
    </Section>
  );
}

function Explained({
  change,
  rules,
}: {
  readonly change: Change | null;
  readonly rules: readonly AuditRule[];
}): JSX.Element {
  if (change === null) return <p>{t.first}</p>;
  if (change.kind === "not_comparable") return <p>{t.notComparable(change.reason ?? "")}</p>;
  const { before = 0, after = 0, parts = [], kept = 0 } = change;
  if (parts.length === 0) return <p>{t.unchanged}</p>;
  return (
    <>
      <p>{t.kept(kept)}</p>
      <Waterfall
        before={before}
        after={after}
        steps={parts.map((part) => ({
          key: part.rule ?? part.kind,
          label: labelOf(part, rules),
          points: part.points,
        }))}
      />
    </>
  );
}

function labelOf(part: Part, rules: readonly AuditRule[]): ComponentChildren {
  const { kind, rule: id = "", items = 0, points } = part;
  if (kind === "rule") {
    const rule = rules.find((one) => one.id === id);
    return rule ? <RuleLink rule={rule} /> : id;
  }
  if (kind === "ceiling") return points > 0 ? t.kinds.higherCeiling : t.kinds.lowerCeiling;
  return kind === "rounding" ? t.kinds.rounding : t.kinds[kind](items);
}
