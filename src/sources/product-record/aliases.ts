/**
 * The names of columns: `readHeader` brings a name into one spelling (`g:Image Link`, `imageLink` and `IMAGE-LINK` are
 * `image_link`), and the tables list what shops call our fields in that spelling; the first name that has a value wins.
 * The names come from Google's and OpenAI's feed specifications, the exports of shop systems, affiliate networks, and
 * German, French, Spanish and Italian practice. Where OpenAI's documents give an order of precedence, it is kept.
 * Other languages have the plain word of a field (`цена`, `cena`) and nothing else: two words such as "purchase price"
 * or "old price" would be another amount, so that they are at most suggested.
 */
import type { ListField, TextField } from "../../catalog/draft.ts";
import { GOOGLE_TABLE, googleNamed } from "../../catalog/google-attributes.ts";
import { localizedName } from "./localized-names.ts";

export const TEXT_ALIASES: Readonly<Partial<Record<TextField, string>>> = {
  id: `item_id id g_id offer_id variant_id product_id productid unique_merchant_sku merchant_product_id aw_product_id
    article_id articleid artikelnummer artikel_nr art_nr article_number referencia reference
    n_articulo_en_tienda unique_id uniqueid codice_interno`,
  groupId: `group_id item_group_id itemgroup_id parent_id parent_sku parent master_id handle url_handle model_id
    configurable_sku product_id`,
  sku: `sku variant_sku product_code_sku product_code code item_number stock_code mpn_sku artikelnr merchant_sku`,
  gtin: `gtin gtins gtin13 gtin_13 gtin12 gtin_12 gtin14 gtin_14 gtin8 gtin_8 ean ean13 ean_13 ean_code upc upc_code barcode
    variant_barcode isbn jan barkod code_ean global_unique_id gtin_upc_ean_or_isbn product_upc_ean product_gtin
    upc_ean eans ean_gtin_codigo_barras codigo_de_barras`,
  mpn: `mpn manufacturer_part_number part_number google_shopping_mpn
    google_shopping_manufacturer_part_number_mpn herstellernummer model_number hans
    numero_del_fabricante_han_mpn`,
  brand: `brand brand_name vendor manufacturer manufacturer_name marke hersteller marque marca fabricante_marca
    marka merk znacka vyrobce vyrobca producent producator gyarto varumarke бренд марка производитель виробник
    μαρκα κατασκευαστης 品牌 フラント メーカー 브랜드 الماركة מותג`,
  identifierExists: `identifier_exists`,
  title: `title name product_name product_title post_title item_title bezeichnung artikelname artikelbezeichnung titel
    titre nom nome nombre titolo designation nombre_del_producto
    titulo naam navn namn nimi nazwa tytuł nazev nazov naziv nev denumire название наименование назва
    наименування nama اسم_المنتج urun_adi urun_adı τιτλος ονομα 商品名 商品名称 名称 名稱 标题 標題 상품명 الاسم שם`,
  groupTitle: `item_group_title group_title parent_title`,
  shortTitle: `short_title`,
  description: `description body_html body product_description long_description desc details post_content beschreibung
    descripcion descrizione content_encoded content summary descripcion_del_producto
    descricao descriere omschrijving beschrijving beskrivning beskrivelse kuvaus opis popis leiras acıklama deskripsi
    описание опис περιγραφη 描述 説明 商品説明 설명 الوصف תיאור`,
  shortDescription: `short_description excerpt kurzbeschreibung`,
  link: `link url product_url product_link deeplink deep_link aw_deep_link merchant_deep_link permalink page_url
    producturl lien enlace url_del_producto link_offerta
    odkaz ссылка посилання линк συνδεσμος 链接 連結 リンク 링크 الرابط קישור`,
  canonicalLink: `canonical_link canonical_url`,
  mobileLink: `mobile_link mobile_url`,
  image: `image_link image_url image image_src product_image_url main_image base_image img picture picture_url photo
    merchant_image_url aw_image_url large_image bild bild_url image_1 image1 image_link_1 image_url_1
    product_image_file_1 image_0_url image_urls urlimagen_1 link_immagine
    imagen imagem immagine afbeelding billede bilde kuva zdjecie obrazek obrazok kep imagine slika resim gambar
    gorsel изображение картинка фото зображення снимка εικονα 图片 圖片 画像 이미지 الصورة תמונה`,
  price: `price_with_vat cena_brutto cena_s_dph price regular_price variant_price search_price current_price unit_price price_gross preis verkaufspreis prix
    precio prezzo prezzo_vendita list_price
    preco prijs pris hinta cena cijena pret kaina fiyat harga цена ціна τιμη 価格 价格 價格 가격 السعر سعر قیمت מחיר
    ราคา satis_fiyati satıs_fiyatı`,
  salePrice: `sale_price special_price discount_price discounted_price offer_price promo_price aktionspreis sonderpreis
    angebotspreis precio_especial precio_promocional preco_promocional`,
  listPrice: `compare_at_price variant_compare_at_price msrp rrp rrp_price uvp retail_price was_price old_price
    strike_price original_price precio_original prezzo_riferimento`,
  cost: `cost cost_price cost_per_item unit_cost item_cost purchase_price purchase_cost buying_price einkaufspreis ek_preis
    prix_achat prix_d_achat precio_de_compra precio_compra precio_coste prezzo_di_acquisto prezzo_acquisto
    inkoopprijs cena_zakupu nakupni_cena inkopspris indkobspris`,
  currency: `currency currency_code price_currency waehrung wahrung devise moneda
    moeda valuta waluta mena penznem валюта νομισμα 通貨 货币 貨幣 통화 العملة מטבע`,
  saleWindow: `sale_price_effective_date sale_window`,
  saleFrom: `sale_price_start_date date_sale_price_starts special_price_from_date sale_start_date sale_from`,
  saleTo: `sale_price_end_date date_sale_price_ends special_price_to_date sale_end_date sale_to`,
  priceIncludesTax: `price_includes_tax prices_include_tax tax_included`,
  unitPricingMeasure: `unit_pricing_measure`,
  unitPricingBaseMeasure: `unit_pricing_base_measure`,
  availability: `availability stock_status in_stock instock is_in_stock available is_available stock_availability
    availability_status stockstatus verfuegbarkeit verfugbarkeit lieferstatus disponibilite disponibilidad
    disponibilita disponibilidade beschikbaarheid dostepnosc dostupnost elerhetoseg disponibilitate raspolozivost
    stok_durumu διαθεσιμοτητα наличие наличност наявність 库存状态 在庫状況
    tillganglighet tilgængelighed saatavuus доступность доступність التوفر זמינות`,
  availabilityDate: `availability_date release_date preorder_release_date restock_date`,
  quantity: `quantity qty stock stock_quantity inventory inventory_quantity variant_inventory_qty current_stock
    current_stock_level quantity_to_sell_on_facebook bestand lagerbestand
    voorraad estoque existencias giacenza lager lagersaldo sklad keszlet stoc stok zaliha остаток остатки
    залишок залишки αποθεμα 库存 庫存 在庫 在庫数 재고 المخزون מלאי`,
  deliveryTime: `delivery_time deliverytime delivery_period delivery_days shipping_time handling_time lead_time
    lieferzeit lieferdauer versandzeit delai_de_livraison delai_livraison plazo_de_entrega tempo_di_consegna
    tempi_di_consegna levertijd prazo_de_entrega czas_dostawy dodaci_doba dodaci_lhuta срок_доставки
    термін_доставки`,
  expiresAt: `expiration_date expires_at`,
  condition: `condition google_shopping_condition zustand etat condizione`,
  googleCategory: `google_product_category google_category google_shopping_google_product_category fb_product_category`,
  color: `color colour farbe couleur colore google_shopping_color`,
  size: `size groesse grosse taille talla taglia google_shopping_size`,
  sizeSystem: `size_system google_shopping_size_system`,
  sizeType: `size_type size_types google_shopping_size_type`,
  material: `material fabric stoff matiere google_shopping_material`,
  pattern: `pattern muster google_shopping_pattern`,
  gender: `gender google_shopping_gender geschlecht`,
  ageGroup: `age_group google_shopping_age_group`,
  adult: `adult`,
  multipack: `multipack`,
  isBundle: `is_bundle`,
  isDigital: `is_digital`,
  energyClass: `energy_efficiency_class energy_class clase_de_eficiencia_energetica`,
  minEnergyClass: `min_energy_efficiency_class min_energy_class`,
  maxEnergyClass: `max_energy_efficiency_class max_energy_class`,
  weight: `weight product_weight item_weight variant_weight variant_grams weight_value gewicht`,
  weightUnit: `item_weight_unit weight_unit variant_weight_unit weight_unit_for_display`,
  length: `product_length length product_depth depth item_length`,
  width: `product_width width item_width`,
  height: `product_height height item_height`,
  dimensionsUnit: `dimensions_unit dimension_unit`,
  shippingWeight: `shipping_weight`,
  shippingLength: `shipping_length`,
  shippingWidth: `shipping_width`,
  shippingHeight: `shipping_height`,
  shippingLabel: `shipping_label`,
  acceptsReturns: `accepts_returns`,
  returnDays: `return_window return_deadline_in_days return_days`,
  returnPolicyUrl: `return_policy return_policy_url`,
  ratingValue: `star_rating product_review_rating average_rating rating rating_value`,
  ratingCount: `review_count product_review_count rating_count number_of_reviews`,
  customLabel0: `custom_label_0 google_shopping_custom_label_0`,
  customLabel1: `custom_label_1 google_shopping_custom_label_1`,
  customLabel2: `custom_label_2 google_shopping_custom_label_2`,
  customLabel3: `custom_label_3 google_shopping_custom_label_3`,
  customLabel4: `custom_label_4 google_shopping_custom_label_4`,
  country: `target_country store_country country`,
  language: `content_language language lang`,
  published: `published published_on_online_store status product_online visibility product_visible is_visible active
    mostrar_en_tienda exibir_na_loja`,
};

