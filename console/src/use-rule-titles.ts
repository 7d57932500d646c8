/** The titles of the rules of the audit, by id. Empty until they are known. */
import { useMemo } from "preact/hooks";
import type { AuditAnswer } from "../../src/contract/audits.ts";
import { useData } from "./use-data.ts";

export function useRuleTitles(): ReadonlyMap<string, string> {
  const { data } = useData<AuditAnswer>("/audit");
  return useMemo(() => new Map(data?.audit?.rules.map(({ id, title }) => [id, title])), [data]);
}
