/**
 * Asks a model about items that the extractors have left open: after the pass over the catalog, so that no transaction waits for it. A
 * question that was answered is not asked again until the item, the prompt or the model changes.
 */
import { decodeItem, type Item } from "../../catalog/item.ts";
import { type ModelAnswer, type ModelProposal, readAnswer } from "../../enrich/model/answer.ts";
import { openFields, type Question, questionHash, questionText } from "../../enrich/model/prompt.ts";
import type { HttpClient } from "../../lib/outbound/http-client.ts";
import type { Queries } from "../../store/db.ts";
import { findItemVersions } from "../../store/items.ts";
import { findQuestions, saveQuestions } from "../../store/model-questions.ts";
import { complete, type ModelFailure, type ModelSettings } from "./model-client.ts";

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
  /** Why the last of these failed; null if none did. */
  failure: string | null;
  /** Why not all were asked; null if they were. */
  stopped: string | null;
};

/** Few enough that an answer ends in time, and that one bad answer loses little. */
const BATCH_ITEMS = 8;
const TOO_MANY_ITEMS = "The limit of items for one run is reached (ENRICH_MAX_ITEMS).";
const TOO_MANY_CHARACTERS = "The limit of characters for one run is reached (ENRICH_MAX_CHARACTERS).";
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
  async *batches(): AsyncGenerator<readonly AskedItem[]> {
    for (let at = 0; at < this.waiting.length; at += BATCH_ITEMS) {
      const batch = this.waiting.slice(at, at + BATCH_ITEMS);
      const ids = batch.map(({ id }) => id);
      const rows = new Map(
        (await findItemVersions(this.db, this.catalogId, ids)).map((row) => [row.id, row]),
      );
      const questions = batch.flatMap(({ id, proposed }) => {
        const row = rows.get(id);
        if (!row) return [];
        const item = decodeItem(row.body);
        const open = openFields(item, proposed);
        return open.length > 0 ? [{ item, open, fingerprint: row.fingerprint }] : [];
      });
      if (questions.length > 0) yield questions;
    }
  }
}

/** What the item was when the model was asked about it. */
export type AskedItem = Question & { readonly fingerprint: Buffer };

/** Stores the proposals of a batch. Its questions count as asked only afterwards, except about items that have changed, which it returns. */
type Keep = (
  proposals: readonly ModelProposal[],
  asked: readonly AskedItem[],
) => Promise<ReadonlySet<string>>;
type About = { readonly catalogId: string; readonly settings: ModelSettings; readonly open: OpenItems };

export async function askModel(deps: Deps, about: About, keep: Keep): Promise<ModelStats> {
  const { open, settings } = about;
  await open.check();
  const stats = newStats(open.left);
  let characters = 0;
  let failures = 0;
  for await (const questions of open.batches()) {
    deps.signal.throwIfAborted();
    const text = questionText(questions);
    characters += text.length;
    if (characters > settings.maxCharacters) stats.stopped ??= TOO_MANY_CHARACTERS;
    if (stats.stopped !== null) {
      stats.left += questions.length;
      continue;
    }
    const answer = await answerTo({ text, questions }, deps, { settings, stats });
    if ("failed" in answer) {
      failures += 1;
      if (answer.isFinal || failures >= MAX_FAILURES) stats.stopped = answer.failed;
      continue;
    }
    failures = 0;
    await keepAnswer({ questions, answer }, deps, { ...about, stats, keep });
  }
  return stats.left > 0 ? { ...stats, stopped: stats.stopped ?? TOO_MANY_ITEMS } : stats;
}

type Batch = { readonly text: string; readonly questions: readonly AskedItem[] };
type Counting = { readonly settings: ModelSettings; readonly stats: ModelStats };

async function answerTo(
  { text, questions }: Batch,
  { http, signal }: Deps,
  { settings, stats }: Counting,
): Promise<ModelAnswer | ModelFailure> {
  const completion = await complete(text, { http, settings, signal });
  stats.requests += completion.requests;
  if (!("failed" in completion)) {
    stats.prompt_tokens += completion.promptTokens;
    stats.completion_tokens += completion.completionTokens;
    const answer = readAnswer(completion.text, questions, settings.name);
    if (answer) return answer;
  }
  const failure = "failed" in completion ? completion : UNUSABLE;
  stats.failed += questions.length;
  stats.failure = failure.failed;
  return failure;
}

const UNUSABLE: ModelFailure = {
  failed: "The model's answer is not of the form that was asked for.",
  isFinal: false,
};

type Answered = { readonly questions: readonly AskedItem[]; readonly answer: ModelAnswer };

async function keepAnswer(
  { questions, answer }: Answered,
  { db }: Deps,
  { catalogId, settings, stats, keep }: Omit<About, "open"> & { stats: ModelStats; keep: Keep },
): Promise<void> {
  stats.items += questions.length;
  stats.proposed += answer.proposals.length;
  stats.dropped += answer.dropped;
  const changed = await keep(answer.proposals, questions);
  const kept = questions.filter(({ item }) => !changed.has(item.id));
  const asked = kept.map((question) => ({
    itemId: question.item.id,
    question: questionHash(settings.name, question),
  }));
  await saveQuestions(db, catalogId, asked);
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
  failure: null,
  stopped: null,
});
