import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { detectEncoding } from "./detect-encoding.ts";
import { encode } from "./encode.fixture.ts";
import { surveyEncoding } from "./encoding-survey.ts";

const CENTRAL = ["windows-1250", "iso-8859-2"];
const CYRILLIC = ["windows-1251", "koi8-u", "iso-8859-5", "ibm866", "x-mac-cyrillic"];
const WESTERN = ["windows-1252", "macintosh"];
const BALTIC = ["windows-1257", "iso-8859-13"];

/** A few titles and the encodings in which shops write them. */
const CATALOGS: readonly (readonly [string, readonly string[], string])[] = [
  [
    "Polish",
    CENTRAL,
    "Sofa narożna z funkcją spania, beżowa; Stół dębowy rozkładany; Krzesło żółte; Łóżko drewniane",
  ],
  [
    "Czech",
    CENTRAL,
    "Křeslo s područkami, šedé; Dětská postýlka bílá; Skříň třídveřová; Židle čalouněná; Stůl",
  ],
  [
    "Slovak",
    CENTRAL,
    "Rohová sedačka s funkciou spania, sivá; Jedálenský stôl; Kreslo čalúnené, žlté, ľahké; Posteľ",
  ],
  [
    "Hungarian",
    CENTRAL,
    "Sarokkanapé ágyfunkcióval; Fürdőszobai tükör; Gyerekülés, kék színű; Tölgyfa étkezőasztal",
  ],
  ["Romanian", CENTRAL, "Canapea extensibilă; Masă de bucătărie; Scaun tapiţat şi pernă; Oglindă rotundă"],
  [
    "Croatian",
    CENTRAL,
    "Kutna garnitura s ležajem; Stolica tapecirana žuta; Kućni ogrtač, đon; Ručnici, šalice",
  ],
  ["Russian", CYRILLIC, "Диван угловой раскладной; Стол обеденный из дуба; Кресло мягкое; Лампа подвесная"],
  ["Ukrainian", ["windows-1251", "koi8-u"], "Диван кутовий розкладний; Стіл обідній дубовий; Крісло; Ліжко"],
  ["Bulgarian", ["windows-1251"], "Ъглов диван с функция за сън; Маса за хранене; Стол тапициран; Легло"],
  [
    "Greek",
    ["windows-1253", "iso-8859-7"],
    "Καναπές γωνιακός με λειτουργία ύπνου; Τραπέζι τραπεζαρίας; Καρέκλα",
  ],
  [
    "Turkish",
    ["windows-1254"],
    "Köşe koltuk takımı; Yemek masası ahşap; Çocuk odası dolabı; Işıklı ayna, sarı",
  ],
  ["Hebrew", ["windows-1255", "iso-8859-8"], "ספה פינתית נפתחת; שולחן אוכל מעץ; כיסא מרופד"],
  ["Arabic", ["windows-1256", "iso-8859-6"], "أريكة زاوية قابلة للطي; طاولة طعام خشبية; كرسي مبطن"],
  ["Thai", ["windows-874"], "โซฟาเข้ามุม; โต๊ะอาหารไม้โอ๊ค; เก้าอี้บุนวม"],
  [
    "Lithuanian",
    BALTIC,
    "Kampinė sofa; Valgomojo stalas ąžuolinis; Kėdė minkšta žalia; šviestuvas, užuolaidų karnizas",
  ],
  ["Latvian", BALTIC, "Stūra dīvāns ar gulēšanas funkciju; Ēdamgalds; Krēsls mīksts, pelēks"],
  ["French", WESTERN, "Canapé d'angle gris foncé; Table à manger en chêne; Fauteuil crème; Étagère"],
  ["German", WESTERN, "Ecksofa mit Schlaffunktion, grün; Esstisch Eiche geölt; Stühle, weiß; Küchenschränke"],
  ["Spanish", WESTERN, "Sofá esquinero con función cama; Mesa de comedor pequeña; Sillón tapizado para niño"],
  [
    "Portuguese",
    WESTERN,
    "Sofá de canto com função de cama; Mesa em madeira maciça; Edredão, lençóis, à mão",
  ],
  ["Swedish", WESTERN, "Hörnsoffa grå; Matbord i ek, vitoljad; Fåtölj; Sänglampa"],
  ["Danish", WESTERN, "Hjørnesofa grå; Spisebord i egetræ; Lænestol; Sengebord"],
  ["Icelandic", ["windows-1252"], "Hornsófi grár; Borðstofuborð úr eik; Stóll með þykkri setu"],
  [
    "Japanese",
    ["shift_jis", "euc-jp"],
    "コーナーソファ ベッド機能付き; ダイニングテーブル オーク材; 肘掛け椅子 グレー; 照明ランプ",
  ],
  ["Chinese", ["gb18030"], "转角沙发床 灰色; 实木餐桌 橡木; 软包椅子 黄色; 台灯; 不锈钢保温杯"],
  ["Traditional Chinese", ["big5"], "轉角沙發床 灰色; 實木餐桌 橡木; 軟包椅子 黃色; 檯燈; 不鏽鋼保溫杯"],
  ["Korean", ["euc-kr"], "코너 소파 침대 회색; 식탁 오크 원목; 의자 노란색; 조명 램프; 스테인리스 보온병"],
];

