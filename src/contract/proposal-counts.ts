/** The counts of a search for proposals, and of the questions that a model was asked in it. */
import { Type } from "./type.ts";
import { integer, Nullable, text } from "./shapes.ts";
import type { Wire } from "./shapes.ts";

const ModelUse = Type.Object(
  {
    items: integer("Items that it was asked about."),
    left: integer("Items with open fields that it was not asked about in this run."),
    requests: integer("Calls of the endpoint."),
    prompt_tokens: integer("As the endpoint reports them."),
    completion_tokens: integer("As the endpoint reports them."),
    proposed: integer("Values that it proposed."),
    dropped: integer("Values that are not what was asked for."),
    failed: integer("Items without a usable answer; they are asked about again in the next run."),
    failure: Nullable(text("Why the last of these failed; null if none did.")),
    stopped: Nullable(text("Why it was not asked about all items; null if it was.")),
  },
  { title: "ModelUse", description: "What a model was asked and has answered." },
);

export const CATEGORY_NOTE =
  "Why suggested categories are few or less sure: the language of the catalog is not known, has no words for categories, or too few suggestions in it were checked. Null: none of these.";

export const ProposalCounts = Type.Object(
  {
    items: integer("Items that were read."),
    skipped: integer("Of these, items of groups that are as they were in the last run."),
    proposed: integer("Values that were found."),
    stale: integer("Pending values that are no longer proposed."),
    changed: integer("Items that changed meanwhile; the next run reads them again."),
    category_note: Nullable(Type.String({ description: CATEGORY_NOTE })),
    model: Nullable(ModelUse),
  },
  { title: "ProposalCounts", description: "`model` is null if there is none." },
);
export type ProposalCounts = Wire<typeof ProposalCounts>;
