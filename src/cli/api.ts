/** Calls operations of the API in this process: a command does what the API does, with or without a server. */
import type { TSchema } from "typebox";
import type { Wire } from "../contract/shapes.ts";
import type { Api, ApiDeps } from "../http/api.ts";
import {
  answerWriter,
  collectOperations,
  localCaller,
  partsOfCall,
  requireOperation,
  runOperation,
} from "../http/operations.ts";
import type { FeedFolders } from "../files/feed-folders.ts";
import { commandChanges, commandUser } from "./change-log.ts";
import type { CommandContext } from "./context.ts";
import type { System } from "./system.ts";

type LocalApiDeps = ApiDeps & { readonly folders: FeedFolders };
type Routes = (api: Api, deps: LocalApiDeps) => void;
type DataOf<Answer extends TSchema> = Wire<Answer> extends { readonly data: infer Data } ? Data : never;

/** Calls one operation. `answer` is the schema of its answer; the input is validated like that of any caller. */
export type CallApi = <Answer extends TSchema>(
  operationId: string,
  answer: Answer,
  input?: object,
) => Promise<DataOf<Answer>>;

type OneCatalog = { readonly catalogId: string; readonly command: string };

/** The operations of these routes on one catalog. */
export function callsIn(system: System, routes: Routes, { catalogId, command }: OneCatalog): CallApi {
  const operations = collectOperations((api) => routes(api, depsOf(system)));
  const who = {
    caller: localCaller(catalogId, { name: commandUser(), scopes: ["read", "write", "admin"] }),
    changeLog: commandChanges(command),
    signal: system.stopping,
  };
  return async (operationId, answer, input = {}) => {
    const operation = requireOperation(operations, operationId);
    if (!Object.values<unknown>(operation.answers).includes(answer))
      throw new Error(`${operationId} has another answer`);
    const data = await runOperation(operation, who, partsOfCall(operation, { ...input }));
    const body = JSON.parse(answerWriter(answer)({ data })) as { readonly data: DataOf<typeof answer> };
    return body.data;
  };
}

const depsOf = (system: System): LocalApiDeps => {
  const { config, jobs } = system;
  const { baseUrl, syncIntervalS } = config;
  return { ...system, baseUrl, syncIntervalS, feedUrl: jobs.feedUrl, folders: jobs.folders };
};

/** For commands that make one call, on the catalog of a slug. */
export type ApiContext = CommandContext & {
  readonly call: <Answer extends TSchema>(
    slug: string,
    ...call: readonly [operationId: string, answer: Answer, input?: object]
  ) => Promise<DataOf<Answer>>;
};

export const withCalls = (context: CommandContext, routes: Routes): ApiContext => ({
  ...context,
  call: async (slug, ...call) =>
    context.withCatalog(slug, async ({ id: catalogId }, system) =>
      callsIn(system, routes, { catalogId, command: context.command() })(...call),
    ),
});
