/** Reads what a model answered. Every value is checked by itself; whatever is not exactly what was asked for is dropped and counted. */
import { Type } from "typebox";
import type { TSchema } from "typebox";
import { Value } from "typebox/value";
import { findCategory } from "../../catalog/google-taxonomy.ts";
import type { Item } from "../../catalog/item.ts";
import type { Wire } from "../../contract/shapes.ts";
import { CONFIDENCE, draftOf, type ProposalDraft } from "../extractors/extractor.ts";
import { findQuote } from "../quotes.ts";
import { MODEL_FIELDS, type ModelField, PROMPT_VERSION, type Question } from "./prompt.ts";

const MAX_VALUE = 5_000;
const MAX_QUOTES = 20;

const ModelValue = Type.Object(
  {
    field: Type.Enum([...MODEL_FIELDS]),
    value: Type.String({ minLength: 1, maxLength: MAX_VALUE }),
    quotes: Type.Array(
      Type.Object(
        { field: Type.String({ maxLength: 100 }), text: Type.String({ maxLength: 2_000 }) },
        { additionalProperties: false },
      ),
      { maxItems: MAX_QUOTES },
    ),
  },
  { additionalProperties: false },
);
type ModelValue = Wire<typeof ModelValue>;

const ItemValues = Type.Object({ item: Type.Integer(), values: Type.Array(Type.Unknown()) });
const Answer = Type.Object({ items: Type.Array(Type.Unknown()) });

export type ModelProposal = {
  readonly item: Item;
  readonly draft: ProposalDraft;
  /** Whether the model wrote a text, and did not only read one. */
  readonly isGenerated: boolean;
};
export type ModelAnswer = { readonly proposals: readonly ModelProposal[]; readonly dropped: number };

/** Undefined if it is no JSON of the right form at all. */
export function readAnswer(
  text: string,
  questions: readonly Question[],
  model: string,
): ModelAnswer | undefined {
  const answer = parsed(text);
  if (!is(Answer, answer)) return undefined;
  const read = answer.items.flatMap((entry) => valuesOf(entry, questions, model));
  const proposals = new Map<string, ModelProposal>();
  for (const proposal of read) {
    const key = `${proposal?.item.id} ${proposal?.draft.field}`;
    if (proposal && !proposals.has(key)) proposals.set(key, proposal);
  }
  return { proposals: [...proposals.values()], dropped: read.length - proposals.size };
}

/** Undefined for what is dropped. */
function valuesOf(
  entry: unknown,
  questions: readonly Question[],
  model: string,
): readonly (ModelProposal | undefined)[] {
  const known = is(ItemValues, entry) ? entry : undefined;
  const question = known && questions[known.item - 1];
  if (!known || !question) return [undefined];
  return known.values.map((value) =>
    is(ModelValue, value) ? proposalOf(question, value, model) : undefined,
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const is = <Schema extends TSchema>(schema: Schema, value: unknown): value is Wire<Schema> =>
  Value.Check(schema, value);

const WRITTEN: ReadonlySet<ModelField> = new Set(["title", "description"]);
/** Fields whose values are of a closed list: they are grounded if the model can quote why. */
const CLOSED: ReadonlySet<ModelField> = new Set(["google_category", "gender", "age_group"]);

function proposalOf(
  { item, open }: Question,
  { field, value: written, quotes }: ModelValue,
  model: string,
): ModelProposal | undefined {
  const value = field === "google_category" ? categoryId(written) : written;
  if (!open.includes(field) || value === undefined || hasAddress(value)) return undefined;
  const evidence = quotes.flatMap((quote) => findQuote(item, quote) ?? []);
  const isClosed = CLOSED.has(field) && evidence.length > 0;
  const found = { value, evidence, confidence: CONFIDENCE.uncertain, isClosed };
  const draft = draftOf({ id: `model:${model}`, version: PROMPT_VERSION }, item, field, found);
  return draft && { item, draft, isGenerated: WRITTEN.has(field) };
}

function categoryId(value: string): string | undefined {
  const category = findCategory(value);
  return category && String(category.id);
}

/** No text that a model writes may lead elsewhere. */
const hasAddress = (value: string): boolean => /https?:|www\.|:\/\//i.test(value);
