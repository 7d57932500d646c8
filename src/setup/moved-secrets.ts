/**
 * A secret was entered for one host and is never sent to another. Otherwise anyone who may change a source's address
 * could have its password sent to their own host. With a new host, secrets must be entered again.
 */
import type { FieldProblem } from "../errors.ts";
import { CONNECTORS } from "../sources/registry.ts";
import type { SourceKind } from "../sources/registry.ts";

type Settings = Readonly<Record<string, string>>;

export type Move = {
  readonly kind: SourceKind;
  /** Without secrets, like `after`. */
  readonly before: Settings;
  readonly after: Settings;
  readonly secrets: Settings;
  readonly edit: Settings;
};

/** The secrets that would be sent to another host, each with what to do. */
export function movedSecrets({ kind, before, after, secrets, edit }: Move): readonly FieldProblem[] {
  const [was, now] = [before, after].map((settings) => originOf(CONNECTORS[kind].destination(settings)));
  if (was === now) return [];
  return Object.keys(secrets)
    .filter((name) => edit[name] === undefined)
    .map((name) => ({
      pointer: `/settings/${name}`,
      detail: `Enter it again: it was entered for another host and is not sent to ${now ?? "this one"}.`,
    }));
}

/** Protocol, host and port. */
function originOf(address: string): string {
  return URL.parse(address.trim())?.origin ?? address;
}
