/** The package ships no types; this is the part of it that our tests use. */
declare module "@adobe/structured-data-validator" {
  type Issue = {
    readonly severity: "ERROR" | "WARNING";
    readonly issueMessage: string;
    readonly path: unknown;
  };
  export default class Validator {
    constructor(schemaOrg: object | null);
    validate(extracted: { jsonld: object; microdata: object; rdfa: object }): Promise<readonly Issue[]>;
  }
}
