/** The settings of a catalog. Feeds need them; sources and items may lack them. */
import type { Settings } from "../contract/catalog-settings.ts";
import type { CamelCase } from "../lib/snake-case.ts";

export type CatalogSettings = {
  readonly [Name in keyof Settings as CamelCase<Name>]?: NonNullable<Settings[Name]>;
};

/** The channels that refuse items. */
export type RefusingChannel = keyof NonNullable<CatalogSettings["incompleteItems"]>;
