/** The numbers of a push. Its fields are named as whoever pushed wrote them: `sale_price`, not `salePrice`. */
import { snakeCase } from "../../lib/snake-case.ts";
import { Ledger } from "../sync/ledger.ts";
import type { SyncStats } from "../sync/ledger.ts";

export class PushLedger extends Ledger {
  override stats(result: Parameters<Ledger["stats"]>[0]): SyncStats {
    const stats = super.stats(result);
    return {
      ...stats,
      rejections: stats.rejections.map(asPushed),
      warning_examples: stats.warning_examples.map(asPushed),
    };
  }
}

const asPushed = <Entry extends { readonly field: string | null }>(entry: Entry): Entry =>
  entry.field === null ? entry : { ...entry, field: snakeCase(entry.field) };
