/**
 * The table of shop systems (`systems.json`): by which columns a file is recognized, which column feeds which field,
 * and how rows, options, images and stock are written.
 */
import table from "./systems.json" with { type: "json" };

/** In names of columns, `#` is a number. */
type NumberedColumns = {
  readonly columns: readonly string[];
  readonly separator: string;
  readonly base?: string;
};

export type SystemDialect = {
  readonly name: string;
  /** Of each list, one column must be there. */
  readonly recognizedBy: readonly (readonly string[])[];
  readonly columns: Readonly<Record<string, string>>;
  /** Further columns of the system, as a pattern: no general name reads them. */
  readonly others: string;
  readonly product?: readonly string[];
  readonly kinds?: {
    readonly column: string;
    readonly product: string;
    readonly variant: string;
    /** A row with one more image of the product. */
    readonly image?: string;
    /** Whether a product without variants is an item. */
    readonly isParentItem?: boolean;
  };
  readonly options?: {
    readonly names?: string;
    readonly values?: readonly string[];
    readonly types?: string;
    readonly numbers?: readonly string[];
    /** The name of a variant, where no options are named. */
    readonly single?: string;
    /** Columns that begin with this are options; the rest of the name is the option's. */
    readonly prefix?: string;
    /** One cell with all of them: `Size=S|Color=Red`. */
    readonly cell?: string;
    readonly fields?: readonly string[];
  };
  readonly images?: NumberedColumns;
  readonly categories?: NumberedColumns;
  readonly visible?: readonly string[];
  /** Columns whose value takes the item off sale. */
  readonly hidden?: Readonly<Record<string, string>>;
  readonly tracked?: string;
  /** The stock of each location, as a pattern of columns: their sum counts. */
  readonly quantities?: string;
  readonly surcharge?: string;
  readonly discount?: { readonly mode: string; readonly value: string };
  /** Whether the sale price applies. */
  readonly onSale?: string;
  /** Where rows have a value in it, variants without a price of their own have none that the export says. */
  readonly unsurePrice?: string;
  readonly gtin?: { readonly column: string; readonly type: string };
  readonly words?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** A pattern for a header name that has the currency. */
  readonly headerCurrency?: string;
  /** A column that may say that the listing is an auction. */
  readonly isAuction?: string;
  /** Whether a cell may have the SKUs of several variants, which are no SKU of the item. */
  readonly hasSkuLists?: boolean;
  readonly link?: string;
  readonly linkExample?: string;
  /**
   * All columns in the order of the export, for files with translated names; one name with `#` for the numbered ones.
   */
  readonly order?: readonly string[];
};

export const SYSTEMS: readonly SystemDialect[] = table;
