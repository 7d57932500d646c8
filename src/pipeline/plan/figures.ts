/** What a render and its audit would show of the catalog as a transaction sees it. Nothing is published. */
import type { PlanFigures } from "../../contract/plans.ts";
import { newId } from "../../lib/id.ts";
import type { Queries, Session } from "../../store/db.ts";
import type { JobDeps } from "../job.ts";
import { type RenderJob, renderStored } from "../render/render.ts";

export type PlanConnections = {
  readonly session: Session;
  /** A transaction on `session`. */
  readonly tx: Queries;
  /** Another connection, for the findings. */
  readonly auditSession: Session;
};

export async function measureCatalog(
  connections: PlanConnections,
  deps: JobDeps,
  job: RenderJob,
): Promise<PlanFigures> {
  const { pass } = await renderStored(connections, deps, { ...job, leaseOwner: newId() });
  try {
    const outcome = await pass.audit.finish();
    const files = pass.outputs.map(
      ({ file, tally: { written, excluded } }) => [file, { written, excluded }] as const,
    );
    const figures = { items: pass.items, files: Object.fromEntries(files) };
    if (outcome.kind === "failed") throw outcome.error;
    const { score, grade, exact, rules, items } = outcome.report;
    const findings = Object.fromEntries(
      rules.filter((rule) => rule.items > 0).map((rule) => [rule.id, rule.items]),
    );
    const isScored = items > 0;
    return {
      ...figures,
      score: isScored ? score : null,
      grade: isScored ? grade : null,
      points: isScored ? `${exact.raw}/${exact.denominator}` : null,
      findings,
    };
  } finally {
    await pass.folder.discard();
  }
}

const DIGITS = 1_000_000;

/** The difference of two exact scores, to six decimals. */
export function pointsGained(before: PlanFigures, after: PlanFigures): number {
  if (before.points === null || after.points === null) return 0;
  const [a, b] = [fraction(before.points), fraction(after.points)];
  const difference = b.numerator * a.denominator - a.numerator * b.denominator;
  return Number((difference * BigInt(DIGITS)) / (a.denominator * b.denominator)) / DIGITS;
}

function fraction(text: string) {
  const [numerator = "0", denominator = "1"] = text.split("/");
  return { numerator: BigInt(numerator), denominator: BigInt(denominator) };
}