export const LIST_ALIASES: Readonly<Record<ListField, string>> = {
  additionalImages: `additional_image_link additional_image_links additional_image_urls additional_image_url
    additional_images additional_image additionalimage additional_imageurl images gallery extra_images more_images`,
  videos: `video_link video_links video_url video_urls videos video_0_url`,
  categories: `product_type product_types category categories product_category category_path merchant_category
    merchant_product_category_path custom_product_type warengruppe kategorie categorie categoria
    categoria_del_producto_en_la_tienda albero_categorie categorias`,
  tags: `tags product_tags tag_list schlagworte schlagworter mots_cles etiquetas`,
  highlights: `product_highlight product_highlights highlights bullet_points`,
};

/** Columns whose cells contain groups of texts. `shippingPrice` and `dimensions` have their own shapes. */
export const GROUP_FIELDS = [
  "shipping",
  "shippingPrice",
  "details",
  "options",
  "certifications",
  "dimensions",
] as const;
export type GroupField = (typeof GROUP_FIELDS)[number];

export const GROUP_ALIASES: Readonly<Record<GroupField, string>> = {
  shipping: `shipping`,
  shippingPrice: `shipping_price shipping_cost delivery_cost versandkosten`,
  details: `product_detail product_details`,
  options: `variant_dict variant_option variant_options selected_options options`,
  certifications: `certification certifications`,
  dimensions: `dimensions`,
};

