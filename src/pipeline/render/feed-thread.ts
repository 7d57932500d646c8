/** The program of a thread that renders some of the feeds; `feed-threads.ts` starts it. */
import { workerData } from "node:worker_threads";
import type { FeedContext } from "../../channels/channel.ts";
import type { FeedFile } from "../../channels/registry.ts";
import { answerRequests } from "../../lib/request-thread.ts";
import type { NewFile } from "../../files/file-writer.ts";
import { openStore } from "../../files/open-store.ts";
import { SegmentSink } from "../../files/segment-sink.ts";
import { openHere } from "../../files/sent-file.ts";
import { FeedOutput, type FinishedFeed, type GroupOutput } from "./feed-output.ts";
import { itemOf } from "./item-groups.ts";
import { SegmentStarts, sortKeyOf } from "./segment-starts.ts";

export type FeedThreadData = {
  readonly context: FeedContext;
  readonly files: readonly { readonly file: FeedFile; readonly newFile: NewFile }[];
};

/** Groups that follow each other. Items cross as text: to copy the objects takes longer than to parse them again. */
export type GroupBatch = {
  readonly bodies: readonly string[];
  readonly groups: readonly GroupShape[];
};

/** `items`: how many of the bodies belong to the group. */
export type GroupShape = {
  readonly groupId: string | null;
  readonly isWhole: boolean;
  readonly items: number;
};

/** Null: finish the files. */
export type FeedRequest = GroupBatch | null;

/** For each file of the thread: the outcomes of the groups, or in the end the file. */
export type FeedAnswer = readonly (readonly GroupOutput[])[] | readonly FinishedFeed[];

const { context, files } = workerData as FeedThreadData;
const outputs = files.map(
  ({ file, newFile: { location, ...newFile } }) =>
    new FeedOutput(
      file,
      context,
      new SegmentSink({ store: openStore(location), ...newFile, openLarge: openHere }),
    ),
);
const starts = new SegmentStarts();

function render({ bodies, groups: shapes }: GroupBatch): readonly (readonly GroupOutput[])[] {
  let next = 0;
  const rendered = outputs.map((): GroupOutput[] => []);
  for (const { groupId, isWhole, items } of shapes) {
    const group = { groupId, isWhole, items: bodies.slice(next, (next += items)).map(itemOf) };
    const mayBegin = starts.mayBegin(Buffer.from(sortKeyOf(group)));
    for (const [at, output] of outputs.entries()) {
      output.sink.start(mayBegin);
      rendered[at]?.push(output.write(group));
    }
  }
  return rendered;
}

answerRequests(
  async (request: FeedRequest): Promise<FeedAnswer> =>
    request ? render(request) : Promise.all(outputs.map(async (output) => output.finish())),
);
