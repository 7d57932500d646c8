/** Says how products that were deleted in the shop are found, for people. */
import type { Source } from "../../contract/sources.ts";
import { CONNECTORS, isSourceKind } from "../../sources/registry.ts";
import type { Connector, SourceSettings } from "../../sources/source.ts";
import { CHECK_EVERY_S } from "../../store/deletion-checks.ts";
import type { SourceRow } from "../../store/sources.ts";

type DeletionFields = Pick<SourceRow, "kind" | "shopWebhooks" | "deletionCheck">;
type Method = Source["deletions"]["found_by"][number];

/** `settings`: with secrets, because without a key some shops can only be read in full. */
export function describeDeletions(source: DeletionFields, settings: SourceSettings): Source["deletions"] {
  const { kind, deletionCheck } = source;
  const connector = isSourceKind(kind) ? CONNECTORS[kind] : undefined;
  if (!canCheck(connector, settings))
    return { found_by: ["full_read"], detail: ALWAYS_FULL, checked_at: null };
  const methods = methodsOf(source);
  const every = intervalText(deletionCheck?.everyS ?? CHECK_EVERY_S);
  const sentences = methods.map((method) => SENTENCES[method](every));
  return {
    found_by: methods,
    detail: [...sentences, ...problemsOf(source)].join(" "),
    checked_at: deletionCheck?.checkedAt ?? null,
  };
}

/** Without single reads every sync reads everything, and items do not state their products. */
export function canCheck(
  connector: Connector | undefined,
  settings: SourceSettings,
): connector is CheckedConnector {
  return connector?.ids !== undefined && connector.parts?.(settings).includes("products") === true;
}

type CheckedConnector = Connector & Required<Pick<Connector, "ids">>;

function methodsOf({ shopWebhooks, deletionCheck }: DeletionFields): readonly Method[] {
  const method = deletionCheck?.method ?? null;
  return [
    ...(shopWebhooks?.status === "active" ? (["webhook"] as const) : []),
    ...(method === null ? [] : ([method] as const)),
    "full_read",
  ];
}

function problemsOf({ deletionCheck }: DeletionFields): readonly string[] {
  if (deletionCheck === null) return ["The first check between syncs has not been made yet."];
  const { message } = deletionCheck;
  return message === null ? [] : [`The last check for deleted products had no result: ${message}`];
}

function intervalText(seconds: number): string {
  const hours = Math.ceil(seconds / 3_600);
  return hours === 1 ? "every hour" : `every ${hours} hours`;
}

const ALWAYS_FULL = "Every sync reads the whole source, so the next one finds what was deleted.";

const SENTENCES: Readonly<Record<Method, (every: string) => string>> = {
  webhook: () => "What the shop's webhooks report as deleted is removed within a minute.",
  events: (every) => `The shop's list of deleted products is read ${every}.`,
  id_listing: (every) =>
    `The ids of all products are listed ${every}, and those that are missing are read again.`,
  full_read: () => "Full reads find everything that was deleted.",
};
