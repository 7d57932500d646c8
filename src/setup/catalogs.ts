/** Setting up a catalog: its name, what it says about itself, and the token that opens its feeds. */
import { createHash } from "node:crypto";
import { isCurrency } from "../catalog/currency.ts";
import type { CatalogSettings } from "../catalog/settings.ts";
import { AppError } from "../errors.ts";
import type { FieldProblem } from "../errors.ts";
import { newId, randomBase62 } from "../lib/id.ts";
import type { Sealer } from "../lib/seal.ts";
import { insertCatalog } from "../store/catalogs.ts";
import type { Queries } from "../store/db.ts";

export type CatalogInput = {
  readonly slug: string;
  readonly name: string;
  readonly settings: CatalogSettings;
};
export type CreatedCatalog = { readonly id: string; readonly slug: string; readonly name: string };

/** The token is as hard to guess as an API key: 190 bits. */
const TOKEN_LENGTH = 32;

export async function createCatalog(
  db: Queries,
  sealer: Sealer,
  input: CatalogInput,
): Promise<CreatedCatalog> {
  refuse(problemsIn(input));
  const { slug, name, settings } = input;
  const id = newId();
  const token = randomBase62(TOKEN_LENGTH);
  const isNew = await insertCatalog(db, {
    id,
    slug,
    name,
    settings,
    feedTokenHash: createHash("sha256").update(token).digest(),
    feedTokenSealed: sealer.seal(token, "feed-token"),
  });
  if (!isNew) throw new AppError("conflict", `There is a catalog "${slug}" already.`);
  return { id, slug, name };
}

export function openFeedToken(sealer: Sealer): (sealed: Buffer) => string {
  return (sealed) => sealer.open(sealed, "feed-token");
}

const URL_SETTINGS = ["storeUrl", "returnPolicyUrl", "privacyPolicyUrl", "termsUrl"] as const;

function problemsIn({ slug, name, settings }: CatalogInput): readonly FieldProblem[] {
  const problems: FieldProblem[] = [];
  const check = (isGood: boolean, pointer: string, detail: string) => {
    if (!isGood) problems.push({ pointer, detail });
  };
  check(
    /^[a-z0-9](-?[a-z0-9]){0,62}$/.test(slug),
    "slug",
    "must be small letters, digits and single dashes, at most 63",
  );
  check(name.trim() !== "" && name.length <= 200, "name", "must have 1 to 200 characters");
  const { currency, country } = settings;
  check(currency === undefined || isCurrency(currency), "currency", "must be an ISO 4217 code such as USD");
  check(
    country === undefined || /^[A-Z]{2}$/.test(country),
    "country",
    "must be an ISO 3166-1 code such as US",
  );
  for (const key of URL_SETTINGS) {
    const value = settings[key];
    check(
      value === undefined || /^https?:$/.test(URL.parse(value)?.protocol ?? ""),
      key,
      "must be an http or https address",
    );
  }
  return problems;
}

function refuse(problems: readonly FieldProblem[]): void {
  if (problems.length === 0) return;
  const list = problems.map(({ pointer, detail }) => `${pointer} ${detail}`).join("; ");
  throw new AppError("invalid_request", `The catalog cannot be created: ${list}.`, { fields: problems });
}
