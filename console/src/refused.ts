/** How many items of a file will not be shown: those that will be refused, and those that are left out. */
export const refusedIn = ({
  excluded,
  refused,
}: {
  readonly excluded: number;
  readonly refused: number;
}): number => excluded + refused;
