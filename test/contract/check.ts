/** A check proves one or more sentences of the contract. `sentences.ts` names checks by their ids. */
import type { SetUp } from "./set-up.ts";

export type Check = {
  readonly id: string;
  /** States the behavior. */
  readonly title: string;
  readonly run: (setUp: SetUp) => Promise<void>;
};
