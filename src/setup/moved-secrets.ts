/**
 * A secret was given for one host and goes to no other. Whoever may change a source's address but does not know its
 * password could otherwise have it sent to a host of their own; so with a new host, secrets are entered anew.
 */
import type { FieldProblem } from "../errors.ts";
import { CONNECTORS } from "../sources/registry.ts";
import type { SourceKind } from "../sources/registry.ts";

type Settings = Readonly<Record<string, string>>;

export type Move = {
  readonly kind: SourceKind;
  /** Without secrets, as the next two. */
  readonly before: Settings;
  readonly after: Settings;
  readonly secrets: Settings;
  readonly edit: Settings;
};

/** The secrets that would go along to another host, each with what to do about it. */
export function movedSecrets({ kind, before, after, secrets, edit }: Move): readonly FieldProblem[] {
  const [was, now] = [before, after].map((settings) => originOf(CONNECTORS[kind].destination(settings)));
  if (was === now) return [];
  return Object.keys(secrets)
    .filter((name) => edit[name] === undefined)
    .map((name) => ({
      pointer: `/settings/${name}`,
      detail: `Enter it again: it was given for another host and is not sent to ${now ?? "this one"}.`,
    }));
}

/** Protocol, host and port. */
function originOf(address: string): string {
  return URL.parse(address.trim())?.origin ?? address;
}
