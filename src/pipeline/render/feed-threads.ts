/** Threads that render the feeds of a large catalog and write them, while this one reads and audits it. See docs/adr/0037. */
import { availableParallelism } from "node:os";
import type { FeedContext } from "../../channels/channel.ts";
import { FEED_FILES, type FeedFile } from "../../channels/registry.ts";
import { openRequestThread } from "../../lib/request-thread.ts";
import { programBeside } from "../../lib/thread-program.ts";
import type { RenderFolder } from "../../files/feed-folders.ts";
import type { FinishedFeed, GroupOutput } from "./feed-output.ts";
import type { FeedAnswer, FeedRequest, FeedThreadData, GroupBatch } from "./feed-thread.ts";
import type { StoredGroup } from "./item-groups.ts";

export type FeedThreads = AsyncDisposable & {
  /** For each feed, in the order of `FEED_FILES`, the outcomes of the groups. */
  readonly render: (groups: readonly StoredGroup[]) => Promise<readonly (readonly GroupOutput[])[]>;
  readonly finish: () => Promise<readonly FinishedFeed[]>;
};

/** With three threads, rendering and writing takes each of them about as long as this one reads and audits. */
const MOST_PER_RENDER = 3;
/** With fewer cores, the one that writes files (`files/write-threads.ts`) is enough to use them. */
const MIN_CORES = 4;
/** A core is left for the thread that reads and audits. Several renders share the others. */
let free = feedThreadsFor(availableParallelism());
/** To start a thread and to compile its code takes about as long as to render so many items. */
const MIN_ITEMS = 25_000;

const PROGRAM = programBeside(import.meta, "feed-thread");

export function feedThreadsFor(cores: number): number {
  return cores < MIN_CORES ? 0 : cores - 1;
}

export type FeedThreadUse = {
  readonly minItems?: number;
  readonly mostThreads?: number;
};

/** Null if there is no core for a thread, or the catalog is small. */
export function openFeedThreads(
  context: FeedContext,
  folder: RenderFolder,
  { items, minItems = MIN_ITEMS, mostThreads = free }: FeedThreadUse & { readonly items: number },
): FeedThreads | null {
  const count = Math.min(mostThreads, MOST_PER_RENDER);
  if (count <= 0 || items < minItems) return null;
  free -= count;
  const threads = divided(count).map((feeds) => {
    const files = feeds.map((file) => ({ file, newFile: folder.newFile(file, { isFeed: true }) }));
    const data: FeedThreadData = { context, files };
    return { feeds, thread: openRequestThread<FeedRequest, FeedAnswer>(PROGRAM, data) };
  });
  /** The answers for all feeds, in the order of `FEED_FILES`. */
  const ask = async (request: FeedRequest): Promise<FeedAnswer> => {
    const answers = await Promise.all(
      threads.map(async ({ feeds, thread }) => {
        const answer = await thread.ask(request);
        return feeds.map((file, at) => [file, answer[at]] as const);
      }),
    );
    const byFile = new Map(answers.flat());
    return FEED_FILES.map((file) => byFile.get(file)) as FeedAnswer;
  };
  return {
    render: async (groups) => (await ask(batchOf(groups))) as Awaited<ReturnType<FeedThreads["render"]>>,
    finish: async () => (await ask(null)) as readonly FinishedFeed[],
    [Symbol.asyncDispose]: async () => {
      await Promise.all(threads.map(async ({ thread }) => thread[Symbol.asyncDispose]()));
      free += count;
    },
  };
}

function batchOf(groups: readonly StoredGroup[]): GroupBatch {
  return {
    bodies: groups.flatMap(({ bodies }) => bodies),
    groups: groups.map(({ group: { groupId, isWhole, items } }) => ({
      groupId,
      isWhole,
      items: items.length,
    })),
  };
}

/** The feeds of each thread. The last feeds take longest: the thread that gets the last one gets no other, or the first one. */
function divided(threads: number): readonly (readonly FeedFile[])[] {
  const feeds: FeedFile[][] = Array.from({ length: threads }, () => []);
  for (const [at, file] of FEED_FILES.toReversed().entries()) {
    const turn = at % (2 * threads);
    feeds[Math.min(turn, 2 * threads - 1 - turn)]?.push(file);
  }
  return feeds;
}
