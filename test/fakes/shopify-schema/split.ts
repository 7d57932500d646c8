/** Splits schemas of several versions into what all of them have and what each has in addition. */
import { type ASTNode, type DefinitionNode, parse, print } from "graphql";

/** What a definition consists of: interfaces and fields, the values of an enum, the types of a union. */
const LISTS = ["interfaces", "fields", "values", "types"] as const;
type Lists = Partial<Record<(typeof LISTS)[number], readonly ASTNode[]>>;

function membersOf(definition: DefinitionNode): readonly string[] {
  return LISTS.flatMap((list) => (definition as Lists)[list] ?? []).map((member) => print(member));
}

function withMembers(definition: DefinitionNode, isKept: (member: string) => boolean): DefinitionNode {
  const lists = LISTS.flatMap((list) => {
    const members = (definition as Lists)[list];
    return members === undefined ? [] : [[list, members.filter((member) => isKept(print(member)))]];
  });
  return { ...definition, ...Object.fromEntries(lists) } as DefinitionNode;
}

/** `extend type Product { … }` for the members that other versions do not have. */
function extensionOf(definition: DefinitionNode, common: ReadonlySet<string>): readonly string[] {
  const extension = withMembers(definition, (member) => !common.has(member));
  const kind = extension.kind.replace("Definition", "Extension");
  return membersOf(extension).length === 0 ? [] : [print({ ...extension, kind } as ASTNode)];
}

/** A type that not all versions have is part of the versions that have it. */
export function splitSchemas(texts: readonly string[]): { common: string; extensions: readonly string[] } {
  const versions = texts.map((text) => new Map(parse(text).definitions.map((one) => [nameOf(one), one])));
  const common: string[] = [];
  const extensions = versions.map((): string[] => []);
  for (const name of new Set(versions.flatMap((version) => [...version.keys()]))) {
    const found = versions.map((version) => version.get(name));
    const members = found.map((definition) => new Set(definition === undefined ? [] : membersOf(definition)));
    const shared = members.reduce((a, b) => a.intersection(b));
    const [first] = found;
    const isCommon = first !== undefined && !found.includes(undefined);
    if (isCommon) common.push(print(withMembers(first, (member) => shared.has(member))));
    for (const [index, definition] of found.entries()) {
      if (definition === undefined) continue;
      extensions[index]?.push(...(isCommon ? extensionOf(definition, shared) : [print(definition)]));
    }
  }
  return { common: common.join("\n\n"), extensions: extensions.map((parts) => parts.join("\n\n")) };
}

/** The definition of the schema itself has no name. */
function nameOf(definition: DefinitionNode): string {
  return "name" in definition ? (definition.name?.value ?? "") : "";
}