/** Numbered image columns after the first: `image_2`, `additional_image_1`, `Product Image File - 3`. */
export const NUMBERED_IMAGE =
  /^(?:additional_image(?:_link|_url)?_?\d+|image_[1-9]\d?_url|(?:image(?:_link|_url)?|picture|product_image_file|urlimagen)_?(?:[2-9]|\d\d))$/;

/** A pair of columns that name an option and give its value; `$1` is what two columns of a pair share. */
export const OPTION_NAME = /^(?:option_?(\d)_name|attribute_(\d+)_name|custom_variant_?(\d)_category)$/;
export const OPTION_VALUE =
  /^(?:option_?(\d)_value|attribute_(\d+)_value(?:_?s)?|custom_variant_?(\d)_option)$/;

/** Header names of mapped columns whose value keeps the column's name. */
export const OPTION_PREFIX = "option:";
export const DETAIL_PREFIX = "detail:";

export function aliasNames(names: string): string[] {
  return names.trim().split(/\s+/);
}

const TEXT_NAMES: ReadonlySet<string> = new Set(Object.values(TEXT_ALIASES).flatMap(aliasNames));
const KNOWN_NAMES: ReadonlySet<string> = new Set([
  ...TEXT_NAMES,
  ...Object.values(LIST_ALIASES).flatMap(aliasNames),
  ...Object.values(GROUP_ALIASES).flatMap(aliasNames),
]);

/** Whether the column has one text: a second such column repeats the first. */
export function isTextName(name: string): boolean {
  const google = googleNamed(name);
  return TEXT_NAMES.has(name) || (google !== undefined && GOOGLE_TABLE[google].shape === "one");
}

/** Whether the column is known: this recognizes header rows and delimiters. */
export function isKnownName(name: string): boolean {
  return (
    KNOWN_NAMES.has(name) ||
    googleNamed(name) !== undefined ||
    localizedName(name) !== undefined ||
    NUMBERED_IMAGE.test(name) ||
    OPTION_NAME.test(name) ||
    OPTION_VALUE.test(name)
  );
}

