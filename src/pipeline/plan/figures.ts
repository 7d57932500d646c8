/**
 * Every dry run: makes the change to copies of the catalog's rows by the code of the real change, in a transaction that
 * is rolled back, and renders and audits the catalog before and after it. Nothing is published, and nothing waits for
 * it.
 */
import { FEED_FILES, type FeedFile } from "../../channels/registry.ts";
import type { Plan, PlanFigures, PlanGuard } from "../../contract/plans.ts";
import { AppError } from "../../errors.ts";
import { findNewestAudit } from "../../store/audits.ts";
import { type Catalog, findCatalog } from "../../store/catalogs.ts";
import type { Queries, Session } from "../../store/db.ts";
import { listFeedFiles } from "../../store/feed-files.ts";
import type { Chosen } from "../../store/proposal-decisions.ts";
import { findPublicationState } from "../../store/publication-pauses.ts";
import { shadowTables } from "../../store/shadow-tables.ts";
import type { JobDeps } from "../job.ts";
import type { AuditOutcome, JudgedAudit } from "../audit/pass.ts";
import { guardRender } from "../publication/guard/guard.ts";
import { withPause } from "../publication/guard/pause.ts";
import type { RenderPass } from "../render/pass.ts";
import { timeOf } from "../render/index-entry.ts";
import { type Rendered, type RenderJob, renderStored, storeRendered } from "../render/render.ts";

type PlanConnections = {
  readonly session: Session;
  /** A transaction on `session`. */
  readonly tx: Queries;
  /** Another connection, for the findings. */
  readonly auditSession: Session;
};

type TriedChange = PlannedChange & {
  readonly session: Session;
  /** The proposals that the change decides on. */
  readonly which?: Chosen | undefined;
};

export async function onCopies<Result>(
  deps: JobDeps,
  job: RenderJob,
  { session, which, ...change }: TriedChange,
  work: (tx: Queries, catalog: Catalog) => Promise<Result>,
): Promise<GuardedFigures & { readonly result: Result }> {
  return deps.db.session(async (auditSession) =>
    session.trial(async (tx) => {
      const connections = { session, tx, auditSession };
      await shadowTables(tx, job.run.catalogId, which);
      const catalog = await findCatalog(tx, job.run.catalogId);
      if (!catalog) throw new AppError("not_found", "The catalog was removed before the dry run began.");
      const before = await measureCatalog(connections, deps, job);
      const result = await work(tx, catalog);
      const { after, guard } = await measureGuarded(connections, deps, job, change);
      return { result, before, after, gain: pointsGained(before, after), guard };
    }),
  );
}

async function measureCatalog(
  connections: PlanConnections,
  deps: JobDeps,
  job: RenderJob,
): Promise<PlanFigures> {
  const { pass } = await renderedPlan(connections, deps, job);
  try {
    return figuresOf(pass, await judged(pass));
  } finally {
    await pass.folder.discard();
  }
}

async function renderedPlan(connections: PlanConnections, deps: JobDeps, job: RenderJob): Promise<Rendered> {
  const newest = await findNewestAudit(connections.tx, job.run.catalogId);
  return renderStored(connections, deps, job, newest);
}

type GuardedFigures = Pick<Plan, "before" | "after" | "gain" | "guard">;

type PlannedChange = {
  /** A removal was allowed. */
  readonly isRemoval?: boolean;
  /** Rules or approvals: the guard compares what they change, but does not hold it. */
  readonly isOwn?: boolean;
};

/** With what the publish guard would say of this render. */
async function measureGuarded(
  connections: PlanConnections,
  deps: JobDeps,
  job: RenderJob,
  change: PlannedChange,
): Promise<Pick<GuardedFigures, "after" | "guard">> {
  const rendered = await renderedPlan(connections, deps, job);
  const { folder } = rendered.pass;
  try {
    const outcome = await judged(rendered.pass);
    return {
      after: figuresOf(rendered.pass, outcome),
      guard: await guardOf(deps, rendered, outcome, change),
    };
  } finally {
    await folder.discard();
    await folder.remove();
  }
}

async function guardOf(
  deps: JobDeps,
  rendered: Rendered,
  outcome: AuditOutcome,
  { isRemoval = false, isOwn = false }: PlannedChange,
): Promise<PlanGuard | null> {
  const { files, catalog } = rendered;
  await storeRendered(rendered, outcome);
  const state = await findPublicationState(deps.db, catalog.id);
  const verdict = await guardRender(deps, {
    catalogId: catalog.id,
    settings: catalog.publishGuard,
    before: state.publishedRunId === null ? [] : await listFeedFiles(deps.db, state.publishedRunId),
    after: files,
    isRemoval: async () => isRemoval,
    comparesOwn: isOwn,
  });
  const { figures, exceeded } = await withPause(deps.db, state, { files, verdict });
  if (figures === null && exceeded.length === 0) return null;
  return { held: exceeded.length > 0 && !isOwn, exceeded: [...exceeded] };
}

async function judged({ audit, index }: RenderPass): Promise<JudgedAudit> {
  const outcome = await audit.finish(timeOf(index.sameUntilMs));
  if (outcome.kind === "failed") throw outcome.error;
  return outcome;
}

function figuresOf({ items: count, tallies }: RenderPass, { report }: JudgedAudit): PlanFigures {
  const { score, grade, exact, ceiling, rules, items } = report;
  const files = tallies.map((tally, at) => {
    const { written, excluded, refused } = tally.stats();
    return [FEED_FILES[at] as FeedFile, { written, excluded, refused }] as const;
  });
  const found = rules.filter((rule) => rule.items > 0).map((rule) => [rule.id, rule.items] as const);
  const isScored = items > 0;
  return {
    items: count,
    files: Object.fromEntries(files),
    score: isScored ? score : null,
    grade: isScored ? grade : null,
    points: isScored ? `${exact.raw}/${exact.denominator}` : null,
    ceiling: isScored ? ceiling : null,
    findings: Object.fromEntries(found),
  };
}

const DIGITS = 1_000_000;

/** The difference of two exact scores, to six decimals. */
function pointsGained(before: PlanFigures, after: PlanFigures): number {
  if (before.points === null || after.points === null) return 0;
  const [a, b] = [fraction(before.points), fraction(after.points)];
  const difference = b.numerator * a.denominator - a.numerator * b.denominator;
  return Number((difference * BigInt(DIGITS)) / (a.denominator * b.denominator)) / DIGITS;
}

function fraction(text: string) {
  const [numerator = "0", denominator = "1"] = text.split("/");
  return { numerator: BigInt(numerator), denominator: BigInt(denominator) };
}
