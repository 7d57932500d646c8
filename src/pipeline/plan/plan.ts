/** The dry run of a change of rules, of category mappings, or of an approval. */
import type { Plan } from "../../contract/plans.ts";
import type { Decide } from "../../contract/proposals.ts";
import { AppError } from "../../errors.ts";
import { findPlan } from "../../store/plans.ts";
import { type EffectsChange, tryRules } from "../enrich/rules.ts";
import { chosenBy, tryApproval } from "../enrich/review.ts";
import type { Job, JobDeps } from "../job.ts";
import { onCopies } from "./figures.ts";

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
  const { result, ...figures } = await deps.db.session(async (session) =>
    onCopies(deps, job, { session, which: chosenIn(request), isOwn: true }, async (tx, catalog) => {
      job.progress(() => ({ items }), "computing");
      return request.kind === "rules"
        ? tryRules(tx, catalog, request.change, onItems)
        : tryApproval(tx, catalog, request.decision, onItems);
    }),
  );
  const { changed, examples, refused, refusals } = result;
  const plan = { changed_items: changed, refused_values: refused, refusals, examples, ...figures };
  await deps.db.tx(async (tx) => job.finish(tx, { state: "succeeded", stats: plan }));
  return plan;
}

const chosenIn = (request: PlanRequest) =>
  request.kind === "approval" ? chosenBy(request.decision) : undefined;
