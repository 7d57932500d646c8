/** What the rest of the program needs of a logger: one wide line per unit of work. pino fits it as it is. */
export type Log = {
  readonly info: (fields: object, message: string) => void;
  readonly warn: (fields: object, message: string) => void;
  readonly error: (fields: object, message: string) => void;
};
