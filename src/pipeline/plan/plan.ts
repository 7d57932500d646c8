/**
 * A dry run: computes a change in a transaction that is rolled back, renders and audits what it would give. So it reports exactly
 * what the change would do, by the same code. It writes temporary tables only, so nothing waits for it.
 */
import type { Plan } from "../../contract/plans.ts";
import type { Decide } from "../../contract/proposals.ts";
import { AppError } from "../../errors.ts";
import { type Catalog, findCatalog } from "../../store/catalogs.ts";
import type { Queries } from "../../store/db.ts";
import { findPlan } from "../../store/plans.ts";
import type { Computed } from "../enrich/compute.ts";
import { type EffectsChange, tryRules } from "../enrich/rules.ts";
import { tryApproval } from "../enrich/review.ts";
import type { Job, JobDeps } from "../job.ts";
import { measureCatalog, measureGuarded, pointsGained } from "./figures.ts";

export type PlanRequest =
  | { readonly kind: "rules"; readonly change: EffectsChange }
  | { readonly kind: "approval"; readonly decision: Decide };

export async function runPlan(deps: JobDeps, job: Job): Promise<Plan> {
  const text = await findPlan(deps.db, job.run.id);
  if (text === undefined) throw new AppError("internal", "The dry run has no request.");
  const request = JSON.parse(text) as PlanRequest;
  let items = 0;
  const onItems = (more: number): void => {
    job.signal.throwIfAborted();
    items += more;
  };
  const plan = await planChange(deps, job, async (tx, catalog) => {
    job.progress(() => ({ items }), "computing");
    return request.kind === "rules"
      ? tryRules(tx, catalog, request.change, onItems)
      : tryApproval(tx, catalog, request.decision, onItems);
  });
  await deps.db.tx(async (tx) => job.finish(tx, { state: "succeeded", stats: plan }));
  return plan;
}

async function planChange(
  deps: JobDeps,
  job: Job,
  change: (tx: Queries, catalog: Catalog) => Promise<Computed>,
): Promise<Plan> {
  return deps.db.session(async (auditSession) =>
    deps.db.session(async (session) =>
      session.trial(async (tx) => {
        const catalog = await findCatalog(tx, job.run.catalogId);
        if (!catalog) throw new AppError("not_found", "The catalog was removed before the dry run began.");
        const before = await measureCatalog({ session, tx, auditSession }, deps, job);
        const { changed, examples, refused, refusals } = await change(tx, catalog);
        const connections = { session, tx, auditSession };
        const { figures: after, guard } = await measureGuarded(connections, deps, job, { isOwn: true });
        return {
          changed_items: changed,
          refused_values: refused,
          refusals,
          examples,
          before,
          after,
          gain: pointsGained(before, after),
          guard,
        };
      }),
    ),
  );
}