async function detected(bytes: Uint8Array, currency?: string, language?: string) {
  const survey = await surveyEncoding(
    (async function* chunks() {
      yield bytes;
    })(),
  );
  return detectEncoding(survey.words, { currency: survey.currency ?? currency, language });
}

describe("the encoding of a catalog with a few titles", () => {
  for (const [language, encodings, titles] of CATALOGS)
    test(`is found: ${language}`, async () => {
      for (const encoding of encodings) {
        const bytes = encode(titles, encoding);

        const found = await detected(bytes);

        assert.equal(new TextDecoder(found.encoding).decode(bytes), titles, encoding);
      }
    });
});

test("a catalog of many titles leaves no doubt", async () => {
  for (const [language, [encoding = ""], titles] of CATALOGS) {
    const { other } = await detected(encode(Array.from({ length: 20 }, () => titles).join("\n"), encoding));

    assert.equal(other, null, language);
  }
});

test("a single letter that suits two languages is uncertain, and both readings are shown", async () => {
  const found = await detected(encode("title\nMuñeca", "windows-1252"));

  assert.deepEqual(found, {
    encoding: "windows-1252",
    example: "Muñeca",
    other: { encoding: "windows-1250", example: "Muńeca" },
  });
});

test("the currency of the catalog speaks for the language of its country", async () => {
  const bytes = encode("Koń na biegunach", "windows-1250");

  assert.equal((await detected(bytes)).encoding, "windows-1252");
  assert.equal((await detected(bytes, "PLN")).encoding, "windows-1250");
});

test("the language of the catalog speaks for its encodings", async () => {
  const polish = encode("Koń na biegunach", "windows-1250");

  assert.equal((await detected(polish, "EUR", "pl")).encoding, "windows-1250");
  assert.equal((await detected(polish, "EUR", "pl-PL")).encoding, "windows-1250");
  assert.equal((await detected(polish, "EUR", "fr")).encoding, "windows-1252");
});

test("the currency that the file names speaks for its language, too", async () => {
  for (const row of ["1;Koń;19.90 PLN\n", "1;Koń;19.90;PLN;x\n", "<name>Koń</name><c>PLN</c>"])
    assert.equal((await detected(encode(row, "windows-1250"), "EUR")).encoding, "windows-1250", row);
  assert.equal((await detected(encode("1;Koń;PLNX;x\n", "windows-1250"), "EUR")).encoding, "windows-1252");
});

test("stray bytes in English words are no letters of another alphabet", async () => {
  const stray = "Unisex\xe5\xca ";
  for (const text of [stray, `${stray}Men\x92s Women\x92s \x96 `, stray.repeat(200)]) {
    const { encoding, other } = await detected(Buffer.from(text, "latin1"));

    assert.match(encoding, /^(?:windows-1252|macintosh)$/, text.slice(0, 40));
    assert.match(other?.encoding ?? "windows-1252", /^(?:windows-125[0247]|macintosh|iso-8859-(?:2|13))$/);
  }
});

test("English apostrophes and quotes are those of Windows, and many leave no doubt", async () => {
  const text = "Men\x92s \x93Classic\x94 \x96 kid\x92s \x96 \x96 ";

  assert.equal((await detected(Buffer.from(text, "latin1"))).encoding, "windows-1252");
  const many = await detected(Buffer.from(text.repeat(30), "latin1"));
  assert.deepEqual([many.encoding, many.other], ["windows-1252", null]);
  const withStray = await detected(Buffer.from(`${text.repeat(30)}Unisex\xe5\xca `, "latin1"));
  assert.equal(withStray.encoding, "windows-1252");
});

test("a sample is taken from the whole file, and the size of the file does not matter", async () => {
  const rows = (from: number) =>
    Array.from({ length: 20_000 }, (_, row) => `${from + row};Caf\u00e9 cr\u00e8me`).join("\n");
  const polish = encode(
    Array.from({ length: 2_000 }, () => "Łóżko dębowe, żółte").join("\n"),
    "windows-1250",
  );

  const { words } = await surveyEncoding(
    (async function* chunks() {
      yield Buffer.from(rows(0), "latin1");
      yield polish;
    })(),
  );

  assert.ok(words.length < 40_000);
  assert.match(new TextDecoder("windows-1250").decode(words), /Łóżko/);
});
