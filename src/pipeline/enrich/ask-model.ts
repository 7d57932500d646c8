/**
 * Asks a model about items that the extractors have left open: after the pass over the catalog, so that no transaction waits for it. A
 * question that was answered is not asked again until the item, the prompt or the model changes.
 */
import { decodeItem, type Item } from "../../catalog/item.ts";
import { type ModelProposal, readAnswer } from "../../enrich/model/answer.ts";
import { openFields, type Question, questionHash, questionText } from "../../enrich/model/prompt.ts";
import type { HttpClient } from "../../lib/outbound/http-client.ts";
import type { Queries } from "../../store/db.ts";
import { findItems } from "../../store/items.ts";
import { findQuestions, saveQuestions } from "../../store/model-questions.ts";
import { complete, type ModelSettings } from "./model-client.ts";

export type ModelStats = {
  /** Asked about. */
  items: number;
  /** With open fields, but not asked about in this run. */
  left: number;
  requests: number;
  prompt_tokens: number;
  completion_tokens: number;
  proposed: number;
  /** Values that are not what was asked for. */
  dropped: number;
  /** Questions without a usable answer; they are asked again in the next run. */
  failed: number;
  /** Why not all were asked; null if they were. */
  stopped: string | null;
};

/** Few enough that an answer ends in time, and that one bad answer loses little. */
const BATCH_ITEMS = 8;
/** After so many in a row, the endpoint is taken to be down. */
const MAX_FAILURES = 3;

type Deps = { readonly db: Queries; readonly http: HttpClient; readonly signal: AbortSignal };

/** Collects items during the pass: their ids and open fields only. */
export class OpenItems {
  /** With open fields, asked about before or not. */
  private readonly waiting: { readonly id: string; readonly proposed: ReadonlySet<string> }[] = [];
  left = 0;
  private readonly catalogId: string;
  private readonly settings: ModelSettings;
  private readonly db: Queries;
  private unchecked: { item: Item; proposed: ReadonlySet<string> }[] = [];

  constructor(db: Queries, catalogId: string, settings: ModelSettings) {
    this.db = db;
    this.catalogId = catalogId;
    this.settings = settings;
  }

  /** `proposed`: fields for which extractors have found a value. */
  async add(item: Item, proposed: ReadonlySet<string>): Promise<void> {
    if (openFields(item, proposed).length === 0) return;
    this.unchecked.push({ item, proposed });
    if (this.unchecked.length >= 500) await this.check();
  }

  /** Those that were not asked about yet, up to the limit of a run. */
  async check(): Promise<void> {
    const batch = this.unchecked;
    this.unchecked = [];
    const ids = batch.map(({ item }) => item.id);
    const known = await findQuestions(this.db, this.catalogId, ids);
    for (const { item, proposed } of batch) {
      const question = { item, open: openFields(item, proposed) };
      if (known.get(item.id)?.equals(questionHash(this.settings.name, question))) continue;
      if (this.waiting.length < this.settings.maxItems) this.waiting.push({ id: item.id, proposed });
      else this.left += 1;
    }
  }

  /** Batches of questions, read again: an item may have changed or gone since the pass. */
  async *batches(): AsyncGenerator<readonly Question[]> {
    for (let at = 0; at < this.waiting.length; at += BATCH_ITEMS) {
      const batch = this.waiting.slice(at, at + BATCH_ITEMS);
      const ids = batch.map(({ id }) => id);
      const rows = await findItems(this.db, this.catalogId, ids);
      const items = new Map(rows.map(({ body }) => decodeItem(body)).map((item) => [item.id, item]));
      yield batch.flatMap(({ id, proposed }) => {
        const item = items.get(id);
        const open = item ? openFields(item, proposed) : [];
        return item && open.length > 0 ? [{ item, open }] : [];
      });
    }
  }
}

/** `keep` stores the proposals of a batch before its questions count as asked. */
export async function askModel(
  { db, http, signal }: Deps,
  { catalogId, settings, open }: { catalogId: string; settings: ModelSettings; open: OpenItems },
  keep: (proposals: readonly ModelProposal[], asked: readonly Item[]) => Promise<void>,
): Promise<ModelStats> {
  await open.check();
  const stats = newStats(open.left);
  let characters = 0;
  let failures = 0;
  for await (const questions of open.batches()) {
    signal.throwIfAborted();
    if (questions.length === 0) continue;
    const text = questionText(questions);
    characters += text.length;
    if (characters > settings.maxCharacters)
      stats.stopped ??= "The limit of characters for one run is reached (ENRICH_MAX_CHARACTERS).";
    if (stats.stopped !== null) {
      stats.left += questions.length;
      continue;
    }
    const answer = await complete(text, { http, settings, signal });
    stats.requests += answer.requests;
    const read = "failed" in answer ? answer : usable(answer.text, questions, settings.name);
    if (!("failed" in answer)) countTokens(stats, answer);
    if ("failed" in read) {
      failures += 1;
      stats.failed += questions.length;
      if (read.isFinal || failures >= MAX_FAILURES) stats.stopped = read.failed;
      continue;
    }
    failures = 0;
    stats.items += questions.length;
    stats.proposed += read.proposals.length;
    stats.dropped += read.dropped;
    await keep(
      read.proposals,
      questions.map(({ item }) => item),
    );
    await saveQuestions(
      db,
      catalogId,
      questions.map((question) => ({
        itemId: question.item.id,
        question: questionHash(settings.name, question),
      })),
    );
  }
  if (stats.left > 0) stats.stopped ??= "The limit of items for one run is reached (ENRICH_MAX_ITEMS).";
  return stats;
}

const newStats = (left: number): ModelStats => ({
  items: 0,
  left,
  requests: 0,
  prompt_tokens: 0,
  completion_tokens: 0,
  proposed: 0,
  dropped: 0,
  failed: 0,
  stopped: null,
});

function countTokens(stats: ModelStats, used: { promptTokens: number; completionTokens: number }): void {
  stats.prompt_tokens += used.promptTokens;
  stats.completion_tokens += used.completionTokens;
}

function usable(text: string, questions: readonly Question[], model: string) {
  return (
    readAnswer(text, questions, model) ??
    ({ failed: "The model's answer is not of the form that was asked for.", isFinal: false } as const)
  );
}
