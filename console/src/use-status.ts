/** The status of the catalog, kept current. */
import type { CatalogStatus, CatalogStatusAnswer } from "../../src/contract/status.ts";
import type { Wire } from "../../src/contract/shapes.ts";
import { useReload } from "./events.tsx";
import { useData } from "./use-data.ts";
import type { LoadedData } from "./use-data.ts";

export function useStatus(): LoadedData<CatalogStatus> {
  const loaded = useData<Wire<typeof CatalogStatusAnswer>>("/catalog/status");
  useReload(loaded.reload, { run: () => true, deliveries: true });
  return loaded;
}
