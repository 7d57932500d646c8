/**
 * The operations of the API without HTTP: for commands and for the tools of assistants. A caller runs the handler of a
 * route in its own process, after the same check of the input, and gets the body that a program would get.
 */
import type { TSchema } from "typebox";
import { AppError } from "../errors.ts";
import type { Api, Call } from "./api.ts";
import type { Caller, KeyScope } from "./auth.ts";
import { buildSerializer } from "./serializers.ts";
import { validationError } from "./validation.ts";
import { AJV_OPTIONS, buildValidator } from "./validators.ts";

type ObjectSchema = TSchema & { readonly properties?: Readonly<Record<string, unknown>> };

export type Operation = {
  readonly method: string;
  readonly scope: KeyScope | null;
  readonly params?: ObjectSchema;
  readonly query?: ObjectSchema;
  readonly body?: ObjectSchema;
  readonly answers: Readonly<Record<number, unknown>>;
  readonly handler: (call: Call) => Promise<{ readonly body?: unknown }>;
};

/** The operations of some routes, by their ids. */
export function collectOperations(register: (api: Api) => void): ReadonlyMap<string, Operation> {
  const operations = new Map<string, Operation>();
  // The handlers are typed by their schemas, against which the input is validated before.
  register({ route: (route) => void operations.set(route.operationId, route as unknown as Operation) });
  return operations;
}

/** Who calls, from this machine and not through a proxy, which decides what addresses the call may name. */
export type LocalCall = Pick<Call, "caller" | "changeLog" | "signal">;

const LOCAL_REQUEST = { headers: { host: "localhost" } } as Call["request"];

/** Runs the handler. The parts of the call have been validated. */
export async function runOperation(
  { handler }: Operation,
  call: LocalCall,
  parts: Readonly<Record<string, object>>,
): Promise<unknown> {
  const { body } = await handler({ request: LOCAL_REQUEST, ...call, ...parts } as Call);
  return (body as { readonly data: unknown }).data;
}

/** Divides the values of one call into the parts that its schemas have, and checks each part. */
export function partsOfCall(
  { method, params, query, body }: Operation,
  input: Readonly<Record<string, unknown>>,
): Readonly<Record<string, object>> {
  const inPath = params?.properties ?? {};
  const given = Object.entries(input).filter(([, value]) => value !== undefined);
  const path = Object.fromEntries(given.filter(([name]) => Object.hasOwn(inPath, name)));
  const others = Object.fromEntries(given.filter(([name]) => !Object.hasOwn(inPath, name)));
  checkInput(params, path);
  checkInput(method === "GET" ? query : body, others);
  return { params: path, ...(method === "GET" ? { query: others } : { body: others }) };
}

function checkInput(schema: TSchema | undefined, input: object): void {
  if (schema !== undefined) inputValidator(schema)(input);
}

/** Throws what is wrong with an input. */
export function inputValidator(schema: TSchema): (input: object) => void {
  const validate = buildValidator({}, { customOptions: AJV_OPTIONS })({ schema });
  return (input) => {
    if (!validate(input)) throw validationError((validate.errors ?? []) as never, "input");
  };
}

/** Writes an answer as the API does: only what the schema has. */
export const answerWriter = (schema: TSchema): ((data: unknown) => string) =>
  buildSerializer({}, {})({ schema, method: "GET", url: "", httpStatus: "200" });

export function requireOperation(
  operations: ReadonlyMap<string, Operation>,
  operationId: string,
): Operation & { readonly scope: KeyScope } {
  const operation = operations.get(operationId);
  if (operation === undefined || operation.scope === null)
    throw new AppError("internal", `There is no call ${operationId}.`);
  return { ...operation, scope: operation.scope };
}

/** The caller of who can run commands on this machine, and needs no key. */
export function localCaller(
  catalogId: string,
  { name, scopes }: { readonly name: string; readonly scopes: readonly KeyScope[] },
): Caller {
  const noKey = { id: "", handle: "", slug: null, secretHash: Buffer.alloc(0), isUseUnnoted: false };
  const key = { ...noKey, catalogId, name, scopes };
  return { key, catalogId, keys: [key] };
}

/** Who decided something. A command has the name of the user and no key. */
export const decidedBy = ({ key }: Caller): { readonly name: string; readonly keyId: string | null } => ({
  name: key.name,
  keyId: key.id === "" ? null : key.id,
});

/** For sentences such as `The sync was canceled …`. */
export const byWhom = (caller: Caller): string =>
  decidedBy(caller).keyId === null ? "by a command" : `with the API key "${caller.key.name}"`;
