/** The elements of HTML, by what they do to the text around them. */

const KINDS = {
  /** Inside a line of text: leaves nothing behind. */
  inline: `a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark q rp rt ruby s samp small
    span strike strong sub sup time tt u var wbr`,
  /** Separates words. */
  word: `area audio base button canvas col colgroup embed frame frameset iframe img input link map meta meter noframes
    noscript object optgroup option output param picture progress script select slot source style svg td template
    textarea th track video`,
  /** Ends a line, each time. */
  break: "br",
  /** Stands on lines of its own. */
  line: `address article aside body caption center dd details dialog div dt fieldset figcaption footer form head header
    hgroup html legend main nav search section summary tbody tfoot thead title tr`,
  /** Stands between empty lines. */
  paragraph: "blockquote dl figure h1 h2 h3 h4 h5 h6 hr p pre table",
  item: "li",
  /** A list with bullets. */
  list: "dir menu ul",
  /** A list with numbers. */
  numbered: "ol",
} as const;
export type ElementKind = keyof typeof KINDS;

const ELEMENTS: ReadonlyMap<string, ElementKind> = new Map(
  (Object.keys(KINDS) as ElementKind[]).flatMap((kind) =>
    KINDS[kind].split(/\s+/).map((name) => [name, kind] as const),
  ),
);

/** Of an element; custom ones included. */
export const LONGEST_NAME = 60;
export const AFTER_NAME: ReadonlySet<string> = new Set([" ", "\t", "\n", "\r", "\f", "/", ">"]);

/** Undefined when HTML has no such element. Names with a colon or a dash (`o:p`, custom elements) separate words. */
export function elementKind(name: string): ElementKind | undefined {
  return ELEMENTS.get(name) ?? (/^[a-z][a-z0-9]*[:-]/.test(name) ? "word" : undefined);
}

export function isBlockElement(name: string): boolean {
  const kind = ELEMENTS.get(name);
  return kind !== undefined && kind !== "inline" && kind !== "word";
}

const LINE_NAMES = [...ELEMENTS.keys()].filter(isBlockElement).join("|");
/** Whether a text has a tag that says where lines end. */
export const HAS_LINES = new RegExp(`</?(?:${LINE_NAMES})[\\s/>]`, "i");