export type Header = {
  readonly name: string;
  /** Names of the parts of each group in the cells, where the header spells them out. */
  readonly parts: readonly string[];
  readonly unit: string | null;
  /** Among columns of the same name, this one is asked first. */
  readonly isFirst?: boolean;
  /** Mapped by the merchant: then no unmapped column feeds the field. */
  readonly isMapped?: boolean;
  /** Unknown to the dialect of the file: it feeds a field that no column of the dialect feeds. */
  readonly isGeneral?: boolean;
};

/** How a column's or field's name is understood. */
export type ReadName = (name: string) => Header;

/** Every spelling of a unit that headers use, after its proper one. */
const UNIT_SPELLINGS = ["kg kgs", "g gram grams", "lb lbs", "oz", "mm", "cm", "m", "in inch inches", "ft"];
const UNITS: ReadonlyMap<string, string> = new Map(
  UNIT_SPELLINGS.flatMap((spellings) => {
    const [unit = "", ...others] = spellings.split(" ");
    return [unit, ...others].map((spelling): [string, string] => [spelling, unit]);
  }),
);

const BRACKETS = /^([^()[\]]+)[([]([^()[\]]*)[)\]]\s*\??$/;

export function readHeader(raw: string): Header {
  const header = splitHeader(raw);
  const name = isMixed(header.name) ? inOneScript(header.name) : header.name;
  return name === header.name ? header : { ...header, name };
}

/** Whether a name has letters of two alphabets. */
const isMixed = (name: string): boolean => /\p{Script=Cyrillic}/u.test(name) && /[a-z]/.test(name);

/** Small letters that look alike as small or capital ones. */
const LOOK_ALIKES = [..."аa еe оo рp сc уy хx іi јj ѕs кk мm тt вb нh".matchAll(/(\S)(\S)/g)];
const LATIN = new Map(LOOK_ALIKES.map(([, cyrillic = "", latin = ""]) => [cyrillic, latin]));
const CYRILLIC = new Map(LOOK_ALIKES.map(([, cyrillic = "", latin = ""]) => [latin, cyrillic]));

/**
 * A keyboard of two alphabets writes `аvailable` with a Cyrillic а. The name is corrected if the whole of it then is
 * known.
 */
function inOneScript(name: string): string {
  const spellings = [LATIN, CYRILLIC].map((table) =>
    Array.from(name, (letter) => table.get(letter) ?? letter).join(""),
  );
  return spellings.find((spelling) => !isMixed(spelling) && isKnownName(spelling)) ?? name;
}

function splitHeader(raw: string): Header {
  const text = raw.replaceAll("\uFEFF", "").trim().replace(/^g:/i, "");
  const [, before, inside] = BRACKETS.exec(text) ?? [];
  if (before === undefined || inside === undefined) return { name: fold(text), parts: [], unit: null };
  if (inside.includes(":")) return { name: fold(before), parts: inside.split(":").map(fold), unit: null };
  const unit = UNITS.get(inside.trim().toLowerCase());
  if (unit !== undefined) return { name: fold(before), parts: [], unit };
  // `handling_cutoff_time(cutoff_time)`: one part of a group, not more of a name.
  if (isGooglePart(fold(before), fold(inside)))
    return { name: fold(before), parts: [fold(inside)], unit: null };
  return { name: fold(text), parts: [], unit: null };
}

function isGooglePart(name: string, part: string): boolean {
  const known = googleNamed(name);
  const attribute = known === undefined ? undefined : GOOGLE_TABLE[known];
  return attribute?.shape === "groups" && Object.hasOwn(attribute.parts, part);
}

/** Lower case, words joined by `_`, no accents. A leading `@` stays: `@id` of JSON-LD is not an `id`. */
export function fold(text: string): string {
  const trimmed = text.trim();
  const words = /[\s_-]/.test(trimmed) ? trimmed : splitCamelCase(trimmed);
  const plain = words
    .replaceAll("ß", "ss")
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "_")
    .replace(/^_|_$/g, "")
    // Hangul has been taken apart as well.
    .normalize("NFC");
  return trimmed.startsWith("@") ? `@${plain}` : plain;
}

function splitCamelCase(text: string): string {
  return text.replace(/([\p{Ll}\d])(\p{Lu})/gu, "$1_$2").replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1_$2");
}

const SHOWN_COLUMNS = 30;

/** The names for a sentence; of many, the first ones and how many more. */
export function namesShown(names: readonly string[]): string {
  const shown = names.slice(0, SHOWN_COLUMNS).map((name) => JSON.stringify(name.slice(0, 60)));
  const more = names.length > SHOWN_COLUMNS ? ` and ${names.length - SHOWN_COLUMNS} more` : "";
  return `${shown.join(", ")}${more}`;
}
